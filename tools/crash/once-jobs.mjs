/**
 * A scheduler that repeats the same `--once` command, killed at random moments, until it exits by itself: each job is done
 * exactly once, and its summary is what the service recorded. `runs check` says how the job ended. What `--annotate` writes is whole at every moment and, in the end,
 * has the outcome of every row.
 *   node tools/crash/once-jobs.mjs [--jobs 1000] [--kills <at least so many>] [--seed 7] [--program path/to/svc.js]
 */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkAnnotated, decorate } from '../harness/annotated.mjs'
import { assigneesOf, Supply } from '../harness/episode.mjs'
import { Tally, Verdict } from '../harness/judge.mjs'
import { linesOf, sleep, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder, randomFrom, seedOf, wholeNumber } from '../harness/tool.mjs'

const values = commandLine({ jobs: undefined, kills: '0', seed: undefined, program: undefined })
const kills = wholeNumber('kills', values.kills)
const jobs = wholeNumber('jobs', values.jobs ?? (kills > 0 ? '1' : '1000'), 1)
const { program } = values
const seed = seedOf(values.seed)
const random = randomFrom(seed)
const kinds = ['delete', 'add', 'assign', 'delete', 'add', 'merge']
const folder = ownFolder('once')

/** 0 and 3 are finished; 7, 8, 10, 11 and signals: the same command again; anything else needs a person. */
const isFinished = (code) => code === 0 || code === 3
const isRepeated = (code, signal) => signal !== null || [7, 8, 10, 11, 130, 143].includes(code)

/** Lost requests, lost answers, half work, refusals for pace, an outage: few enough that a job comes to its end. */
const faults = () => `seed=${Math.floor(random() * 1e6)}, latency=2ms,
  contacts.delete:5%=drop-after-apply, contacts.delete:4%=drop-before, contacts.delete:2%=503(retry-after=0),
  contacts.delete:30=429(retry-after=0), lists.add-contacts:5%=drop-after-apply, lists.add-contacts:3%=drop-before,
  tickets.assign:5%=drop-after-apply, tickets.assign:3%=reset, contacts.merge:3%=drop-after-apply,
  contacts.merge:3%=drop-before, contacts.merge:10=429(retry-after=0)`

const totals = { commands: 0, kills: 0, terms: 0, jobs: 0, annotated: 0, notWhole: 0 }

/** What is wrong with an annotated file. */
function lookAt(...what) {
  const { isThere, problems } = checkAnnotated(...what)
  if (isThere) totals.annotated += 1
  if (problems.length > 0) totals.notWhole += 1
  return problems
}

/** One start of the command, which a signal hits at a random moment if it is to be hit. */
async function started(words, env, isHit) {
  totals.commands += 1
  const { child, ended } = startSvc(words, env, { program })
  if (isHit) {
    const signal = random() < 0.7 ? 'SIGKILL' : 'SIGTERM'
    const wait = random() < 0.2 ? random() * 100 : 60 + random() * random() * 300
    await Promise.race([sleep(wait), ended])
    if (child.exitCode === null && child.kill(signal)) totals[signal === 'SIGKILL' ? 'kills' : 'terms'] += 1
  }
  return ended
}

/** Repeats a command until it exits by itself, as a scheduler would. Returns the last end and how often it was killed. */
async function repeat(words, env, { verdict, look }) {
  const hits = Math.floor(random() * 5)
  let killed = 0
  for (let tries = 0; tries < 60; tries += 1) {
    const ended = await started(words, env, tries < hits)
    if (ended.signal !== null) killed += 1
    verdict.false.push(...look())
    if (isRepeated(ended.code, ended.signal)) continue
    if (!isFinished(ended.code)) verdict.lost.push(`it ended with ${ended.code}: ${ended.stderr}`)
    return { ...ended, killed }
  }
  verdict.lost.push('60 repetitions did not end it')
  return undefined
}

async function job(plan, { sandbox, stateDir, number }) {
  const verdict = new Verdict()
  const env = { ...sandbox.env, SVC_STATE_DIR: stateDir, HOME: stateDir }
  const checked = async () => (await svc(['runs', 'check', `job-${number}`, '--within', '1d'], env, { program })).code
  const since = await sandbox.lastRequest()
  const before = await assigneesOf(sandbox)
  const receipts = join(stateDir, `receipts-${number}.ndjson`)
  const annotated = join(stateDir, `annotated-${number}.${random() < 0.5 ? 'csv' : 'xlsx'}`)
  const rows = decorate(plan.words[plan.words.indexOf('--file') + 1])
  const once = ['--once', `job-${number}`, '--json', '--receipts', receipts, '--max-retry-wait', '20ms']
  const words = [...plan.words, ...once, '--skip-invalid', '--annotate', annotated]
  const look = () => lookAt(annotated, rows)
  const ended = await repeat(words, env, { verdict, look })
  if (ended === undefined || !isFinished(ended.code)) return verdict
  const said = await checked()
  if (said !== ended.code) verdict.false.push(`runs check says ${said}, and it ended with ${ended.code}`)
  const entries = () => sandbox.recordSince(since)
  const claims = existsSync(receipts) ? linesOf(readFileSync(receipts, 'utf8')) : []
  const outcomes = new Map(claims.map(({ id, outcome }) => [id.toLowerCase(), outcome]))
  verdict.false.push(...lookAt(annotated, rows, outcomes))
  const facts = { before, entries: await entries(), ownKey: env.SVC_API_KEY, receipts: claims }
  const interruptions = 2 * ended.killed * plan.concurrency
  verdict.addAll(plan.judge({ ...facts, summary: JSON.parse(ended.stdout), interruptions }))
  if (random() < 0.3) await again(words, env, { ended, verdict, entries, count: facts.entries.length })
  return verdict
}

/** A finished job that is started once more sends nothing and says the same. */
async function again(words, env, { ended, verdict, entries, count }) {
  const repeated = await svc(words, env, { program })
  const sent = (await entries()).length - count
  if (sent > 0) verdict.doubled.push(`a finished job sent ${sent} requests when it was started again`)
  if (repeated.code !== ended.code)
    verdict.false.push(`it ended with ${ended.code}, started again with ${repeated.code}`)
  const [first, second] = [ended, repeated].map(({ stdout }) => JSON.stringify(JSON.parse(stdout).result))
  if (first !== second) verdict.false.push(`its summary was ${first}, started again ${second}`)
}

const tally = new Tally()
const supply = new Supply({ random, folder, seed, size: 60, faults })
// One state folder for many jobs, as a machine has it.
const stateDirs = new Map()
try {
  for (let number = 1; number <= jobs || totals.kills < kills; number += 1) {
    const kind = kinds[number % kinds.length]
    const plan = await supply.plan(kind)
    const { sandbox } = supply
    const stateDir = stateDirs.get(sandbox) ?? mkdtempSync(join(folder, 'state-'))
    stateDirs.set(sandbox, stateDir)
    const verdict = await job(plan, { sandbox, stateDir, number })
    totals.jobs += 1
    tally.add(verdict, `job ${number} (${kind})`)
  }
} finally {
  await supply.stop()
}
console.log(`${totals.commands} commands, ${totals.kills} killed, ${totals.terms} terminated`)
tally.end(
  `${totals.jobs} jobs, ${tally.lost} not done, ${tally.doubled} done twice, ${tally.false + tally.weak} summaries or rows that differ from the record; ${totals.kills} kills, ${totals.annotated} annotated files looked at, ${totals.notWhole} wrong`,
)
