/**
 * Loaded before svc (`NODE_OPTIONS=--require`): answers other contents for what tells machines and boots apart, so that one
 * machine can be two. `SVC_OTHER_MACHINE` holds them: {"machine", "host", "boot"}, null for what cannot be read.
 */
const fs = require('node:fs')
const os = require('node:os')

const other = JSON.parse(process.env.SVC_OTHER_MACHINE)
const answers = new Map()
if ('machine' in other) {
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id'])
    answers.set(path, other.machine)
}
if ('boot' in other) answers.set('/proc/sys/kernel/random/boot_id', other.boot)
if ('host' in other) os.hostname = () => other.host

const { readFileSync } = fs
const { readFile } = fs.promises

function answerTo(path) {
  const answer = answers.get(path)
  if (answer === null) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
  return `${answer}\n`
}

fs.readFileSync = (path, ...options) =>
  answers.has(path) ? answerTo(path) : readFileSync(path, ...options)
fs.promises.readFile = async (path, ...options) =>
  answers.has(path) ? answerTo(path) : readFile(path, ...options)
