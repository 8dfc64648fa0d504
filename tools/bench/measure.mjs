/** Shared parts of the bench: a server, whole processes in turn, and the table of figures. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bin, ownFolder, root, run } from '../harness/tool.mjs'

export { bin, root }

export const here = dirname(fileURLToPath(import.meta.url))
/** An empty program, of CommonJS: the least that Node takes. An empty ES module takes a fifth more, and would flatter. */
export const empty = () => {
  const path = join(folder, 'empty.cjs')
  writeFileSync(path, '')
  return path
}
export const folder = ownFolder('bench')
export const environment = {
  ...process.env,
  HOME: folder,
  XDG_STATE_HOME: folder,
  SVC_API_KEY: 'pk_bench',
  SVC_API_SECRET: 'sk_bench_0123456789',
}
const strange = 'NODE_EXTRA_CA_CERTS NODE_OPTIONS SVC_PROFILE SVC_CONFIG'
for (const name of strange.split(' ')) delete environment[name]

/** Vouches for itself, and for a server of `serve` with `--tls`. A copy: one that others can write is refused. */
const authority = join(folder, 'authority.pem')
copyFileSync(join(root, 'test/support/certificates/certificate.pem'), authority)
chmodSync(authority, 0o600)

const servers = []
process.on('exit', () => servers.forEach((server) => server.kill()))

/** `more`: more words for the server. With `--tls` among them the environment names the authority of its certificate.
 * @returns {Promise<{port: number, env: Record<string, string>}>} */
export async function serve(latency, messages = 5000, lists = 300, more = []) {
  const words = [join(here, 'server.mjs'), latency, messages, lists, ...more].map(String)
  const server = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  servers.push(server)
  const port = await new Promise((resolve) =>
    server.stdout.once('data', (data) => resolve(Number(data))),
  )
  if (!more.includes('--tls'))
    return { port, env: { ...environment, SVC_BASE_URL: `http://127.0.0.1:${port}` } }
  const secure = { SVC_BASE_URL: `https://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: authority }
  return { port, env: { ...environment, ...secure } }
}

/** The median of numbers, or of one part of each value. */
export function median(values, part) {
  const numbers = part === undefined ? values : values.map((value) => value[part])
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
}

/** Every figure so far. */
export const rows = []

/** `goal`: `≤ 1.1`, `≥ 0.3`, or in words of none. */
export function report(what, value, goal, detail = '') {
  const limit = Number(goal.slice(2))
  const met = goal.startsWith('≤') ? value <= limit : goal.startsWith('≥') ? value >= limit : true
  rows.push({ what, value: value.toFixed(2), goal, met: met ? 'yes' : 'NO', detail })
  console.error(`${met ? '  ' : '! '}${what}: ${value.toFixed(2)} (goal ${goal}) ${detail}`)
}

/** Thrown away as a shell does it: svc takes one that can be read too for a closed one. */
export const nowhere = openSync(devNull, 'w')

/** Milliseconds of a script of Node, `bin` for one. */
export function time(args, env = environment) {
  const started = performance.now()
  const result = spawnSync(process.execPath, args, { env, stdio: ['ignore', nowhere, 'pipe'] })
  if (result.status === null || (result.status !== 0 && result.status !== 2))
    throw new Error(`${args.join(' ')}: ${result.status} ${result.stderr}`)
  return performance.now() - started
}

/** Runs the cases in turn, so many times, every other time in reverse; returns what each gave, by name. */
export function inTurn(cases, rounds) {
  const found = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
  const there = Object.entries(cases)
  for (let round = 0; round < rounds; round += 1)
    for (const [name, run] of round % 2 === 0 ? there : there.toReversed()) found[name].push(run())
  return found
}

/** The same after a first round, which only warms the disk. */
export function interleave(cases, rounds) {
  const found = inTurn(cases, rounds + 1)
  for (const all of Object.values(found)) all.shift()
  return found
}

export function idsFile(count) {
  const path = join(folder, `ids-${count}.txt`)
  const most = 1_000_000
  for (let from = 0; from < count; from += most) {
    const idOf = (_, n) => ((from + n) * 7919 + 1).toString(16).padStart(24, '0')
    const ids = Array.from({ length: Math.min(most, count - from) }, idOf)
    writeFileSync(path, `${ids.join('\n')}\n`, { flag: from === 0 ? 'w' : 'a' })
  }
  return path
}

/**
 * Runs svc to its end, which must have one of `codes`: its milliseconds, those of the processor, the most megabytes that it had, and
 * what it printed to a pipe.
 */
export function measured(words, { env = environment, codes = [0], program = bin } = {}) {
  const memory = join(folder, 'memory')
  const started = performance.now()
  const result = spawnSync(
    process.execPath,
    ['--require', join(here, 'memory.cjs'), program, ...words],
    {
      env: { ...env, BENCH_MEMORY: memory },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    },
  )
  const ms = performance.now() - started
  if (!codes.includes(result.status))
    throw new Error(`${words.join(' ')}: ${result.status} ${result.stderr}`)
  const [kilobytes, cpu] = [memory, `${memory}-cpu`].map((path) =>
    Number(readFileSync(path, 'utf8')),
  )
  return { ms, cpu, memory: kilobytes / 1024, stdout: String(result.stdout ?? '') }
}

/** A bulk delete: its milliseconds, those of the processor, and megabytes. */
export function remove(env, ids, concurrency) {
  const words = `contacts delete --yes --json --concurrency ${concurrency} --file`
  return measured([...words.split(' '), ids], { env })
}

/** Requests a second of another client: of `client.mjs` or `dispatch.mjs`, whose first lines say what they are told. */
export function rateOf(client, ...words) {
  return Number(run(process.execPath, [join(here, client), ...words].map(String)))
}
