/** Processes for the tools: the built svc and a sandbox beside it, driven from outside as a shell would. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { bin } from './tool.mjs'

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** In sessions of their own they would outlive a test that is stopped. */
const running = new Set()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** Starts Node with these words and keeps its output: `ended` gives code, signal, stdout and stderr. `options`: of `spawn`. */
export function startNode(words, options) {
  const child = spawn(process.execPath, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, ...output })
    })
  })
  return { child, ended }
}

/** Starts svc in a session of its own, so that no terminal can be asked. */
export function startSvc(words, env) {
  const its = { PATH: process.env.PATH, TZ: 'UTC', ...env }
  return startNode([bin, ...words], { detached: true, env: its })
}

/** NDJSON as objects. */
export function linesOf(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** Starts a sandbox in a process of its own; `stop` ends it. */
export async function startSandbox(...options) {
  const words = ['sandbox', 'start', '--port', '0', '--json', ...options]
  const { child, ended } = startSvc(words, {})
  const first = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    void ended.then(({ stderr }) => reject(new Error(`the sandbox did not start: ${stderr}`)))
  })
  const { baseUrl, keys, examples } = JSON.parse(first)
  const key = keys.find(({ name }) => name === 'read-write')
  return {
    examples,
    env: { SVC_BASE_URL: baseUrl, SVC_API_KEY: key.apiKey, SVC_API_SECRET: key.apiSecret },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
