/** Processes for the tools: the built svc and a sandbox beside it, driven from outside as a shell would. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bin } from './tool.mjs'

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The processes that have not ended. In sessions of their own they would outlive a tool that is stopped. */
const running = new Set()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Starts a program and keeps its output: `ended` gives code, signal, stdout and stderr. The rest are options of `spawn`. */
export function start(command, words, { input, ...options } = {}) {
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']
  const child = spawn(command, words, { ...options, stdio })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  if (input !== undefined) {
    // A program may end before it has read all of its input.
    child.stdin.on('error', (error) => error.code === 'EPIPE' || child.emit('error', error))
    child.stdin.end(input)
  }
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, ...output })
    })
  })
  return { child, ended }
}

/**
 * Starts svc in a session of its own, so that no terminal can be asked. `program`: a script of Node, or an executable. `before`:
 * words that start it somewhere else, as `unshare` does.
 */
export function startSvc(words, env, { input, cwd, program = bin, before = [] } = {}) {
  const [command, ...first] = [
    ...before,
    ...(/\.m?js$/.test(program) ? [process.execPath] : []),
    program,
  ]
  const its = { PATH: process.env.PATH, TZ: 'UTC', ...env, ...smallBatches(env) }
  return start(command, [...first, ...words], {
    input,
    cwd,
    detached: true,
    env: its,
  })
}

const preloaded = fileURLToPath(new URL('small-batches.cjs', import.meta.url))

/** The variable `BATCHES_OF=2` of a tool: requests of so many ids. svc itself does not know it. */
const smallBatches = ({ BATCHES_OF: most, NODE_OPTIONS: others = '' }) =>
  most === undefined ? {} : { NODE_OPTIONS: `${others} --require "${preloaded}"` }

/** Runs svc to its end. */
export function svc(words, env, options) {
  return startSvc(words, env, options).ended
}

/** NDJSON as objects. */
export function linesOf(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

async function textAt(url) {
  const answer = await fetch(url)
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text}`)
  return text
}

/** Starts a sandbox in a process of its own; `stop` ends it. `env`, `how`: as of `startSvc`. */
export async function startSandbox(options, env = {}, how = {}) {
  const words = ['sandbox', 'start', '--port', '0', '--json', ...options]
  const { child, ended } = startSvc(words, env, how)
  const first = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    const fail = (why) => reject(new Error(`the sandbox did not start: ${why}`))
    ended.then(({ stderr }) => fail(stderr), fail)
  })
  const { baseUrl, pid, keys, examples, witnessUrl } = JSON.parse(first)
  const key = keys.find(({ name }) => name === 'read-write')
  return {
    ...{ baseUrl, pid, keys, examples, child },
    env: { SVC_BASE_URL: baseUrl, SVC_API_KEY: key.apiKey, SVC_API_SECRET: key.apiSecret },
    /** What really happened, of a sandbox for the tools: `record` or `contacts`, as an array of objects. */
    read: async (what) => linesOf(await textAt(`${witnessUrl}/${what}`)),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
