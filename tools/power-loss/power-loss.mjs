/**
 * Power loss: a run's log of writes and syncs, replayed with any set of unsynced pages and entries lost, at every point.
 *   node tools/power-loss/power-loss.mjs [--scenario delete,once] [--scale 1] [--seed 7] [--randoms 4] [--resumes 200] [--mutants]
 *     [--edits edits.json]
 *
 * `--mutants` then takes out the syncs of one call after another: each must be noticed. `--edits`: what is replaced in the
 * sources, for a program that is wrong on purpose.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomFrom, wholeNumber } from '../kill/processes.mjs'
import { buildProgram, loadProgram } from '../program.mjs'
import { groupedProblems, syncKinds, tryPowerLosses } from './losses.mjs'
import { record } from './recording.mjs'
import { scenarioNames } from './scenarios.mjs'

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: scenarioNames.join(',') },
    scale: { type: 'string', default: '1' },
    seed: { type: 'string' },
    randoms: { type: 'string', default: '4' },
    resumes: { type: 'string', default: '200' },
    mutants: { type: 'boolean', default: false },
    edits: { type: 'string' },
  },
})
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e6) : wholeNumber('seed', values.seed)
const options = { randoms: wholeNumber('randoms', values.randoms), resumes: wholeNumber('resumes', values.resumes) }
const scale = Number(values.scale)
if (!(scale > 0 && scale <= 10)) throw new Error(`--scale takes a number up to 10, not "${values.scale}"`)
const names = values.scenario.split(',')
const stranger = names.find((name) => !scenarioNames.includes(name))
if (stranger !== undefined) throw new Error(`no scenario "${stranger}"; there are: ${scenarioNames.join(', ')}`)

const edits = values.edits === undefined ? [] : JSON.parse(readFileSync(values.edits, 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'svc-power-'))
const totals = { points: 0, states: 0, resumed: 0, false: 0, unreadable: 0, mutants: 0, unnoticed: 0 }
console.log(`seed ${seed}`)
/** By what is synced and where: whether taking it out was noticed in any of the scenarios. */
const mutants = new Map()
try {
  const program = await buildProgram(join(folder, 'program'), edits)
  const { svc, startSandbox } = await loadProgram(join(folder, 'program'))
  for (const [index, name] of names.entries()) {
    const random = randomFrom(seed + index)
    const at = join(folder, name)
    const recording = await record(name, {
      folder: at,
      program,
      startSandbox,
      random,
      scale,
      port: 20_000 + Math.floor(Math.random() * 10_000),
    })
    const world = { recording, svc, startSandbox, folder: at, random }
    const { points, states, resumed, problems } = await tryPowerLosses(world, options)
    totals.points += points
    totals.states += states
    totals.resumed += resumed
    console.log(
      `${name}: ${recording.events.length} events, ${states} states, ${resumed} of them gone on with: ${problems.length} problems`,
    )
    for (const line of groupedProblems(problems)) console.log(`  ${line}`)
    totals.unreadable += problems.filter(({ problem }) => problem.includes('cannot be read')).length
    totals.false += problems.filter(({ problem }) => !problem.includes('cannot be read')).length
    if (!values.mutants) continue
    for (const [kind, isOf] of syncKinds(recording)) {
      const { problems: found } = await tryPowerLosses(world, { randoms: 0, resumes: 20, dropped: isOf, isQuick: true })
      const first = found[0] === undefined ? undefined : `${name}, ${found[0].where}: ${found[0].problem}`
      mutants.set(kind, mutants.get(kind) ?? first)
    }
  }
  for (const [kind, first] of mutants) {
    totals.mutants += 1
    if (first === undefined) totals.unnoticed += 1
    console.log(`without the sync of ${kind}: ${first === undefined ? 'NOT NOTICED' : `noticed (${first})`}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (values.mutants) console.log(`${totals.mutants} syncs taken out, ${totals.unnoticed} not noticed`)
console.log(
  `${totals.points} points, ${totals.states} power losses, ${totals.resumed} gone on with, ${totals.false} false claims, ${totals.unreadable} runs that cannot be read`,
)
process.exitCode = totals.false + totals.unreadable + totals.unnoticed === 0 && totals.states > 0 ? 0 : 1
