/** Everything that changes a file or a folder, in each form that svc uses: at once, as a promise, on a handle. */
const fs = require('node:fs')
const promises = require('node:fs/promises')
const { dirname, join } = require('node:path')
const { root, original, inside, exists, site, surround, replace } = require('./record-log.cjs')

/** Open files below the root, by descriptor. */
const opened = new Map()
/** Where the next appended byte goes, by inode. */
const ends = new Map()

// Opening and closing

const { O_CREAT, O_TRUNC, O_APPEND, O_SYNC, O_DSYNC, O_WRONLY, O_RDWR, O_EXCL } = fs.constants
const words = { r: 0, w: O_WRONLY | O_CREAT | O_TRUNC, a: O_WRONLY | O_CREAT | O_APPEND }

function flagsOf(flags) {
  if (typeof flags !== 'string') return flags ?? 0
  const more = { '+': O_RDWR, x: O_EXCL, s: O_SYNC }
  return Object.keys(more).reduce((all, sign) => all | (flags.includes(sign) ? more[sign] : 0), words[flags[0]])
}

replace('open', {
  describe(path, given) {
    const at = inside(path)
    if (at === undefined) return undefined
    const flags = flagsOf(given)
    if ((flags & (O_SYNC | O_DSYNC)) !== 0) throw new Error(`the recorder does not know O_SYNC: ${at}`)
    if ((flags & O_CREAT) !== 0 && !exists(at)) return [{ op: 'create', path: at }]
    if ((flags & O_TRUNC) !== 0) return [{ op: 'truncate', path: at, length: 0 }]
    return [{ op: 'open', path: at }]
  },
  settled(result, path, flags) {
    const fd = typeof result === 'number' ? result : result.fd
    const { ino, size } = original.fstatSync(fd)
    opened.set(fd, { ino, append: (flagsOf(flags) & O_APPEND) !== 0, position: 0 })
    // Another file of the same inode before it is gone by now.
    if (size === 0 || !ends.has(ino)) ends.set(ino, size)
    if (typeof result === 'object') recordHandle(Object.getPrototypeOf(result))
    return { file: ino }
  },
})
const { closeSync } = fs
fs.closeSync = (fd) => {
  opened.delete(fd)
  return closeSync(fd)
}

// Content

function bytesOf(data, encoding) {
  if (typeof data === 'string') return Buffer.from(data, typeof encoding === 'string' ? encoding : 'utf8')
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/** The bytes of a write and where they were asked to go, from any of its forms. */
function writing(data, offset, length, position) {
  if (typeof data === 'string') return { bytes: bytesOf(data, length), position: offset }
  const given = typeof offset === 'object' && offset !== null ? offset : { offset, length, position }
  const from = given.offset ?? 0
  return {
    bytes: bytesOf(data).subarray(from, from + (given.length ?? data.byteLength - from)),
    position: given.position,
  }
}

function write(fd, bytes, wanted) {
  const file = opened.get(fd)
  if (file === undefined) return undefined
  const at = file.append ? ends.get(file.ino) : typeof wanted === 'number' ? wanted : file.position
  if (typeof wanted !== 'number') file.position = at + bytes.length
  ends.set(file.ino, Math.max(ends.get(file.ino), at + bytes.length))
  return [{ op: 'write', file: file.ino, at, bytes: bytes.toString('base64') }]
}

function truncated(fd, length = 0) {
  const file = opened.get(fd)
  if (file === undefined) return undefined
  ends.set(file.ino, length)
  return [{ op: 'truncate', file: file.ino, length }]
}

const sync = (fd) => (opened.has(fd) ? [{ op: 'sync', file: opened.get(fd).ino, site: site() }] : undefined)
const wrote = (result) => ({ length: typeof result === 'number' ? result : result?.bytesWritten })

function describeWrite(fd, ...args) {
  const { bytes, position } = writing(...args)
  return write(fd, bytes, position)
}

replace('write', { describe: describeWrite, settled: wrote })
replace('ftruncate', { describe: truncated })
replace('fsync', { describe: sync })
replace('fdatasync', { describe: sync })
replace('truncate', {
  describe(path, length = 0) {
    const at = inside(path)
    return at === undefined ? undefined : [{ op: 'truncate', path: at, length }]
  },
})

/** Methods of a FileHandle, whose class is met with the first one. */
function recordHandle(prototype) {
  if (Object.hasOwn(prototype, 'recorded')) return
  prototype.recorded = true
  const method = (name, describe, settled) => {
    const call = prototype[name]
    prototype[name] = function (...args) {
      return surround(call, { describe: (...given) => describe(this.fd, ...given), settled }).apply(this, args)
    }
  }
  method('write', describeWrite, wrote)
  method('truncate', truncated)
  method('sync', sync)
  method('datasync', sync)
  const { close } = prototype
  prototype.close = function () {
    opened.delete(this.fd)
    return close.call(this)
  }
  prototype.writeFile = async function (data, options) {
    await writeWhole(this, data, options)
  }
  prototype.appendFile = prototype.writeFile
}

async function writeWhole(handle, data, options) {
  const isPiece = typeof data === 'string' || ArrayBuffer.isView(data)
  for await (const piece of isPiece ? [data] : data) {
    const bytes = bytesOf(piece, options?.encoding ?? options)
    for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at, bytes.length - at, null)).bytesWritten
  }
}

/** `writeFile` and `appendFile` by the operations that they consist of. */
for (const [name, usual] of [
  ['writeFile', 'w'],
  ['appendFile', 'a'],
]) {
  const [atOnce, ofPromises] = [fs[`${name}Sync`], promises[name]]
  promises[name] = async (path, data, options) => {
    if (inside(path) === undefined) return ofPromises(path, data, options)
    const handle = await promises.open(path, options?.flag ?? usual, options?.mode ?? 0o666)
    try {
      await writeWhole(handle, data, options)
      if (options?.flush === true) await handle.sync()
    } finally {
      await handle.close()
    }
  }
  fs[`${name}Sync`] = (path, data, options) => {
    if (inside(path) === undefined) return atOnce(path, data, options)
    const fd = fs.openSync(path, options?.flag ?? usual, options?.mode ?? 0o666)
    try {
      const bytes = bytesOf(data, options?.encoding ?? options)
      for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at, bytes.length - at, null)
      if (options?.flush === true) fs.fsyncSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  }
}

// Entries of folders

const entry = (op) => (path) => (inside(path) === undefined ? undefined : [{ op, path: inside(path) }])
const twoEntries = (op) => (path, to) =>
  inside(path) === undefined && inside(to) === undefined ? undefined : [{ op, path: inside(path), to: inside(to) }]

replace('rename', { describe: twoEntries('rename') })
replace('link', { describe: twoEntries('link') })
replace('unlink', { describe: entry('unlink') })
replace('rmdir', { describe: entry('rmdir') })
replace('mkdir', {
  mutes: true,
  describe(path, options) {
    const missing = []
    for (let at = inside(path); at !== undefined && at !== '' && !exists(at); at = inside(join(root, dirname(at)))) {
      missing.unshift({ op: 'mkdir', path: at })
      if (options?.recursive !== true) break
    }
    return missing
  },
})

function everythingBelow(path) {
  const stat = original.lstatSync(join(root, path), { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isDirectory()) return [{ op: 'unlink', path }]
  const below = original.readdirSync(join(root, path)).flatMap((name) => everythingBelow(join(path, name)))
  return [...below, { op: 'rmdir', path }]
}

replace('rm', {
  mutes: true,
  describe: (path) => (inside(path) === undefined ? undefined : everythingBelow(inside(path))),
})

for (const name of ['symlink', 'copyFile', 'cp', 'mkdtemp']) {
  replace(name, {
    describe(...paths) {
      const at = paths.slice(0, 2).find((path) => typeof path === 'string' && inside(path) !== undefined)
      if (at !== undefined) throw new Error(`the recorder does not know ${name}: ${at}`)
      return undefined
    },
  })
}
