/**
 * Real jobs with --once, killed at random moments and typed again until they end, some of them
 * twice at one moment. Every receipt is compared with what the sandbox really did.
 *
 *   node tools/simulate/real.mjs [--jobs 1000]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claim, endSimulation, sleep, startSandbox, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const { jobs } = commandLine({ jobs: 1000 })
const idsPerJob = 8
/** Jobs at one moment. */
const atOnce = 30
/** A command is killed in its first tries, and every job has to be done after so many. */
const killedTries = 6
const mostTries = 30
/** Milliseconds for which some commands are suspended. */
const suspendedMs = 12_000

const isLucky = (chance) => Math.random() < chance

const folder = ownFolder('real')
// A merge takes two contacts for each id. Some more are never named.
const sandbox = await startSandbox(jobs * idsPerJob * 2 + 1000)
const env = { ...sandbox.env, HOME: folder, SVC_STATE_DIR: join(folder, 'state'), BATCHES_OF: '2' }
const people = await sandbox.read('contacts')
const contacts = people.map(({ id }) => id)
const blocked = new Set(people.filter(({ chat }) => chat).map(({ id }) => id))
await svc(['lists', 'create', 'Real'], env)

const sums = { commands: 0, killed: 0, suspended: 0, waits: 0, receipts: 0, noAnswer: 0 }
const kinds = [
  ['contacts', 'delete'],
  ['contacts', 'merge'],
  ['lists', 'add-contacts', 'Real'],
]

/** The words of a job, with the ids that it takes from all contacts. */
function jobOf(n) {
  const [noun, verb, ...list] = kinds[n % kinds.length]
  const own = contacts.slice(n * idsPerJob * 2, (n + 1) * idsPerJob * 2)
  const ids = own.splice(0, idsPerJob)
  const pairs = ids.map((id, at) => `${id},${own[at]},yes`)
  const lines = verb === 'merge' ? ['source,target,merge', ...pairs] : ['id', ...ids]
  const path = join(folder, `${n}.csv`)
  writeFileSync(path, `${lines.join('\n')}\n`)
  const words = [noun, verb, ...list, '--file', path, '--once', `job-${n}`, '--yes']
  return { name: `job ${n} (${verb})`, operation: `${noun}.${verb}`, ids, path, words }
}

/** Stops a process for a while, as Ctrl-Z and a closed laptop do. */
function suspend(child) {
  child.kill('SIGSTOP')
  sums.suspended += 1
  setTimeout(() => child.kill('SIGCONT'), suspendedMs)
}

/** Types a command until it ends by itself. 7: another one works on the run, or was killed. */
async function untilDone({ name, words }, ...more) {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { child, ended } = startSvc([...words, ...more], env)
    const killWithin = (ms) => setTimeout(() => child.kill('SIGKILL'), Math.random() * ms)
    const isKilled = tries < killedTries && isLucky(0.6)
    // At any moment, or soon after its first note.
    if (isKilled && isLucky(0.2)) killWithin(500)
    else if (isKilled) child.stderr.once('data', () => killWithin(120))
    else if (isLucky(0.1)) child.stderr.once('data', () => suspend(child))
    const { code, stderr } = await ended
    sums.commands += 1
    if ([0, 3].includes(code)) return
    if (code === null) sums.killed += 1
    else if (code === 7) sums.waits += 1
    else claim(false, `${name} ended with ${code}: ${stderr}`)
    // Another command works on it, or is suspended.
    if (code === 7) await sleep(500 + Math.random() * 2000)
  }
  claim(false, `${name} was not done after ${mostTries} tries`)
}

const played = Array.from({ length: jobs }, (_, n) => jobOf(n))
const waiting = [...played]
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    await sleep(Math.random() * 5000)
    for (let job = waiting.pop(); job !== undefined; job = waiting.pop()) {
      const twin = isLucky(0.2) && sleep(Math.random() * 100).then(() => untilDone(job))
      await Promise.all([untilDone(job, '--receipts', `${job.path}.csv`), twin])
    }
  }),
)

/** How often each contact was changed by an operation. */
const changes = {}
for (const { operation, changed } of await sandbox.read('record'))
  for (const id of changed) changes[operation + id] = (changes[operation + id] ?? 0) + 1

/** Whether a receipt is true. A merge without an answer was made or not, never twice. */
function isTrue(operation, id, outcome, isLost) {
  const made = changes[operation + id] ?? 0
  if (outcome === 'blocked') return blocked.has(id) && made === 0
  if (outcome === 'no-answer') return operation === 'contacts.merge' && made <= 1
  // A contact that this run may have deleted is not found on a retry, and its reason says so.
  return made === 1 && (outcome === 'done' || (outcome === 'not-found' && isLost))
}

for (const { name, operation, ids, path } of played) {
  const text = existsSync(`${path}.csv`) ? readFileSync(`${path}.csv`, 'utf8') : ''
  const [heading, ...rows] = text.split('\n').map((line) => line.split(','))
  const at = heading.findIndex((each) => each.toLowerCase() === 'outcome')
  // The last line ends, too.
  claim(rows.map(([id]) => id).join() === [...ids, ''].join(), `${name} has other receipts`)
  for (const row of rows.slice(0, -1)) {
    const { 0: id, [at]: outcome } = row
    const isLost = row.join().includes('an earlier request got no answer')
    sums.receipts += 1
    if (outcome === 'no-answer') sums.noAnswer += 1
    claim(isTrue(operation, id, outcome, isLost), `${name}: ${id} is ${outcome}`)
  }
}
const { commands, killed, suspended, waits, receipts, noAnswer } = sums
await endSimulation(
  sandbox,
  `${jobs} jobs, ${commands} commands, ${killed} killed, ${suspended} suspended, ` +
    `${waits} ended with 7, ${receipts} receipts (${noAnswer} without an answer)`,
)
