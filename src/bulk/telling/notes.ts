/**
 * Notes and errors of a session in addition to its summary: why it stopped, what is not known yet, and what to type next. A note never repeats a figure of
 * the summary; it says what follows from it. `conclude.ts` prints them, and `svc runs show` says the same about a recorded run.
 */
import { exit, SvcError } from '../../errors.ts'
import { continuing, say, svc, type Message } from '../../message.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits, joinOr, pluralize } from '../../words.ts'
import { actorWords, currentActor, type Header } from '../record/header.ts'
import type { StopReason } from '../record/journal.ts'
import {
  isOpen,
  isOutcome,
  outcomeFacts,
  outcomesOfOperation,
  outcomesToList,
} from '../operations/outcome.ts'
import { columnSlot, operationOf } from '../operations/operations.ts'
import { errorsOf, positionsWith, type ErrorRow } from '../outcomes/receipt.ts'
import type { Summary } from '../outcomes/summary.ts'
import { describeCount, describePair } from './question.ts'
import type { RecordedRun } from '../record/read-run.ts'
import type { RunState } from '../record/state.ts'
import type { BulkTools } from '../tools.ts'

/** Words for each reason to stop; the summary has the reason by its name. */
export const stopWords: Record<StopReason, string> = {
  failures: 'stopped: three batches in a row failed',
  auth: 'stopped: the service does not accept the credentials',
  forbidden: 'stopped: the service does not allow it',
  refused:
    'stopped: the service refused a batch before it had accepted any, so no new batch was started',
  'retry-after': 'stopped: the service asks to wait longer than --max-retry-wait allows',
  signal: 'interrupted',
  journal: 'stopped: a local file could not be written',
}

/** How many errors are shown. The summary and the receipts have all of them. */
const mostErrors = 20

/** A session that has ended. */
export interface EndedSession {
  readonly recorded: RecordedRun
  readonly summary: Summary
  /** Things that could not be read before their change. */
  readonly unread: number
  /** Errors have said why it stopped. */
  readonly isExplained: boolean
  readonly hasReceipts: boolean
  /** A note has named the run already. */
  readonly isNamed: boolean
}

type NoteTools = Pick<BulkTools, 'print' | 'messages' | 'note' | 'warn'>

/** From now on every line of JSON says which run this process works on. */
export function beginNotes(
  { host, messages }: Pick<BulkTools, 'host' | 'messages'>,
  run: string | null,
  { name, profile, baseUrl }: Pick<Header, 'name' | 'profile' | 'baseUrl'>,
): void {
  const by = actorWords(currentActor(host))
  messages.during({ run, name, profile, host: new URL(baseUrl).host, by })
}

/** Notes and errors about an ending, beyond its counts. */
export function tellEnding(tools: NoteTools, ended: EndedSession): void {
  const { recorded, unread, isExplained, summary } = ended
  const { state, run } = recorded
  const { operation } = state
  const { stopReason: stop } = summary.document
  if (!isExplained) (tools.messages.quiet ? tellCause : tellErrors)(tools, ended)
  if (stop !== null) tools.note(whyStopped(stop, ended))
  if (unread > 0) {
    const what = describeCount(operation, unread)
    tools.note(`${what} could not be read before the change; the change was sent anyway`)
  }
  for (const note of [...guessNotes(ended), ...ownNotes(ended)]) tools.note(note)
  tellUnknown(tools, state)
  tellWhatIsLeft(tools, ended)
  tellTooMany(tools, summary, run)
}

/** Names the changes that may have been made and are never sent again. */
export function tellUnknown({ note }: Pick<BulkTools, 'note'>, state: RunState): void {
  const { listsUnknown, words, items } = operationOf(state.operation)
  if (listsUnknown !== true) return
  const positions = [...positionsWith(state, 'unknown')]
  if (positions.length === 0) return
  const change = words.verb.toLowerCase()
  const what = pluralize(positions.length, `${change} has`, `${change}s have`)
  note(
    `${what} an unknown outcome and will not be sent again; a lost request can take effect within 11 minutes: check both ${items.kind}s after that`,
  )
  const preposition = columnSlot(state.operation)?.preposition ?? ''
  for (const position of positions.slice(0, mostErrors)) {
    const { id, other = '' } = state.items.at(position)
    note(`unknown: ${id} ${preposition} ${other}`)
  }
  const more = positions.length - mostErrors
  if (more > 0) note(`and ${groupDigits(more)} more: see unknownIds with -o json`)
}

/** The arrays of a summary that are null, and what prints their ids. */
export function tellTooMany(
  { print, note }: Pick<BulkTools, 'print' | 'note'>,
  { tooMany }: Pick<Summary, 'tooMany'>,
  run: string,
): void {
  const isShown = print.format === 'json' || print.format === 'ndjson'
  if (!isShown || tooMany.length === 0) return
  const command = svc`runs export ${run} --outcome ${tooMany.join(',')} -o ids`
  note(
    say`the summary leaves out the ids of outcomes with more than 1,000; to print them:\n  ${command}`,
  )
}

/** The ids with a guessed outcome after a lost answer, and how many were changed at least and at most. */
function guessNotes({ recorded, summary: { totals } }: EndedSession): string[] {
  const { operation } = recorded.state
  const { done } = operationOf(operation).words
  return outcomesOfOperation(operation).flatMap((outcome) => {
    const { guessOf, meaning } = outcomeFacts(outcome)
    const guesses = totals.outcomes[outcome]
    if (guessOf === undefined || !isOutcome(guessOf) || guesses === 0) return []
    const certain = totals.outcomes[guessOf]
    const between = `between ${groupDigits(certain)} and ${groupDigits(certain + guesses)}`
    return [
      `${groupDigits(guesses)} ${outcome}: ${meaning}; ${between} were ${done} by this run`,
    ]
  })
}

function ownNotes({ recorded, summary }: EndedSession): readonly Message[] {
  const { state } = recorded
  const { outcomes } = summary.totals
  const count = (outcome: string): number => (isOutcome(outcome) ? outcomes[outcome] : 0)
  const isSent = [...state.batches.numbers()].some((batch) => state.of(batch).attempts > 0)
  const { notes } = operationOf(state.operation)
  return notes?.({ count, ids: state.items.size, isSent }) ?? []
}

/** Where the outcomes are, and the command to resume. It repeats nothing that a file or stdout already has. */
function tellWhatIsLeft(tools: NoteTools, ended: EndedSession): void {
  const { recorded, summary, isNamed } = ended
  const { run, state } = recorded
  const { document, totals } = summary
  const { left, exitCode, stopReason, resume } = document
  const { format } = tools.print
  // Each id's outcome goes to a file or to stdout.
  const hasReceipts = ended.hasReceipts || format === 'ndjson' || format === 'json'
  // Open outcomes, which a resume sends, come with the command for it.
  const open = outcomesToList(state.operation).filter(
    (outcome) => totals.outcomes[outcome] > 0 && !isOpen(outcome),
  )
  if (open.length > 0 && !hasReceipts) {
    const command = svc`runs export ${run} --outcome ${open.join(',')}`
    tools.note(say`to list the ids with the outcome ${joinOr(open)}:\n  ${command}`)
  } else if (exitCode === exit.done && !hasReceipts && !isNamed) {
    tools.note(`recorded as run ${run}`)
  }
  // A wrong list stays wrong, so the service would refuse it again.
  if (resume === null || stopReason === 'refused') return
  const why =
    left > 0
      ? 'to resume'
      : 'some answers could not be understood; to send those batches again'
  tools.note(say`${why}:\n  ${resume}`)
}

/** The errors of a run that did not finish, or of which something is unknown. */
const causes = ['auth', 'forbidden', 'rejected', 'unavailable'] as const

/** The first errors, each as a warning, and where to find the others. */
function tellErrors({ warn }: NoteTools, { recorded }: EndedSession): void {
  const { run, state } = recorded
  const { rows, total } = errorsOf(state, mostErrors)
  for (const row of rows) warn(describeError(state, row))
  const more = total - rows.length
  if (more === 0) return
  const command = svc`runs export ${run} --outcome error,unknown`
  warn(say`and ${groupDigits(more)} more; all of them:\n  ${command}`)
}

/** With -q there are neither notes nor warnings: one error says why the exit code is what it is. */
function tellCause({ messages }: NoteTools, { recorded, summary }: EndedSession): void {
  const { run, state } = recorded
  const { exitCode, stopReason, resume } = summary.document
  const category = causes.find((each) => exit[each] === exitCode)
  if (category === undefined) return
  const { rows, total } = errorsOf(state, 1)
  const more = total > 1 ? `, and ${groupDigits(total - 1)} more` : ''
  const what = rows.map((row) => `${describeError(state, row)}${more}`)
  const stopped = stopReason === null ? [] : [stopWords[stopReason]]
  const [why = 'the run is not finished', ...lines] = [...stopped, ...what]
  const hint = resume === null ? undefined : [resume]
  messages.error(new SvcError(category, why, { lines, exitCode, run, hint }), undefined)
}

/** Why the session stopped. If everything was done and only a file could not be written, the words say so. */
function whyStopped(stop: StopReason, { recorded, summary }: EndedSession): Message {
  const { document, totals } = summary
  const isFinished = document.left === 0 && totals.outcomes['not-attempted'] === 0
  if (stop !== 'journal' || !isFinished) return stopWords[stop]
  const command = continuing`runs resume ${recorded.run}`
  return say`nothing is left to send; only a file could not be written; to write it again:\n  ${command}`
}

/** `batch 3, 100 ids: unknown after 2 attempts: the service gave no answer (HTTP 502)`. */
function describeError(state: RunState, row: ErrorRow): string {
  const { batch, outcome, message, httpStatus, attempts, count, first } = row
  const which =
    count === 1
      ? describeItem(state, first)
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
function describeItem(state: RunState, position: number): string {
  const { id, other, line } = state.items.at(position)
  const what = describePair(state.operation, id, other)
  return line === 0 ? what : `line ${groupDigits(line)}, ${what}`
}
