/**
 * Modules that svc does not need, and what stands in their place in a build. The figures are millions of instructions that each saves in
 * `lists list --json` (351 in all) on Node 20.
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { version } = require('../package.json')
const { ERROR, TYPE } = require('undici/lib/llhttp/constants.js')
const fail = (why) => `module.exports = () => { throw new Error('${why}') }`

/** An import that is replaced, the modules that have it, and their stub. */
const rows = [
  [/package\.json$/, '/src/', `exports.version = '${version}'`],
  // Whole, undici costs 50 ms.
  [/^undici$/, '/', `exports.Client = require('undici/lib/dispatcher/client.js')`],
  // 17, with node:http2. Connections are opened by src/http/route.ts, for http/1.1 alone.
  [/\/client-h2\.js$/, '/undici/', fail('HTTP/2 is not used')],
  // 12 together: forms and blobs of fetch, and node:http, which is loaded for a constant.
  [/\/fetch\/body\.js$/, '/undici/', `exports.extractBody = ${fail('only buffers are sent')}`],
  [/^node:http$/, '/undici/', 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {}'],
  // 12 each: a second parser, as fast for answers like ours, and tables of which these are used.
  [/\/llhttp_simd-wasm\.js$/, '/', `module.exports = require('undici/lib/llhttp/llhttp-wasm.js')`],
  [/\/llhttp\/constants\.js$/, '/', `module.exports = ${JSON.stringify({ ERROR, TYPE })}`],
  // 15 of a command's help, which has 165: programs of their own for subcommands.
  [/^node:child_process$/, '/commander/', ''],
  // 10 of each command with a profile: js-yaml. svc hands its own loaders over.
  [/^\.\/loaders$/, '/cosmiconfig/dist/defaults.js', ''],
  // 9 MB of a build: what executes a configuration. svc executes none.
  [/^(?:typescript|import-fresh|parse-json)$/, '/cosmiconfig/', fail('nothing is executed')],
]

export const stubs = {
  name: 'stubs',
  setup(bundle) {
    for (const [filter, from, contents] of rows)
      bundle.onResolve({ filter }, ({ path, importer }) =>
        importer.includes(from) ? { path, namespace: 'stub', pluginData: contents } : undefined,
      )
    const resolveDir = import.meta.dirname
    bundle.onLoad({ filter: /.*/, namespace: 'stub' }, ({ pluginData: contents }) => {
      return { contents, resolveDir }
    })
  },
}
