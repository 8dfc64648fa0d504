/**
 * A name server that never answers, and when the process of a command ends then: within 250 ms of what was promised. Runs the
 * built program in namespaces of its own, where port 53 of loopback is a socket that only reads and resolv.conf names it:
 * nothing of the machine changes and no packet leaves it. Ends with 1 when a command was late, and when this cannot be
 * measured here, saying what is missing.
 *
 *   node tools/bench/silent-dns.mjs
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from '../harness/processes.mjs'
import { bin, commandLine, ownFolder, root } from '../harness/tool.mjs'

const { inside } = commandLine({ inside: false })
/** Milliseconds. */
const allowed = 250

function notMeasured(why) {
  console.log(`not measured: ${why}`)
  process.exit(1)
}

function enter() {
  if (!existsSync(join(root, 'dist/manifest'))) notMeasured('the program is not built: node bin/build.mjs')
  const tried = spawnSync('unshare', ['-rmn', 'true'], { encoding: 'utf8' })
  if (tried.error !== undefined) notMeasured(`there is no unshare here (Linux, util-linux): ${tried.error.message}`)
  if (tried.status !== 0) notMeasured(`this user may make no namespaces: ${tried.stderr.trim()}`)
  const { status } = spawnSync('unshare', ['-rmn', process.execPath, fileURLToPath(import.meta.url), '--inside'], {
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}

/** The namespace's own loopback and resolv.conf; returns how many packets the name server got so far. */
async function prepare(folder) {
  const configuration = join(folder, 'resolv.conf')
  writeFileSync(configuration, 'nameserver 127.0.0.1\n')
  const socket = createSocket('udp4')
  let packets = 0
  socket.on('message', () => (packets += 1))
  try {
    execFileSync('mount', ['--bind', configuration, '/etc/resolv.conf'], { stdio: 'pipe' })
    execFileSync('ip', ['link', 'set', 'lo', 'up'], { stdio: 'pipe' })
    await new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(53, '127.0.0.1', resolve)
    })
  } catch (error) {
    notMeasured(`the namespace could not be set up: ${error.message}`)
  }
  return { packets: () => packets, close: () => socket.close() }
}

/** Runs a script of Node to its end; `interruptAfter`: milliseconds to a Ctrl-C. */
async function run(words, { env, interruptAfter } = {}) {
  const started = performance.now()
  const { child, ended } = start(process.execPath, words, { env })
  if (interruptAfter !== undefined) setTimeout(() => child.kill('SIGINT'), interruptAfter)
  const { code, signal, stdout, stderr } = await ended
  return { code, signal, said: stdout + stderr, ms: performance.now() - started }
}

async function measure() {
  const folder = ownFolder('silent')
  const server = await prepare(folder)
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SVC_BASE_URL: 'https://service.example',
    SVC_API_KEY: 'pk_0123456789',
    SVC_API_SECRET: 'sk_0123456789',
  }
  // Node's own look-up, started beside the others: if this is not late, nothing here is measured.
  const lookUp = "setTimeout(() => process.exit(), 1000); require('dns').lookup('service.example', () => {})"
  const control = run(['-e', lookUp], { env })

  const ids = Array.from({ length: 16 }, (_, n) => n.toString(16).padStart(24, 'f'))
  const batches = ['contacts', 'delete', ...ids, '--yes', '--batch-size', '1', '--max-failures', '16']
  /** What is promised, in milliseconds: deadlines, and the longest waits between the attempts (0.5, 1 and 2 s). */
  const short = ['--timeout', '2s', '--retries', '0']
  const proxy = { HTTPS_PROXY: 'http://proxy.example:3128' }
  const cases = [
    { name: 'one request, --timeout 2s', words: ['whoami', ...short], promised: 2000 },
    { name: 'with 3 retries, --timeout 1s', words: ['whoami', '--timeout', '1s'], promised: 4 * 1000 + 3500 },
    { name: '16 batches, 4 at a time', words: [...batches, ...short], promised: 2000 },
    { name: '16 batches, one by one', words: [...batches, '--concurrency', '1', ...short], promised: 2000 },
    { name: 'the connect deadline', words: ['whoami', '--retries', '0'], promised: 10_000 },
    { name: 'the name of a proxy', words: ['whoami', ...short], more: proxy, promised: 2000 },
    { name: 'doctor', words: ['doctor', '--timeout', '2s'], promised: 2000 },
    { name: 'Ctrl-C after 1 s', words: ['lists', 'list'], promised: 1000, interruptAfter: 1000 },
  ]
  let [late, latest] = [0, 0]
  for (const { name, words, more, promised, interruptAfter } of cases) {
    // What a command takes that meets a closed port: how long it takes to start is no part of a deadline.
    const closed = { ...env, SVC_BASE_URL: 'https://127.0.0.1:1' }
    const start = interruptAfter === undefined ? (await run([bin, ...words, '--retries', '0'], { env: closed })).ms : 0
    const before = server.packets()
    const { code, signal, said, ms } = await run([bin, ...words], { env: { ...env, ...more }, interruptAfter })
    const isRight = interruptAfter === undefined ? code === 7 && /d(id|oes) not answer/.test(said) : signal === 'SIGINT'
    const lateness = ms - start - promised
    const isLate = lateness > allowed
    if (isLate || !isRight) late += 1
    latest = Math.max(latest, lateness)
    const verdict = isLate ? 'LATE' : isRight ? 'in time' : `WRONG: ${code ?? signal} ${said}`
    console.log(
      `${name}: promised ${promised} ms, started in ${Math.round(start)} ms, ended after ${Math.round(ms)} ms, ${server.packets() - before} packets: ${verdict}`,
    )
  }
  const { ms } = await control
  console.log(`Node's own look-up: a process that exits after 1000 ms ended after ${Math.round(ms)} ms`)
  server.close()
  if (ms < 2000) notMeasured('the name server of this namespace is not silent')
  console.log(
    `${cases.length} commands with a silent name server: ${late} late or wrong, the latest ${Math.round(latest)} ms after what was promised`,
  )
  process.exitCode = late > 0 ? 1 : 0
}

if (inside) await measure()
else enter()
