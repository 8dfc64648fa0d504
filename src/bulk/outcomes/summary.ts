/**
 * The one summary document that every ending of a bulk run prints. `conclude.ts` and `preview.ts` end with it, `summary.json` keeps it, and
 * `svc runs show` and `runs list` make it of a journal (`read-run.ts`).
 */
import { mayRetry } from '../../errors.ts'
import { continuing, type ShownCommand } from '../../message.ts'
import type { OutcomeRow } from '../../output/result.ts'
import { actorWords, type Header, type InputCounts } from '../record/header.ts'
import { figuresOf, idArraysOf, type Outcome } from '../operations/outcome.ts'
import { targetName } from '../operations/operations.ts'
import type { RunState } from '../record/state.ts'
import { errorsOf, positionsWith } from './receipt.ts'
import type { SummaryDocument } from './summary-document.ts'
import {
  isUnreachable,
  summarize,
  totalsOf,
  totalsOfDryRun,
  type Conclusion,
  type RunEnding,
  type Totals,
} from './totals.ts'

/** The document before its command is written for a shell. `result` has the figures of its operation. */
type Document = Omit<SummaryDocument, 'result' | 'resume'> &
  Pick<Conclusion, 'result'> & { readonly resume: ShownCommand | null }

export interface Summary {
  readonly document: Document
  readonly rows: readonly OutcomeRow[]
  readonly totals: Totals
  /** The outcomes with more ids than a summary holds. Their arrays are null. */
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
/** The most ids of an outcome that a summary holds. */
const mostIds = 1000

export function summaryOf({
  about,
  input,
  state,
  ending,
  durationMs,
}: SummaryParts): Summary {
  const { run, name, ...facts } = about
  const { operation } = state
  const totals = ending.dryRun === true ? totalsOfDryRun(state) : totalsOf(state)
  const { result, status, exitCode } = summarize(operation, totals, ending)
  const errors = errorsOf(state, errorRows)
  const arrays = idArraysOf(operation)
  const isTooMany = (outcome: Outcome): boolean => totals.outcomes[outcome] > mostIds
  const idsOf = (outcome: Outcome) =>
    isTooMany(outcome)
      ? null
      : Array.from(positionsWith(state, outcome), (position) => state.items.at(position).id)
  const { left } = totals
  const document: Document = {
    schema: 'svc.bulk/1',
    run,
    name,
    operation,
    ...facts,
    dryRun: ending.dryRun === true,
    status,
    stopReason: ending.stop ?? null,
    input,
    batches: totals.batches,
    result,
    ...Object.fromEntries(arrays.map(([array, outcome]) => [array, idsOf(outcome)])),
    errors: errors.rows.map((row) => {
      const { first: _, ...told } = row
      return told
    }),
    errorsTotal: errors.total,
    left,
    resume: run === null ? null : commandToResume(run, left, state),
    durationMs: Math.round(durationMs),
    exitCode,
    retry: mayRetry(exitCode, name !== null) && !isUnreachable(totals),
  }
  return {
    document,
    rows: rowsOf({ operation, input }, result),
    totals,
    tooMany: arrays.flatMap(([, outcome]) => (isTooMany(outcome) ? [outcome] : [])),
  }
}

/** The facts about a run in its summary, apart from its counts. `endedAt`: milliseconds since 1970. */
export function aboutRun(run: string, header: Header, endedAt?: number): About {
  const { name, profile, startedAt, baseUrl, by, reason = null, undoes } = header
  const target = targetName(header.operation, header.parameters)
  const undone = undoes === undefined ? null : `undo of ${undoes.run}`
  return {
    run,
    name,
    profile,
    startedAt,
    endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    host: new URL(baseUrl).host,
    target: target ?? undone,
    by: actorWords(by),
    reason,
  }
}

/** The command that resumes a run; null if nothing is left. */
export function commandToResume(
  run: string,
  left: number,
  state: RunState,
): ShownCommand | null {
  if (left > 0) return continuing`runs resume ${run}`
  return state.hasUselessAnswers() ? continuing`runs resume ${run} --outcome unknown` : null
}

/** Words of a table for figures that count what answers counted. */
const figureWords: Readonly<Record<string, string>> = {
  skipped: 'already there',
  addedOrSkipped: 'added or already there',
}

/** The figures that are not zero, and the rows that were not sent. Together they account for the whole input. */
export function rowsOf(
  { operation, input }: Pick<Header, 'operation' | 'input'>,
  result: Conclusion['result'],
): OutcomeRow[] {
  const figures = figuresOf(operation).map(({ name, outcome, isCount }) => {
    const words = isCount ? (figureWords[name] ?? name) : outcome
    return [words, result[name] ?? 0] as const
  })
  const rows = rowsThatCount(figures).sort((a, b) => b.count - a.count)
  return [...rows, ...rowsOfInput(input)]
}

/** The rows of an input that were not sent. */
export function rowsOfInput({
  duplicates,
  invalid,
  leftOut = 0,
}: InputCounts): OutcomeRow[] {
  return rowsThatCount([
    ['duplicate', duplicates],
    ['invalid', invalid],
    ['left-out', leftOut],
  ])
}

/** A table of zeros would hide the row that is not zero. */
export const rowsThatCount = (
  counts: readonly (readonly [outcome: string, count: number])[],
): OutcomeRow[] =>
  counts.flatMap(([outcome, count]) => (count > 0 ? [{ outcome, count }] : []))
