/**
 * The one summary document that every ending of a run prints, that the record keeps in its `end` line, and that lists show.
 */
import * as v from 'valibot'
import { bulkOperations } from '../api/operations.ts'
import { mayRetry } from '../errors.ts'
import { svcResuming, type ShownCommand } from '../message.ts'
import type { Head, RecordedRun } from './fold.ts'
import { stopReasons, type Actor, type InputCounts, type LineOf } from './lines.ts'
import { targetName } from './operations/operations.ts'
import { acceptedBy, figuresOf, idArraysOf, type Outcome } from './outcomes.ts'
import { errorsOf, positionsWith } from './receipts.ts'
import type { RunState } from './state.ts'
import {
  endingOnRecord,
  isRepeatUseless,
  runStatuses,
  summarize,
  totalsOf,
  type RunEnding,
} from './totals.ts'

/** How many ids ended with this outcome. */
export interface OutcomeRow {
  outcome: string
  count: number
}

const text = v.string()
const textOrNull = v.nullable(text)
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const countOrNull = v.nullable(count)

/** The figures and arrays of ids of all operations; an output has those of its own. */
const figureNames = bulkOperations.flatMap((name) =>
  figuresOf(name).map((figure) => figure.name),
)
const idArrays = bulkOperations.flatMap((name) => idArraysOf(name).map(([array]) => array))

/** Its JSON, its type and the fields that `--fields` names. */
export const SummaryDocument = v.object({
  schema: v.literal('svc.bulk/1'),
  run: textOrNull,
  name: textOrNull,
  operation: v.picklist(bulkOperations),
  ...v.entriesFromList(
    ['profile', 'startedAt', 'endedAt', 'host', 'target', 'by', 'reason'],
    textOrNull,
  ),
  dryRun: v.boolean(),
  status: v.picklist(runStatuses),
  stopReason: v.nullable(v.picklist(stopReasons)),
  /** It began with an earlier command. */
  resumed: v.boolean(),
  input: v.object({
    read: count,
    unique: count,
    duplicates: count,
    invalid: count,
    leftOut: v.optional(count),
    sha256: text,
  }),
  batches: v.object(v.entriesFromList(['total', 'done', 'failed', 'retried'], count)),
  result: v.object(v.entriesFromList(figureNames, v.optional(count))),
  ...v.entriesFromList(idArrays, v.nullish(v.array(text))),
  errors: v.pipe(
    v.array(
      v.object({
        batch: count,
        outcome: text,
        httpStatus: countOrNull,
        code: v.nullable(v.number()),
        message: textOrNull,
        attempts: count,
        count,
      }),
    ),
    v.maxLength(100),
  ),
  errorsTotal: count,
  left: count,
  resume: textOrNull,
  durationMs: count,
  exitCode: count,
  retry: v.boolean(),
})

export type SummaryDocument = v.InferOutput<typeof SummaryDocument>

/** The document before its command is written for a shell. `result` has the figures of its operation. */
export type Document = Omit<SummaryDocument, 'result' | 'resume'> & {
  result: Record<string, number>
  resume: ShownCommand | null
}

/** The summary of an `end` line: the document as its command printed it. */
export function printedDocument(summary: LineOf<'end'>['summary']) {
  return summary as unknown as Document
}

export type Summary = ReturnType<typeof summaryOf>

/** The facts of a run beside its counts. */
type About = Pick<
  Document,
  | 'run'
  | 'name'
  | 'profile'
  | 'startedAt'
  | 'endedAt'
  | 'host'
  | 'target'
  | 'by'
  | 'reason'
  | 'resumed'
  | 'input'
  | 'durationMs'
>

const errorRows = 100
/** The most ids of an outcome that a summary holds. */
const mostIds = 1000

/** `tooMany`: the outcomes with more ids than a summary holds. Their arrays are null. */
export function summaryOf(about: About, state: RunState, ending: RunEnding) {
  const { run, name, input, resumed, durationMs, ...facts } = about
  const { operation } = state
  const dryRun = ending.dryRun === true
  const totals = totalsOf(state)
  const { result, status, exitCode } = summarize(operation, totals, ending)
  const errors = errorsOf(state, errorRows)
  const arrays = idArraysOf(operation)
  const isTooMany = (outcome: Outcome) => totals.idCounts[outcome] > mostIds
  const idsOf = (outcome: Outcome) =>
    isTooMany(outcome)
      ? null
      : Array.from(positionsWith(state, outcome), (position) => state.items.at(position).id)
  const left = dryRun ? 0 : totals.left
  const document: Document = {
    schema: 'svc.bulk/1',
    run,
    name,
    operation,
    ...facts,
    dryRun,
    status,
    stopReason: ending.stop ?? null,
    resumed,
    input,
    batches: totals.batches,
    result,
    ...Object.fromEntries(arrays.map(([array, outcome]) => [array, idsOf(outcome)])),
    errors: errors.rows,
    errorsTotal: errors.total,
    left,
    resume: run === null || left === 0 ? null : svcResuming`runs resume ${run}`,
    durationMs: Math.round(durationMs),
    exitCode,
    retry: mayRetry(exitCode) && !isRepeatUseless(totals),
  }
  return {
    document,
    rows: rowsOf({ operation, input }, result),
    totals,
    tooMany: arrays.flatMap(([, outcome]) => (isTooMany(outcome) ? [outcome] : [])),
  }
}

/** The current summary of a run. `accept`: by default as the run began. `ending`: of a session that is about to end. */
export function summaryOfRun(
  recorded: RecordedRun,
  {
    accept = recorded.head.accept,
    isResumed = false,
    ending = recordedEnding(recorded),
  }: {
    accept?: readonly string[] | undefined
    isResumed?: boolean
    ending?: RunEnding
  } = {},
): Summary {
  const { head, state, durationMs } = recorded
  const { undoes, input } = head
  const isPart = undoes !== undefined && (input.leftOut ?? 0) > 0
  const about = { ...aboutRun(recorded), resumed: isResumed, input, durationMs }
  return summaryOf(about, state, { accept: acceptedBy(accept), isPart, ...ending })
}

const recordedEnding = ({ state, end }: RecordedRun): RunEnding =>
  endingOnRecord(state, end === undefined ? { died: true } : { stop: end.stop ?? null })

/** `ana@desk-7`. */
export const actorWords = ({ user, host }: Actor) => `${user}@${host}`

/** The name of a run, when it began and last ended, on which service, for which list or employee, and by whom. */
function aboutRun({ run, head, endedAt }: RecordedRun) {
  const { name, profile, startedAt, baseUrl, by, reason = null, undoes } = head
  const undone = undoes === undefined ? null : `undo of ${undoes.run}`
  return {
    run,
    name,
    profile,
    startedAt,
    endedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    host: new URL(baseUrl).host,
    target: targetName(head.parameters) ?? undone,
    by: actorWords(by),
    reason,
  }
}

/** Words of a table for figures that count what answers counted. */
const figureWords: Readonly<Record<string, string>> = {
  skipped: 'already there',
  addedOrSkipped: 'added or already there',
}

/**
 * The outcomes that are not zero, each followed by the counts of the answers, and the rows that were not sent. The outcomes
 * and those rows account for the whole input.
 */
export function rowsOf(
  { operation, input }: Pick<Head, 'operation' | 'input'>,
  result: Readonly<Record<string, number>>,
): OutcomeRow[] {
  const figures = figuresOf(operation)
  const blocks = [...new Set(figures.map(({ outcome }) => outcome))].map((outcome) => {
    const own = figures.filter((figure) => figure.outcome === outcome)
    const count = own.reduce((sum, { name }) => sum + (result[name] ?? 0), 0)
    const parts = own.filter(({ isCount }) => isCount)
    const counts = parts.map(
      ({ name }) => [`  ${figureWords[name] ?? name}`, result[name] ?? 0] as const,
    )
    return { count, rows: nonZeroRows([[outcome, count], ...counts]) }
  })
  const sorted = blocks.toSorted((one, other) => other.count - one.count)
  return [...sorted.flatMap(({ rows }) => rows), ...rowsOfInput(input)]
}

/** The rows of an input that were not sent. */
export function rowsOfInput({
  duplicates,
  invalid,
  leftOut = 0,
}: InputCounts): OutcomeRow[] {
  return nonZeroRows([
    ['duplicate', duplicates],
    ['invalid', invalid],
    ['left-out', leftOut],
  ])
}

/** A table of zeros would hide the row that is not zero. */
export const nonZeroRows = (
  counts: readonly (readonly [outcome: string, count: number])[],
): OutcomeRow[] =>
  counts.flatMap(([outcome, count]) => (count > 0 ? [{ outcome, count }] : []))
