/**
 * Power loss: a run's log of writes and syncs, replayed with any set of unsynced pages and entries lost, at every point.
 *   node tools/crash/power-loss/power-loss.mjs [--scenario delete,once] [--scale 1] [--seed 7] [--randoms 4] [--resumes 200] [--mutants]
 *     [--edits <JSON>]
 *
 * `--mutants` then takes out the syncs of one call after another: each must be noticed. `--edits`: what is replaced in the
 * sources, for a program that is wrong on purpose.
 */
import { join } from 'node:path'
import { buildProgram, loadProgram } from '../../harness/program.mjs'
import { commandLine, oneOf, ownFolder, randomFrom, refuse, seedOf, wholeNumber } from '../../harness/tool.mjs'
import { groupedProblems, Trial } from './losses.mjs'
import { record } from './recording.mjs'
import { scenarioNames } from './scenarios.mjs'

const numbers = { scale: '1', seed: undefined, randoms: '4', resumes: '200' }
const values = commandLine({ scenario: scenarioNames.join(','), ...numbers, mutants: false, edits: '[]' })
const seed = seedOf(values.seed)
const options = { randoms: wholeNumber('randoms', values.randoms), resumes: wholeNumber('resumes', values.resumes) }
const scale = Number(values.scale)
if (!(scale > 0 && scale <= 10)) refuse(`--scale takes a number up to 10, not "${values.scale}"`)
const names = oneOf('scenario', values.scenario.split(','), scenarioNames)

const folder = ownFolder('power')
/**
 * A renewed lock is only for other machines that share the folder: after a power loss its old counter stands still as well.
 */
const isForOthers = (kind) => kind.includes('renewLockFile')
/**
 * What a session finds is synced before it writes, so that later damage there is known for damage: without it a power loss
 * makes no claim false. test/bulk/journal.test.ts notices when it is missing.
 */
const isForDamage = (kind) => / < open@\d+:\d+$/.test(kind)

const totals = { points: 0, states: 0, resumed: 0, false: 0, unreadable: 0 }
/** By what is synced and where: how taking it out was noticed in one of the scenarios. */
const mutants = new Map()

async function tryScenario(name, { program, svc, startSandbox }) {
  const random = randomFrom(seed + scenarioNames.indexOf(name))
  const at = join(folder, name)
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const recording = await record(name, { folder: at, program, startSandbox, random, scale, port })
  const trial = new Trial({ recording, svc, startSandbox, folder: at, random }, options)
  await trial.all()
  const { points, states, resumed, problems } = trial
  console.log(`${name}: ${points} points, ${states} power losses, ${resumed} resumed: ${problems.length} problems`)
  for (const line of groupedProblems(problems)) console.log(`  ${line}`)
  const unreadable = problems.filter(({ problem }) => problem.includes('cannot be read')).length
  const counts = { points, states, resumed, unreadable, false: problems.length - unreadable }
  for (const [name, count] of Object.entries(counts)) totals[name] += count
  if (!values.mutants) return
  for (const [kind, isOf] of trial.syncs()) {
    if (isForOthers(kind) || isForDamage(kind) || mutants.get(kind) !== undefined) continue
    const problem = await trial.without(isOf)
    mutants.set(kind, problem === undefined ? undefined : `${name}, ${problem}`)
  }
}

const program = await buildProgram(join(folder, 'program'), JSON.parse(values.edits))
const loaded = await loadProgram(join(folder, 'program'))
for (const name of names) await tryScenario(name, { ...loaded, program })
const unnoticed = [...mutants.values()].filter((how) => how === undefined).length
for (const [kind, how] of mutants)
  console.log(`without the sync of ${kind}: ${how === undefined ? 'NOT NOTICED' : `noticed (${how})`}`)
if (values.mutants) console.log(`${mutants.size} syncs taken out, ${unnoticed} not noticed`)
console.log(
  `${totals.points} points, ${totals.states} power losses, ${totals.resumed} resumed, ${totals.false} false claims, ${totals.unreadable} runs that cannot be read`,
)
process.exitCode = totals.false + totals.unreadable + unnoticed === 0 && totals.states > 0 ? 0 : 1
