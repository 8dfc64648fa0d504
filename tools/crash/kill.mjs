/**
 * SIGKILL at random moments, resumes included: nothing lost, doubled or falsely claimed, nor left open that is known.
 *   node tools/crash/kill.mjs [--kills 1000] [--seed 7] [--program path/to/svc.js-or-executable]
 *     [--bail]     end with the first run that has a problem
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { assigneesOf, isSettled, Supply } from '../harness/episode.mjs'
import { Tally, Verdict } from '../harness/judge.mjs'
import { linesOf, sleep, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder, randomFrom, seedOf } from '../harness/tool.mjs'

const values = commandLine({ kills: 100, seed: undefined, program: undefined, bail: false })
const { kills, program } = values
const seed = seedOf(values.seed)
const random = randomFrom(seed)
const tally = new Tally()
const folder = ownFolder('kill', () => !tally.isGood)
const kinds = ['delete', 'add', 'assign', 'delete', 'add', 'merge']
const totals = { kills: 0, runs: 0, inResumes: 0 }

/** Lost requests, lost and false answers, half work, refusals for pace; few enough that a run gets somewhere. */
const faults = () => `seed=${Math.floor(random() * 1e6)}, latency=4ms,
  contacts.delete:6%=drop-after-apply, contacts.delete:4%=drop-before, contacts.delete:3%=apply-half,
  contacts.delete:40=429(retry-after=0), contacts.delete:3%=truncated-json, contacts.delete:3%=wrong-sums,
  contacts.delete:3%=foreign-ids, contacts.delete:8%=upper-case, contacts.delete:7%=503(retry-after=0, apply),
  contacts.delete:3%=408(apply), lists.add-contacts:6%=drop-after-apply, lists.add-contacts:3%=drop-before,
  lists.add-contacts:2%=apply-half, lists.add-contacts:2%=wrong-sums, tickets.assign:8%=drop-after-apply,
  tickets.assign:4%=reset, contacts.merge:4%=drop-after-apply, contacts.merge:3%=drop-before,
  contacts.merge:10=429(retry-after=0)`

/** Waits between attempts are no part of what is tested. */
const hasty = ['--max-retry-wait', '20ms']

const journalOf = (stateDir, run) => join(stateDir, 'runs', run, 'journal.ndjson')

/** The only run of a state folder once it has been begun: a folder without a journal is no run, nothing was sent. */
function runOf(stateDir) {
  const runs = join(stateDir, 'runs')
  return existsSync(runs) ? readdirSync(runs).find((name) => existsSync(journalOf(stateDir, name))) : undefined
}

function journalSize(stateDir) {
  const run = runOf(stateDir)
  return run === undefined ? 0 : (statSync(journalOf(stateDir, run), { throwIfNoEntry: false })?.size ?? 0)
}

/** Starts a session and kills it at a random moment; returns how it ended. */
async function killedSession(words, { env, stateDir }) {
  const before = journalSize(stateDir)
  const { child, ended } = startSvc([...words, ...hasty], env, { program })
  let isOver = false
  void ended.then(() => (isOver = true))
  // Most kills fall into the work, once something was written, some into the start of the process.
  const until = Date.now() + 3000
  if (random() >= 0.85) await sleep(random() * 150)
  else while (!isOver && Date.now() < until && journalSize(stateDir) <= before) await sleep(2)
  await sleep(random() * random() * 250)
  child.kill('SIGKILL')
  return ended
}

async function runEpisode(plan, { sandbox, stateDir }) {
  const env = { ...sandbox.env, SVC_STATE_DIR: stateDir, HOME: stateDir }
  const since = await sandbox.lastRequest()
  const before = await assigneesOf(sandbox)
  const planned = 1 + Math.floor(random() * 5)
  let died = 0
  for (let session = 0; session < planned && totals.kills < kills; session += 1) {
    const isBegun = runOf(stateDir) !== undefined
    const words = isBegun ? ['runs', 'resume', '--last', '--yes', '--json'] : [...plan.words, '--json']
    const { signal } = await killedSession(words, { env, stateDir })
    if (signal !== 'SIGKILL') break
    died += 1
    totals.kills += 1
    if (isBegun) totals.inResumes += 1
    if (plan.kind === 'assign') await assignAsSomebodyElse(plan, sandbox, since)
  }
  const verdict = new Verdict()
  const run = await resumeToItsEnd(plan, { stateDir, env, verdict })
  if (run === undefined) return verdict
  const shown = await svc(['runs', 'show', run, '--json'], env, { program })
  const exported = await svc(['runs', 'export', run, '-o', 'ndjson'], env, { program })
  if (shown.code !== 0 || exported.code !== 0) {
    verdict.lost.push(`the run cannot be read: ${shown.stderr}${exported.stderr}`)
    return verdict
  }
  const judged = plan.judge({
    receipts: linesOf(exported.stdout),
    summary: JSON.parse(shown.stdout),
    entries: await sandbox.recordSince(since),
    before,
    ownKey: sandbox.env.SVC_API_KEY,
    // A worker may send its next batch before the answer of the last one is written down.
    interruptions: 2 * died * plan.concurrency,
  })
  verdict.addAll(judged)
  return verdict
}

/**
 * Somebody else assigns a few of the tickets that were in flight when svc was killed: that must not be overwritten. It may be
 * lost, or refused: this employee may have the ticket.
 */
async function assignAsSomebodyElse({ employees }, sandbox, since) {
  const { apiKey, apiSecret } = sandbox.keys.find(({ name }) => name === 'limited-history')
  const env = { ...sandbox.env, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }
  const sent = (await sandbox.recordSince(since)).filter(({ operation }) => operation === 'tickets.assign')
  for (const { path } of sent.slice(-3)) {
    const to = employees[Math.floor(random() * employees.length)]
    await svc(['api', '-X', 'PATCH', path, '-f', `newAssigneeId=${to}`, '--yes'], env, { program })
  }
}

/** The run's name; undefined when it could not begin. */
async function resumeToItsEnd(plan, { stateDir, env, verdict }) {
  if (runOf(stateDir) === undefined) {
    const { code, stderr } = await svc([...plan.words, '--json', ...hasty], env, { program })
    if (runOf(stateDir) === undefined) verdict.lost.push(`the run did not begin: exit ${code}\n${stderr}`)
  }
  const run = runOf(stateDir)
  if (run === undefined) return undefined
  // A resume may stop again (three batches in a row, a spent budget), but it must come to an end.
  for (let tries = 0; tries < 20; tries += 1) {
    const { code, stdout, stderr } = await svc(['runs', 'resume', run, '--yes', '--json', ...hasty], env, { program })
    if (code === 1 || code === 2 || code === 10) verdict.false.push(`a resume ended with ${code}\n${stderr}`)
    if (stdout === '') return run
    const said = JSON.parse(stdout)
    const shown = await svc(['runs', 'show', run, '--json'], env, { program })
    const [told, kept] = [said, JSON.parse(shown.stdout)].map(({ result }) => JSON.stringify(result))
    if (told !== kept) verdict.false.push(`a session ended with ${told}, and its journal says ${kept}`)
    if (isSettled(plan, said)) return run
  }
  verdict.lost.push('after 20 resumes something is still left')
  return run
}

const supply = new Supply({ random, folder, seed, size: 150, faults })
try {
  for (let episode = 0; totals.kills < kills; episode += 1) {
    const kind = kinds[episode % kinds.length]
    const plan = await supply.plan(kind)
    const stateDir = join(folder, `state-${episode}`)
    mkdirSync(stateDir)
    const verdict = await runEpisode(plan, { sandbox: supply.sandbox, stateDir })
    totals.runs += 1
    tally.add(verdict, `seed ${seed}, run ${totals.runs} (${kind}, ${stateDir})`)
    if (verdict.isGood) rmSync(stateDir, { recursive: true, force: true })
    else if (values.bail) break
  }
} finally {
  await supply.stop()
}
console.log(`${totals.runs} runs, ${totals.inResumes} of the kills in resumes`)
tally.end(`${totals.kills} kills, ${tally}`)
