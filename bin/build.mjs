/**
 * The one build script: src and everything it imports become a few CommonJS files in dist/.
 *
 * Two passes. The first bundles into ES modules and splits them wherever the source says `import()`, so that a command
 * loads only what it needs and no module exists twice. The second turns each piece into CommonJS with plain `require`
 * calls: a native `import()` of such a piece costs tens of milliseconds on Node 20.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
/** Built beside it and swapped at the end, so that a running svc never meets half a build. */
const next = join(root, 'dist.next')

/**
 * undici evaluates fetch, WebSocket, caches and mocks when it is imported whole; svc needs its Client. These are internal
 * paths, so the version is pinned and a test sends requests through the built files.
 */
const clientOnly = {
  name: 'undici-client-only',
  setup(bundle) {
    bundle.onResolve({ filter: /^undici$/ }, () => ({
      path: resolve(root, 'node_modules/undici/lib/dispatcher/client.js'),
      namespace: 'undici',
    }))
    bundle.onLoad({ filter: /.*/, namespace: 'undici' }, ({ path }) => ({
      contents: `export { default as Client } from ${JSON.stringify(path)}`,
      resolveDir: dirname(path),
    }))
    // Connections are made for http/1.1 alone (ALPN), so this code is never reached; node:http2 costs 5 ms to load.
    bundle.onLoad({ filter: /undici\/lib\/dispatcher\/client-h2\.js$/ }, () => ({
      contents: 'module.exports = () => { throw new Error("HTTP/2 is not used") }',
    }))
    // Bodies of fetch (forms, blobs); ours are buffers.
    bundle.onLoad({ filter: /undici\/lib\/web\/fetch\/body\.js$/ }, () => ({
      contents: 'exports.extractBody = () => { throw new Error("only buffers are sent") }',
    }))
  },
}

/** Both passes, into the folder of the next build. `known`: what is built in; nothing in the build that prints it. */
async function bundle(known = {}) {
  const bundled = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', 'src/host.ts'],
    outdir: next,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    chunkNames: '[name]-[hash]',
    define: {
      BUILT_PAGES: JSON.stringify(known.pages) ?? 'undefined',
      BUILT_TREE: JSON.stringify(known.tree) ?? 'undefined',
    },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    plugins: [clientOnly],
    write: false,
    metafile: true,
    logLevel: 'warning',
  })
  await rm(next, { recursive: true, force: true })
  await mkdir(next, { recursive: true })
  for (const file of bundled.outputFiles) {
    const { code } = await transform(file.text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20.19',
      supported: { 'dynamic-import': false },
      minifyWhitespace: true,
    })
    await writeFile(file.path, code)
  }
  await writeFile(join(next, 'package.json'), '{"type":"commonjs"}\n')
  return bundled.metafile
}

// Neither the help of a command nor the tree of commands, which completion walks, changes: printed once here, they need no
// framework when they are asked for.
await bundle()
const script = `require('./main.js').main(require('./host.js').nodeHost(process))`
const print = (...words) =>
  execFileSync(process.execPath, ['-e', script, '--', 'svc', ...words], { cwd: next, encoding: 'utf8', env: {} })
const { inputs } = await bundle({ pages: print('__complete', '--pages'), tree: print('__complete', '--tree') })
await writeFile(join(next, 'LICENSES.txt'), await licenses(Object.keys(inputs)))

const last = join(root, 'dist.last')
await rm(last, { recursive: true, force: true })
await rename(dist, last).catch((error) => {
  if (error.code !== 'ENOENT') throw error
})
await rename(next, dist)
await rm(last, { recursive: true, force: true })

/** The licences of the packages that are part of the bundle. */
async function licenses(inputs) {
  const packages = new Set()
  for (const input of inputs) {
    const found = /^(?:undici:.*?)?(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)
    if (found) packages.add(input.slice(0, found.index + found[0].length).replace(/^undici:/, ''))
  }
  const texts = []
  for (const folder of [...packages].sort()) {
    const at = resolve(root, folder)
    const { name, version, license } = JSON.parse(await readFile(join(at, 'package.json'), 'utf8'))
    texts.push(`${name} ${version} (${license})\n\n${await licenseText(at)}`)
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

async function licenseText(folder) {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE', 'License']) {
    try {
      return await readFile(join(folder, name), 'utf8')
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
  return 'The package carries no licence file of its own.\n'
}
