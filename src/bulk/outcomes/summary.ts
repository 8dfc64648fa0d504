/**
 * The one summary document that every ending of a bulk run prints. `sessions/send.ts` and `sessions/unsent.ts` end with it; `svc runs show`
 * and `svc runs export` make it of a journal (`runs/recorded.ts`).
 */
import { continuing, type ShownCommand } from '../../message.ts'
import { mayRetry } from '../../errors.ts'
import type { InputCounts, RunFile } from '../record/run.ts'
import { actorWords } from '../record/actor.ts'
import type { OutcomeRow } from '../../output/result.ts'
import { targetOf } from '../operations/operations.ts'
import { idArraysOf, type Outcome } from '../operations/outcome.ts'
import type { StopReason } from '../record/events.ts'
import type { RunState } from './state.ts'
import type { SummaryDocument } from './summary-document.ts'
import { errorsOf, positionsWith } from './receipt.ts'
import {
  isUnreachable,
  summarize,
  totalsOfDryRun,
  type Conclusion,
  type RunEnding,
} from './totals.ts'

export interface Summary extends Conclusion {
  readonly document: Record<string, unknown>
  readonly rows: readonly OutcomeRow[]
  readonly stopReason: StopReason | null
  readonly left: number
  /** Outcomes with more ids than a summary holds: what it has in their place is null. */
  readonly tooMany: readonly Outcome[]
}

export interface SummaryParts {
  readonly about: About
  readonly input: InputCounts
  readonly state: RunState
  readonly ending: RunEnding
  readonly durationMs: number
}

/** Which run it is, when it began and last ended, on which service, for which list or employee, and by whom. */
type Fact =
  'run' | 'name' | 'profile' | 'startedAt' | 'endedAt' | 'host' | 'target' | 'by' | 'reason'
type About = Readonly<Record<Fact, string | null>>

const errorRows = 100
/** Ids of an outcome that a summary holds at most. */
const mostIds = 1000

export function summaryOf(parts: SummaryParts): Summary {
  const { state } = parts
  const { run, name, ...facts } = parts.about
  const { operation } = state
  const left = state.countLeft()
  const ending = { ...parts.ending, left }
  const totals = ending.dryRun === true ? totalsOfDryRun(state.batches) : state.totals()
  const { result, status, exitCode } = summarize(operation, totals, ending)
  const errors = errorsOf(state, errorRows)
  const arrays = idArraysOf(operation, state.isolates)
  const isTooMany = (outcome: Outcome): boolean => totals.outcomes[outcome] > mostIds
  const idsOf = (outcome: Outcome) =>
    isTooMany(outcome)
      ? null
      : Array.from(positionsWith(state, outcome), (position) => state.items.id(position))
  const document: Omit<SummaryDocument, 'result' | 'resume'> &
    Pick<Conclusion, 'result'> & { readonly resume: ShownCommand | null } = {
    schema: 'svc.bulk/1',
    run,
    name,
    operation,
    ...facts,
    dryRun: ending.dryRun === true,
    status,
    stopReason: ending.stop ?? null,
    input: parts.input,
    batches: totals.batches,
    result,
    ...Object.fromEntries(arrays.map(([name, outcome]) => [name, idsOf(outcome)])),
    ...(state.isolates ? { isolate: { calls: state.isolateCalls } } : {}),
    errors: errors.rows.map((row) => {
      const { first: _, ...told } = row
      return told
    }),
    errorsTotal: errors.total,
    left,
    resume: run === null ? null : commandToResume(run, left, state),
    durationMs: Math.round(parts.durationMs),
    exitCode,
    retry: mayRetry(exitCode, name !== null) && !isUnreachable(totals),
  }
  const tooMany = arrays.flatMap(([, outcome]) => (isTooMany(outcome) ? [outcome] : []))
  const rows = rowsOf(totals.outcomes, parts.input)
  return {
    document,
    rows,
    status,
    stopReason: ending.stop ?? null,
    result,
    exitCode,
    left,
    tooMany,
  }
}

/** Facts of a run in its summary beside its counts. `endedAt`: in milliseconds since 1970. */
export function aboutRun(file: RunFile, endedAt?: number): About {
  const { run, once, profile, startedAt, baseUrl, by, reason = null, undoes } = file
  const target = targetOf(file.operation, file.parameters)
  const undone = undoes === undefined ? null : `undo of ${undoes}`
  return {
    run,
    name: once?.name ?? null,
    profile,
    startedAt,
    endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    host: new URL(baseUrl).host,
    target: target?.name ?? target?.id ?? undone,
    by: actorWords(by),
    reason,
  }
}

/** Command that resumes a run; null when nothing is left. */
export function commandToResume(run: string, left: number, state: RunState): ShownCommand | null {
  if (left > 0) return continuing`runs resume ${run}`
  return state.hasUselessAnswers() ? continuing`runs retry ${run} --outcome unknown` : null
}

/** Outcomes that occurred, and the rows of the input that were not sent: together they are all of it. */
export function rowsOf(
  outcomes: Readonly<Record<string, number>>,
  input: InputCounts,
): OutcomeRow[] {
  const { duplicates, invalid, leftOut = 0 } = input
  // A table of zeros would hide the row that is not zero.
  const rowsThatCount = (counts: Readonly<Record<string, number>>): OutcomeRow[] =>
    Object.entries(counts).flatMap(([outcome, count]) => (count > 0 ? [{ outcome, count }] : []))
  return [
    ...rowsThatCount(outcomes).sort((a, b) => b.count - a.count),
    ...rowsThatCount({
      duplicate: duplicates,
      invalid,
      'left-out': leftOut,
    }),
  ]
}
