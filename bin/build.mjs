/**
 * The one build script: src and everything it imports become a few CommonJS files in dist/, which Node loads as it loads any file.
 *
 * A piece holds the chunks that are used together, since a file costs 0.3 ms; each chunk is evaluated when another one imports it. An
 * `import()` becomes a `require`: a native `import()` of CommonJS costs tens of milliseconds on Node 20.
 */
import { rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { billOfMaterials, licenses, packagesOf } from './packages.mjs'

const { build } = await import('esbuild').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  // `npm install -g .` in a fresh clone installs nothing that builds.
  console.error('esbuild, which builds svc, is not installed here. First: npm ci')
  process.exit(1)
})

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
/** Built beside dist, which it replaces at the end: a svc that runs meanwhile never meets half a build. */
const next = join(process.cwd(), 'dist.next')

/** The pieces by the modules that they begin with; whatever those import statically belongs to them, unless a piece before has it.
 * Modules of verbs come before those that only running them needs: their help loads nothing else. */
const pieces = {
  main: /^src\/(main|host)\.ts$/,
  help: /^src\/(program\/help\/answer|commands\/\w+\/noun)\.ts$/,
  words: /^src\/(program\/(answers|help\/headings)|cli\/(verb|paging)|output\/columns)\.ts$/,
  verbs: /^src\/(api\/(operations|limits)|output\/text\/safe|commands\/directory|ids\/formats)\.ts$/,
  mistakes: /^src\/(program\/(usage|report)|output\/(formats\/choice|fields))\.ts$/,
  completion: /^src\/program\/completion\/complete\.ts$/,
  profile: /^src\/config\/(profile|sandbox)\.ts$/,
  api: /^src\/api\/client\.ts$/,
  lists: /^src\/commands\/lists\/(list|get|members)\.ts$/,
  reads: /^src\/commands\/((contacts|tickets|employees)\/(list|get|find)|whoami)\.ts$/,
  changes: /^src\/commands\/(lists\/(create|update|add-contacts)|contacts\/(delete|merge)|tickets\/assign)\.ts$/,
  runs: /^src\/commands\/runs\/(?!noun|reading)\w+\.ts$/,
  profiles: /^src\/commands\/profiles\/(add|list|path|remove|rename|use)\.ts$/,
  others: /^src\/commands\/(contacts\/(duplicates|match)|tickets\/history|(plans|ids)\/\w+|(\w+)\/\4)\.ts$/,
  engine: /^src\/program\/(call|invoke)\.ts$/,
  network: /^src\/(http\/client|output\/render|commands\/lists\/choose)\.ts$/,
  nouns: /^src\/(commands\/(?!sandbox)|program\/help\/)/,
  bulk: /^src\/(bulk\/sessions\/(session|plan)|output\/progress)\.ts$/,
  xlsx: /^src\/ids\/workbook\//,
  people: /^src\/directory\//,
  sandbox: /^src\/(sandbox|commands\/sandbox)\//,
  rest: /./,
}

/** Code of undici that svc does not need, by its path. Imported whole it costs 50 ms. */
const lean = new Map([
  ['undici/index.js', `exports.Client = require('./lib/dispatcher/client.js')`],
  // Connections are made for http/1.1 alone (ALPN); node:http2 costs 5 ms to load.
  ['undici/lib/dispatcher/client-h2.js', `module.exports = () => { throw new Error('HTTP/2 is not used') }`],
  // Bodies of fetch (forms, blobs); ours are buffers.
  ['undici/lib/web/fetch/body.js', `exports.extractBody = () => { throw new Error('only buffers are sent') }`],
  // The parser without SIMD is as fast for answers like ours.
  ['undici/lib/llhttp/llhttp_simd-wasm.js', `module.exports = require('./llhttp-wasm.js')`],
  ['undici/lib/llhttp/constants.js', ({ ERROR, TYPE }) => `module.exports = ${JSON.stringify({ ERROR, TYPE })}`],
])

/** Modules that are loaded for a constant or for what svc does not do, 1 ms each; readers that execute a configuration; the manifest. */
const stubs = [
  [/package\.json$/, /\/src\//, `exports.version = '${createRequire(import.meta.url)('../package.json').version}'`],
  [/^node:http$/, /\/undici\//, 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {}'],
  [/^node:child_process$/, /\/commander\//, ''],
  [/^(?:typescript|import-fresh|parse-json)$/, /\/cosmiconfig\//, `throw new Error('svc executes no configuration')`],
  [
    /^node:assert$/,
    /\/undici\//,
    `module.exports = (value, message) => { if (!value) throw message instanceof Error ? message : new Error(message ?? 'assertion failed') }
     module.exports.strictEqual = (left, right) => module.exports(Object.is(left, right))`,
  ],
]

function replaceNeedless(bundle) {
  for (const [filter, from, pluginData] of stubs)
    bundle.onResolve({ filter }, ({ path, importer }) =>
      from.test(importer) ? { path, namespace: 'stub', pluginData } : undefined,
    )
  bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ pluginData }) => ({ contents: pluginData }))
  bundle.onLoad({ filter: /\/node_modules\/undici\// }, ({ path }) => {
    const text = lean.get(path.slice(path.lastIndexOf('undici/')))
    return typeof text === 'function' ? { contents: text(createRequire(path)(path)) } : text && { contents: text }
  })
}

/** Options of both steps. */
const options = { bundle: true, platform: 'node', target: 'node20.19', legalComments: 'none', sourcesContent: false }

/** The modules of src and of packages without what nobody uses, cut wherever the source says `import()`. */
const { outputFiles, metafile } = await build({
  ...options,
  entryPoints: ['src/main.ts', 'src/host.ts'],
  splitting: true,
  format: 'esm',
  sourcemap: 'inline',
  outdir: next,
  write: false,
  metafile: true,
  plugins: [{ name: 'needless', setup: replaceNeedless }],
})
const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
const chunks = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))

/** The piece of each chunk, by name. */
const pieceOf = new Map()
function assign(name, piece) {
  if (!chunks.has(name) || pieceOf.has(name)) return
  pieceOf.set(name, piece)
  for (const { kind, path } of chunks.get(name).imports) if (kind === 'import-statement') assign(basename(path), piece)
}
for (const [piece, first] of Object.entries(pieces))
  for (const [name, { entryPoint = name, inputs }] of chunks)
    if ([entryPoint, ...Object.keys(inputs)].some((path) => first.test(path))) assign(name, piece)

/** Imports from Node and from other pieces as plain requires: esbuild copies every member of what it imports from CommonJS. */
function withRequires(text, piece) {
  const statement = /^import (?:(?:\* as )?(\w+|\{[^}]*\}) from )?"(.+)";$|\bimport\("([^"]+)"\)/gm
  return text.replaceAll(statement, (whole, names = '{}', now, later) => {
    const path = now ?? later
    const other = pieceOf.get(basename(path))
    if (other === piece || !/^(?:node:|\.\/)/.test(path)) return whole
    const from = other === undefined ? `require('${path}')` : `require('./${other}.js')['${basename(path)}']`
    return now === undefined
      ? `Promise.resolve().then(() => ${from})`
      : `const ${names.replaceAll(' as ', ': ')} = ${from};`
  })
}

/** Writes a piece: the chunks that others import, by name, none of them evaluated yet. Those of other pieces come from their files. */
async function writePiece(piece) {
  const setup = (bundle) => {
    bundle.onResolve({ filter: /^\.\/[\w.-]+\.js$/ }, ({ path }) =>
      pieceOf.get(basename(path)) === piece ? { path, namespace: 'chunk' } : { path, external: true },
    )
    const load = ({ path }) => ({ contents: withRequires(texts.get(basename(path)), piece) })
    bundle.onLoad({ filter: /.*/, namespace: 'chunk' }, load)
  }
  const others = [...chunks].flatMap(([name, { imports }]) => (pieceOf.get(name) === piece ? [] : imports))
  const shared = new Set(['main.js', 'host.js', ...others.map(({ path }) => basename(path))])
  const getters = [...shared].filter((name) => pieceOf.get(name) === piece)
  const contents = `module.exports = {${getters.map((name) => `get '${name}'() { return require('./${name}') }`).join()}}`
  await build({
    ...options,
    stdin: { contents, sourcefile: `${piece}.cjs` },
    format: 'cjs',
    supported: { 'dynamic-import': false },
    minify: true,
    sourcemap: 'linked',
    outfile: join(next, `${piece}.js`),
    plugins: [{ name: 'chunks', setup }],
  })
}

await rm(next, { recursive: true, force: true })
await Promise.all(Object.keys(pieces).map(writePiece))
await writeFile(join(next, 'package.json'), '{"type":"commonjs"}\n')
const packages = await packagesOf(Object.keys(metafile.inputs))
await writeFile(join(next, 'LICENSES.txt'), await licenses(packages))
await writeFile(join(next, 'sbom.cdx.json'), await billOfMaterials(packages))

await rm('dist', { recursive: true, force: true })
await rename(next, 'dist')
