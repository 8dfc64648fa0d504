/** Notes and errors about a run's ending, beyond its counts, for the person who started it. */
import { continuing, say, svc, type Message } from '../../message.ts'
import { exit, SvcError, type Category } from '../../errors.ts'
import { groupDigits, joinOr } from '../../words.ts'
import { describeCount, describePair } from './confirm.ts'
import { operationOf, targetOf, targetParameter } from '../operations/operations.ts'
import { momentReader } from '../record/landing.ts'
import { batchAt, numbers } from '../record/batches.ts'
import {
  isOpen,
  isOutcome,
  outcomeFacts,
  outcomesOfOperation,
  outcomesToList,
} from '../operations/outcome.ts'
import type { StopReason } from '../record/events.ts'
import type { RunFile } from '../record/run.ts'
import type { EndedRun } from '../operations/operation.ts'
import { errorsOf, positionsWith, type ErrorRow } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import { commandToResume, type Summary } from '../outcomes/summary.ts'
import type { BulkTools } from '../tools.ts'
import { safe } from '../../output/text/safe.ts'

export const stopWords: Record<StopReason, string> = {
  'max-failures': 'stopped: too many batches failed',
  deadline: 'stopped: the deadline has passed',
  auth: 'stopped: the service does not accept the credentials',
  forbidden: 'stopped: the service does not allow it',
  refused:
    'stopped: the service refused a batch before it had accepted any, so no new batch was started',
  'retry-after': 'stopped: the service asks to wait longer than --max-retry-wait allows',
  'stdout-closed': 'stopped: the output was closed',
  signal: 'interrupted',
  journal: 'stopped: a local file could not be written',
}

/** How many rows of trouble a person is shown; the summary and the receipts have all. */
const mostErrors = 20

/** A session that has ended. */
export interface EndedSession {
  readonly run: RunFile
  readonly state: RunState
  readonly summary: Summary
  /** Things that could not be read before their change. */
  readonly unread: number
  /** Whether errors have said why it stopped. */
  readonly isExplained: boolean
  readonly outputs: { readonly hasReceipts: boolean; readonly hasRows: boolean }
  readonly recorded?: object
}

export function tellEnding(tools: BulkTools, ended: EndedSession): void {
  const { state, unread, isExplained, summary } = ended
  const stop = summary.stopReason
  if (!isExplained) {
    if (tools.messages.quiet) tellCause(tools, ended, stop)
    else warnOfErrors(tools, ended)
  }
  if (stop !== null) tools.note(whyStopped(stop, ended))
  if (unread > 0) {
    tools.note(
      `${describeCount(state.operation, unread)} could not be read before the change; the change was sent anyway`,
    )
  }
  tellGuesses(tools, state)
  for (const note of operationOf(state.operation).notes?.(endedRun(ended)) ?? []) tools.note(note)
  tellUnknown(tools, state)
  tellWhatIsLeft(tools, ended)
}

/** Ids whose outcome is concluded after a lost answer, and how many were changed at least and at most. */
function tellGuesses(tools: BulkTools, state: RunState): void {
  const { outcomes } = state.totals()
  for (const outcome of outcomesOfOperation(state.operation)) {
    const { guessOf, meaning } = outcomeFacts(outcome)
    const guesses = outcomes[outcome]
    if (guessOf === undefined || !isOutcome(guessOf) || guesses === 0) continue
    const certain = outcomes[guessOf]
    const { done } = operationOf(state.operation).words
    tools.note(
      `${groupDigits(guesses)} ${outcome}: ${meaning}; ` +
        `between ${groupDigits(certain)} and ${groupDigits(certain + guesses)} were ${done} by this run`,
    )
  }
}

/** The arrays of a summary that are null, and what prints their ids. */
export function tellTooMany(
  tools: BulkTools,
  { tooMany }: Pick<Summary, 'tooMany'>,
  run: string,
): void {
  const { format } = tools.print
  const isShown = format === 'json' || format === 'ndjson'
  if (!isShown || tooMany.length === 0) return
  tools.note(
    say`the summary has no ids of the outcomes with more than 1,000 of them; to print them:\n  ${svc`runs export ${run} --outcome ${tooMany.join(',')} -o ids`}`,
  )
}

function endedRun({ run, state }: EndedSession): EndedRun {
  const { outcomes, counts } = state.totals()
  const target = targetOf(run.operation, run.parameters)
  return {
    count: (outcome) => (isOutcome(outcome) ? outcomes[outcome] : 0),
    sum: (count) => counts[count] ?? 0,
    ids: state.batches.to - state.batches.from,
    isSent: () => [...numbers(state.batches.total)].some((batch) => state.of(batch).attempts > 0),
    isolates: state.isolates,
    isolateCalls: state.isolateCalls,
    run: run.run,
    target: target?.name ?? target?.id,
  }
}

/** A file that could not be written when all was done, which stopped nothing, has words of its own. */
function whyStopped(stop: StopReason, { run, state, summary }: EndedSession): Message {
  if (stop !== 'journal' || summary.left > 0 || state.totals().outcomes['not-attempted'] > 0)
    return stopWords[stop]
  return say`nothing is left to send; only a file could not be written; to write it again:\n  ${continuing`runs resume ${run.run}`}`
}

function tellWhatIsLeft(
  tools: BulkTools,
  { run: { run }, state, summary, outputs, recorded }: EndedSession,
): void {
  const { left, exitCode } = summary
  const { format } = tools.print
  // Each id's outcome goes to a file or to stdout.
  const hasReceipts = outputs.hasReceipts || format === 'ndjson' || format === 'json'
  // A note has the run's id already: that of the files that were written, or that it is resumed.
  const isNamed = outputs.hasRows || recorded !== undefined
  const { outcomes } = state.totals()
  // Open outcomes, which a resume works on or isolating looks into, are told with the command for that.
  const open = outcomesToList(state.operation).filter(
    (outcome) => outcomes[outcome] > 0 && !isOpen(outcome),
  )
  if (open.length > 0 && !hasReceipts) {
    tools.note(
      say`to list the ids that ended as ${joinOr(open)}:\n  ${svc`runs export ${run} --outcome ${open.join(',')}`}`,
    )
  } else if (exitCode === exit.done && !hasReceipts && !isNamed)
    tools.note(`recorded as run ${run}`)
  const command = commandToResume(run, left, state)
  // A wrong list stays wrong: the service would refuse the same again.
  if (command === null || summary.stopReason === 'refused') return
  tools.note(
    left > 0
      ? say`to resume:\n  ${command}`
      : say`some answers could not be understood; to send those batches again:\n  ${command}`,
  )
}

/** Exit codes of a run that did not come to its end, or of which something is not known. */
const causes = new Map<number, Category>([
  [exit.auth, 'auth'],
  [exit.forbidden, 'forbidden'],
  [exit.rejected, 'rejected'],
  [exit.unavailable, 'unavailable'],
  [exit.limit, 'limit'],
])

/** With -q no warning and no note says why the exit code is what it is: one error does. */
function tellCause(
  { messages }: BulkTools,
  { run: { run }, state, summary }: EndedSession,
  stop: StopReason | null,
) {
  const { left, exitCode } = summary
  const category = causes.get(exitCode)
  if (category === undefined) return
  const { rows, total } = errorsOf(state, 1)
  const more = total > 1 ? `, and ${groupDigits(total - 1)} more` : ''
  const what = rows.map((row) => `${describeError(state, row)}${more}`)
  const [why = 'the run is not finished', ...lines] = [
    ...(stop === null ? [] : [stopWords[stop]]),
    ...what,
  ]
  const command = commandToResume(run, left, state)
  const error = new SvcError(category, why, {
    lines,
    exitCode,
    run,
    hint: command === null ? undefined : [command],
  })
  messages.error(error, undefined)
}

function describeError(state: RunState, row: ErrorRow): string {
  const { batch, outcome, message, httpStatus, attempts, count, first } = row
  const status =
    httpStatus === null || message.includes(`HTTP ${httpStatus}`) ? '' : ` (HTTP ${httpStatus})`
  const tries =
    attempts === 0
      ? ''
      : ` after ${groupDigits(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`
  const which =
    count === 1
      ? describeItem(state, first)
      : `batch ${groupDigits(batch)}, ${groupDigits(count)} ids`
  const isRefused = outcome === 'error' && httpStatus !== null && attempts === 1
  return `${which}: ${isRefused ? 'refused' : `${outcome}${tries}`}: ${safe(message)}${status}`
}

function warnOfErrors(tools: BulkTools, { run: { run }, state }: EndedSession): void {
  const { rows, total } = errorsOf(state, mostErrors)
  for (const row of rows) tools.warn(describeError(state, row))
  if (total > rows.length)
    tools.warn(
      say`and ${groupDigits(total - rows.length)} more; all of them:\n  ${svc`runs export ${run} --outcome error,unknown`}`,
    )
}

/** `line 3, contact 6400… into 6401…`. An argument has no line, and the target of all is named by the run. */
function describeItem(state: RunState, position: number): string {
  const line = state.items.line(position)
  const what = describePair(
    state.operation,
    state.items.id(position),
    state.items.pairs?.[position]?.other,
  )
  return line === 0 ? what : `line ${groupDigits(line)}, ${what}`
}

/** Names the changes that may have been made and are never sent again by themselves. */
export function tellUnknown(tools: BulkTools, state: RunState): void {
  const { listsUnknown, words, items } = operationOf(state.operation)
  if (listsUnknown !== true) return
  const change = words.verb.toLowerCase()
  // One that was opened again is sent once its time is over.
  const positions = [...positionsWith(state, 'unknown')].filter(
    (position) => state.of(batchAt(state.batches, position)).isReopened !== true,
  )
  if (positions.length === 0) return
  const moment = momentReader(tools.host)()
  // A resume may be days later: the time is that of the attempts.
  const wait = positions.reduce(
    (longest, position) =>
      Math.max(longest, state.timeToLand(batchAt(state.batches, position), moment)),
    0,
  )
  const when = wait === 0 ? '' : ` after ${new Date(tools.host.now() + wait).toISOString()}`
  const what =
    positions.length === 1 ? `1 ${change} has` : `${groupDigits(positions.length)} ${change}s have`
  tools.note(
    `${what} an unknown outcome and will not be sent again; check both ${items.kind}s${when}`,
  )
  for (const position of positions.slice(0, mostErrors)) {
    const other = state.otherOf(position)
    const preposition = targetParameter(state.operation)?.preposition ?? ''
    tools.note(`unknown: ${state.items.id(position)} ${preposition} ${other ?? ''}`)
  }
  if (positions.length > mostErrors) {
    tools.note(
      `and ${groupDigits(positions.length - mostErrors)} more: see unknownIds with -o json`,
    )
  }
}

/** Exit 7 for a run that left something out until later; a signal comes first. With -q nothing else says why. */
export function tellLate<Ending extends Pick<Summary, 'exitCode' | 'document'>>(
  { messages }: BulkTools,
  late: SvcError | undefined,
  summary: Ending,
): Ending {
  if (late === undefined || summary.exitCode > 128) return summary
  if (messages.quiet) messages.error(late, undefined)
  const { exitCode } = late
  return { ...summary, exitCode, document: { ...summary.document, exitCode } }
}
