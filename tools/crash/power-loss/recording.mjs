/** Records a scenario: its log of writes and syncs, and what the service did meanwhile. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assigneesOf, stockOf } from '../../harness/episode.mjs'
import { linesOf, sandboxAt, sleep, startSvc } from '../../harness/processes.mjs'
import { Disk, kept } from './disk.mjs'
import { planScenario } from './scenarios.mjs'
import { readTree, Shelf } from './tree.mjs'

const recorder = fileURLToPath(new URL('record.cjs', import.meta.url))

/** The run's id once its folder is there. */
export function runOf(tree) {
  for (const path of tree.keys()) {
    const run = /^state\/runs\/(\d{8}T\d{6}Z-[0-9a-f]{4})$/.exec(path)?.[1]
    if (run !== undefined) return run
  }
  return undefined
}

/** Runs one command with the recorder; it is killed once that many of its requests have left, `wait` ms later. */
async function session({ words, afterRequests = Infinity, wait = 0 }, { program, env, log }) {
  const before = existsSync(log) ? readFileSync(log).length : 0
  const requests = () => existsSync(log) && readFileSync(log).subarray(before).toString().split('{"send":"P').length - 1
  const its = { ...env, NODE_OPTIONS: `--require ${recorder}`, SVC_POWER_LOG: log }
  const { child, ended } = startSvc(words, its, { program })
  let isOver = false
  void ended.then(() => (isOver = true))
  while (afterRequests < Infinity && !isOver && requests() < afterRequests) await sleep(1)
  if (afterRequests < Infinity) {
    await sleep(wait)
    child.kill('SIGKILL')
  }
  return ended
}

/**
 * A power loss at the end of this log: of what was not synced of the journal the first bytes are lost, and what stands behind
 * them is kept. Returns what is on the disk then; undefined when there was nothing to lose.
 */
function damaged(events, { at, tree }) {
  const moment = new Disk(events, tree, { page: 64, begin: at }).at(events.length)
  const [first, second] = moment.units.filter(({ pageOf }) => pageOf === 'journal.ndjson')
  return second === undefined ? undefined : moment.tree((unit) => (unit.key === first.key ? 0 : kept(unit)))
}

/** Runs the sessions of a plan. `begin`: where in the log, and with which tree, what can be lost in the replay begins. */
async function runSessions({ sessions }, { program, env, log, root }) {
  const ended = []
  let begin = { at: 0, tree: readTree(root) }
  const run = async ({ words, ...more }) => {
    const id = runOf(readTree(root)) ?? 'RUN'
    const line = words.map((word) => (word === 'RUN' ? id : word))
    ended.push(await session({ words: line, ...more }, { program, env, log }))
  }
  for (const one of sessions) {
    if (one.powerLoss === undefined) {
      await run(one)
      continue
    }
    let found
    for (let tries = 0; found === undefined; tries += 1) {
      if (tries === 20) throw new Error('the journal never had anything that was not synced')
      await run({ ...one.powerLoss, wait: tries })
      const events = linesOf(readFileSync(log, 'utf8'))
      found = damaged(events, begin)
      if (found !== undefined) begin = { at: events.length, tree: found }
    }
    new Shelf(root).put(begin.tree)
  }
  return { ended, begin }
}

/**
 * Runs a scenario in `folder` against a sandbox of its own, on a port that the replay can take again. Returns its plan,
 * the events of the log, what was on the disk before and after, and the requests that the service received.
 */
export async function record(name, { folder, program, startSandbox, random, scale, port }) {
  const root = join(folder, 'disk')
  const log = join(folder, 'log')
  mkdirSync(join(root, 'out'), { recursive: true, mode: 0o700 })
  mkdirSync(join(folder, 'home'))
  const options = { port, record: 100_000, contacts: 6000, seed: 1 + Math.floor(random() * 1000) }
  const requests = []
  const onRequest = ({ method, url, body }) => requests.push({ n: requests.length + 1, method, url, body })
  const sandbox = await startSandbox({ ...options, onRequest })
  try {
    const { env: credentials, ...service } = sandboxAt(sandbox)
    const read = (...words) => service.read(...words)
    const plan = planScenario(name, { random, stock: await stockOf({ read }), folder, out: join(root, 'out'), scale })
    const before = await assigneesOf({ read })
    await service.setFaults(plan.faults)
    const paths = { HOME: join(folder, 'home'), SVC_STATE_DIR: join(root, 'state'), SVC_POWER_ROOT: root }
    const { ended, begin } = await runSessions(plan, { program, env: { ...credentials, ...paths }, log, root })
    const last = ended.at(-1)
    if (![0, 3, 7].includes(last.code)) throw new Error(`${name} ended with ${last.code}: ${last.stderr}`)
    return {
      plan,
      before,
      options,
      root,
      begin: begin.at,
      tree: begin.tree,
      events: linesOf(readFileSync(log, 'utf8')),
      after: readTree(root),
      requests,
      entries: await read('record'),
    }
  } finally {
    await sandbox.close()
  }
}
