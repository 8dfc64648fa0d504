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

/**
 * A function that is written down, at once or as a promise: `describe` gives its operations, or undefined; `settled` what their end
 * adds. With `mutes`, what it calls in turn is not.
 */
function surround(call, { describe, settled = () => ({}), mutes = false }) {
  return function (...args) {
    const ids = begin(describe(...args) ?? [])
    const end = (result) => {
      if (ids.length > 0) finish(ids, settled(result, ...args))
      return result
    }
    const fail = (error) => {
      finish(ids, { error: error.code ?? 'error' })
      throw error
    }
    const work = () => call.apply(this, args)
    let result
    try {
      result = mutes ? muted.run(true, work) : work()
    } catch (error) {
      fail(error)
    }
    return result instanceof Promise ? result.then(end, fail) : end(result)
  }
}

function replace(name, forms) {
  if (fs[`${name}Sync`] !== undefined) fs[`${name}Sync`] = surround(fs[`${name}Sync`], forms)
  if (promises[name] !== undefined) promises[name] = surround(promises[name], forms)
}

module.exports = { root, original, emit, inside, exists, site, surround, replace }
