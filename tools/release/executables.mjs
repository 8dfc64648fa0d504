/** The program for a target: one executable, or Node with the program beside it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, copyFileSync, cpSync, mkdirSync, openSync } from 'node:fs'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { writeManifest } from '../../bin/manifest.mjs'
import { isThere, root, run } from '../harness/tool.mjs'
import { runnerOf, targets } from './targets.mjs'

/** By which Node finds out that something was injected into it. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** What Node takes from its environment that can run, read or write files; variables about certificates are not among them. */
const variables = [
  ...['COMPILE_CACHE', 'DEBUG_NATIVE', 'ICU_DATA', 'OPTIONS', 'PATH', 'PENDING_DEPRECATION', 'PRESERVE_SYMLINKS'],
  ...['PRESERVE_SYMLINKS_MAIN', 'REDIRECT_WARNINGS', 'REPL_EXTERNAL_MODULE', 'V8_COVERAGE'],
].map((name) => `NODE_${name}`)

/** Node that looks for none of them: each name in its data begins with a character that no name of a variable can have. */
export function withoutVariables(node) {
  for (const name of variables) {
    let at = node.indexOf(`\0${name}\0`)
    if (at < 0) throw new Error(`this Node has no "${name}": is it read in another way?`)
    for (; at >= 0; at = node.indexOf(`\0${name}\0`, at)) node[at + 1] = 0x3d
  }
  return node
}

/**
 * The build without its code caches, and, where the target's Node can run here, with those that it made. A cache holds hashes
 * that V8 chooses anew in each process, so it is never the same twice.
 */
export async function buildFor(target, { modules, work, hasCaches }) {
  const dist = join(work, 'dist')
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: (path) => !/\.cache$|\/manifest$/.test(path) })
  const runner = hasCaches ? runnerOf(target) : undefined
  if (runner !== undefined) {
    const [program, ...words] = [...runner.words, join(modules, targets[target].node), join(root, 'bin/train.js'), dist]
    // Wine cannot write to a pipe of Linux, which this tool's own output may be.
    const errors = openSync(join(work, 'errors'), 'w')
    const env = { ...process.env, ...runner.env }
    const { status } = spawnSync(program, words, { env, stdio: ['ignore', 'ignore', errors] })
    closeSync(errors)
    if (status !== 0) throw new Error(`no code caches for ${target}: ${readFileSync(join(work, 'errors'), 'utf8')}`)
  } else if (hasCaches) console.log(`${target}: no code caches, since its Node cannot run here; it starts more slowly`)
  await writeManifest(dist)
  return dist
}

/** Of a build, what no program reads; all else is part of an executable. */
const neverRead = ['LICENSES.txt', 'package.json', 'sbom.cdx.json']

/** Node with the program injected into it, at `path`. */
export async function writeExecutable(target, path, { modules, work, dist }) {
  const { node, maker, strip } = targets[target]
  const main = join(work, 'main.cjs')
  await build({
    entryPoints: [join(root, 'tools/release/executable.cjs')],
    outfile: main,
    bundle: true,
    platform: 'node',
    target: 'node22.19',
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  })
  const pieces = readdirSync(dist).filter((name) => !neverRead.includes(name))
  const [config, blob] = [join(work, 'sea.json'), join(work, 'sea.blob')]
  const settings = {
    // Its name is part of what is made, so it must not name a folder of this machine.
    main: basename(main),
    output: blob,
    disableExperimentalSEAWarning: true,
    // Node 22 takes no notice of it.
    execArgv: ['--use-system-ca'],
    execArgvExtension: 'none',
    assets: Object.fromEntries(pieces.toSorted().map((name) => [name, join(dist, name)])),
  }
  writeFileSync(config, JSON.stringify(settings))
  const making = join(modules, maker, 'bin/node')
  run(making, ['--experimental-sea-config', config], { cwd: work })
  copyFileSync(join(modules, node), path)
  chmodSync(path, 0o755)
  if (strip !== undefined && isThere(strip)) run(strip, [path])
  else if (strip !== undefined) console.log(`${target}: ${strip} is missing here, so the executable is larger`)
  writeFileSync(path, withoutVariables(readFileSync(path)))
  // Its warnings are about names of notes that strip has moved.
  const inject = join(modules, 'postject/dist/cli.js')
  run(making, [inject, path, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse])
}

const launcher = `#!/bin/sh
# Starts svc with the Node beside it. Package managers start it through links.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
unset CDPATH NODE_DEBUG ${variables.join(' ')}
home=$(cd "$(dirname "$self")/.." && pwd -P)
exec "$home/lib/node" --use-system-ca "$home/lib/svc/bin/svc.js" "$@"
`

/** Node as it was signed, the program, and a launcher: `bin/svc` in `folder`. */
export function writeBundle(target, folder, { modules, dist }) {
  const program = join(folder, 'lib/svc')
  for (const place of ['bin', 'lib/svc/bin']) mkdirSync(join(folder, place), { recursive: true })
  copyFileSync(join(modules, targets[target].node), join(folder, 'lib/node'))
  for (const file of ['package.json', 'bin/svc.js', 'bin/package.json'])
    copyFileSync(join(root, file), join(program, file))
  cpSync(dist, join(program, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'bin/svc'), launcher)
  for (const file of ['bin/svc', 'lib/node']) chmodSync(join(folder, file), 0o755)
}
