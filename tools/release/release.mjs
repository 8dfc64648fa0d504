/**
 * Makes everything that a release consists of in `release/`, on Linux x64 with tar (binutils and
 * binutils-aarch64-linux-gnu make the executables smaller).
 *
 *   npm run release -- [--sign <ssh key>]
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { commandLine, ownFolder, refuse, root, run } from '../harness/tool.mjs'
import { installPackages, targets, writeExecutable } from './executables.mjs'

const place = join(root, 'release')
const read = (path) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json'))
const { sign: signingKey } = commandLine({ sign: undefined })
if (process.platform !== 'linux' || process.arch !== 'x64') refuse('a release is made on Linux x64')

const runHere = (program, words, options) => run(program, words, { cwd: root, ...options })
/** The commit's time in seconds, so that the archives do not depend on when they were made. */
const time = runHere('git', ['log', '-1', '--format=%ct']).trim()

/** A tar.gz of an executable with its files: sorted, owned by root, of the commit's time. */
async function writeTarget(target, modules) {
  const work = ownFolder(`release-${target}`)
  const title = `svc-${version}-${target}`
  const folder = join(work, title)
  for (const name of ['bin', 'share']) mkdirSync(join(folder, name), { recursive: true })
  const program = join(folder, `bin/svc${targets[target].extension}`)
  await writeExecutable(target, program, { modules, work })
  // The package of Windows has none.
  const ofNode = readFileSync(join(modules, targets['linux-x64'].package, 'LICENSE'), 'utf8')
  const licenses = [read('LICENSE'), read('dist/LICENSES.txt'), ofNode]
  writeFileSync(join(folder, 'LICENSES.txt'), licenses.join(`\n${'='.repeat(80)}\n\n`))
  copyFileSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'))
  copyFileSync(join(root, 'docs/svc.1'), join(folder, 'share/svc.1'))
  const completions = { bash: 'svc.bash', zsh: '_svc', fish: 'svc.fish', powershell: 'svc.ps1' }
  for (const [shell, name] of Object.entries(completions)) {
    const script = runHere(process.execPath, ['bin/svc.js', 'completion', shell])
    writeFileSync(join(folder, 'share', name), script)
  }
  const options = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner']
  // Anyone who unpacks it can use it, whatever the umask here is.
  const words = [...options, '--mode=u=rwX,go=rX', '--format=ustar', '-cf', '-', '-C', work, title]
  // Node's gzip writes neither a time nor a name.
  const archive = gzipSync(run('tar', words, { encoding: 'buffer' }))
  writeFileSync(join(place, `${title}.tar.gz`), archive)
}

/** CycloneDX: the packages in the program, and the Node of each executable. */
function billOfMaterials() {
  const { packages } = JSON.parse(read('tools/release/package-lock.json'))
  const nodes = Object.entries(targets).map(([target, { package: name }]) => {
    return { name, ...packages[`node_modules/${name}`], description: `Node.js for ${target}` }
  })
  const component = { type: 'application', name: 'svc', version }
  const components = [...JSON.parse(read('dist/packages.json')), ...nodes].map(componentOf)
  const format = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 }
  return `${JSON.stringify({ ...format, metadata: { component }, components }, null, 2)}\n`
}

function componentOf(part) {
  const { name, license, integrity, description } = part
  const purl = `pkg:npm/${name.replace('@', '%40')}@${part.version}`
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  return {
    type: description === undefined ? 'library' : 'application',
    'bom-ref': purl,
    name,
    version: part.version,
    description,
    purl,
    licenses: [{ expression: license }],
    hashes: [{ alg: 'SHA-512', content }],
  }
}

/** The names of the files with their SHA-256. */
function writeSums() {
  const sums = readdirSync(place)
    .toSorted()
    .map((name) => {
      const sum = createHash('sha256').update(readFileSync(join(place, name)))
      return `${sum.digest('hex')}  ${name}\n`
    })
  writeFileSync(join(place, 'SHA256SUMS'), sums.join(''))
}

/** `key`: the private key's file, or the public one's when an agent has the other half. */
function sign(key) {
  const words = ['-Y', 'sign', '-f', key, '-n', 'svc-release']
  // Not by `run`, which hides what ssh-keygen asks on stderr: to touch a security key, for example.
  const signature = execFileSync('ssh-keygen', words, {
    input: readFileSync(join(place, 'SHA256SUMS')),
  })
  writeFileSync(join(place, 'SHA256SUMS.sig'), signature)
}

runHere(process.execPath, ['bin/build.mjs'])
rmSync(place, { recursive: true, force: true })
mkdirSync(place)
const modules = installPackages()
runHere('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', place])
for (const target of Object.keys(targets)) {
  console.log(target)
  await writeTarget(target, modules)
}
writeFileSync(join(place, `svc-${version}.cdx.json`), billOfMaterials())
writeSums()
console.log(readFileSync(join(place, 'SHA256SUMS'), 'utf8'))
if (signingKey !== undefined) sign(signingKey)
