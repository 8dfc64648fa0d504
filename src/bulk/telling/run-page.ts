/** A recorded run in plain words, for people who were not there. */
import type { PageOutcome, RunPage } from '../../output/formats/run-page.ts'
import { grouped } from '../../words.ts'
import { isDone, isOutcome, outcomeFacts, type Outcome } from '../operations/outcome.ts'
import { counted, inputWords, toTarget } from './confirm.ts'
import { operationOf } from '../operations/operations.ts'
import { stopWords } from './ending-notes.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { RunFile } from '../record/run.ts'
import type { RunState } from '../outcomes/state.ts'
import { commandToResume, type Summary } from '../outcomes/summary.ts'
import { acceptedBy } from '../outcomes/totals.ts'

/** What is not accepted by itself, in the order in which it matters; `not-attempted` needs no list of its own. */
const listed = ['unknown', 'error', 'blocked', 'not-found', 'missing', 'undetermined'] as const satisfies Outcome[]

/** `summary`: of the same run, whose state is closed. */
export function pageOf({ run, state, end }: RecordedRun, summary: Summary, isRunning: boolean): RunPage {
  const outcomes = outcomesOf(run, summary)
  const total = outcomes.reduce((sum, { count, isAccepted }) => sum + (isAccepted ? 0 : count), 0)
  const endedAt = end === undefined ? [] : ([['Ended', new Date(end.at)]] as const)
  return {
    title: titleOf(run),
    state: isRunning ? 'This run is being worked on; this is its progress.' : stateOf(run, summary, total),
    isDone: total === 0 && !isRunning,
    facts: [...factsOf(run), ...endedAt],
    outcomes,
    ids: { headings: ['Id', 'Line', 'Outcome', 'Why'], rows: () => idsOf(state, outcomes) },
    next: nextOf(run, state, summary),
  }
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

function factsOf({ input, options, source, ...run }: RunFile): (readonly [string, string | Date])[] {
  const { format, column, sheet, where = [] } = source ?? {}
  const how = Object.entries({ format, column, sheet, where: where.length === 0 ? undefined : where.join(' and ') })
  const readWith = how.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])).join(', ')
  const facts: readonly (readonly [string, string | Date | undefined])[] = [
    ['Run', run.run],
    ['Name', run.once?.name],
    ['By', run.by && `${run.by.user} on ${run.by.host}`],
    ['Reason', run.reason],
    ['Job', run.job],
    ['Command', `svc ${run.operation.replace('.', ' ')}`],
    ['Profile', run.profile ?? 'none: the key came from the environment'],
    ['Service', new URL(run.baseUrl).host],
    ['Key', run.key.ending],
    ['Input', inputWords(input)],
    ['File', source?.path],
    ['SHA-256 of the file', source?.sha256],
    ['Read with', readWith === '' ? undefined : readWith],
    ['Part', options.shard],
    ['Started', new Date(run.startedAt)],
  ]
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
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
  const open = listed.filter((outcome) => outcomes[outcome] > 0)
  const isUnsorted = outcomes.undetermined > 0 && !state.isolates
  const canUndo = operationOf(operation).whyNoUndo === undefined && outcomes.done > 0
  const next: readonly (readonly [why: string, command: string | null | false])[] = [
    [
      left > 0 ? 'Resume the run where it stopped' : 'Send the requests again whose answers could not be understood',
      commandToResume(run, left, state),
    ],
    ['Find which contacts do not exist', isUnsorted && `svc runs retry ${run} --outcome undetermined --isolate`],
    ['List the remaining ids', open.length > 0 && `svc runs export ${run} --outcome ${open.join(',')}`],
    ['Return the tickets to their previous assignees', canUndo && `svc runs undo ${run}`],
  ]
  return next.flatMap(([why, command]) => (command ? [{ why, command }] : []))
}
