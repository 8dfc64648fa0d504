/**
 * Two hosts, two boots and two pid namespaces on one state folder: nobody works on a run whose holder shows that it lives, and a
 * holder that was stopped for 70 s and taken over claims nothing false, and neither does its successor. Takes five minutes.
 *   node tools/real/session-hosts.mjs [--stops 6]
 * Needs Linux and `unshare`. Prints one line per scenario and the totals; exits 1 when a promise is broken or untested.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linesOf, sleep, startSvc } from '../harness/processes.mjs'
import { startToolSandbox } from '../harness/sandbox.mjs'
import { commandLine, ownFolder, refuse } from '../harness/tool.mjs'

const preload = fileURLToPath(new URL('other-machine.cjs', import.meta.url))
const { stops } = commandLine({ stops: 6 })
const folder = ownFolder('session-hosts', () => process.exitCode === 1)
const secondsStopped = 70
/** A batch takes a quarter of a second, and two are in flight at once. */
const latency = '250ms'
const idsPerSecond = 8

const totals = { attempts: 0, stolen: 0, takeOvers: 0, false: 0, broken: 0, untested: 0 }

function report(name, problems, what) {
  if (problems.length > 0) totals.broken += 1
  const found = problems.map((problem) => problem.replaceAll(/\s+/g, ' ').slice(0, 400))
  console.log(
    `${problems.length === 0 ? 'ok      ' : 'BROKEN  '}${name}: ${found.join('; ') || what}`,
  )
}

function untested(name, why) {
  totals.untested += 1
  console.log(`UNTESTED  ${name}: ${why}`)
}

/** The words before `node`, and the environment, of a process that runs somewhere else. */
function placesHere() {
  const other = (identity) => ({
    env: { NODE_OPTIONS: `--require=${preload}`, SVC_OTHER_MACHINE: JSON.stringify(identity) },
  })
  const boot = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const places = {
    'another host': other({ machine: 'f'.repeat(32), host: 'other-host', boot }),
    'another boot': other({ boot }),
    'no machine id': other({ machine: null }),
  }
  const options = ['-pf', '-Urpf'].find(
    (words) => spawnSync('unshare', [words, 'true']).status === 0,
  )
  if (options === undefined) {
    untested('pid namespaces', 'unshare is missing or not permitted here; run this as root')
    return places
  }
  places['another pid namespace'] = { before: ['unshare', options, '--kill-child', '--mount-proc'] }
  places['another pid namespace, /proc of the first'] = {
    before: ['unshare', options, '--kill-child'],
  }
  return places
}

/** Starts svc, here or at one of those places. */
const start = (words, env, place = {}) =>
  startSvc(words, { HOME: folder, ...env, ...place.env }, { before: place.before })

/** A deletion of `count` contacts in flight: in a state folder of its own, with its first answer there. */
async function startDeletion(sandbox, stock, { count, isNamed }) {
  const stateDir = mkdtempSync(join(folder, 'state-'))
  const ids = stock.splice(0, count)
  if (ids.length < count) throw new Error('the sandbox has too few contacts')
  const file = join(stateDir, 'input')
  writeFileSync(file, ids.join('\n'))
  const env = { ...sandbox.env, SVC_STATE_DIR: stateDir }
  const line = 'contacts delete batches-of=1 --concurrency 2 --yes --json'
  const name = isNamed ? ['--once', 'nightly'] : []
  const words = [...line.split(' '), ...name, '--file', file]
  const holder = start(words, env)
  const runs = join(stateDir, 'runs')
  for (;;) {
    const [entry] = existsSync(runs) ? readdirSync(runs) : []
    const path = join(runs, entry ?? '')
    if (entry !== undefined && readFileSync(path, 'utf8').includes('"t":"res"'))
      return { ...holder, run: basename(entry, '.ndjson').replace('@', ''), path, ids, env, words }
    if (holder.child.exitCode !== null)
      throw new Error(`the deletion ended: ${(await holder.ended).stderr}`)
    await sleep(20)
  }
}

/** False claims of a run at its end; every id existed and could be deleted. */
async function falseClaims(sandbox, { run, ids, env }, summaries) {
  const problems = []
  const record = (await sandbox.read('record')).flatMap(({ deleted }) => deleted ?? [])
  const deleted = new Set(record.map((id) => id.toLowerCase()))
  const exported = await start(['runs', 'export', run, '-o', 'ndjson'], env).ended
  const receipts = linesOf(exported.stdout)
  if (receipts.length !== ids.length)
    problems.push(`${receipts.length} receipts for ${ids.length} ids: ${exported.stderr}`)
  for (const { id, outcome } of receipts)
    if (!['deleted', 'gone'].includes(outcome) || !deleted.has(id.toLowerCase()))
      problems.push(`${id} is claimed to be ${outcome}`)
  const count = ids.filter((id) => deleted.has(id.toLowerCase())).length
  for (const { stdout } of summaries.filter(({ stdout }) => stdout !== '')) {
    const { result } = JSON.parse(stdout)
    if (result.notFound > 0)
      problems.push(`${result.notFound} deleted contacts are claimed to be not found`)
    if (result.error > 0)
      problems.push(`${result.error} deletions are claimed to be certainly not made`)
    if (result.deleted > count)
      problems.push(`${result.deleted} are claimed to be deleted, ${count} were`)
  }
  return problems
}

/** While the holder shows that it lives: everybody else is refused. */
async function besideLivingHolder({ sandbox, stock, places }) {
  const holder = await startDeletion(sandbox, stock, { count: 90 * idsPerSecond, isNamed: true })
  const { run } = holder
  const commands = {
    resume: ['runs', 'resume', run, '--yes'],
    'resume --outcome': ['runs', 'resume', run, '--outcome', 'not-attempted', '--yes'],
    'prune of all': ['runs', 'prune', '--older-than', '0s', '--yes'],
    'prune of it': ['runs', 'prune', run, '--yes'],
    'resume --take-over': ['runs', 'resume', run, '--take-over', '--yes'],
    '--once': holder.words,
    '--once --take-over': [...holder.words, '--take-over'],
  }
  const attempts = Object.entries(places).flatMap(([where, place]) =>
    Object.entries(commands).map(async ([what, words]) => {
      const { code, stderr } = await start(words, holder.env, place).ended
      const name = `${what} from ${where}`
      totals.attempts += 1
      const isKept = what.startsWith('prune') ? existsSync(holder.path) : code === 11
      if (!isKept) totals.stolen += 1
      if (holder.child.exitCode !== null)
        untested(name, 'the holder had ended by then; the machine is too slow')
      else if (code === 11 && !/process \d+ on \W/.test(stderr))
        untested(name, `not seen as another machine: ${stderr}`)
      else report(name, isKept ? [] : [`exit ${code}, ${stderr}`], 'the holder kept its run')
    }),
  )
  await Promise.all(attempts)
  const ended = await holder.ended
  const problems = await falseClaims(sandbox, holder, [ended])
  totals.false += problems.length
  if (ended.code !== 0) problems.push(`exit ${ended.code}: ${ended.stderr}`)
  report('the holder beside them', problems, `${holder.ids.length} contacts deleted, exit 0`)
}

/**
 * A holder that is stopped, or killed, is taken over from `place`, by its run or by the same command once more; one that was
 * stopped goes on while its successor works.
 */
async function takenOver({ sandbox, stock }, [where, place], { isKilled, isByRun }) {
  const holder = await startDeletion(sandbox, stock, {
    count: 40 * idsPerSecond,
    isNamed: !isByRun,
  })
  await sleep(Math.random() * 1000)
  holder.child.kill(isKilled ? 'SIGKILL' : 'SIGSTOP')
  const again = isByRun ? ['runs', 'resume', holder.run, '--yes', '--json'] : holder.words
  const name = `a ${isKilled ? 'killed' : 'stopped'} holder, taken over by ${isByRun ? 'resume' : '--once'} from ${where}`
  const words = [...again, '--take-over']
  const successor = start(words, holder.env, place)
  const problems = []
  if (!isKilled) {
    await sleep(secondsStopped * 1000)
    if (successor.child.exitCode !== null)
      problems.push('the successor had ended before the holder went on')
    holder.child.kill('SIGCONT')
  }
  const [first, second] = await Promise.all([holder.ended, successor.ended])
  if (!isKilled && first.code !== 11)
    problems.push(`the stopped holder ended with ${first.code}: ${first.stderr}`)
  if (second.code !== 0) problems.push(`the successor ended with ${second.code}: ${second.stderr}`)
  const claims = await falseClaims(sandbox, holder, [first, second])
  totals.takeOvers += 1
  totals.false += claims.length
  report(name, [...claims, ...problems], 'nothing false, every contact deleted once')
}

if (process.platform !== 'linux') refuse('this needs Linux')
const places = placesHere()
const sandbox = await startToolSandbox(['--contacts', '10000', '--latency', latency])
try {
  const contacts = await sandbox.read('contacts')
  const world = { sandbox, stock: contacts.filter(({ chat }) => !chat).map(({ id }) => id), places }
  await besideLivingHolder(world)
  const all = Object.entries(places)
  const stopped = Array.from({ length: stops }, (_, n) =>
    takenOver(world, all[n % all.length], { isKilled: false, isByRun: n % 2 === 0 }),
  )
  const kills = all.map((place, n) =>
    takenOver(world, place, { isKilled: true, isByRun: n % 2 === 1 }),
  )
  await Promise.all([...stopped, ...kills])
} finally {
  await sandbox.stop()
}
const { attempts, stolen, takeOvers, broken } = totals
console.log(
  `${attempts} attempts beside a holder that lives, ${stolen} runs stolen; ${takeOvers} take-overs, ${totals.false} false claims; ${broken} broken, ${totals.untested} untested`,
)
if (stolen + totals.false + broken + totals.untested > 0) process.exitCode = 1
