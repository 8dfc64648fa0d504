/** The program for a target: one executable, or Node with the program beside it. */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { isThere, root, run } from '../harness/tool.mjs'
import { targets } from './targets.mjs'

/** By which Node finds out that something was injected into it. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** What Node takes from its environment that can run, read or write files; variables about certificates are not among them. */
const variables = [
  ...[
    'COMPILE_CACHE',
    'DEBUG_NATIVE',
    'ICU_DATA',
    'OPTIONS',
    'PATH',
    'PENDING_DEPRECATION',
    'PRESERVE_SYMLINKS',
  ],
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

/** The first use of TLS makes it trust the certificates of the system too; Node 24 is told so by an option in the executable. */
const trustOfSystem = {
  name: 'trust-of-system',
  setup(bundle) {
    bundle.onResolve({ filter: /^node:tls$/, namespace: 'file' }, () => ({
      path: 'tls',
      namespace: 'trust',
    }))
    bundle.onLoad({ filter: /.*/, namespace: 'trust' }, () => ({
      contents: `const tls = module.exports = require('tls')
        if (!process.execArgv.includes('--use-system-ca'))
          tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])`,
    }))
  },
}

/** Node with the program injected into it, at `path`. */
export async function writeExecutable(target, path, { modules, work, hasCache }) {
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
    plugins: [trustOfSystem],
    logLevel: 'warning',
  })
  const [config, blob] = [join(work, 'sea.json'), join(work, 'sea.blob')]
  const settings = {
    // Its name is part of what is made, so it must not name a folder of this machine.
    main: basename(main),
    output: blob,
    disableExperimentalSEAWarning: true,
    // Node 22 takes no notice of it.
    execArgv: ['--use-system-ca'],
    execArgvExtension: 'none',
    // V8's code cache fits the system that made it.
    useCodeCache: hasCache && target === 'linux-x64',
  }
  writeFileSync(config, JSON.stringify(settings))
  const making = join(modules, maker, 'bin/node')
  run(making, ['--experimental-sea-config', config], { cwd: work })
  copyFileSync(join(modules, node), path)
  chmodSync(path, 0o755)
  if (strip !== undefined && isThere(strip)) run(strip, [path])
  else if (strip !== undefined)
    console.log(`${target}: ${strip} is missing here, so the executable is larger`)
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
