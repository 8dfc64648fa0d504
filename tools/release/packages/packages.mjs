/**
 * Tries what `npm run release` has made, each target that can run here: version, help and completion, sandbox, a bulk run that is
 * killed and resumed, random kills, a certificate of an authority of one's own, and the tests on a terminal; on Linux x64 also in
 * a chroot with nothing but the executable and its libraries, without a network, and the Debian package. Checksums, their signature,
 * the bill of materials, and what lintian says of the Debian packages come first.
 *
 *   node tools/release/packages/packages.mjs     every target of release/
 *     --target linux-arm64    only this one; may be given several times
 *     --kills 10              kills of one run, and as many of others (50 unless given; a fifth where a target is emulated)
 *     --install               install what runs them (Debian, root): qemu-user-static, wine
 *     --measure               measure starts against bare Node, and try nothing
 *
 * Prints a line for each step. Exits 1 if one failed; a target that cannot run here is named.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../../harness/installed.mjs'
import { commandLine, isThere, oneOf, ownFolder, refuse, root, run } from '../../harness/tool.mjs'
import { checkSignature } from '../signature.mjs'
import { debianPackages, runnerOf, targets } from '../targets.mjs'
import { tryWithoutNode } from './alone.mjs'
import { trustByVariable, trustInRegistry, tryCertificate } from './certificate.mjs'
import { checkBill, checkRecipes, checkSums } from './files.mjs'
import { killAndResume, tryPages, trySandbox } from './jobs.mjs'
import { measure } from './measure.mjs'

const release = join(root, 'release')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const runnable = ['linux-x64', 'linux-arm64', 'win-x64']
const values = commandLine({
  target: Object.keys(targets),
  kills: 50,
  install: false,
  measure: false,
})
oneOf('target', values.target, Object.keys(targets))
const { kills } = values
const totals = { ok: 0, failed: 0, missing: 0 }

async function step(what, how) {
  const started = Date.now()
  try {
    const said = await how()
    totals.ok += 1
    const seconds = ((Date.now() - started) / 1000).toFixed(0)
    console.log(`ok      ${what}${said === undefined ? '' : `: ${said}`} (${seconds} s)`)
  } catch (error) {
    totals.failed += 1
    console.log(`FAILED  ${what}: ${error.message}`)
  }
}

function missing(what, why) {
  totals.missing += 1
  console.log(`missing ${what}: ${why}`)
}

/** Runs a program of ours to its end; the lines that it prints when all is well. */
const tool = (words, env = {}) =>
  run(process.execPath, words, { cwd: root, env: { ...process.env, ...env } })
    .trimEnd()
    .split('\n')

/**
 * A file that can be started here as the target's program, and killed. A pipe of Linux is nothing that a program can write to
 * under Wine, so that one writes to files, which are read while they grow.
 */
function wrapper(target, executable, folder) {
  const { words, env } = runnerOf(target)
  if (words.length === 0) return executable
  const path = join(folder, 'svc')
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`)
  const start = `exec ${words.join(' ')} '${executable}' "$@"`
  const follow = 'tail -q -s 0.05 --pid=$$ -c +1 -f'
  const through = [
    `streams=$(mktemp -d '${folder}/streams-XXXXXX') && : >"$streams/1" && : >"$streams/2"`,
    `${follow} "$streams/1" & ${follow} "$streams/2" >&2 &`,
    `${start} </dev/null >>"$streams/1" 2>>"$streams/2"`,
  ]
  const commands = target === 'win-x64' ? through : [start]
  writeFileSync(path, ['#!/bin/sh', ...lines, ...commands, ''].join('\n'))
  chmodSync(path, 0o755)
  return path
}

function unpack(target, folder) {
  const title = `svc-${version}-${target}`
  const [program, ...words] =
    target === 'win-x64'
      ? ['unzip', '-q', join(release, `${title}.zip`), '-d', folder]
      : ['tar', '-xzf', join(release, `${title}.tar.gz`), '-C', folder]
  run(program, words)
  return join(folder, title, 'bin', target === 'win-x64' ? 'svc.exe' : 'svc')
}

/** What of it has to be there for it to start on a Mac; nothing of it can run here. */
function checkBundle(target, folder) {
  const home = join(unpack(target, folder), '../..')
  const parts = [
    'lib/node',
    ...['bin/svc.js', 'package.json', 'dist/main.js'].map((name) => `lib/svc/${name}`),
  ]
  const absent = parts.find((part) => !existsSync(join(home, part)))
  if (absent !== undefined) throw new Error(`${absent} is not in it`)
  const own = readFileSync(join(installed('tools/release'), targets[target].node))
  if (!own.equals(readFileSync(join(home, 'lib/node'))))
    throw new Error('its Node is not the one that was signed')
  for (const file of ['bin/svc', 'lib/node'])
    if ((statSync(join(home, file)).mode & 0o111) === 0)
      throw new Error(`${file} is not executable`)
  // The launcher and the program are the same on every system; only Node is not.
  writeFileSync(
    join(home, 'lib/node'),
    `#!/bin/sh\n[ "$1" = --use-system-ca ] && shift\nexec '${process.execPath}' "$@"\n`,
  )
  trySandbox(join(home, 'bin/svc'))
  return 'its Node is as it was signed; the launcher and the program were tried with the Node of this machine'
}

async function tryTarget(target, folder) {
  const isEmulated = target !== 'linux-x64'
  const executable = unpack(target, folder)
  const program = wrapper(target, executable, folder)
  await step(`${target}: version`, () => {
    const told = run(program, ['--version'])
    if (told.trim() !== version) throw new Error(told)
    return `${version}, ${(statSync(executable).size / 1e6).toFixed(0)} MB`
  })
  // There svc starts itself, and the kernel must know what runs it.
  if (target === 'linux-arm64' && !existsSync('/proc/sys/fs/binfmt_misc/qemu-aarch64'))
    missing(`${target}: sandbox exec`, 'qemu is not registered with binfmt_misc here')
  else await step(`${target}: sandbox exec`, () => trySandbox(program))
  await step(`${target}: help and completion`, () => tryPages(program))
  const its = isEmulated ? Math.ceil(kills / 5) : kills
  await step(`${target}: one bulk run, killed and resumed`, () =>
    killAndResume([program], folder, { kills: its }),
  )
  if (target === 'win-x64')
    missing(`${target}: tests on a terminal`, 'they need a terminal of Windows')
  else
    await step(`${target}: tests on a terminal`, () => {
      const words = [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        'test/vitest.config.ts',
        'test/bulk/prompt.test.ts',
      ]
      const lines = tool(words, { SVC_TEST_EXECUTABLE: program, NO_COLOR: '1' })
      return lines.find((line) => /^ *Tests /.test(line))?.trim()
    })
  if (target === 'linux-x64') {
    const debian = join(release, `svc-cli_${version}_amd64.deb`)
    for (const [what, how] of Object.entries(tryWithoutNode(executable, { debian, folder, kills })))
      await step(`${target}: ${what}`, how)
  } else {
    const trust = target === 'win-x64' ? trustInRegistry(runnerOf(target)) : trustByVariable
    await step(`${target}: a certificate of one's own authority`, () =>
      tryCertificate([program], folder, trust),
    )
  }
}

/** Throws when Debian's own checks find an error; warnings are shown. */
const lint = (path) =>
  run('lintian', ['--allow-root', '--fail-on', 'error', path]).trim().replaceAll('\n', '; ') ||
  'no errors'

if (values.install) {
  const packages = values.target.flatMap((target) => debianPackages[target] ?? [])
  const words = ['install', '-y', '--no-install-recommends', 'unzip', 'lintian', ...packages]
  spawnSync('apt-get', words, { stdio: 'inherit' })
}
if (!existsSync(release)) refuse('there is no release/; first: npm run release')
if (!values.measure) {
  await step('checksums', () => checkSums(release))
  if (existsSync(join(release, 'SHA256SUMS.sig')))
    await step('signature', () => checkSignature(release))
  else missing('signature', 'the release is not signed')
  for (const name of readdirSync(release).filter((file) => file.endsWith('.deb'))) {
    if (isThere('lintian')) await step(`lintian ${name}`, () => lint(join(release, name)))
    else missing(`lintian ${name}`, 'apt-get install lintian')
  }
  await step('checksums in recipes', () => checkRecipes(release))
  await step('bill of materials', () => checkBill(release, { root, version }))
}
for (const target of values.target) {
  const isMade = existsSync(
    join(release, `svc-${version}-${target}.${target === 'win-x64' ? 'zip' : 'tar.gz'}`),
  )
  const folder = ownFolder('packages')
  if (!isMade) missing(target, 'it is not in release/')
  else if (!runnable.includes(target)) {
    if (!values.measure) await step(target, () => checkBundle(target, folder))
  } else if (runnerOf(target) === undefined)
    missing(
      target,
      `what runs it is not here: apt-get install ${debianPackages[target].join(' ')}, or --install`,
    )
  else if (values.measure)
    await measure(target, wrapper(target, unpack(target, folder), folder), folder)
  else await tryTarget(target, folder)
}
console.log(`${totals.ok} ok, ${totals.failed} failed, ${totals.missing} missing`)
process.exitCode = totals.failed > 0 ? 1 : 0
