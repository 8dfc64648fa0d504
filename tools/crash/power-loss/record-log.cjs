/** The log that `record.cjs` writes, and how a function of Node's is surrounded so that it stands there. */
const fs = require('node:fs')
const promises = require('node:fs/promises')
const { AsyncLocalStorage } = require('node:async_hooks')
const { join, relative, resolve, sep } = require('node:path')
const { fileURLToPath } = require('node:url')

const root = resolve(process.env.SVC_POWER_ROOT)
const original = { ...fs }
const log = original.openSync(process.env.SVC_POWER_LOG, 'a')
/** Set while an operation that was written down as several runs. */
const muted = new AsyncLocalStorage()
let operations = 0

function emit(event) {
  original.writeSync(log, `${JSON.stringify(event)}\n`)
}

/** A path below the root, relative to it; undefined for every other one. */
function inside(path) {
  if (muted.getStore() === true || typeof path === 'number' || typeof path?.fd === 'number') return undefined
  const text = path instanceof URL ? fileURLToPath(path) : Buffer.isBuffer(path) ? path.toString() : String(path)
  const found = relative(root, resolve(text))
  return found === '' || (!found.startsWith(`..${sep}`) && found !== '..') ? found : undefined
}

const exists = (path) => original.lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined

/** Which call in the program this is: its innermost frames. */
function site() {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 25
  const { stack } = new Error()
  Error.stackTraceLimit = limit
  const frames = stack.split('\n').slice(1)
  const own = frames.filter((frame) => !frame.includes('node:') && !frame.includes(__dirname))
  const named = own.map((frame) => {
    const [, name = '', position = ''] = /at (?:async )?(?:(.*) )?\(?.*?(\d+:\d+)\)?$/.exec(frame.trim()) ?? []
    return `${name.split('.').at(-1)}@${position}`
  })
  return named.slice(0, 3).join(' < ')
}

function begin(described) {
  return described.map((operation) => {
    operations += 1
    emit({ id: operations, pid: process.pid, ...operation })
    return operations
  })
}

function finish(ids, more = {}) {
  for (const id of ids) emit({ end: id, pid: process.pid, ...more })
}

/** The two forms of one function that the program uses, at once and as a promise: `describe` gives its operations, or undefined; `settled` what their end adds. */
function surround({ describe, settled = () => ({}), mutes = false }) {
  const calling = (work) => (mutes ? muted.run(true, work) : work())
  return {
    sync: (call) =>
      function (...args) {
        const ids = begin(describe(...args) ?? [])
        try {
          const result = calling(() => call.apply(this, args))
          if (ids.length > 0) finish(ids, settled(result, ...args))
          return result
        } catch (error) {
          finish(ids, { error: error.code ?? 'error' })
          throw error
        }
      },
    promise: (call) =>
      async function (...args) {
        const ids = begin(describe(...args) ?? [])
        try {
          const result = await calling(() => call.apply(this, args))
          if (ids.length > 0) finish(ids, settled(result, ...args))
          return result
        } catch (error) {
          finish(ids, { error: error.code ?? 'error' })
          throw error
        }
      },
  }
}

function replace(name, forms) {
  const form = surround(forms)
  if (fs[`${name}Sync`] !== undefined) fs[`${name}Sync`] = form.sync(fs[`${name}Sync`])
  if (promises[name] !== undefined) promises[name] = form.promise(promises[name])
}

module.exports = { root, original, emit, inside, exists, site, surround, replace }
