/**
 * Preloaded into svc: ends the process with SIGKILL before the nth time that it changes a file or a folder (`KILL_AT`, from 1).
 * A folder that is removed with all that is in it counts once for each entry. `CLOCK_AHEAD`: milliseconds.
 */
const fs = require('node:fs')
const promises = require('node:fs/promises')
const { join } = require('node:path')
const { syncBuiltinESMExports } = require('node:module')

const last = Number(process.env.KILL_AT)
let count = 0
function change() {
  count += 1
  if (count === last) process.kill(process.pid, 'SIGKILL')
}

function counted(owner, name, isChange = () => true) {
  const original = owner[name]
  owner[name] = function (...words) {
    if (isChange(...words)) change()
    return original.apply(this, words)
  }
}

const creates = (_path, flags) => typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0
for (const name of ['rename', 'link', 'unlink', 'mkdir', 'rmdir', 'chmod', 'writeFile']) {
  counted(promises, name)
  counted(fs, `${name}Sync`)
}
for (const name of ['writeSync', 'fsyncSync', 'fdatasyncSync']) counted(fs, name)
const open = promises.open
let isHandleKnown = false
promises.open = async (...words) => {
  if (creates(...words)) change()
  const file = await open(...words)
  if (!isHandleKnown) for (const name of ['write', 'sync', 'datasync']) counted(Object.getPrototypeOf(file), name)
  isHandleKnown = true
  return file
}
counted(fs, 'openSync', creates)
promises.rm = async (path, options = {}) => {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined && options.force === true) return
  if (stat === undefined || !stat.isDirectory()) return promises.unlink(path)
  for (const name of fs.readdirSync(path)) await promises.rm(join(path, name), options)
  await promises.rmdir(path)
}

const { now } = Date
const ahead = Number(process.env.CLOCK_AHEAD ?? 0)
Date.now = () => now() + ahead
syncBuiltinESMExports()
