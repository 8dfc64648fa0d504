// Required before svc: writes the modules that were loaded, by path or builtin name, to the file that BENCH_MODULES names.
const Module = require('node:module')
const { writeFileSync } = require('node:fs')
const loaded = new Set()
const load = Module._load
Module._load = function (request, parent, isMain) {
  const name = Module.isBuiltin(request)
    ? request.replace(/^node:/, '')
    : Module._resolveFilename(request, parent, isMain)
  loaded.add(name)
  return load.call(this, request, parent, isMain)
}
process.on('exit', () => writeFileSync(process.env.BENCH_MODULES, JSON.stringify([...loaded])))
