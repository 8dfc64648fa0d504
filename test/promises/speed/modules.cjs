// Required before svc: writes Node's modules and the chunks of the build that were loaded to the
// file BENCH_MODULES names.
const Module = require('node:module')
const { writeFileSync } = require('node:fs')
const { basename } = require('node:path')
const builtins = new Set()
const chunks = new Set()
// Node 20 keeps no compiled code. What svc loads to keep it counts there, too.
Module.enableCompileCache ??= () => undefined
const load = Module._load
Module._load = function (request, parent, isMain) {
  if (Module.isBuiltin(request)) builtins.add(request.replace(/^node:/, ''))
  else if (!isMain && request.startsWith('.')) chunks.add(basename(request, '.js'))
  return load.call(this, request, parent, isMain)
}
process.on('exit', () => {
  writeFileSync(
    process.env.BENCH_MODULES,
    JSON.stringify({ builtins: [...builtins], chunks: [...chunks] }),
  )
})
