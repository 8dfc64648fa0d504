/**
 * Random faults over every operation that changes something: what svc claims must be what the sandbox recorded.
 *   node tools/crash/chaos.mjs [--runs 1000] [--seed 7] [--program path/to/svc.js] [--bail]
 *     [--kinds delete,merge-one] [--fault wrong-sums --fault upper-case]     only these commands, only these faults
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { assigneesOf, planEpisode, Supply } from '../harness/episode.mjs'
import { sorts, Tally, Verdict } from '../harness/judge.mjs'
import { linesOf, svc } from '../harness/processes.mjs'
import { commandLine, oneOf, ownFolder, randomFrom, seedOf } from '../harness/tool.mjs'
import { faults, someFaults } from './faults.mjs'
import { pick, singles } from './singles.mjs'

const values = commandLine({ runs: 100, seed: undefined, program: undefined, bail: false, kinds: '', fault: [] })
const { runs, program } = values
const seed = seedOf(values.seed)
const bulkKinds = ['delete', 'add', 'assign', 'merge']
const every = [...bulkKinds, ...Object.keys(singles)]
const kinds = values.kinds === '' ? every : oneOf('kind', values.kinds.split(','), every)
const chosenFaults = values.fault.length === 0 ? faults : oneOf('fault', values.fault, faults)
const hasty = ['--max-retry-wait', '10ms', '--timeout', '150ms']

/**
 * Judges twice: what is said must be true when it is said, and when every request has landed that was still in flight.
 * A late one may make an id `deleted` after the run has ended; `unknown` and `gone` allow for it, `error`, `not-found`
 * and `not-attempted` do not. What could have been known is seen when everything has landed.
 */
async function judgeTwice(sandbox, judge) {
  const [atOnce, verdict] = [new Verdict(), new Verdict()]
  await judge(atOnce)
  await sandbox.settled()
  await judge(verdict)
  for (const sort of sorts.filter((sort) => sort !== 'weak'))
    verdict[sort] = [...new Set([...atOnce[sort], ...verdict[sort]])]
  return verdict
}

async function single(kind, world) {
  const { sandbox, env } = world
  const since = await sandbox.lastRequest()
  const { words, judge } = singles[kind](world)
  const ended = await svc([...words, ...hasty], env, { program })
  return judgeTwice(sandbox, async (judged) => judge(judged, ended, await sandbox.recordSince(since), sandbox))
}

/**
 * On a busy machine svc gives up on an answer that the sandbox has sent: how many of its deadlines no fault explains. Only a
 * fault that keeps the client waiting explains one: a lost connection is no deadline.
 */
function unexplainedDeadlines(stderr, entries) {
  const deadlines = stderr.split('no complete answer within').length - 1
  const explained = entries.filter(
    ({ status, fault }) => typeof status !== 'number' && /=(?:hang-|delay\(200ms)/.test(fault ?? ''),
  )
  return Math.max(0, deadlines - explained.length)
}

async function bulk(kind, { sandbox, stock, env, random, folder }) {
  const plan = planEpisode(kind, { random, stock, folder, size: 40 })
  if (plan === undefined) return undefined
  const since = await sandbox.lastRequest()
  const before = await assigneesOf(sandbox)
  // Some faults come again and again: what was not reached by then is left.
  const words = [...plan.words, '-o', 'ndjson', '-v', '--deadline', '1s', ...hasty]
  const { code, stdout, stderr } = await svc(words, env, { program })
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  if (code === 1 || code === 2 || !last.includes('"type":"summary"')) {
    return Object.assign(new Verdict(), { lost: [`no summary: exit ${code}\n${stderr}`] })
  }
  const summary = JSON.parse(last)
  const receipts = linesOf(stdout)
  return judgeTwice(sandbox, async (judged) => {
    if (summary.exitCode !== code) judged.false.push(`exit ${code}, but the summary says ${summary.exitCode}`)
    const entries = await sandbox.recordSince(since)
    const late = unexplainedDeadlines(stderr, entries)
    const facts = { receipts, summary, entries, before, ownKey: env.SVC_API_KEY, interruptions: late, silent: late }
    judged.addAll(plan.judge(facts))
  })
}

async function runOnce({ sandbox, stock }, number) {
  const isBulk = random() < 0.6
  const wanted = kinds.filter((kind) => bulkKinds.includes(kind) === isBulk)
  const kind = pick(random, wanted.length === 0 ? kinds : wanted)
  const spec = someFaults(kind, { random, chosen: chosenFaults })
  await sandbox.setFaults(spec)
  const home = join(folder, `home-${number}`)
  mkdirSync(home)
  const env = { ...sandbox.env, HOME: home, SVC_STATE_DIR: home }
  const world = { sandbox, stock, env, random, folder, tag: number }
  const verdict = bulkKinds.includes(kind) ? await bulk(kind, world) : await single(kind, world)
  await sandbox.setFaults('')
  rmSync(home, { recursive: true, force: true })
  return { verdict, what: `${kind}, ${spec}` }
}

const random = randomFrom(seed)
const folder = ownFolder('chaos')
const tally = new Tally()
let done = 0
const supply = new Supply({ seed, contacts: 4000 })
try {
  while (done < runs) {
    const { stock } = supply
    if (stock === undefined || stock.free.length < 60 || stock.lists.length < 20) await supply.renew()
    const { verdict, what } = await runOnce(supply, done + 1)
    // Not enough was left for it.
    if (verdict === undefined) {
      supply.stock.free.length = 0
      continue
    }
    done += 1
    tally.add(verdict, `seed ${seed}, run ${done} (${what})`)
    if (values.bail && !verdict.isGood) break
  }
} finally {
  await supply.stop()
}
tally.end(`${done} chaos runs, ${tally}`)
