/**
 * Removing runs, killed before each of its writes: `prune`, `prune --names`, and `keepRuns` of a new run. Then the run is
 * retried or resumed where it is still there, and its `--once` command given again: the answer is the truth of that moment,
 * never that of the record which was to take the run's place.
 *   node tools/crash/prune-kills.mjs [--every 3] [--program path/to/svc.mjs] [--bail]
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { stockOf } from '../harness/episode.mjs'
import { killedBefore, startSandbox, svc as start } from '../harness/processes.mjs'
import { buildProgram, loadProgram } from '../harness/program.mjs'
import { commandLine, ownFolder } from '../harness/tool.mjs'

const values = commandLine({ every: 1, program: undefined, bail: false })
const folder = ownFolder('prune-kills')
const path = values.program ?? (await buildProgram(join(folder, 'program')))
// The jobs of ten ids are two requests.
process.env.BATCHES_OF = '5'
const program = await loadProgram(dirname(path))
const sandbox = await startSandbox(['--contacts', '100'])
const { free } = await stockOf(sandbox)
const config = join(folder, 'config.json')
writeFileSync(config, JSON.stringify({ defaults: { keepRuns: '1d' } }), { mode: 0o600 })
const input = join(folder, 'ids.txt')
writeFileSync(input, free.splice(0, 10).join('\n'))
const once = `contacts delete --file ${input} --once nightly --concurrency 1 --yes --json -q`
/** Runs a line in this process. */
const svc = (line, env) => program.svc(line.split(' '), env)
const environment = (stateDir) => ({ ...sandbox.env, HOME: folder, SVC_STATE_DIR: stateDir })

/** A state folder in which half of the job was done: the rest was refused, or the run was stopped before it. */
async function begun(name, status) {
  const stateDir = join(folder, name)
  mkdirSync(stateDir, { mode: 0o700 })
  await sandbox.setFaults(`contacts.delete:2=${status}`)
  const { stdout } = await svc(once, environment(stateDir))
  await sandbox.setFaults('')
  return { stateDir, summary: JSON.parse(stdout) }
}
const refused = await begun('refused', 422)
const stopped = await begun('stopped', 401)

const prune = 'runs prune --older-than 0s --yes -q'
const retry = 'runs retry nightly --outcome error --yes --json -q'
const another = `contacts delete ${free[0]} --yes --config ${config}`
const ways = [
  { words: prune, from: refused, next: retry },
  { words: prune, from: stopped, next: 'runs resume nightly --yes --json -q' },
  { words: `${prune} --names`, from: refused, next: retry, isFreed: true },
  { words: another, from: refused, next: retry, ahead: 2 * 86_400_000 },
]

/** What an answer says that must be true, wherever it comes from. */
const truthOf = ({ run, result, exitCode }) => ({ run, result, exitCode })

/** Why what happens after a kill is wrong; undefined when it is right. */
async function problemAfter({ from, next, isFreed }, stateDir) {
  const env = environment(stateDir)
  const repeat = () => svc(once, env)
  const { run } = from.summary
  const isThere = () => existsSync(join(stateDir, 'runs', run, 'journal.ndjson'))
  if (!isThere()) {
    const { code, stdout } = await repeat()
    // A name that is freed begins a new run, which may find the run's rest.
    if (isFreed) return [0, 2, 3].includes(code) ? undefined : `exit ${code}`
    if (from === stopped) return code === 2 && stdout === '' ? undefined : `exit ${code}: ${stdout}`
    return isDeepStrictEqual(truthOf(JSON.parse(stdout)), truthOf(from.summary)) ? undefined : `told ${stdout}`
  }
  const done = await svc(next, env)
  if (done.stdout === '') return `the run is there and cannot be worked on: exit ${done.code}`
  const truth = truthOf(JSON.parse(done.stdout))
  for (const isPruned of [false, true]) {
    if (isPruned) await svc(prune, env)
    const { code, stdout } = await repeat()
    if (stdout === '') return `not answered: exit ${code}`
    const told = truthOf(JSON.parse(stdout))
    if (!isDeepStrictEqual(told, truth)) return `told ${JSON.stringify(told)}, but ${JSON.stringify(truth)}`
  }
  return undefined
}

let kills = 0
let wrong = 0
try {
  for (const way of ways) {
    for (let at = 1; ; at += values.every) {
      const stateDir = join(folder, 'killed')
      cpSync(way.from.stateDir, stateDir, { recursive: true })
      const env = { ...environment(stateDir), ...killedBefore(at), CLOCK_AHEAD: String(way.ahead ?? 0) }
      const { signal } = await start(way.words.split(' '), env, { program: path })
      if (signal !== null) kills += 1
      const isRemoved = !existsSync(join(stateDir, 'runs', way.from.summary.run))
      const problem = await problemAfter(way, stateDir)
      rmSync(stateDir, { recursive: true, force: true })
      if (problem !== undefined) {
        wrong += 1
        console.log(`${way.words}, killed before write ${at}: false: ${problem.trim()}`)
        if (values.bail) break
      }
      // Nothing is left to be killed: of a new run, all that comes after the old one is gone.
      if (signal === null || (way.ahead !== undefined && isRemoved)) break
    }
    if (values.bail && wrong > 0) break
  }
} finally {
  await sandbox.stop()
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${kills} kills, ${wrong} names that told something false`)
process.exitCode = wrong === 0 && kills * values.every > 100 ? 0 : 1
