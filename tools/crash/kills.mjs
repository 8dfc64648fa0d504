/** SIGKILL at random moments, also of resumes: nothing may be lost, doubled or falsely claimed, nor left open that is known. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { assigneesOf, isSettled, Supply } from '../harness/episode.mjs'
import { Tally, Verdict } from '../harness/judge.mjs'
import { linesOf, sleep, startSvc, svc } from '../harness/processes.mjs'
import { ownFolder, randomFrom } from '../harness/tool.mjs'

const kinds = ['delete', 'add', 'assign', 'delete', 'add', 'merge']

/** Lost requests, lost and false answers, half work, refusals for pace; few enough that a run gets somewhere. */
function faultsOf(random) {
  const seed = Math.floor(random() * 1e6)
  return [
    `seed=${seed}`,
    'latency=4ms',
    'contacts.delete:6%=drop-after-apply',
    'contacts.delete:4%=drop-before',
    'contacts.delete:3%=apply-half',
    'contacts.delete:40=429(retry-after=0)',
    'contacts.delete:3%=truncated-json',
    'contacts.delete:3%=wrong-sums',
    'contacts.delete:3%=foreign-ids',
    'contacts.delete:8%=upper-case',
    'contacts.delete:7%=503(retry-after=0, apply)',
    'contacts.delete:3%=408(apply)',
    'lists.add-contacts:6%=drop-after-apply',
    'lists.add-contacts:3%=drop-before',
    'lists.add-contacts:2%=apply-half',
    'lists.add-contacts:2%=wrong-sums',
    'tickets.assign:8%=drop-after-apply',
    'tickets.assign:4%=reset',
    'contacts.merge:4%=drop-after-apply',
    'contacts.merge:3%=drop-before',
    'contacts.merge:10=429(retry-after=0)',
  ].join(', ')
}

/** Waits between attempts are no part of what is tested. */
const hasty = ['--max-retry-wait', '20ms']

/** The only run of a state folder once it has been begun. */
function runOf(stateDir) {
  const runs = join(stateDir, 'runs')
  if (!existsSync(runs)) return undefined
  // A folder without a journal is no run: nothing was sent.
  return readdirSync(runs).find((name) => existsSync(join(runs, name, 'journal.ndjson')))
}

function journalSize(stateDir) {
  const run = runOf(stateDir)
  if (run === undefined) return 0
  const journal = join(stateDir, 'runs', run, 'journal.ndjson')
  return existsSync(journal) ? statSync(journal).size : 0
}

/** Waits until the session has written something, or ended, or a while has passed. */
async function untilUnderWay(stateDir, before, ended) {
  let isOver = false
  ended.then(() => (isOver = true))
  const until = Date.now() + 3000
  while (!isOver && Date.now() < until && journalSize(stateDir) <= before) await sleep(2)
}

/** Starts a session and kills it at a random moment; returns how it ended. */
async function killedSession(words, env, { stateDir, random, program }) {
  const before = journalSize(stateDir)
  const { child, ended } = startSvc(words, env, { program })
  // Most kills fall into the work, some into the start of the process.
  if (random() < 0.85) await untilUnderWay(stateDir, before, ended)
  else await sleep(random() * 150)
  await sleep(random() * random() * 250)
  child.kill('SIGKILL')
  return ended
}

/**
 * Kills processes until `kills` of them died by it, each run being resumed to its end and compared with the record. `bail`: end with the first run that has one.
 */
export async function runKills({ kills, seed, program, bail = false }) {
  const random = randomFrom(seed)
  const result = { kills: 0, runs: 0, inResumes: 0 }
  const tally = new Tally()
  const folder = ownFolder('kill', () => !tally.isGood)
  const supply = new Supply({ random, folder, seed, size: 150, faults: () => faultsOf(random) })
  try {
    for (let episode = 0; result.kills < kills; episode += 1) {
      const kind = kinds[episode % kinds.length]
      const plan = await supply.plan(kind)
      const stateDir = join(folder, `state-${episode}`)
      mkdirSync(stateDir)
      const world = { sandbox: supply.sandbox, stateDir, random, result, most: kills, program }
      const verdict = await runEpisode(plan, world)
      result.runs += 1
      tally.add(verdict, `seed ${seed}, run ${result.runs} (${kind}, ${stateDir})`)
      if (verdict.isGood) rmSync(stateDir, { recursive: true, force: true })
      else if (bail) break
    }
  } finally {
    await supply.stop()
  }
  return { tally, made: result.kills, runs: result.runs, inResumes: result.inResumes }
}

async function runEpisode(plan, { sandbox, stateDir, random, result, most, program }) {
  const env = { ...sandbox.env, SVC_STATE_DIR: stateDir, HOME: stateDir }
  const since = await sandbox.lastRequest()
  const before = await assigneesOf(sandbox)
  const planned = 1 + Math.floor(random() * 5)
  let died = 0
  for (let session = 0; session < planned && result.kills < most; session += 1) {
    const isBegun = runOf(stateDir) !== undefined
    const words = isBegun ? ['runs', 'resume', '--last', '--yes', '--json'] : [...plan.words, '--json']
    const { signal } = await killedSession([...words, ...hasty], env, { stateDir, random, program })
    if (signal !== 'SIGKILL') break
    died += 1
    result.kills += 1
    if (isBegun) result.inResumes += 1
    if (plan.kind === 'assign') await assignAsSomebodyElse(plan, { sandbox, random, since, program })
  }
  const verdict = new Verdict()
  const run = await resumeToItsEnd(plan, { stateDir, env, program, verdict })
  if (run === undefined) return verdict
  const shown = await svc(['runs', 'show', run, '--json'], env, { program })
  const exported = await svc(['runs', 'export', run, '-o', 'ndjson'], env, { program })
  if (shown.code !== 0 || exported.code !== 0) {
    verdict.lost.push(`the run cannot be read: ${shown.stderr}${exported.stderr}`)
    return verdict
  }
  verdict.addAll(
    plan.judge({
      receipts: linesOf(exported.stdout),
      summary: JSON.parse(shown.stdout),
      entries: await sandbox.recordSince(since),
      before,
      ownKey: sandbox.env.SVC_API_KEY,
      // A worker may send its next batch before the answer of the last one is written down.
      interruptions: 2 * died * plan.concurrency,
    }),
  )
  return verdict
}

/**
 * Somebody else assigns a few of the tickets that were in flight when svc was killed: that must not be overwritten. It may be
 * lost, or refused: this employee may have the ticket.
 */
async function assignAsSomebodyElse({ employees }, { sandbox, random, since, program }) {
  const { apiKey, apiSecret } = sandbox.keys.find(({ name }) => name === 'limited-history')
  const env = { ...sandbox.env, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }
  const sent = (await sandbox.recordSince(since)).filter(({ operation }) => operation === 'tickets.assign')
  for (const { path } of sent.slice(-3)) {
    const to = employees[Math.floor(random() * employees.length)]
    await svc(['api', '-X', 'PATCH', path, '-f', `newAssigneeId=${to}`, '--yes'], env, { program })
  }
}

/** The run's name; undefined when it could not begin. */
async function resumeToItsEnd(plan, { stateDir, env, program, verdict }) {
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
    if (stdout === '') break
    const said = JSON.parse(stdout)
    await compareWithJournal(verdict, { said, run, env, program })
    if (isSettled(plan, said)) break
    if (tries === 19) verdict.lost.push('after 20 resumes something is still left')
  }
  return run
}

/** What a session says when it ends is what its journal says of it afterwards. */
async function compareWithJournal(verdict, { said, run, env, program }) {
  const { stdout } = await svc(['runs', 'show', run, '--json'], env, { program })
  const [told, kept] = [said, JSON.parse(stdout)].map(({ result }) => JSON.stringify(result))
  if (told !== kept) verdict.false.push(`a session ended with ${told}, and its journal says ${kept}`)
}
