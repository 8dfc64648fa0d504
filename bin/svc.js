#!/usr/bin/env node
/**
 * Starts svc from its build. A piece of the build is a file of modules, `({ 'name': function (exports, require, module, __dirname) {…} })`,
 * with V8's code cache beside it: what Node would compile at every start is compiled once, in `bin/build.mjs`. Another
 * Node than the one that built it takes no notice of the cache.
 */
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { Script } = require('node:vm')

/** A `require` for the modules of a build: `./piece/module`; all other names are Node's own. `onOpen`: for each piece that is read. */
function loader(folder, onOpen) {
  const pieces = new Map()
  const modules = new Map()
  function open(piece) {
    const filename = join(folder, `${piece}.js`)
    const cachedData = onOpen === undefined ? readFileSync(join(folder, `${piece}.cache`)) : undefined
    const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData })
    onOpen?.(piece, script)
    const opened = script.runInThisContext()
    pieces.set(piece, opened)
    return opened
  }
  function load(name) {
    if (!name.startsWith('./')) return require(name)
    let module = modules.get(name)
    if (module === undefined) {
      const piece = name.slice(2, name.indexOf('/', 2))
      modules.set(name, (module = { exports: {} }))
      ;(pieces.get(piece) ?? open(piece))[name](module.exports, load, module, folder)
    }
    return module.exports
  }
  return load
}

if (require.main === module) {
  const load = loader(join(__dirname, '../dist'))
  // A defect until main has said how it ended: a promise that never settles must not look like success.
  process.exitCode = 1
  load('./start/main')
    .main(load('./start/host').nodeHost(process))
    .then((code) => (process.exitCode = code))
}
module.exports = { loader }
