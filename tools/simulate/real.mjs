/**
 * Real jobs with --once, killed by SIGKILL at random moments and typed again until they end, some of them twice at one moment.
 * Every receipt is compared with what the sandbox really did.
 *   node tools/simulate/real.mjs [--jobs 1000] [--seed 1]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf, sleep, startSandbox, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const { jobs, seed } = commandLine({ jobs: 1000, seed: 1 })
const idsPerJob = 8
/** Jobs that run at one moment. */
const atOnce = 2
/** Milliseconds within which a command is killed, at first. */
const killedWithin = 450
/** After so many tries a command is not killed any more, and after so many it has to be done. */
const killedTries = 12
const mostTries = 30

let state = seed
function random() {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0
  return state / 2 ** 32
}

const folder = ownFolder('real')
// A merge takes two contacts for each id. Some more are never named.
const sandbox = await startSandbox(jobs * idsPerJob * 2 + 1000)
const env = {
  ...sandbox.env,
  HOME: folder,
  SVC_STATE_DIR: join(folder, 'state'),
  BATCHES_OF: '2',
}
mkdirSync(join(folder, 'state'))
const people = await sandbox.read('contacts')
const contacts = people.map(({ id }) => id)
const blocked = new Set(people.filter(({ chat }) => chat).map(({ id }) => id))
await svc(['lists', 'create', '--name', 'Real'], env)

const sums = { killed: 0, commands: 0, receipts: 0 }
const wrong = []

/** The words of a job, with the ids that it takes from all contacts. */
function jobOf(n) {
  const kind = ['delete', 'merge', 'add'][n % 3]
  const own = contacts.slice(n * idsPerJob * 2, (n + 1) * idsPerJob * 2)
  const sources = own.slice(0, idsPerJob)
  const path = join(folder, `${n}.csv`)
  const pairs = sources.map((id, at) => `${id},${own[idsPerJob + at]}`)
  writeFileSync(
    path,
    kind === 'merge' ? `source,target\n${pairs.join('\n')}\n` : `id\n${sources.join('\n')}\n`,
  )
  const words = {
    delete: ['contacts', 'delete'],
    merge: ['contacts', 'merge'],
    add: ['lists', 'add-contacts', 'Real'],
  }[kind]
  const options = ['--file', path, '--once', `job-${n}`, '--yes', '-o', 'json']
  return { n, kind, sources, words: [...words, ...options] }
}

/** Types a command until it ends by itself. */
async function untilDone({ words }) {
  for (let tries = 0; tries <= mostTries; tries += 1) {
    const { child, ended } = startSvc(words, env)
    sums.commands += 1
    const isSpared = tries > killedTries
    // Longer each time, so that a slow machine comes to an end, too.
    const ms = random() * killedWithin * (1 + tries / 4)
    const timer = isSpared ? undefined : setTimeout(() => child.kill('SIGKILL'), ms)
    const { code, stderr } = await ended
    clearTimeout(timer)
    if (code === null) sums.killed += 1
    // Another process is working on the run.
    else if (code !== 7) return { code, stderr }
    // A process that was killed counts as alive for 20 s if another one has its number by now.
    if (isSpared) await sleep(2000)
  }
  return { code: undefined, stderr: `not done after ${mostTries} tries` }
}

async function play(job) {
  const ends =
    random() < 0.2
      ? [untilDone(job), sleep(random() * 100).then(() => untilDone(job))]
      : [untilDone(job)]
  for (const { code, stderr } of await Promise.all(ends))
    if (![0, 3].includes(code))
      wrong.push(`job ${job.n} (${job.kind}) ended with ${code}: ${stderr}`)
  const { stdout } = await svc(['runs', 'export', `job-${job.n}`, '-o', 'ndjson'], env)
  return { ...job, receipts: linesOf(stdout) }
}

const played = []
let next = 0
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (next < jobs) played.push(await play(jobOf(next++)))
  }),
)

const record = await sandbox.read('record')
const count = (name, id) =>
  record.filter(({ operation, changed }) => operation === name && changed.includes(id)).length

/** Why a receipt is false. */
function problemOf(kind, { id, outcome }) {
  if (kind === 'merge') {
    const made = count('contacts.merge', id)
    if (made > 1) return `it was merged ${made} times`
    return outcome === 'unknown' || (outcome === 'done' && made === 1)
      ? undefined
      : `${made} merges were made`
  }
  if (kind === 'add')
    return outcome === 'done' && count('lists.add-contacts', id) === 1
      ? undefined
      : 'it was not added once'
  const deleted = count('contacts.delete', id)
  if (outcome === 'blocked')
    return blocked.has(id) && deleted === 0 ? undefined : 'it is not blocked'
  return ['done', 'gone'].includes(outcome) && deleted === 1
    ? undefined
    : `it was deleted ${deleted} times`
}

for (const { n, kind, sources, receipts } of played) {
  sums.receipts += receipts.length
  const ids = receipts.map(({ id }) => id)
  if (ids.toSorted().join() !== sources.toSorted().join())
    wrong.push(`job ${n} (${kind}) of ${sources.join(' ')} has receipts of ${ids.join(' ')}`)
  for (const receipt of receipts) {
    const problem = problemOf(kind, receipt)
    if (problem !== undefined)
      wrong.push(`job ${n} (${kind}) ${receipt.id} ${receipt.outcome}: ${problem}`)
  }
}
await sandbox.stop()
for (const what of wrong.slice(0, 20)) console.log(`FALSE ${what}`)
console.log(
  `${played.length} jobs, ${sums.commands} commands, ${sums.killed} killed, ${sums.receipts} receipts, ${wrong.length} false`,
)
process.exitCode = wrong.length === 0 ? 0 : 1
