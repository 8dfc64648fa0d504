/** Processes for the tools: the built svc and a sandbox beside it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bundle } from './program.mjs'
import { bin, ownFolder } from './tool.mjs'

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Those that have not ended: in sessions of their own they would outlive a stopped tool. */
const running = new Set()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Starts svc, or another script, in a session of its own: no terminal can be asked. */
export function startSvc(words, env, script = bin) {
  const child = spawn(process.execPath, [script, ...words], {
    env: { PATH: process.env.PATH, TZ: 'UTC', ...env, ...smallBatches(env) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, ...output })
    })
  })
  return { child, ended }
}

const preloaded = join(import.meta.dirname, 'small-batches.cjs')

/** What gives requests `BATCHES_OF` ids; svc itself does not know that variable. */
const smallBatches = ({ BATCHES_OF }) =>
  BATCHES_OF === undefined ? {} : { NODE_OPTIONS: `--require "${preloaded}"` }

export const svc = (words, env) => startSvc(words, env).ended

const wrong = []
/** Remembers what a simulator found false. */
export const claim = (isTrue, what) => isTrue || wrong.push(what)

/** Ends a simulator: prints what was false and a last line, and sets the exit code. */
export async function endSimulation(sandbox, line) {
  await sandbox.stop()
  for (const what of wrong.slice(0, 20)) console.log(`FALSE ${what}`)
  console.log(`${line}, ${wrong.length} false`)
  process.exitCode = wrong.length === 0 ? 0 : 1
}

/** Starts `test/support/tool-sandbox.ts` with at least so many contacts. */
export async function startSandbox(contacts) {
  const script = join(ownFolder('sandbox'), 'sandbox.mjs')
  await bundle(script, "import './test/support/tool-sandbox.ts'")
  const { child, ended } = startSvc([String(contacts)], {}, script)
  const first = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    const fail = (why) => reject(new Error(`the sandbox did not start: ${why}`))
    ended.then(({ stderr }) => fail(stderr), fail)
  })
  const { baseUrl, keys, witnessUrl } = JSON.parse(first)
  const key = keys.find(({ name }) => name === 'read-write')
  return {
    env: { SVC_BASE_URL: baseUrl, SVC_API_KEY: key.apiKey, SVC_API_SECRET: key.apiSecret },
    /** What really happened (`record`) or is there (`contacts`), as objects. */
    read: async (what) => (await fetch(`${witnessUrl}/${what}`)).json(),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
