/**
 * Makes everything that a release consists of, in `release/`: the npm package, an executable for each target, packages around
 * them, a bill of materials, recipes for package managers, and the checksums of all of it.
 *
 *   npm run release                            everything
 *   npm run release -- --target linux-x64      only this target; may be given several times
 *   npm run release -- --url https://…         where the files will be; it is written into the recipes
 *   npm run release -- --no-caches             without V8's code cache: two builds of a commit are the same bytes
 *   npm run release -- --sign <ssh key>        sign SHA256SUMS as SHA256SUMS.sig; the key may be a public one whose other half is in an agent
 *
 * Needs Linux x64 with tar, and, for what is not left out with a line about it, Debian's binutils, binutils-aarch64-linux-gnu
 * and dpkg.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../harness/installed.mjs'
import { commandLine, isThere, oneOf, ownFolder, refuse, root, run } from '../harness/tool.mjs'
import { writeFiles, writeTar, writeZip } from './archives.mjs'
import { writeDebian } from './debian.mjs'
import { writeBundle, writeExecutable } from './executables.mjs'
import { dockerfile, homebrewFormula, scoopManifest } from './recipes.mjs'
import { sign } from './signature.mjs'
import { targets } from './targets.mjs'

const place = join(root, 'release')
const read = (path) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json'))
const { version, license } = manifest
const description = 'Contacts, lists and tickets of a customer-conversation service'

const values = commandLine({
  target: Object.keys(targets),
  url: `https://downloads.example.com/svc/${version}`,
  caches: true,
  sign: undefined,
})
oneOf('target', values.target, Object.keys(targets))
if (values.sign !== undefined && !existsSync(values.sign)) refuse(`no key "${values.sign}"`)
if (process.platform !== 'linux' || process.arch !== 'x64') refuse('a release is made on Linux x64')

const runHere = (program, words, options) => run(program, words, { cwd: root, ...options })
/** Of the commit, in seconds: what is built of it tomorrow is the same. */
const time = Number(process.env.SOURCE_DATE_EPOCH ?? runHere('git', ['log', '-1', '--format=%ct']))
const svc = (...words) => runHere(process.execPath, ['bin/svc.js', ...words])
const sumOf = (file) =>
  createHash('sha256')
    .update(readFileSync(join(place, file)))
    .digest('hex')
const titleOf = (target) => `svc-${version}-${target}`
const nameOf = (target) => `${titleOf(target)}.${target === 'win-x64' ? 'zip' : 'tar.gz'}`

/** The npm package, of the build that is there. */
function writeNpmPackage() {
  runHere(process.execPath, ['bin/packed.mjs'])
  try {
    runHere('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', place])
  } finally {
    runHere(process.execPath, ['bin/packed.mjs', 'restore'])
  }
}

/** What lies beside each program. */
function pagesOf(modules, { node, maker }) {
  // Node's package for Windows has no license, that for Linux of the same version has.
  const ofNode = readFileSync(join(modules, maker ?? node.split('/')[0], 'LICENSE'), 'utf8')
  const [bash, zsh, fish] = ['bash', 'zsh', 'fish'].map((shell) => svc('completion', shell))
  return {
    ...{ manual: svc('help', '--man'), bash, zsh, fish },
    licenses: [read('LICENSE'), read('dist/LICENSES.txt'), ofNode].join(`\n${'='.repeat(80)}\n\n`),
    changes: read('CHANGELOG.md'),
  }
}

async function writeTarget(target, modules) {
  const work = ownFolder(`release-${target}`)
  const { maker, debian } = targets[target]
  const pages = pagesOf(modules, targets[target])
  const folder = join(work, titleOf(target))
  const executable = join(folder, target === 'win-x64' ? 'bin/svc.exe' : 'bin/svc')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  if (maker === undefined) writeBundle(target, folder, { modules, dist: join(root, 'dist') })
  else await writeExecutable(target, executable, { modules, work, hasCache: values.caches })
  const isWindows = target === 'win-x64'
  const completions = {
    'share/svc.bash': pages.bash,
    'share/_svc': pages.zsh,
    'share/svc.fish': pages.fish,
  }
  const own = isWindows
    ? { 'WINDOWS.md': read('docs/windows.md') }
    : { 'share/svc.1': pages.manual, ...completions }
  writeFiles(folder, { 'LICENSES.txt': pages.licenses, 'CHANGELOG.md': pages.changes, ...own })
  const write = isWindows ? writeZip : writeTar
  write(join(place, nameOf(target)), folder, time)
  if (debian !== undefined && isThere('dpkg-deb')) {
    const path = join(place, `svc-cli_${version}_${debian}.deb`)
    writeDebian(path, join(work, 'deb'), {
      executable,
      architecture: debian,
      version,
      description,
      pages,
      time,
    })
  } else if (debian !== undefined)
    console.log(`${target}: dpkg-deb is missing here, so there is no Debian package`)
}

/** CycloneDX: what is part of the program, and each Node that is delivered with it. */
function billOfMaterials(names) {
  const bill = JSON.parse(read('dist/sbom.cdx.json'))
  const { packages } = JSON.parse(read('tools/release/package-lock.json'))
  const nodes = names.map((target) => {
    const [name] = targets[target].node.split('/')
    const { version: itsVersion, integrity, license: itsLicense } = packages[`node_modules/${name}`]
    const purl = `pkg:npm/${name}@${itsVersion}`
    const sum = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
    return {
      type: 'application',
      'bom-ref': purl,
      name,
      version: itsVersion,
      description: `Node.js for ${target}`,
      purl,
      licenses: [{ expression: itsLicense }],
      hashes: [{ alg: 'SHA-512', content: sum }],
    }
  })
  return `${JSON.stringify({ ...bill, components: [...bill.components, ...nodes] }, null, 2)}\n`
}

/** Those whose targets were all made. */
function recipes() {
  const { target: targets, url } = values
  const facts = { version, description, license, url, sumOf, nameOf, targets }
  const has = (...names) => names.every((name) => targets.includes(name))
  return {
    ...(has('darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64')
      ? { 'svc.rb': homebrewFormula(facts) }
      : {}),
    ...(has('win-x64') ? { 'svc.json': scoopManifest(facts) } : {}),
    ...(has('linux-x64') || has('linux-arm64') ? { Dockerfile: dockerfile(facts) } : {}),
  }
}

runHere(process.execPath, ['bin/build.mjs'])
rmSync(place, { recursive: true, force: true })
mkdirSync(place)
const modules = installed('tools/release')
writeNpmPackage()
for (const target of values.target) {
  console.log(target)
  await writeTarget(target, modules)
}
writeFiles(place, { [`svc-${version}.cdx.json`]: billOfMaterials(values.target), ...recipes() })
const files = readdirSync(place)
  .filter((name) => !name.startsWith('.'))
  .toSorted()
writeFileSync(join(place, 'SHA256SUMS'), files.map((file) => `${sumOf(file)}  ${file}\n`).join(''))
console.log(readFileSync(join(place, 'SHA256SUMS'), 'utf8'))
if (values.sign !== undefined) sign(place, values.sign)
