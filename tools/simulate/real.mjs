/**
 * Real jobs with --once, killed by SIGKILL at random moments and typed again until they end, some of them twice at one moment. Most
 * of them wait: the run of a killed command can be taken after 10 s. Every receipt is compared with what the sandbox really did.
 *   node tools/simulate/real.mjs [--jobs 1000]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, startSandbox, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const { jobs } = commandLine({ jobs: 1000 })
const idsPerJob = 8
/** Jobs at one moment, and their commands. */
const atOnce = 60
const commandsAtOnce = 3
/** A command is killed in its first tries, and every job has to be done after so many. */
const killedTries = 6
const mostTries = 30
/** A little more than the silence after which a run can be taken. */
const silenceMs = 10_300

const isLucky = (chance) => Math.random() < chance

const folder = ownFolder('real')
// A merge takes two contacts for each id. Some more are never named.
const sandbox = await startSandbox(jobs * idsPerJob * 2 + 1000)
const env = { ...sandbox.env, HOME: folder, SVC_STATE_DIR: join(folder, 'state'), BATCHES_OF: '2' }
const people = await sandbox.read('contacts')
const contacts = people.map(({ id }) => id)
const blocked = new Set(people.filter(({ chat }) => chat).map(({ id }) => id))
await svc(['lists', 'create', '--name', 'Real'], env)

const sums = { commands: 0, killed: 0, waits: 0, receipts: 0, unknown: 0 }
const wrong = []

/** The words of a job, with the ids that it takes from all contacts. */
function jobOf(n) {
  const kind = ['delete', 'merge', 'add'][n % 3]
  const own = contacts.slice(n * idsPerJob * 2, (n + 1) * idsPerJob * 2)
  const sources = own.slice(0, idsPerJob)
  const path = join(folder, `${n}.csv`)
  const pairs = sources.map((id, at) => `${id},${own[idsPerJob + at]},yes`)
  const lines = kind === 'merge' ? ['source,target,merge', ...pairs] : ['id', ...sources]
  writeFileSync(path, `${lines.join('\n')}\n`)
  const words = {
    delete: ['contacts', 'delete'],
    merge: ['contacts', 'merge'],
    add: ['lists', 'add-contacts', 'Real'],
  }[kind]
  const receipts = join(folder, `${n}-receipts.csv`)
  return { n, kind, sources, receipts, words: [...words, '--file', path, '--once', `job-${n}`] }
}

let free = commandsAtOnce
const waiting = []
/** Starts a command when fewer than so many work, and perhaps kills it: at any moment, or soon after its first note. */
async function type(words, isKilled) {
  if (free === 0) await new Promise((resolve) => waiting.push(resolve))
  else free -= 1
  const { child, ended } = startSvc([...words, '--yes'], env)
  sums.commands += 1
  const killWithin = (ms) => setTimeout(() => child.kill('SIGKILL'), Math.random() * ms)
  if (isKilled && isLucky(0.2)) killWithin(500)
  else if (isKilled) child.stderr.once('data', () => killWithin(120))
  const end = await ended
  const next = waiting.shift()
  if (next === undefined) free += 1
  else next()
  return end
}

/** Types a command until it ends by itself. 7: another one works on the run, or was killed. */
async function untilDone(words) {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { code, stderr } = await type(words, tries < killedTries && isLucky(0.6))
    if (code === null) sums.killed += 1
    else if (code === 7) sums.waits += 1
    else return { code, stderr }
    if (isLucky(0.9)) await sleep(silenceMs)
  }
  return { code: undefined, stderr: `not done after ${mostTries} tries` }
}

async function play({ n, kind, words, receipts }) {
  const ends = [untilDone([...words, '--receipts', receipts])]
  if (isLucky(0.2)) ends.push(sleep(Math.random() * 100).then(() => untilDone(words)))
  for (const { code, stderr } of await Promise.all(ends))
    if (![0, 3].includes(code)) wrong.push(`job ${n} (${kind}) ended with ${code}: ${stderr}`)
}

const played = Array.from({ length: jobs }, (_, n) => jobOf(n))
let next = 0
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (next < jobs) await play(played[next++])
  }),
)

/** How often each contact was changed by an operation. */
const changes = {}
for (const { operation, changed } of await sandbox.read('record'))
  for (const id of changed) changes[`${operation} ${id}`] = (changes[`${operation} ${id}`] ?? 0) + 1

/** Whether a receipt says what happened. A merge that is unknown was made or not, but never twice. */
function isTrue(kind, id, outcome) {
  const made = (name) => changes[`${name} ${id}`] ?? 0
  if (kind === 'add') return outcome === 'done' && made('lists.add-contacts') === 1
  if (kind === 'merge')
    return (
      (outcome === 'done' && made('contacts.merge') === 1) ||
      (outcome === 'unknown' && made('contacts.merge') <= 1)
    )
  if (outcome === 'blocked') return blocked.has(id) && made('contacts.delete') === 0
  return ['done', 'gone'].includes(outcome) && made('contacts.delete') === 1
}

for (const { n, kind, sources, receipts } of played) {
  if (!existsSync(receipts)) {
    wrong.push(`job ${n} (${kind}) has no receipts`)
    continue
  }
  const [heading, ...rows] = readFileSync(receipts, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  const at = heading.findIndex((name) => name.toLowerCase() === 'outcome')
  sums.receipts += rows.length
  if (rows.map(([id]) => id).join() !== sources.join())
    wrong.push(`job ${n} (${kind}) has receipts of other ids`)
  for (const { 0: id, [at]: outcome } of rows) {
    if (outcome === 'unknown') sums.unknown += 1
    if (!isTrue(kind, id, outcome)) wrong.push(`job ${n} (${kind}): ${id} is ${outcome}`)
  }
}
await sandbox.stop()
for (const what of wrong.slice(0, 20)) console.log(`FALSE ${what}`)
const { commands, killed, waits, receipts, unknown } = sums
console.log(
  `${jobs} jobs, ${commands} commands, ${killed} killed, ${waits} ended with 7, ${receipts} receipts (${unknown} unknown), ${wrong.length} false`,
)
process.exitCode = wrong.length === 0 ? 0 : 1
