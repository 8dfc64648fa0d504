// Required before svc: writes Node's modules and the pieces of the build that were loaded to the file BENCH_MODULES names.
const Module = require('node:module')
const fs = require('node:fs')
const { basename } = require('node:path')
const builtins = new Set()
const pieces = new Set()
const { writeFileSync, readFileSync } = fs
const load = Module._load
Module._load = function (request, parent, isMain) {
  if (Module.isBuiltin(request)) builtins.add(request.replace(/^node:/, ''))
  return load.call(this, request, parent, isMain)
}
fs.readFileSync = function (path, options) {
  const content = readFileSync(path, options)
  if (typeof path === 'string' && path.endsWith('.cache')) pieces.add(basename(path, '.cache'))
  return content
}
process.on('exit', () =>
  writeFileSync(process.env.BENCH_MODULES, JSON.stringify({ builtins: [...builtins], pieces: [...pieces] })),
)
