/** Shared parts of the bench: a server, whole processes in turn, and the table of figures. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { bin, ownFolder, root, run } from '../harness/tool.mjs'

export { bin, root }

export const here = import.meta.dirname
export const dispatch = join(here, 'dispatch.mjs')
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

/** Vouches for itself, and for a server over TLS. A copy: one that others can write is refused. */
const authority = join(folder, 'authority.pem')
copyFileSync(join(root, 'test/support/certificates/certificate.pem'), authority)
chmodSync(authority, 0o600)

const servers = []
process.on('exit', () => servers.forEach((server) => server.kill()))

/** Starts `server.mjs` with these options. With `tls` the environment names the authority of its certificate. */
export async function serve(options) {
  const words = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  )
  const server = spawn(process.execPath, [join(here, 'server.mjs'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  servers.push(server)
  const port = await new Promise((resolve) =>
    server.stdout.once('data', (data) => resolve(Number(data))),
  )
  const { tls = false } = options
  const env = { ...environment, SVC_BASE_URL: `${tls ? 'https' : 'http'}://127.0.0.1:${port}` }
  return { port, env: tls ? { ...env, NODE_EXTRA_CA_CERTS: authority } : env }
}

/** The median of numbers, or of one part of each value. */
export function median(values, part) {
  const numbers = part === undefined ? values : values.map((value) => value[part])
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
}

/** Every figure so far. */
export const rows = []

/** `goal`: `≤ 1.1` or `≥ 0.3`. */
export function report(what, value, goal, detail = '') {
  const limit = Number(goal.slice(2))
  const met = goal.startsWith('≤') ? value <= limit : value >= limit
  rows.push({ what, value: value.toFixed(2), goal, met: met ? 'yes' : 'NO', detail })
  console.error(`${met ? '  ' : '! '}${what}: ${value.toFixed(2)} (goal ${goal}) ${detail}`)
}

/** Thrown away as a shell does it: svc takes one that can be read too for a closed one. */
const nowhere = openSync(devNull, 'w')

/** Milliseconds of a script of Node, `bin` for one. */
export function time(args, env = environment, codes = [0]) {
  const started = performance.now()
  const result = spawnSync(process.execPath, args, { env, stdio: ['ignore', nowhere, 'pipe'] })
  if (!codes.includes(result.status))
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
  const idOf = (_, n) => (n * 7919 + 1).toString(16).padStart(24, '0')
  writeFileSync(path, `${Array.from({ length: count }, idOf).join('\n')}\n`)
  return path
}

/**
 * Runs svc to its end, which must have one of `codes`: its milliseconds, those of the processor, the most megabytes that it had, and
 * how many lines it printed to a pipe.
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
  const [kilobytes, cpu] = readFileSync(memory, 'utf8').split(' ').map(Number)
  const lines = String(result.stdout).split('\n').length - 1
  return { ms, cpu, memory: kilobytes / 1024, lines }
}

/** A bulk delete: its milliseconds, those of the processor, and megabytes. */
export function remove(env, ids, concurrency) {
  const words = `contacts delete --yes --json --concurrency ${concurrency} --file`
  return measured([...words.split(' '), ids], { env })
}

/** Requests a second of `dispatch.mjs`, whose first lines say what it is told. */
export function rateOf(...words) {
  return Number(run(process.execPath, [dispatch, ...words].map(String)))
}
