/**
 * The one build script: src and everything it imports become a few CommonJS files in dist/, which Node loads as it loads any file.
 *
 * A piece holds the modules that are used together, since a file costs 0.3 ms; each module in it is evaluated when another one imports it.
 * An `import()` becomes a `require`: a native `import()` of CommonJS costs tens of milliseconds on Node 20.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { billOfMaterials, licenses, packagesOf } from './packages.mjs'

const { build } = await import('esbuild').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  // `npm install -g .` in a fresh clone installs nothing that builds.
  console.error('esbuild, which builds svc, is not installed here. First: npm ci')
  process.exit(1)
})

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
/** Built beside it and swapped at the end, so that a running svc never meets half a build. */
const next = join(root, 'dist.next')

/** The pieces by the modules that they begin with; whatever those import statically belongs to them, unless a piece before has it. */
const pieces = {
  main: /^src\/(main|host)\.ts$/,
  words: /^src\/program\/(completion\/complete|report|usage)\.ts$/,
  engine: /^src\/(program\/invoke|commands\/lists\/noun)\.ts$/,
  network: /^src\/(config\/(profile|sandbox)|http\/client|api\/client|output\/render)\.ts$/,
  nouns: /^src\/(commands\/([\w-]+|\w+\/(noun|api|doctor|completion|choose|created|updated))|program\/help\/\w+)\.ts$/,
  table: /^src\/output\/formats\/table\.ts$/,
  bulk: /^src\/(bulk\/sessions\/(session|plan)|output\/progress)\.ts$/,
  people: /^src\/directory\//,
  sandbox: /^src\/(sandbox|commands\/sandbox)\//,
  rest: /./,
}

/** Code of packages that svc does not need, by its path; what undici evaluates when it is imported whole costs 50 ms. */
const contents = new Map([
  ['undici/index.js', `exports.Client = require('./lib/dispatcher/client.js')`],
  // Connections are made for http/1.1 alone (ALPN); node:http2 costs 5 ms to load.
  ['undici/lib/dispatcher/client-h2.js', `module.exports = () => { throw new Error('HTTP/2 is not used') }`],
  // Bodies of fetch (forms, blobs); ours are buffers.
  ['undici/lib/web/fetch/body.js', `exports.extractBody = () => { throw new Error('only buffers are sent') }`],
  // The parser without SIMD is as fast for answers like ours.
  ['undici/lib/llhttp/llhttp_simd-wasm.js', `module.exports = require('./llhttp-wasm.js')`],
  ['undici/lib/llhttp/constants.js', ({ ERROR, TYPE }) => `module.exports = ${JSON.stringify({ ERROR, TYPE })}`],
])

/** Modules that a package loads for a constant or for what svc does not do, 1 ms each; and readers that execute a configuration. */
const stubs = [
  [/^node:http$/, /\/undici\//, 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {}'],
  [/^node:child_process$/, /\/commander\//, ''],
  [
    /^node:assert$/,
    /\/undici\//,
    `module.exports = (value, message) => { if (!value) throw message instanceof Error ? message : new Error(message ?? 'assertion failed') }
     module.exports.strictEqual = (left, right) => module.exports(Object.is(left, right))`,
  ],
  [/^(?:typescript|import-fresh|parse-json)$/, /\/cosmiconfig\//, `throw new Error('svc executes no configuration')`],
]

const lean = {
  name: 'lean',
  setup(bundle) {
    for (const [filter, from, text] of stubs) {
      bundle.onResolve({ filter }, ({ path, importer }) =>
        from.test(importer) ? { path, namespace: 'stub', pluginData: text } : undefined,
      )
    }
    bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ pluginData }) => ({ contents: pluginData }))
    bundle.onLoad({ filter: /\/node_modules\/undici\// }, ({ path }) => {
      const text = contents.get(path.slice(path.lastIndexOf('undici/')))
      return typeof text === 'function' ? { contents: text(createRequire(path)(path)) } : text && { contents: text }
    })
    // The program needs the version alone.
    bundle.onLoad({ filter: /package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/** What both steps have in common. */
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
}

/** The modules of src and of packages without what nobody uses, cut wherever the source says `import()`: text and metadata of each chunk. */
async function chunksOf(entryPoints) {
  const split = {
    splitting: true,
    format: 'esm',
    sourcemap: 'inline',
    sourcesContent: false,
    outdir: next,
    write: false,
  }
  const { outputFiles, metafile } = await build({ ...options, ...split, entryPoints, plugins: [lean], metafile: true })
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  const chunks = Object.entries(metafile.outputs).map(([path, { imports, entryPoint = '' }]) => {
    const own = imports.filter(({ external }) => external !== true)
    const needed = own.filter(({ kind }) => kind === 'import-statement').map((each) => basename(each.path))
    return {
      name: basename(path),
      entryPoint,
      needed,
      imported: own.map((each) => basename(each.path)),
      text: texts.get(basename(path)),
    }
  })
  return { chunks: new Map(chunks.map((chunk) => [chunk.name, chunk])), inputs: Object.keys(metafile.inputs) }
}

/** The piece of each chunk, by name. */
function assign(chunks) {
  const pieceOf = new Map()
  const follow = (name, piece) => {
    if (pieceOf.has(name)) return
    pieceOf.set(name, piece)
    for (const other of chunks.get(name).needed) follow(other, piece)
  }
  for (const [piece, first] of Object.entries(pieces))
    for (const { name, entryPoint } of chunks.values()) if (first.test(entryPoint)) follow(name, piece)
  return pieceOf
}

/** Writes a piece: its chunks by name, none of them evaluated yet. Those of other pieces come from the files of theirs. */
async function writePiece(piece, chunks, pieceOf) {
  const plugin = {
    name: 'chunks',
    setup(bundle) {
      bundle.onResolve({ filter: /^\.\/[\w.-]+\.js$/ }, ({ path, namespace }) => {
        if (namespace === 'piece') return { path, external: true }
        const name = path.slice('./'.length)
        return pieceOf.get(name) === piece
          ? { path: name, namespace: 'chunk' }
          : { path: `${name}.cjs`, namespace: 'piece' }
      })
      bundle.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({ contents: chunks.get(path).text }))
      bundle.onLoad({ filter: /.*/, namespace: 'piece' }, ({ path }) => {
        const name = path.slice(0, -'.cjs'.length)
        return { contents: `module.exports = require('./${pieceOf.get(name)}.js')['${name}']` }
      })
    },
  }
  const others = [...chunks.values()].filter(({ name }) => pieceOf.get(name) !== piece)
  const wanted = new Set(['main.js', 'host.js', ...others.flatMap(({ imported }) => imported)])
  const shared = [...wanted].filter((name) => pieceOf.get(name) === piece)
  const contents = `module.exports = {${shared.map((name) => `get '${name}'() { return require('./${name}') }`).join(',')}}`
  await build({
    ...options,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    stdin: { contents, sourcefile: `${piece}.cjs` },
    outfile: join(next, `${piece}.js`),
    sourcemap: true,
    sourcesContent: false,
    plugins: [plugin],
  })
}

const { chunks, inputs } = await chunksOf(['src/main.ts', 'src/host.ts'])
const pieceOf = assign(chunks)
await rm(next, { recursive: true, force: true })
await Promise.all(Object.keys(pieces).map((piece) => writePiece(piece, chunks, pieceOf)))
await writeFile(join(next, 'package.json'), '{"type":"commonjs"}\n')
const packages = await packagesOf(inputs)
await writeFile(join(next, 'LICENSES.txt'), await licenses(packages))
await writeFile(join(next, 'sbom.cdx.json'), await billOfMaterials(packages))

const last = join(root, 'dist.last')
await rm(last, { recursive: true, force: true })
await rename(dist, last).catch((error) => {
  if (error.code !== 'ENOENT') throw error
})
await rename(next, dist)
await rm(last, { recursive: true, force: true })
