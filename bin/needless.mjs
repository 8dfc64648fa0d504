/** Parts of packages and of Node that svc does not need, and their replacements in a build. */
import { createRequire } from 'node:module'

/** Code of undici that svc does not need, by its path. Imported whole it costs 50 ms. */
const lean = new Map([
  ['undici/index.js', `exports.Client = require('./lib/dispatcher/client.js')`],
  // Connections are opened by src/http/route.ts, for http/1.1 alone (ALPN); node:http2 costs 5 ms to load.
  [
    'undici/lib/dispatcher/client-h2.js',
    `module.exports = () => { throw new Error('HTTP/2 is not used') }`,
  ],
  [
    'undici/lib/core/connect.js',
    `module.exports = () => { throw new Error('svc connects by itself') }`,
  ],
  // Bodies of fetch (forms, blobs); ours are buffers.
  [
    'undici/lib/web/fetch/body.js',
    `exports.extractBody = () => { throw new Error('only buffers are sent') }`,
  ],
  // A tree of the usual names of headers, for their letter case: it takes as long to plant as it saves in a thousand answers.
  ['undici/lib/core/constants.js', 'exports.headerNameLowerCasedRecord = Object.create(null)'],
  ['undici/lib/core/tree.js', 'exports.tree = { lookup: () => null }'],
  // The parser without SIMD is as fast for answers like ours.
  ['undici/lib/llhttp/llhttp_simd-wasm.js', `module.exports = require('./llhttp-wasm.js')`],
  [
    'undici/lib/llhttp/constants.js',
    ({ ERROR, TYPE }) => `module.exports = ${JSON.stringify({ ERROR, TYPE })}`,
  ],
])

/** Modules that are loaded for a constant or for what svc does not do, 1 ms each; readers that execute a configuration; the manifest. */
const stubs = [
  [
    /package\.json$/,
    /\/src\//,
    `exports.version = '${createRequire(import.meta.url)('../package.json').version}'`,
  ],
  [
    /^node:http$/,
    /\/undici\//,
    'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {}',
  ],
  [/^node:child_process$/, /\/commander\//, ''],
  // svc hands its own loaders over; cosmiconfig's, with js-yaml, are asked for YAML alone (10 M instructions of each command with a profile).
  [/^\.\/loaders$/, /\/cosmiconfig\/dist\/defaults\.js$/, ''],
  [
    /^(?:typescript|import-fresh|parse-json)$/,
    /\/cosmiconfig\//,
    `throw new Error('svc executes no configuration')`,
  ],
  [
    /^node:assert$/,
    /\/undici\//,
    `module.exports = (value, message) => { if (!value) throw message instanceof Error ? message : new Error(message ?? 'assertion failed') }
     module.exports.strictEqual = (left, right) => module.exports(Object.is(left, right))`,
  ],
]

/** Replaces them while esbuild bundles. */
export const needless = { name: 'needless', setup }

function setup(bundle) {
  for (const [filter, from, pluginData] of stubs)
    bundle.onResolve({ filter }, ({ path, importer }) =>
      from.test(importer) ? { path, namespace: 'stub', pluginData } : undefined,
    )
  bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ pluginData }) => ({ contents: pluginData }))
  bundle.onLoad({ filter: /\/node_modules\/undici\// }, ({ path }) => {
    const text = lean.get(path.slice(path.lastIndexOf('undici/')))
    return typeof text === 'function'
      ? { contents: text(createRequire(path)(path)) }
      : text && { contents: text }
  })
}
