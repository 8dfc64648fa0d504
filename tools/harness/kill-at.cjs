/**
 * Preloaded into svc: ends the process with SIGKILL at the nth time that it changes a file or a folder (`KILL_AT`, from 1): before it, or
 * after it, or, `within` it, when half of its bytes are written (`KILL_WHERE`). A folder that is removed with all that is in it counts once
 * for each entry. The simulator's disk counts alike.
 */
const fs = require('node:fs')
const promises = require('node:fs/promises')
const { join } = require('node:path')
const { syncBuiltinESMExports } = require('node:module')

const last = Number(process.env.KILL_AT)
const where = process.env.KILL_WHERE ?? 'before'
let count = 0
const die = () => process.kill(process.pid, 'SIGKILL')

/** Counts a change; what it returns is to be called when that is done. `torn` does half of it. */
function change(torn) {
  count += 1
  if (count !== last) return () => undefined
  if (where === 'after') return die
  if (where === 'within') torn?.()
  die()
}

function counted(owner, name, { isChange = () => true, torn } = {}) {
  const original = owner[name]
  owner[name] = function (...words) {
    if (!isChange(...words)) return original.apply(this, words)
    const end = change(torn && (() => torn.apply(this, words)))
    const result = original.apply(this, words)
    if (!(result instanceof Promise)) {
      end()
      return result
    }
    return result.finally(end)
  }
}

const { O_CREAT } = fs.constants
const creates = (_path, flags = 'r') =>
  typeof flags === 'number' ? (flags & O_CREAT) !== 0 : /^[wa]/.test(flags)
const { writeSync } = fs
/** Half of the bytes, at once. */
const tear = (file, bytes, offset = 0, length = bytes.length - offset, at = null) =>
  writeSync(file, bytes, offset, Math.floor(length / 2), at)

for (const name of ['rename', 'link', 'unlink', 'mkdir', 'rmdir', 'chmod', 'utimes']) {
  counted(promises, name)
  counted(fs, `${name}Sync`)
}
// Printed output is not a file of svc.
counted(fs, 'writeSync', { torn: tear, isChange: (file) => file > 2 })
for (const name of ['fsyncSync', 'fdatasyncSync']) counted(fs, name)
const open = promises.open
let isHandleKnown = false
promises.open = async (...words) => {
  const end = creates(...words) ? change() : () => undefined
  const file = await open(...words)
  end()
  if (!isHandleKnown) {
    const handle = Object.getPrototypeOf(file)
    counted(handle, 'write', {
      torn(bytes, offset, ...rest) {
        // A text, and where it goes.
        if (typeof bytes === 'string') tear(this.fd, Buffer.from(bytes), 0, undefined, offset)
        else tear(this.fd, bytes, offset, ...rest)
      },
    })
    for (const name of ['sync', 'datasync']) counted(handle, name)
  }
  isHandleKnown = true
  return file
}
counted(fs, 'openSync', { isChange: creates })
// Node's own writes past these.
fs.writeFileSync = (path, data, { flag = 'w', mode = 0o666, flush = false } = {}) => {
  const file = fs.openSync(path, flag, mode)
  try {
    const bytes = Buffer.from(data)
    for (let at = 0; at < bytes.length;) at += fs.writeSync(file, bytes, at)
    if (flush) fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}
promises.rm = async (path, options = {}) => {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined && options.force === true) return
  if (stat === undefined || !stat.isDirectory()) return promises.unlink(path)
  for (const name of fs.readdirSync(path).sort()) await promises.rm(join(path, name), options)
  await promises.rmdir(path)
}
const { rmSync } = fs
fs.rmSync = (path, options = {}) => {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true ? fs.unlinkSync(path) : rmSync(path, options)
}
syncBuiltinESMExports()
