/**
 * Resume, retry, a repeated `--once` and prune of the same run, started together in every pair, with random delays and
 * kills: no id is sent twice, and nothing that is claimed is false.
 *   node tools/crash/pairs.mjs [--times 200] [--seed 7] [--pairs resume+prune,once+once] [--program path/to/svc.js]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Supply } from '../harness/episode.mjs'
import { Tally, Verdict } from '../harness/judge.mjs'
import { linesOf, sleep, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, oneOf, ownFolder, randomFrom, seedOf } from '../harness/tool.mjs'

/** `name`: of the run. Each shows receipts as it goes, but prune. */
const commands = {
  resume: (name) => ['runs', 'resume', name, '--yes', '-o', 'ndjson'],
  retry: (name) => ['runs', 'retry', name, '--outcome', 'error,unknown,not-attempted', '--yes', '-o', 'ndjson'],
  once: (_name, words) => [...words, '-o', 'ndjson'],
  prune: () => ['runs', 'prune', '--older-than', '0s', '--yes'],
}
const every = Object.keys(commands).flatMap((one) => Object.keys(commands).map((other) => `${one}+${other}`))

const values = commandLine({ times: 200, seed: undefined, pairs: every.join(','), program: undefined })
const { times, program } = values
const pairs = oneOf('pair', values.pairs.split(','), every)
const seed = seedOf(values.seed)
const random = randomFrom(seed)
const folder = ownFolder('pairs')
const hasty = ['--max-retry-wait', '10ms']

/** Lost requests and answers, and refusals that leave something to retry. */
const faults = () => `seed=${Math.floor(random() * 1e6)}, latency=12ms,
  contacts.delete:8%=drop-after-apply, contacts.delete:6%=drop-before, contacts.delete:8%=422`

/** Starts a command, and kills it after a while if it is to be killed. */
async function started(words, env, { wait = 0, kill }) {
  await sleep(wait)
  const { child, ended } = startSvc([...words, ...hasty], env, { program })
  if (kill !== undefined) void Promise.race([sleep(kill), ended]).then(() => child.kill('SIGKILL'))
  return ended
}

/** The receipts that a command printed; prune prints none. */
const receiptsOf = ({ stdout }) =>
  linesOf(stdout.slice(0, stdout.lastIndexOf('\n') + 1)).filter(({ outcome }) => outcome)

/** Why what was printed is false; nothing of it may be, no matter who else works on the run. */
function falseReceipts(receipts, entries, { free, busy }) {
  const deleted = new Set(entries.flatMap((entry) => entry.deleted ?? []))
  const existing = new Set([...free, ...busy])
  return receipts.flatMap(({ id: given, outcome }) => {
    const id = given.toLowerCase()
    const isTrue = {
      deleted: deleted.has(id),
      'not-found': !existing.has(id),
      blocked: busy.includes(id) && !deleted.has(id),
      gone: deleted.has(id) || !existing.has(id),
      // What another command did afterwards is not known here.
      ...{ unknown: true, error: true, 'not-attempted': true },
    }[outcome]
    return isTrue === true ? [] : [`${id} is claimed to be ${outcome}`]
  })
}

/** Repeats the job until it exits by itself, as a scheduler would. */
async function finish(words, env, verdict) {
  for (let tries = 0; tries < 20; tries += 1) {
    const ended = await svc([...words, '-o', 'ndjson', ...hasty], env, { program })
    if ([7, 8, 10, 11].includes(ended.code)) continue
    // A run that was removed before it was done needs a person: nothing of it is sent again.
    if (ended.code === 2 && ended.stderr.includes('was removed')) return undefined
    if (ended.code !== 0 && ended.code !== 3) break
    const summary = linesOf(ended.stderr).find(({ type }) => type === 'summary')
    return { summary, receipts: receiptsOf(ended) }
  }
  verdict.lost.push('the job does not come to its end')
  return undefined
}

async function pairOnce(pair, { sandbox, plan, contacts, number }) {
  const verdict = new Verdict()
  const stateDir = mkdtempSync(join(folder, 'state-'))
  const env = { ...sandbox.env, HOME: stateDir, SVC_STATE_DIR: stateDir }
  const since = await sandbox.lastRequest()
  const words = [...plan.words, '--once', `pair-${number}`]
  // A run that was stopped halfway: killed, or ended with errors.
  const begun = await started([...words, '--json'], env, { kill: random() < 0.7 ? 90 + random() * 120 : undefined })
  const both = pair.split('+').map((command) => commands[command](`pair-${number}`, words))
  const late = random() * random() * 150
  const kill = () => (random() < 0.3 ? 60 + random() * 150 : undefined)
  const ends = await Promise.all(both.map((line, i) => started(line, env, { wait: i * late, kill: kill() })))
  const killed = [begun, ...ends].filter(({ signal }) => signal !== null).length
  const last = await finish(words, env, verdict)
  const entries = await sandbox.recordSince(since)
  for (const [index, ended] of ends.entries()) {
    if (!pair.split('+')[index].startsWith('prune'))
      verdict.false.push(...falseReceipts(receiptsOf(ended), entries, contacts))
    if (ended.code === 1) verdict.false.push(`exit 1: ${ended.stderr}`)
  }
  // Of a run that was pruned there are no receipts any more.
  if (last !== undefined && (last.receipts.length > 0 || !pair.includes('prune')))
    verdict.addAll(plan.judge({ ...last, entries, interruptions: 2 * killed * plan.concurrency }))
  const sent = entries.flatMap((entry) => entry.deleted ?? [])
  if (new Set(sent).size !== sent.length) verdict.doubled.push('an id was deleted twice')
  rmSync(stateDir, { recursive: true, force: true })
  return { verdict, ends }
}

const tally = new Tally()
const total = { pairs: 0, refused: 0 }
const supply = new Supply({ random, folder, seed, size: 24, batch: 3, contacts: 4000 })
try {
  for (const pair of pairs) {
    let refused = 0
    for (let time = 0; time < times; time += 1) {
      total.pairs += 1
      const plan = await supply.plan('delete')
      await supply.sandbox.setFaults(faults())
      const { sandbox, contacts } = supply
      const { verdict, ends } = await pairOnce(pair, { sandbox, plan, contacts, number: total.pairs })
      if (ends.some(({ code, stderr }) => code === 11 && stderr.includes('in use'))) refused += 1
      tally.add(verdict, `pair ${total.pairs} (${pair})`)
    }
    total.refused += refused
    console.log(`${pair}: ${times} times, one refused the other in ${refused}`)
  }
} finally {
  await supply.stop()
}
// A pair that never meets proves nothing.
const isMeeting = total.pairs < 50 || total.refused > total.pairs / 50
if (!isMeeting) console.log('hardly any two of them met')
const claims = `${tally.false + tally.weak} false claims, ${tally.lost} runs lost`
tally.end(
  `${total.pairs} pairs, ${total.refused} with one refused, ${tally.doubled} ids sent twice, ${claims}`,
  isMeeting && tally.isGood,
)
