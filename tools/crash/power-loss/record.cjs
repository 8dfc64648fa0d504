/**
 * Preloaded into svc (`NODE_OPTIONS=--require`): writes down, in order, everything that it does to the files below
 * SVC_POWER_ROOT, when each of its syncs began and ended, when the bytes of each request left, when answers came, and
 * what it showed. One JSON object per line, in the file SVC_POWER_LOG:
 *
 *   {id, op, …}      an operation begins: create, open, write, truncate, rename, link, unlink, mkdir, rmdir, sync
 *   {end: id, …}     it has ended; with `error` it did nothing
 *   {send}, {receive} bytes of a connection; {out} text on standard output; {exit} the end of the process
 *
 * Files are told apart by their inode; `disk.mjs` holds what the log explains against what is on the disk at the end, so
 * that a way of writing that is missing here is noticed.
 */
const net = require('node:net')
const { syncBuiltinESMExports } = require('node:module')
const { emit } = require('./record-log.cjs')
require('./record-files.cjs')

const numbers = new WeakMap()
let connections = 0
const { connect, write: writeSocket, push } = net.Socket.prototype

net.Socket.prototype.connect = function (...args) {
  connections += 1
  numbers.set(this, connections)
  return connect.apply(this, args)
}
net.Socket.prototype.write = function (chunk, ...rest) {
  const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  if (numbers.has(this)) emit({ send: text, connection: numbers.get(this), pid: process.pid })
  else if (this === process.stdout) emit({ out: text, pid: process.pid })
  return writeSocket.call(this, chunk, ...rest)
}
net.Socket.prototype.push = function (chunk, ...rest) {
  if (numbers.has(this) && chunk !== null)
    emit({ receive: Buffer.from(chunk).toString(), connection: numbers.get(this), pid: process.pid })
  return push.call(this, chunk, ...rest)
}
process.on('exit', (code) => emit({ exit: code, pid: process.pid }))

syncBuiltinESMExports()
