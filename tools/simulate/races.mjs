/**
 * Races of 2 to 5 real commands that begin at the same moment with the same --once, the same pairs
 * or a common id. One goes on, and the others say why they do not. Every second race is also the
 * first use of its record.
 *
 *   node tools/simulate/races.mjs [--begins 2000]
 */
import { join } from 'node:path'
import { claim, countEnd, endings, endSimulation, linesOf } from '../harness/processes.mjs'
import { sleep, startSandbox, startSvc, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const { begins } = commandLine({ begins: 2000 })
const folder = ownFolder('races')
const sandbox = await startSandbox(begins * 6)
const [contacts, tickets, takers] = await Promise.all(
  ['contacts', 'tickets', 'takers'].map(async (what) =>
    (await sandbox.read(what)).map(({ id }) => id),
  ),
)
/** Contacts that no race had before. */
const fresh = (count) => contacts.splice(-count)
const merge = (pairs) => [
  ['contacts', 'merge'],
  ['source,target,merge', ...pairs.map((pair) => `${pair.join()},yes`)],
]
const all = (count, command) => Array.from({ length: count }, (_, at) => command(at))

/** For each kind of race, the words and the input of `count` commands. */
const kinds = {
  once(count) {
    const ids = fresh(6)
    return all(count, () => [['contacts', 'delete', '--once', `job-${ids[0]}`], ids])
  },
  pairs(count) {
    const pairs = all(4, () => fresh(2))
    return all(count, () => merge(pairs))
  },
  contact(count) {
    const [common] = fresh(1)
    const remove = () => [
      ['contacts', 'delete'],
      [...fresh(2), common],
    ]
    // One request each: a run that is done with the common contact lets the next one begin.
    return all(count, (at) => (at % 3 ? remove() : merge([[...fresh(1), common]])))
  },
  ticket(count) {
    const four = tickets.splice(0, 4)
    tickets.push(...four)
    return all(count, (at) => [['tickets', 'assign', '--to', takers[at]], four])
  },
}

let started = 0

/** Whether all that a command sent was refused, as if it began after another one had ended. */
const isAllRefused = (stdout) => /"outcomes":\s*\{\s*"refused":\s*\d+\s*\}/.test(stdout)

async function race(n) {
  const kind = Object.keys(kinds)[n % Object.keys(kinds).length]
  const commands = kinds[kind](2 + Math.floor(Math.random() * 4))
  const env = { ...sandbox.env, HOME: folder, SVC_STATE_DIR: join(folder, `state-${n >> 1}`) }
  const check = (isTrue, what) => claim(isTrue, `race ${n} of ${kind}: ${what}`)
  const processes = commands.map(([words]) =>
    startSvc([...words, '-', '--yes', '--json'], env, { stdin: 'pipe' }),
  )
  // By then, all of them wait for their input.
  await sleep(400)
  const before = Date.now()
  for (const [at, { child }] of processes.entries())
    child.stdin.end(`${commands[at][1].join('\n')}\n`)
  for (const { code, stdout, stderr } of await Promise.all(processes.map(({ ended }) => ended))) {
    started += 1
    countEnd(code)
    const isLate = code === 1 && isAllRefused(stdout)
    check([0, 3, 7].includes(code) || isLate, `exit ${code}: ${stderr}`)
    check(!/SQL|constraint|statement|has a bug/i.test(stderr), stderr)
  }
  const { stdout } = await svc(['runs', 'list', '-o', 'ndjson'], env)
  const runs = linesOf(stdout)
    .filter(({ begunAt }) => Date.parse(begunAt) >= before)
    .toReversed()
  check(runs.length > 0, 'nothing began')
  check(kind !== 'once' || runs.length === 1, `${runs.length} runs of one name`)
  for (const [at, { begunAt }] of runs.entries())
    check(at === 0 || runs[at - 1].endedAt <= begunAt, 'two runs at one moment')
  for (const { status } of runs)
    check(!['working', 'unfinished'].includes(status), `a run is ${status}`)
}

for (let n = 0; started < begins; n += 1) await race(n)
const changed = (await sandbox.read('record'))
  .filter(({ operation }) => operation !== 'tickets.assign')
  .flatMap((each) => each.changed)
claim(new Set(changed).size === changed.length, 'a contact was changed twice')
await endSimulation(sandbox, `${started} commands, ended ${endings()}`)
