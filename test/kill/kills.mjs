/** SIGKILL at random moments, also of resumes: nothing may be lost, doubled or falsely claimed. Reliability, section 8. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeCompleteness, planEpisode, stockOf, Verdict } from './episode.mjs'
import { randomFrom, startSandbox, startSvc, svc } from './processes.mjs'

const kinds = ['delete', 'add', 'assign', 'delete', 'add', 'merge']

/** Lost requests, lost answers, half work, refusals for pace; few enough that a run gets somewhere. */
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
    'lists.add-contacts:6%=drop-after-apply',
    'lists.add-contacts:3%=drop-before',
    'lists.add-contacts:2%=apply-half',
    'tickets.assign:6%=drop-after-apply',
    'tickets.assign:4%=reset',
    'contacts.merge:4%=drop-after-apply',
    'contacts.merge:3%=drop-before',
    'contacts.merge:10=429(retry-after=0)',
  ].join(', ')
}

/** Waits between attempts are no part of what is tested. */
const hasty = ['--max-retry-wait', '20ms']

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The only run of a state folder once it has been begun. */
function runOf(stateDir) {
  const runs = join(stateDir, 'runs')
  if (!existsSync(runs)) return undefined
  return readdirSync(runs).find((name) => existsSync(join(runs, name, 'run.json')))
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
async function killedSession(words, env, stateDir, random) {
  const before = journalSize(stateDir)
  const { child, ended } = startSvc(words, env)
  // Most kills fall into the work, some into the start of the process.
  if (random() < 0.85) await untilUnderWay(stateDir, before, ended)
  else await sleep(random() * 150)
  await sleep(random() * random() * 250)
  child.kill('SIGKILL')
  return ended
}

/**
 * Kills processes until `kills` of them died by it, each run being resumed to its end and compared with the record.
 * `log` gets a line for each problem.
 */
export async function runKills({ kills, seed, log }) {
  const random = randomFrom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'svc-kill-'))
  const result = { kills: 0, runs: 0, inResumes: 0, lost: 0, doubled: 0, false: 0 }
  let sandbox
  let stock
  try {
    for (let episode = 0; result.kills < kills; episode += 1) {
      const kind = kinds[episode % kinds.length]
      let plan = stock === undefined ? undefined : planEpisode(kind, { random, stock, folder, size: 150 })
      if (plan === undefined) {
        await sandbox?.stop()
        sandbox = await startSandbox(['--contacts', '3000', '--seed', String(seed + episode)])
        stock = await stockOf(sandbox)
        await sandbox.setFaults(faultsOf(random))
        plan = planEpisode(kind, { random, stock, folder, size: 150 })
      }
      const stateDir = join(folder, `state-${episode}`)
      mkdirSync(stateDir)
      const verdict = await runEpisode(plan, { sandbox, stateDir, random, result, most: kills })
      result.runs += 1
      for (const sort of ['lost', 'doubled', 'false']) {
        result[sort] += verdict[sort].length
        for (const problem of verdict[sort].slice(0, 5))
          log(`seed ${seed}, run ${result.runs} (${kind}): ${sort}: ${problem}\n  ${stateDir}`)
      }
      if (verdict.isGood) rmSync(stateDir, { recursive: true, force: true })
    }
  } finally {
    await sandbox?.stop()
    if (result.lost + result.doubled + result.false === 0) rmSync(folder, { recursive: true, force: true })
  }
  return result
}

async function runEpisode(plan, { sandbox, stateDir, random, result, most }) {
  const env = { ...sandbox.env, SVC_STATE_DIR: stateDir, HOME: stateDir }
  const firstEntry = (await sandbox.read('record')).length
  const before = await assigneesOf(sandbox)
  const planned = 1 + Math.floor(random() * 5)
  for (let session = 0; session < planned && result.kills < most; session += 1) {
    const isBegun = runOf(stateDir) !== undefined
    const words = isBegun ? ['runs', 'resume', '--last', '--yes', '--json'] : plan.words
    const { signal } = await killedSession([...words, ...hasty], env, stateDir, random)
    if (signal !== 'SIGKILL') break
    result.kills += 1
    if (isBegun) result.inResumes += 1
  }
  const verdict = new Verdict()
  if (runOf(stateDir) === undefined) {
    const { code, stderr } = await svc([...plan.words, ...hasty], env)
    if (runOf(stateDir) === undefined) verdict.lost.push(`the run did not begin: exit ${code}\n${stderr}`)
  }
  const run = runOf(stateDir)
  if (run === undefined) return verdict
  // A resume may stop again (three batches in a row, a spent budget), but it must come to an end.
  for (let tries = 0; tries < 20; tries += 1) {
    const { code, stdout, stderr } = await svc(['runs', 'resume', run, '--yes', '--json', ...hasty], env)
    if (code === 1 || code === 2 || code === 10) verdict.false.push(`a resume ended with ${code}\n${stderr}`)
    if (stdout === '') break
    const { resume, result: figures } = JSON.parse(stdout)
    if (resume === null || isSpent(plan, figures)) break
    if (tries === 19) verdict.lost.push('after 20 resumes something is still left')
  }
  const shown = await svc(['runs', 'show', run, '--json'], env)
  const exported = await svc(['runs', 'export', run, '-o', 'ndjson'], env)
  if (shown.code !== 0 || exported.code !== 0) {
    verdict.lost.push(`the run cannot be read: ${shown.stderr}${exported.stderr}`)
    return verdict
  }
  const summary = JSON.parse(shown.stdout)
  const receipts = exported.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const outcomes = judgeCompleteness(verdict, plan.ids, receipts, summary)
  const record = (await sandbox.read('record')).slice(firstEntry)
  const judged = plan.judge(outcomes, record, summary, { before, assignees: await assigneesOf(sandbox) })
  for (const sort of ['lost', 'doubled', 'false']) verdict[sort].push(...judged[sort])
  return verdict
}

/** After three lost attempts an assign is only read any more: the old assignee may stay, and the outcome unknown. */
function isSpent({ words }, { unknown, error, notAttempted }) {
  return words[0] === 'tickets' && unknown > 0 && error + notAttempted === 0
}

async function assigneesOf(sandbox) {
  return new Map((await sandbox.read('state?kind=tickets')).map(({ id, assigneeId }) => [id, assigneeId]))
}
