/**
 * Preloaded into the built svc (`node --require`): a request takes `BATCHES_OF` ids, where that is set, and not 100. svc itself has no
 * word for it.
 */
const { readFileSync } = require('node:fs')
const { _extensions } = require('node:module')

const size = Number(process.env.BATCHES_OF)
const load = _extensions['.js']
_extensions['.js'] = (module, path) => {
  if (!/[\\/]dist[\\/]\w+\.js$/.test(path)) return load(module, path)
  module._compile(readFileSync(path, 'utf8').replaceAll('batch:{most:100,', `batch:{most:${size},`), path)
}
