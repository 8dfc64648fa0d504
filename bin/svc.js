#!/usr/bin/env node
/**
 * Starts svc from its build. A piece of the build is a file of modules, `({ 'name': function (exports, require, module, …) {…} })`,
 * with V8's code cache beside it: what Node would compile at every start is compiled once, in `bin/build.mjs`. Another
 * Node than the one that built it takes no notice of the cache.
 *
 * V8 runs whatever a cache holds, so nothing is run that is not what was built: `manifest` has a checksum of every file, the
 * first one its own. A cache that does not fit, or is not there, is left alone; a source that does not fit ends svc.
 */
const { readFileSync, writeSync } = require('node:fs')
const { join } = require('node:path')

/** What is wrong with this installation, once that has shown; `src/program/invoke.ts` knows it by its code. */
let damage

function damaged(name, why = 'is not as it was built') {
  damage = Object.assign(new Error(`this installation is damaged: ${name} ${why}`), { code: 'SVC_DAMAGED' })
  return damage
}

const isOutOfFiles = ({ code }) => code === 'EMFILE' || code === 'ENFILE'

function bytesOf(read, name) {
  try {
    return read(name)
  } catch (error) {
    // Not the fault of the file: the program, if it is there already, has words for it.
    if (isOutOfFiles(error)) throw error
    throw damaged(name, error.code === 'ENOENT' ? 'is missing' : `cannot be read (${error.code})`)
  }
}

/** Of more bytes than this, zlib's checksum is the faster one, although it takes 1.4 ms to load. */
const small = 96 * 1024

/** A checksum that no change of a byte leaves as it was: a CRC, or the bytes as a number, modulo a prime of 32 bits. */
function checksum(bytes) {
  const sum =
    bytes.length > small ? require('node:zlib').crc32(bytes) : BigInt(`0x1${bytes.toString('hex')}`) % 4294967291n
  return sum.toString(16).padStart(8, '0')
}

/** What a build has: whether a file of this name, and whether with these bytes. Throws when its manifest is not as it was written. */
function manifestOf(read) {
  const manifest = bytesOf(read, 'manifest')
  const lines = manifest.subarray(8)
  if (manifest.toString('latin1', 0, 8) !== checksum(lines)) throw damaged('manifest')
  return {
    has: (name) => lines.includes(` ${name}\n`),
    fits: (name, bytes) => lines.includes(`\n${checksum(bytes)} ${name}\n`),
  }
}

/**
 * Makes stack traces name sources and their lines, no matter who built them and where they are installed. `read`: the text of a
 * file of the build, empty when it is not what was built. Nothing is read before a trace is.
 */
function traceSources(read) {
  const tables = new Map()
  const tableOf = (piece) => {
    if (!tables.has(piece)) tables.set(piece, read(`${piece}.origins`).split('\n'))
    return tables.get(piece)
  }
  const numberOf = (text) => parseInt(text, 36)
  function origin(place, piece, line, column) {
    try {
      const [sources, ...rows] = tableOf(piece)
      let [at, from, source] = [0, 0, 0]
      for (const word of rows[line - 1].split(' ')) {
        const [columns, lines = 1, others = 0] = word.split(':').map(numberOf)
        if (from + columns >= column) break
        ;[from, at, source] = [from + columns, at + lines, source + others]
      }
      if (at === 0) return place
      return `${sources.split(' ')[source]}:${at}`
    } catch {
      // A missing or damaged table must not hide what the trace is of.
      return place
    }
  }
  Error.prepareStackTrace = (error, sites) => {
    const places = sites.map((site) =>
      // oxlint-disable-next-line typescript/no-base-to-string -- a call site writes itself as a line of a trace
      site
        .toString()
        .replace(/svc\/([\w-]+)\.js:(\d+):(\d+)/, origin)
        .replace(__filename, 'bin/svc.js'),
    )
    return [Error.prototype.toString.call(error), ...places].join('\n    at ')
  }
}

/** A module of Node's with itself as its default export; esbuild would write this into each module that imports one. */
const withDefault = (module) => Object.create(module, { default: { value: module } })
/** The files of a build in a folder. */
const filesOf = (folder) => (name) => readFileSync(join(folder, name))

/**
 * A `require` for the modules of a build: `./piece/module`; all other names are Node's own, which `native` requires. `read`: the
 * bytes of a file of the build. `onOpen`: for each piece that is read, while the build is being made and has neither caches
 * nor a manifest.
 */
function loader(read, { onOpen, native = require } = {}) {
  const { Script } = require('node:vm')
  const { has, fits } = onOpen === undefined ? manifestOf(read) : { has: () => true, fits: () => true }
  const pieces = new Map()
  const modules = new Map()

  if (onOpen === undefined)
    traceSources((name) => {
      const bytes = read(name)
      return fits(name, bytes) ? bytes.toString('utf8') : ''
    })

  /** A file of the build; undefined when it has none of that name. Throws when it is not what was built. */
  function asset(name) {
    if (!has(name)) return undefined
    const bytes = bytesOf(read, name)
    if (!fits(name, bytes)) throw damaged(name)
    return bytes
  }
  function cacheOf(piece) {
    if (onOpen !== undefined) return undefined
    try {
      const bytes = read(`${piece}.cache`)
      return fits(`${piece}.cache`, bytes) ? bytes : undefined
    } catch {
      // The published package has none: compiling takes longer, and that is all.
      return undefined
    }
  }
  function open(piece) {
    const source = asset(`${piece}.js`).toString('utf8')
    const script = new Script(source, { filename: `svc/${piece}.js`, cachedData: cacheOf(piece) })
    onOpen?.(piece, script)
    const opened = script.runInThisContext()
    pieces.set(piece, opened)
    return opened
  }
  function load(name) {
    if (!name.startsWith('./')) return native(name)
    let module = modules.get(name)
    if (module === undefined) {
      const piece = name.slice(2, name.indexOf('/', 2))
      const opened = pieces.get(piece) ?? open(piece)
      modules.set(name, (module = { exports: {} }))
      opened[name](module.exports, load, module, asset, withDefault)
    }
    return module.exports
  }
  return load
}

/** The version alone needs nothing of the build. False when it was not asked for, or could not be written at once. */
function toldVersion([word, ...more]) {
  if ((word !== '--version' && word !== '-V') || more.length > 0) return false
  try {
    writeSync(1, `${require('../package.json').version}\n`)
    return true
  } catch {
    // A full pipe, a reader that went away, a full disk: the program knows what each of them means.
    return false
  }
}

/** `self`: how this program is started again. An executable has all of these of its own. */
async function start({ read = filesOf(join(__dirname, '../dist')), native, self } = {}) {
  if (toldVersion(process.argv.slice(2))) return
  // A defect until main has said how it ended: a promise that never settles must not look like success.
  process.exitCode = 1
  try {
    const load = loader(read, { native })
    const code = await load('./start/main').main(load('./start/host').nodeHost(process, self))
    // Damage may show late, and where it is taken for something else.
    if (damage !== undefined && code !== 1) throw damage
    process.exitCode = code
  } catch (error) {
    if (isOutOfFiles(error)) {
      process.exitCode = 10
      console.error('error: too many open files (raise ulimit -n)')
      return
    }
    if (error !== damage) throw error
    process.exitCode = 1
    console.error(`error: ${damage.message}\n  install svc again`)
  }
}

if (require.main === module) void start()
module.exports = { checksum, filesOf, loader, start }
