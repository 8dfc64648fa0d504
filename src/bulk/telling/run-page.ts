/** A recorded run in plain words, for people who were not there. */
import type { PageOutcome, RunPage } from '../../output/formats/run-page.ts'
import { grouped } from '../../words.ts'
import { isDone, isOutcome, outcomeFacts, type Outcome } from '../operations/outcome.ts'
import { counted, toTarget } from './confirm.ts'
import { operationOf } from '../operations/operations.ts'
import { stopWords } from './ending-notes.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import { readJournal } from '../record/replay.ts'
import type { RunFile } from '../record/run.ts'
import type { RunState } from '../outcomes/state.ts'
import { commandToResume, type Summary } from '../outcomes/summary.ts'
import { Timeline } from './timeline.ts'
import { acceptedBy } from '../outcomes/totals.ts'

/** What is not accepted by itself, in the order in which it matters; `not-attempted` needs no list of its own. */
const listed = ['unknown', 'error', 'blocked', 'not-found', 'missing', 'undetermined'] as const satisfies Outcome[]

/** `summary`: of the same run, whose state is closed. */
export async function pageOf(
  { run, dir, state, end }: RecordedRun,
  summary: Summary,
  isRunning: boolean,
): Promise<RunPage> {
  const timeline = new Timeline()
  await readJournal(dir, run.run, (event) => {
    timeline.take(event)
  })
  const drawn = timeline.result()
  const outcomes = outcomesOf(run, summary)
  const total = sum(outcomes.filter(({ isAccepted }) => !isAccepted))
  const endedAt = end === undefined ? [] : ([['Ended', new Date(end.at)]] as const)
  return {
    title: titleOf(run),
    state: isRunning ? 'This run is being worked on; this is its progress.' : stateOf(run, summary, total),
    isDone: total === 0 && !isRunning,
    facts: [...factsOf(run), ...endedAt],
    outcomes,
    timeline: drawn,
    ids: { headings: ['Id', 'Line', 'Outcome', 'Why'], rows: () => idsOf(state, outcomes) },
    next: nextOf(run, state, summary),
  }
}

function sum(outcomes: readonly PageOutcome[]): number {
  return outcomes.reduce((count, each) => count + each.count, 0)
}

function titleOf({ operation, items, target, undoes }: RunFile): string {
  const what = counted(operation, items)
  if (undoes !== undefined) return `Give ${what} back that run ${undoes} assigned`
  const to = target === null ? '' : toTarget({ id: target.id, name: target.name })
  return `${operationOf(operation).verb} ${what}${to}`
}

function stateOf({ operation, items }: RunFile, { status, stopReason }: Summary, open: number): string {
  const left = `${grouped(open)} of ${counted(operation, items)} ${open === 1 ? 'is' : 'are'} not done.`
  if (open === 0) return `Done: nothing is left to do for ${counted(operation, items)}.`
  if (status === 'interrupted') return `Interrupted before it was finished. ${left}`
  if (stopReason === null) return `Finished, but ${left}`
  const why = stopWords[stopReason]
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}. ${left}`
}

function factsOf(run: RunFile): (readonly [string, string | Date])[] {
  const { input, options } = run
  const read = `${grouped(input.read)} read, ${grouped(input.duplicates)} duplicates, ${grouped(input.invalid)} invalid`
  const { shard } = options
  return [
    ['Run', run.run],
    ...(run.once === undefined ? [] : [['Name', run.once.name] as const]),
    ...(run.by === undefined ? [] : [['By', `${run.by.user} on ${run.by.host}`] as const]),
    ...(run.reason === undefined ? [] : [['Reason', run.reason] as const]),
    ...(run.job === undefined ? [] : [['Job', run.job] as const]),
    ['Command', `svc ${run.operation.replace('.', ' ')}`],
    ['Profile', run.profile ?? 'none: the key came from the environment'],
    ['Service', new URL(run.baseUrl).host],
    ['Key', run.key.ending],
    ['Input', read],
    ...(run.source === undefined ? [] : fileFacts(run.source)),
    ...(shard === undefined ? [] : [['Part', shard] as const]),
    ['Started', new Date(run.startedAt)],
  ]
}

function fileFacts({ path, sha256, format, column, sheet, where = [] }: NonNullable<RunFile['source']>) {
  const how = Object.entries({ format, column, sheet, where: where.length === 0 ? undefined : where.join(' and ') })
  const options = how.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
  const read: (readonly [string, string])[] = options.length === 0 ? [] : [['Read with', options.join(', ')]]
  return [['File', path] as const, ['SHA-256 of the file', sha256] as const, ...read]
}

function outcomesOf({ options }: RunFile, { rows }: Summary): PageOutcome[] {
  const accepted: readonly string[] = acceptedBy(options)
  return rows.flatMap(({ outcome: name, count }) => {
    const isAccepted = accepted.includes(name) || (isOutcome(name) && isDone(name))
    return isOutcome(name) ? [{ name, meaning: outcomeFacts(name).meaning, count, isAccepted }] : []
  })
}

/** Every id with its outcome; what is not done comes first. */
function* idsOf({ ended }: RunState, outcomes: readonly PageOutcome[]): Generator<string[]> {
  for (const { name } of outcomes.toSorted((a, b) => Number(a.isAccepted) - Number(b.isAccepted))) {
    if (!isOutcome(name)) continue
    for (const position of ended.positions(name)) {
      const { id, line, message } = ended.receipt(position)
      yield [id, line === null ? '' : grouped(line), name, message ?? outcomeFacts(name).meaning]
    }
  }
}

function nextOf({ run, operation }: RunFile, state: RunState, { left }: Summary): RunPage['next'] {
  const { outcomes } = state.totals
  const again = commandToResume(run, left, state)
  const why =
    left > 0 ? 'Resume the run where it ended' : 'Send the requests again whose answers could not be understood'
  const open = listed.filter((outcome) => outcomes[outcome] > 0)
  const isUnsorted = outcomes.undetermined > 0 && !state.isolates
  return [
    ...(again === null ? [] : [{ why, command: again }]),
    ...(isUnsorted
      ? [{ why: 'Find which contacts do not exist', command: `svc runs retry ${run} --outcome undetermined --isolate` }]
      : []),
    ...(open.length === 0
      ? []
      : [{ why: 'List the remaining ids', command: `svc runs export ${run} --outcome ${open.join(',')}` }]),
    ...(operationOf(operation).whyNoUndo === undefined && outcomes.done > 0
      ? [{ why: 'Return the tickets to their previous assignees', command: `svc runs undo ${run}` }]
      : []),
  ]
}
