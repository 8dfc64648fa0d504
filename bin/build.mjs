/**
 * The one build script: src and everything it imports become a few files in dist/, which `svc.js` reads.
 *
 * esbuild bundles into ES modules and splits them wherever the source says `import()`, so that a command loads only what it
 * needs and no module exists twice. Each becomes a CommonJS function: a native `import()` of such a piece costs tens of
 * milliseconds on Node 20. Those that are used together are written into one file, for a file costs 0.3 ms, and V8's code
 * cache of each is written beside it by `train.js`: compiling was half of the time of a networked command. Another file beside
 * it has the source and line that each place in it came from, for stack traces. The checksums of all of it are the file
 * `manifest`, by which `svc.js` tells a build that is damaged.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeManifest } from './manifest.mjs'
import { Origins } from './origins.mjs'
import { billOfMaterials, licenses, packagesOf } from './packages.mjs'

const { build, transform } = await import('esbuild').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  // `npm install -g .` in a fresh clone installs nothing that builds.
  console.error('esbuild, which builds svc, is not installed here. First: npm ci')
  process.exit(1)
})

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
/** Built beside it and swapped at the end, so that a running svc never meets half a build. */
const next = join(root, 'dist.next')

/**
 * The pieces by the modules that they begin with; whatever those import statically belongs to them too, unless a piece
 * before has it. All else that is imported lazily is a piece of its own.
 */
const pieces = {
  start: /^src\/(main|host)\.ts$/,
  words: /^src\/program\/(completion\/complete|mistakes)\.ts$/,
  told: /^src\/program\/(report|usage|completion\/values)\.ts$/,
  engine: /^src\/(program\/invoke|commands\/lists\/noun)\.ts$/,
  network: /^src\/(config\/(profile|sandbox)|http\/client|api\/client|output\/render)\.ts$/,
  named: /^src\/commands\/(near-names|lists\/(choose|created|updated))\.ts$/,
  nouns: /^src\/(commands\/(\w+|\w+\/(noun|api|doctor|sign|completion))|program\/help\/(help|topics))\.ts$/,
  table: /^src\/output\/formats\/table\.ts$|\/cli-table3\//,
  bulk: /^src\/(bulk\/sessions\/(session|plan)|output\/progress)\.ts$/,
}

/** Name and bytes of undici's HTTP parsers. */
const parsers = new Map()

/**
 * undici evaluates fetch, WebSocket, caches and mocks when it is imported whole; svc needs its Client. These are internal
 * paths, so the version is pinned and a test sends requests through the built files.
 */
const clientOnly = {
  name: 'undici-client-only',
  setup(bundle) {
    // Without the folder of the person who builds: the path is part of the build.
    const path = 'node_modules/undici/lib/dispatcher/client.js'
    bundle.onResolve({ filter: /^undici$/ }, () => ({ path, namespace: 'undici' }))
    // The parser is read here, before any connection: where undici asks for it, damage would be taken for an old processor.
    bundle.onLoad({ filter: /.*/, namespace: 'undici' }, () => ({
      // By `require`: an imported buffer would be copied into an object, byte by byte.
      contents: `require('../llhttp/llhttp_simd-wasm.js'); exports.Client = require('./client.js')`,
      resolveDir: join(root, dirname(path)),
    }))
    // Connections are made for http/1.1 alone (ALPN), so this code is never reached; node:http2 costs 5 ms to load.
    bundle.onLoad({ filter: /undici\/lib\/dispatcher\/client-h2\.js$/ }, () => ({
      contents: 'module.exports = () => { throw new Error("HTTP/2 is not used") }',
    }))
    // Bodies of fetch (forms, blobs); ours are buffers.
    bundle.onLoad({ filter: /undici\/lib\/web\/fetch\/body\.js$/ }, () => ({
      contents: 'exports.extractBody = () => { throw new Error("only buffers are sent") }',
    }))
    // Of all that is known of the protocol, the two tables that the Client asks.
    bundle.onLoad({ filter: /undici\/lib\/llhttp\/constants\.js$/ }, ({ path }) => {
      const { ERROR, TYPE } = createRequire(path)(path)
      return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })}` }
    })
    // The parser as the bytes it is, and not as base64 among the code: the one without SIMD, which is as fast for answers like ours.
    bundle.onLoad({ filter: /undici\/lib\/llhttp\/llhttp\w*-wasm\.js$/ }, ({ path }) => {
      parsers.set('llhttp.wasm', createRequire(path)(path.replace('_simd', '')))
      return { contents: `module.exports = asset('llhttp.wasm')` }
    })
  },
}

/** What packages load of Node only to read a constant of it, or for what svc does not do; 1 ms each. */
const unneeded = {
  name: 'unneeded-builtins',
  setup(bundle) {
    const stubs = {
      'node:http': {
        importer: /\/undici\//,
        contents: 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {}',
      },
      'node:child_process': { importer: /\/commander\//, contents: '' },
      'node:assert': {
        importer: /\/undici\//,
        contents: `
          module.exports = (value, message) => { if (!value) throw message instanceof Error ? message : new Error(message ?? 'assertion failed') }
          module.exports.strictEqual = (left, right) => module.exports(Object.is(left, right))`,
      },
    }
    bundle.onResolve({ filter: /^node:(http|child_process|assert)$/ }, ({ path, importer }) =>
      stubs[path].importer.test(importer) ? { path, namespace: 'stub' } : undefined,
    )
    bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({ contents: stubs[path].contents }))
  },
}

/** What cosmiconfig reads other files with than JSON and YAML, or executes them, and JSON too; svc reads no file that way. */
const neverLoaded = {
  name: 'never-loaded',
  setup(bundle) {
    bundle.onResolve({ filter: /^(typescript|import-fresh|parse-json)$/ }, ({ path, importer }) =>
      /\/cosmiconfig\//.test(importer) ? { path, namespace: 'never-loaded' } : undefined,
    )
    bundle.onLoad({ filter: /.*/, namespace: 'never-loaded' }, ({ path }) => ({
      contents: `throw new Error('svc reads no configuration with ${path}')`,
    }))
  },
}

/** Of `package.json` the program needs its version; the rest would be read at every start. */
const versionAlone = {
  name: 'version-alone',
  setup(bundle) {
    bundle.onLoad({ filter: /package\.json$/ }, async ({ path }) => {
      if (path !== join(root, 'package.json')) return undefined
      const { version } = JSON.parse(await readFile(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/** Builds into the folder of the next build. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', 'src/host.ts'],
    outdir: next,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    chunkNames: '[name]-[hash]',
    minifySyntax: true,
    sourcemap: 'inline',
    sourcesContent: false,
    legalComments: 'none',
    plugins: [clientOnly, unneeded, neverLoaded, versionAlone],
    write: false,
    metafile: true,
    logLevel: 'warning',
  })
  const pieceOf = assign(metafile.outputs)
  const texts = {}
  const origins = {}
  for (const { path, text } of outputFiles) {
    const module = basename(path, '.js')
    const piece = pieceOf[module]
    // What is imported is named before white space goes: until then each import has a line of its own in the map.
    const named = text.replaceAll(
      /(?<=(?:\bfrom |\bimport[ (])")\.\/([\w.-]+)\.js(?=")/g,
      (_, name) => `./${pieceOf[name]}/${name}`,
    )
    const { code, map } = await transform(named, {
      format: 'cjs',
      platform: 'neutral',
      target: 'node20.19',
      supported: { 'dynamic-import': false },
      minifyWhitespace: true,
      sourcemap: 'external',
      sourcesContent: false,
    })
    const linked = link(code)
    texts[piece] =
      `${texts[piece] ?? '({'}"./${piece}/${module}"(exports,require,module,asset,__toESM){\n${linked.text}},\n`
    origins[piece] ??= new Origins()
    origins[piece].skip(1)
    origins[piece].add(JSON.parse(map), { count: linked.text.split('\n').length, shift: linked.shift }, (url) =>
      sourceOf(dirname(path), url),
    )
  }
  await rm(next, { recursive: true, force: true })
  await mkdir(next, { recursive: true })
  for (const [piece, text] of Object.entries(texts)) await writeFile(join(next, `${piece}.js`), `${text}})\n`)
  for (const [piece, its] of Object.entries(origins)) await writeFile(join(next, `${piece}.origins`), its.text())
  // For tools that look at the files; svc.js reads them itself.
  await writeFile(join(next, 'package.json'), '{"type":"commonjs"}\n')
  for (const [name, bytes] of parsers) await writeFile(join(next, name), bytes)
  return metafile.inputs
}

/**
 * A module without the kilobyte of helpers that esbuild writes in front of each, and without a getter for each export: none is
 * assigned again. Modules of ours need no view of each other: blanks stand for that, so that all behind it keeps its column.
 */
function link(code) {
  const [head = '', exported = ''] =
    /^var __\w+=.*?;__export\(stdin_exports,{(.*?)}\);module\.exports=__toCommonJS\(stdin_exports\);/.exec(code) ?? []
  const body = code.slice(head.length)
  for (const [, name] of exported.matchAll(/\(\)=>([\w$]+)/g))
    if (body.split(new RegExp(`(?<![\\w$.])${name.replace('$', '\\$')}(?:=(?!=)|\\+\\+|\\+=)`)).length > 2)
      throw new Error(`${name} is exported and assigned more than once`)
  const text = body.replaceAll(/__toESM(?=\(require\("\.\/[\w./-]+"\)\))/g, '       ')
  return { shift: head.length, text: `${text.trimEnd()}Object.assign(exports,{${exported.replaceAll('()=>', '')}});\n` }
}

/** The path below the repository of what a source map calls `url`: `../src/x.ts`, or `undici:path`, or `stub:node:http`. */
function sourceOf(folder, url) {
  const [, name = url] = /^(?:\.\.\/)*[\w-]{2,}:(.+)$/.exec(url) ?? []
  if (name.startsWith('node:')) return name
  // Packages may lie elsewhere, behind a link.
  return relative(root, resolve(folder, name))
    .replaceAll('\\', '/')
    .replace(/^.*\/(?=node_modules\/)/, '')
}

/** Which piece each chunk belongs to. */
function assign(outputs) {
  const pieceOf = {}
  const follow = (path, piece) => {
    if (pieceOf[basename(path, '.js')] !== undefined) return
    pieceOf[basename(path, '.js')] = piece
    for (const { path: imported, kind, external } of outputs[path].imports)
      if (!external && kind === 'import-statement') follow(imported, piece)
  }
  for (const [piece, first] of Object.entries(pieces)) {
    const entries = Object.keys(outputs).filter((path) => first.test(outputs[path].entryPoint ?? ''))
    if (entries.length === 0) throw new Error(`nothing that is imported lazily begins the piece "${piece}"`)
    for (const path of entries) follow(path, piece)
  }
  for (const path of Object.keys(outputs)) pieceOf[basename(path, '.js')] ??= basename(path, '.js')
  return pieceOf
}

const inputs = await bundle()
// Neither the help of a command nor the tree of commands, which completion walks, changes: printed once here, they need no
// framework when they are asked for.
const script = `const { filesOf, loader } = require('../bin/svc.js'); const load = loader(filesOf('.'), { onOpen: () => {} }); load('./start/main').main(load('./start/host').nodeHost(process)).then((code) => (process.exitCode = code))`
const print = (...words) =>
  execFileSync(process.execPath, ['-e', script, '--', 'svc', ...words], { cwd: next, env: {} })
const tree = JSON.parse(print('__complete', '--tree'))
const nounsOf = ({ commands }) => commands.map((noun) => ({ ...noun, options: [], arguments: [], commands: [] }))
for (const each of [{ ...tree, commands: nounsOf(tree) }, ...tree.commands])
  await writeFile(join(next, `${each.name}.tree`), JSON.stringify(each))
for (const [path, page] of Object.entries(JSON.parse(print('__complete', '--pages'))))
  await writeFile(join(next, `${path.replaceAll(' ', '.')}.help`), page)
execFileSync(process.execPath, [join(root, 'bin/train.js'), next], { stdio: 'inherit' })
const packages = await packagesOf(Object.keys(inputs))
await writeFile(join(next, 'LICENSES.txt'), await licenses(packages))
await writeFile(join(next, 'sbom.cdx.json'), await billOfMaterials(packages))
await writeManifest(next)

const last = join(root, 'dist.last')
await rm(last, { recursive: true, force: true })
await rename(dist, last).catch((error) => {
  if (error.code !== 'ENOENT') throw error
})
await rename(next, dist)
await rm(last, { recursive: true, force: true })
