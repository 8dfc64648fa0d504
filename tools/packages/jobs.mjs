/** What a person would do with an executable that was just unpacked. Each throws when something is not as it should be. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Nothing is found by its name, and nothing of this machine's settings plays a part. */
const bare = (folder) => ({ PATH: '', HOME: folder, TZ: 'UTC' })

export function trySandbox(program, env = process.env) {
  const words = ['sandbox', 'exec', '--', 'svc', 'lists', 'get', 'VIP', '--json']
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', env })
  if (status !== 0) throw new Error(error?.message ?? stderr)
  return `the list ${JSON.parse(stdout).name}`
}

/** A sandbox, started by the same program. `words`: what stands before the words of a command. */
async function startSandbox(program, words, env) {
  const options = ['sandbox', 'start', '--port', '0', '--contacts', '3000', '--latency', '20ms', '--json']
  const child = spawn(program, [...words, ...options], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text)
    })
    child.once('exit', () => reject(new Error('the sandbox did not start')))
  })
  return { child, ...JSON.parse(line.split('\n')[0]) }
}

/**
 * A bulk run on 300 contacts, killed as soon as it has an answer, and resumed: together they have added all of them.
 * `hasPath`: the program needs a search path, which it is not given otherwise.
 */
export async function killAndResume(program, folder, { words = [], inside = folder, hasPath = true } = {}) {
  const env = hasPath ? { ...process.env, ...bare(folder), PATH: process.env.PATH } : bare(inside)
  const { child, baseUrl, keys, examples } = await startSandbox(program, words, env)
  try {
    const [{ apiKey, apiSecret }] = keys
    const its = { ...env, SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }
    const svc = (...more) => spawnSync(program, [...words, ...more], { env: its, encoding: 'utf8', maxBuffer: 2 ** 24 })
    const members = svc('lists', 'members', examples.list, '-o', 'ids')
    const ids = members.stdout
      .split('\n')
      .filter((line) => line !== '')
      .slice(0, 300)
    if (ids.length < 100) throw new Error(`only ${ids.length} members: ${members.stderr}`)
    mkdirSync(join(folder, 'job'), { recursive: true })
    writeFileSync(join(folder, 'job/ids.txt'), ids.join('\n'))
    const state = join(inside, 'job/state')
    const job = [
      'lists',
      'add-contacts',
      examples.emptyList,
      '--file',
      join(inside, 'job/ids.txt'),
      '--once',
      'job',
      '--yes',
    ]
    const options = ['--state-dir', state, '--batch-size', '1', '--concurrency', '1', '--json']
    await killed(
      spawn(program, [...words, ...job, ...options, '-v'], { env: its, stdio: ['ignore', 'ignore', 'pipe'] }),
    )
    const { status, stdout, stderr } = svc('runs', 'resume', 'job', '--state-dir', state, '--yes', '--json')
    if (status !== 0) throw new Error(`the resumed run ended with ${status}: ${stderr}`)
    const { result, status: ended } = JSON.parse(stdout)
    const sum = result.added + result.skipped + result.addedOrSkipped
    if (ended !== 'complete' || sum !== ids.length) throw new Error(`${sum} of ${ids.length} were added: ${stdout}`)
    return `${result.added} added, ${result.addedOrSkipped} added by an attempt that was killed or before it`
  } finally {
    child.kill('SIGKILL')
  }
}

/** Kills a run once it has told of twenty requests. */
async function killed(child) {
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
    if (said.split('POST').length > 20) child.kill('SIGKILL')
  })
  const signal = await new Promise((resolve) => child.once('close', (_code, how) => resolve(how)))
  if (signal !== 'SIGKILL') throw new Error(`the run ended before it was killed: ${said}`)
}
