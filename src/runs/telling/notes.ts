/**
 * Notes and errors of a session in addition to its summary: why it stopped, what is not known yet, and what to type next. A
 * note never repeats a figure of the summary; it says what follows from it.
 */
import { exit, SvcError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { dateAndTime } from '../../output/text/time.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits, joinOr, pluralize } from '../../words.ts'
import type { UserFiles } from '../files/files.ts'
import type { RecordedRun } from '../fold.ts'
import type { Command, RunTools } from '../jobs/job.ts'
import { findOtherIds } from '../jobs/same.ts'
import type { JobHead, StopReason } from '../lines.ts'
import { operationOf } from '../operations/operations.ts'
import {
  isPending,
  outcomeFacts,
  outcomesOfOperation,
  outcomesToList,
} from '../outcomes.ts'
import { errorsOf, positionsWith, type ErrorRow } from '../receipts.ts'
import type { SendEnd } from '../send.ts'
import type { RunState } from '../state.ts'
import type { Summary } from '../summary.ts'
import { describeCount, describePair, describeRun, toParty } from './question.ts'

/** Words for each reason to stop; the summary has the reason by its name. */
export const stopWords: Record<StopReason, string> = {
  failures: 'stopped: three batches in a row failed',
  auth: 'stopped: the service does not accept the credentials',
  forbidden: 'stopped: the service does not allow this',
  refused:
    'stopped: the service refused a batch before it had accepted any, so no new batch was started',
  'retry-after': 'stopped: the service asked svc to wait longer than --wait leaves',
  signal: 'interrupted',
  journal: 'stopped: a local file could not be written',
}

/** How many errors are shown. The summary and the receipts have all of them. */
const mostErrors = 20

/** A session with nothing in flight. */
export interface SessionEnd {
  recorded: RecordedRun
  command: Command
  files: UserFiles
  /** The run began with an earlier command. */
  isResumed: boolean
  /** How sending ended; undefined if nothing was left to send. */
  sent?: SendEnd | undefined
}

/** A run that a command goes on with: since when, and how much of it is done. */
export function tellResumed(
  tools: RunTools,
  { run, head, state }: RecordedRun,
  count: number,
) {
  const { operation, parameters } = head
  const all = describeCount(operation, state.items.size)
  const done = groupDigits(state.items.size - count)
  const left = `${groupDigits(count)} left${toParty(parameters)}`
  tools.note(`resuming ${describeRun(tools, run, head)}: ${done} of ${all} done, ${left}`)
}

/** A run of the same file, or the same pipe, that a new one with other ids does not resume. */
export async function tellOtherIds(tools: RunTools, head: JobHead) {
  const other = head.input.unique === 1 ? undefined : await findOtherIds(tools, head)
  if (other === undefined) return
  const what = describeRun(tools, other.run, other)
  const command = svc`runs resume ${other.run}`
  tools.note(
    say`${what} is not finished, but has other ids, so this is a new run; to resume that one:\n  ${command}`,
  )
}

/** A run with nothing left to send. */
export function tellFinished(
  tools: RunTools,
  { recorded, command }: SessionEnd,
  summary: Summary,
) {
  const { run, state, workEndedAt, lastAt } = recorded
  const at = dateAndTime(workEndedAt ?? lastAt).date
  tools.note(
    `run ${run} ${state.isSettled() ? 'was done' : 'ended'} on ${at}; nothing was sent`,
  )
  // The error of a command that names one change says what is unknown.
  if (!command.isOne) tellUnknown(tools, state)
  tellHowToResume(tools, summary)
  tellOmittedIds(tools, summary, run)
}

/** Notes and errors about an ending, beyond its counts. `isExplained`: errors have said why it stopped. */
export function tellEnding(
  tools: RunTools,
  ending: SessionEnd,
  summary: Summary,
  isExplained: boolean,
) {
  const { recorded, sent, files } = ending
  const { state, run } = recorded
  const { operation } = state
  const { stopReason: stop } = summary.document
  if (!isExplained) {
    if (tools.messages.quiet) tellCause(tools, recorded, summary)
    else tellErrors(tools, recorded)
  }
  if (stop !== null) tools.note(stopWords[stop])
  if (sent !== undefined && sent.unread > 0) {
    const what = describeCount(operation, sent.unread)
    tools.note(`${what} could not be read before the change; the change was sent anyway`)
  }
  for (const path of sent === undefined ? [] : files.outdated)
    tools.note(`"${path}" is out of date; to write it again, add --receipts or --annotate`)
  for (const note of guessNotes(recorded, summary)) tools.note(note)
  tellUnknown(tools, state)
  tellWhatIsLeft(tools, ending, summary)
  tellOmittedIds(tools, summary, run)
}

/** Names the changes that may have been made and are never sent again. */
export function tellUnknown({ note }: RunTools, state: RunState) {
  const { words, item, pairs } = operationOf(state.operation)
  // Only merges are never sent again.
  if (state.operation !== 'contacts.merge') return
  const positions = [...positionsWith(state, 'unknown')]
  if (positions.length === 0) return
  const change = words.verb.toLowerCase()
  const what = pluralize(positions.length, `${change} has`, `${change}s have`)
  note(
    `${what} an unknown outcome and will not be sent again; a lost request can take effect within 11 minutes: check both ${item}s after that, and send those that were not made with --new-run`,
  )
  const preposition = pairs?.preposition ?? ''
  for (const position of positions.slice(0, mostErrors)) {
    const { id, other = '' } = state.items.at(position)
    note(`unknown: ${id} ${preposition} ${other}`)
  }
  const more = positions.length - mostErrors
  if (more > 0) note(`and ${groupDigits(more)} more: see unknownIds with -o json`)
}

/** Tells that ids are left out of a summary, and which command prints them. */
export function tellOmittedIds(
  { print, note }: RunTools,
  { tooMany }: Pick<Summary, 'tooMany'>,
  run: string,
) {
  const isShown = print.format === 'json' || print.format === 'ndjson'
  if (!isShown || tooMany.length === 0) return
  const command = svc`runs export ${run} --outcome ${tooMany.join(',')} -o ids`
  note(
    say`the summary leaves out the ids of outcomes with more than 1,000; to print them:\n  ${command}`,
  )
}

/** The ids with a guessed outcome after a lost answer, and how many were changed at least and at most. */
function guessNotes(recorded: RecordedRun, { totals }: Summary) {
  const { operation } = recorded.state
  return outcomesOfOperation(operation).flatMap((outcome) => {
    const { guessOf, meaning } = outcomeFacts(outcome)
    const guesses = totals.idCounts[outcome]
    if (guessOf === undefined || guesses === 0) return []
    const certain = totals.idCounts[guessOf]
    const between = `between ${groupDigits(certain)} and ${groupDigits(certain + guesses)}`
    return [
      `${groupDigits(guesses)} ${outcome}: ${meaning}; ${between} were ${guessOf} by this run`,
    ]
  })
}

/** Where the outcomes are, and the command to resume. It repeats nothing that a file or stdout already has. */
function tellWhatIsLeft(tools: RunTools, ending: SessionEnd, summary: Summary) {
  const { recorded, files, isResumed } = ending
  const { run, state } = recorded
  const { document, totals } = summary
  const { exitCode, stopReason } = document
  const { format } = tools.print
  // Each id's outcome goes to a file or to stdout.
  const hasReceipts = files.hasReceipts || format === 'ndjson' || format === 'json'
  // Outcomes that a resume sends come with the command for it.
  const toCheck = outcomesToList(state.operation).filter(
    (outcome) => totals.idCounts[outcome] > 0 && !isPending(outcome),
  )
  if (toCheck.length > 0 && !hasReceipts) {
    for (const outcome of toCheck) {
      const { isAcceptable, meaning } = outcomeFacts(outcome)
      if (isAcceptable) tools.note(`${outcome}: ${meaning}`)
    }
    const command = svc`runs export ${run} --outcome ${toCheck.join(',')}`
    tools.note(say`to list the ids with the outcome ${joinOr(toCheck)}:\n  ${command}`)
  } else if (exitCode === exit.done && !hasReceipts && !isResumed && !files.hasRows) {
    tools.note(`recorded as run ${run}`)
  }
  // A wrong list stays wrong, so the service would refuse it again.
  if (stopReason !== 'refused') tellHowToResume(tools, summary)
}

/** The command that sends what is left. */
function tellHowToResume({ note }: RunTools, { document }: Summary) {
  const { resume } = document
  if (resume !== null) note(say`to resume:\n  ${resume}`)
}

/** The categories of errors by the exit codes that a run can end with. */
const categoryOf = { 1: 'rejected', 4: 'auth', 7: 'unavailable' } as const

/** The first errors, each as a warning, and where to find the others. */
function tellErrors({ warn }: RunTools, { run, state }: RecordedRun) {
  const { rows, total } = errorsOf(state, mostErrors)
  for (const row of rows) warn(describeError(state, row))
  const more = total - rows.length
  if (more === 0) return
  const command = svc`runs export ${run} --outcome error,unknown`
  warn(say`and ${groupDigits(more)} more; all of them:\n  ${command}`)
}

/** With -q there are neither notes nor warnings: one error says why the exit code is what it is. */
function tellCause({ messages }: RunTools, { run, state }: RecordedRun, summary: Summary) {
  const { exitCode, stopReason, resume } = summary.document
  if (exitCode !== 1 && exitCode !== 4 && exitCode !== 7) return
  const { rows, total } = errorsOf(state, 1)
  const more = total > 1 ? `, and ${groupDigits(total - 1)} more` : ''
  const what = rows.map((row) => `${describeError(state, row)}${more}`)
  const stopped = stopReason === null ? [] : [stopWords[stopReason]]
  const [why = 'the run is not finished', ...lines] = [...stopped, ...what]
  const hint = resume === null ? undefined : [resume]
  messages.error(new SvcError(categoryOf[exitCode], why, { lines, exitCode, run, hint }))
}

/** `batch 3, 100 ids: unknown after 2 attempts: the service gave no answer (HTTP 502)`. */
function describeError(state: RunState, row: ErrorRow) {
  const { batch, outcome, message, httpStatus, attempts, count } = row
  const which =
    count === 1
      ? describeItem(state, state.batches.range(batch).from)
      : `batch ${groupDigits(batch)}, ${groupDigits(count)} ids`
  // A single refusal needs neither an outcome nor a count.
  const isRefused = outcome === 'error' && httpStatus !== null && attempts === 1
  const tries = attempts === 0 ? '' : ` after ${pluralize(attempts, 'attempt')}`
  const ending = isRefused ? 'refused' : `${outcome}${tries}`
  // Many messages name the status themselves.
  const isStatusSaid = httpStatus === null || message.includes(`HTTP ${httpStatus}`)
  const status = isStatusSaid ? '' : ` (HTTP ${httpStatus})`
  return `${which}: ${ending}: ${safe(message)}${status}`
}

/** `line 3, contact 6400… into 6401…`. An argument has no line, and the run names the shared parties. */
function describeItem(state: RunState, position: number) {
  const { id, other, line } = state.items.at(position)
  const what = describePair(state.operation, id, other)
  return line === 0 ? what : `line ${groupDigits(line)}, ${what}`
}
