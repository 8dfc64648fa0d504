/** Shared parts of the bench: a server, whole processes in turn, and the table of figures. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bin, ownFolder, root, run } from '../harness/tool.mjs'

const here = import.meta.dirname
export const folder = ownFolder('bench')
const strange = { NODE_EXTRA_CA_CERTS: undefined, NODE_OPTIONS: undefined, SVC_CONFIG: undefined }
const own = { HOME: folder, XDG_STATE_HOME: folder, SVC_PROFILE: undefined }
const credentials = { SVC_API_KEY: 'pk_bench', SVC_API_SECRET: 'sk_bench_0123456789' }

/** Vouches for itself, and for a server over TLS. A copy: one that others can write is refused. */
const authority = join(folder, 'authority.pem')
fs.copyFileSync(join(root, 'test/support/certificates/certificate.pem'), authority)
fs.chmodSync(authority, 0o600)

/** `least.mjs`, bundled into CommonJS as svc is, with the same modules of Node left out. */
export const leastProgram = join(folder, 'least.cjs')
const stub = join(folder, 'stub.cjs')
fs.writeFileSync(
  stub,
  'exports.constants = {}; exports.maxHeaderSize = 16384; exports.IncomingMessage = class {}',
)
await build({
  ...{ entryPoints: [join(here, 'least.mjs')], outfile: leastProgram, bundle: true, minify: true },
  ...{ platform: 'node', format: 'cjs', alias: { 'node:http': stub, 'node:http2': stub } },
})

export const newFolder = () => fs.mkdtempSync(join(folder, 'part-'))

const servers = []
process.on('exit', () => servers.forEach((server) => server.kill()))

/** Starts `server.mjs` with these options. Returns the environment of a command that asks it. */
export async function serve(options = {}) {
  const server = spawn(process.execPath, [join(here, 'server.mjs'), JSON.stringify(options)])
  servers.push(server)
  const port = await new Promise((resolve) => server.stdout.once('data', resolve))
  const SVC_BASE_URL = `${options.tls ? 'https' : 'http'}://127.0.0.1:${Number(port)}`
  const env = { ...process.env, ...strange, ...own, ...credentials, SVC_BASE_URL }
  return options.tls ? { ...env, NODE_EXTRA_CA_CERTS: authority } : env
}

/** Numbers, or one part of each value, from the least on. */
const sorted = (values, part) =>
  values.map((value) => (part === undefined ? value : value[part])).toSorted((a, b) => a - b)
export const least = (values, part) => sorted(values, part)[0]
export const median = (values, part) => sorted(values, part)[values.length >> 1]

/** Every figure so far, by what was measured. */
const figures = new Map()
let program = bin
/** Where the values of the measured program go. */
let column = 'value'

/** Measures an earlier svc by a part of the bench. */
export async function measureEarlier(svc, part) {
  ;[program, column] = [svc, 'earlier']
  own.XDG_STATE_HOME = join(folder, 'earlier-state')
  await part()
  ;[program, column] = [bin, 'value']
  own.XDG_STATE_HOME = folder
}

/** `goal`: `≤ 1.1`, `≥ 0.3`, or `not behind` the earlier svc, by which a run differs: 5 %. */
export function report(what, value, goal, earlier) {
  const figure = figures.get(what) ?? { goal, earlier }
  figures.set(what, figure)
  figure[column] = value
  console.error(`${what}: ${value.toFixed(2)} (goal ${goal})`)
}

function isMet({ value, goal, earlier = Infinity }) {
  if (goal === 'not behind') return value <= earlier * 1.05
  const limit = Number(goal.slice(2))
  return goal.startsWith('≤') ? value <= limit : value >= limit
}

export function table() {
  const rows = [...figures].map(([what, figure]) => {
    const { value, earlier, goal } = figure
    const cells = [what, value.toFixed(2), earlier?.toFixed(2) ?? '', goal]
    return `| ${[...cells, isMet(figure) ? 'yes' : 'NO'].join(' | ')} |`
  })
  return `| what | measured | earlier | goal | met |\n|---|---|---|---|---|\n${rows.join('\n')}`
}

/** Installs a tarball of svc by npm. Returns its `svc.js`. */
export function install(tarball, name) {
  const prefix = join(folder, name)
  run('npm', ['install', '--global', '--offline', '--prefix', prefix, tarball])
  const modules = join(prefix, 'lib/node_modules')
  // npm cannot get the optional package offline.
  fs.symlinkSync(join(root, 'node_modules/@photostructure'), join(modules, '@photostructure'))
  return join(modules, '@svc-cli/svc/bin/svc.js')
}

/** Thrown away as a shell does it: svc takes one that can be read too for a closed one. */
const nowhere = fs.openSync(devNull, 'w')

/** Milliseconds of a script of Node, which must end with this code. */
export function time(words, env, code = 0) {
  const started = performance.now()
  const result = spawnSync(process.execPath, words, { env, stdio: ['ignore', nowhere, 'pipe'] })
  if (result.status === code) return performance.now() - started
  throw new Error(`${words.join(' ')}: ${result.status} ${result.stderr}`)
}

/** Runs the cases in turn, every other time in reverse. Returns what each gave, by name. */
export function inTurn(cases, rounds) {
  const found = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
  const there = Object.entries(cases)
  for (let round = 0; round < rounds; round += 1)
    for (const [name, run] of round % 2 === 0 ? there : there.toReversed()) found[name].push(run())
  return found
}

export function idsFile(count) {
  const path = join(folder, `ids-${count}.txt`)
  const idOf = (_, n) => (n * 7919 + 1).toString(16).padStart(24, '0')
  fs.writeFileSync(path, `${Array.from({ length: count }, idOf).join('\n')}\n`)
  return path
}

/** Runs svc to its end: milliseconds, those of the processor, megabytes, and lines. */
export function measured(line, env, script = program) {
  const file = join(folder, 'memory')
  const words = ['--require', join(here, 'memory.cjs'), script, ...line.split(' ')]
  const options = { env: { ...env, BENCH_MEMORY: file }, encoding: 'utf8', maxBuffer: 2 ** 28 }
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options)
  const ms = performance.now() - started
  if (status !== 0) throw new Error(`${line}: ${status} ${stderr}`)
  const [kilobytes, cpu] = fs.readFileSync(file, 'utf8').split(' ').map(Number)
  return { ms, cpu, memory: kilobytes / 1024, lines: stdout.split('\n').length - 1 }
}

/** Requests a second of `least.mjs`: so many in flight, so many in all, perhaps a path. */
export const rateOf = ({ SVC_BASE_URL }, ...words) =>
  Number(run(process.execPath, [leastProgram, SVC_BASE_URL, ...words].map(String)))
