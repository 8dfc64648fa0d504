/**
 * Notes and errors of a session beside its summary: which run it works on, why it stopped, what nobody can know yet, and what to type next.
 * A note never repeats a figure of the summary; it says what follows from it. `session.ts` makes one for a session; `svc runs show` and
 * `svc runs check` say the same of a recorded run.
 */
import { continuing, say, svc, type Message } from '../../message.ts'
import { exit, SvcError, type Category } from '../../errors.ts'
import { groupDigits, joinOr, pluralize } from '../../words.ts'
import { describeCount, describePair } from './confirm.ts'
import { operationOf, targetOf, targetParameter } from '../operations/operations.ts'
import type { RunFile } from '../record/run.ts'
import { actorWords, currentActor } from '../record/actor.ts'
import { batchAt, numbers } from '../record/batches.ts'
import {
  isOpen,
  isOutcome,
  outcomeFacts,
  outcomesOfOperation,
  outcomesToList,
} from '../operations/outcome.ts'
import type { StopReason } from '../record/events.ts'
import type { EndedRun } from '../operations/operation.ts'
import { errorsOf, positionsWith, type ErrorRow } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import { commandToResume, type Summary } from '../outcomes/summary.ts'
import { Clock } from '../record/landing.ts'
import type { BulkTools } from '../tools.ts'
import { safe } from '../../safe-text.ts'

/** Words for each reason to stop; the summary has the reason by its name. */
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

type TellerTools = Pick<BulkTools, 'host' | 'print' | 'messages' | 'note' | 'warn'>

/** Says, to the person who started it and in every line of JSON, which run this process works on and how it ended. */
export class Teller {
  readonly #tools: TellerTools
  readonly #clock: Clock

  constructor(tools: TellerTools, clock: Clock = new Clock(tools.host)) {
    this.#tools = tools
    this.#clock = clock
  }

  /** With -q there are neither notes nor warnings. */
  get isQuiet(): boolean {
    return this.#tools.messages.quiet
  }

  note(message: Message): void {
    this.#tools.note(message)
  }

  /** An error that ends the command with its code. */
  error(error: SvcError): void {
    this.#tools.messages.error(error, undefined)
  }

  /** From now on this process works on this run: what every JSON line says. */
  run({ run, once, profile, baseUrl }: RunFile): void {
    const { host, messages } = this.#tools
    messages.during({
      run: run === '' ? null : run,
      name: once?.name ?? null,
      profile,
      host: new URL(baseUrl).host,
      by: actorWords(currentActor(host)),
    })
  }

  /** Notes and errors about an ending, beyond its counts. */
  ending(ended: EndedSession): void {
    const { state, unread, isExplained, summary } = ended
    const { operation } = state
    const stop = summary.stopReason
    if (!isExplained) {
      if (this.isQuiet) this.#cause(ended, stop)
      else this.#errors(ended)
    }
    if (stop !== null) this.note(whyStopped(stop, ended))
    if (unread > 0) {
      const what = describeCount(operation, unread)
      this.note(`${what} could not be read before the change; the change was sent anyway`)
    }
    this.#guesses(state)
    const notes = operationOf(operation).notes?.(endedRun(ended)) ?? []
    for (const note of notes) this.note(note)
    this.unknown(state)
    this.#whatIsLeft(ended)
  }

  /** Names the changes that may have been made and are never sent again by themselves. */
  unknown(state: RunState): void {
    const { listsUnknown, words, items } = operationOf(state.operation)
    if (listsUnknown !== true) return
    const change = words.verb.toLowerCase()
    // One that was opened again is sent once its time is over.
    const positions = [...positionsWith(state, 'unknown')].filter((position) => {
      const batch = batchAt(state.batches, position)
      return state.of(batch).isReopened !== true
    })
    if (positions.length === 0) return
    const moment = this.#clock.moment()
    // A resume may be days later: the time is that of the attempts.
    let wait = 0
    for (const position of positions) {
      const batch = batchAt(state.batches, position)
      wait = Math.max(wait, state.timeToLand(batch, moment))
    }
    const end = new Date(this.#clock.now() + wait).toISOString()
    const when = wait === 0 ? '' : ` after ${end}`
    const what = pluralize(positions.length, `${change} has`, `${change}s have`)
    this.note(
      `${what} an unknown outcome and will not be sent again; check both ${items.kind}s${when}`,
    )
    const preposition = targetParameter(state.operation)?.preposition ?? ''
    for (const position of positions.slice(0, mostErrors)) {
      const other = state.otherOf(position) ?? ''
      this.note(`unknown: ${state.items.id(position)} ${preposition} ${other}`)
    }
    const more = positions.length - mostErrors
    if (more > 0) this.note(`and ${groupDigits(more)} more: see unknownIds with -o json`)
  }

  /** The arrays of a summary that are null, and what prints their ids. */
  tooMany({ tooMany }: Pick<Summary, 'tooMany'>, run: string): void {
    const { format } = this.#tools.print
    const isShown = format === 'json' || format === 'ndjson'
    if (!isShown || tooMany.length === 0) return
    const command = svc`runs export ${run} --outcome ${tooMany.join(',')} -o ids`
    this.note(
      say`the summary has no ids of the outcomes with more than 1,000 of them; to print them:\n  ${command}`,
    )
  }

  /** Exit 7 for a run that left something out until later; a signal comes first. With -q nothing else says why. */
  late<Ending extends Pick<Summary, 'exitCode' | 'document'>>(
    late: SvcError | undefined,
    summary: Ending,
  ): Ending {
    if (late === undefined || summary.exitCode > 128) return summary
    if (this.isQuiet) this.error(late)
    const { exitCode } = late
    const document = { ...summary.document, exitCode }
    return { ...summary, exitCode, document }
  }

  /** Ids whose outcome is concluded after a lost answer, and how many were changed at least and at most. */
  #guesses(state: RunState): void {
    const { outcomes } = state.totals()
    const { done } = operationOf(state.operation).words
    for (const outcome of outcomesOfOperation(state.operation)) {
      const { guessOf, meaning } = outcomeFacts(outcome)
      const guesses = outcomes[outcome]
      if (guessOf === undefined || !isOutcome(guessOf) || guesses === 0) continue
      const certain = outcomes[guessOf]
      const between = `between ${groupDigits(certain)} and ${groupDigits(certain + guesses)}`
      this.note(
        `${groupDigits(guesses)} ${outcome}: ${meaning}; ${between} were ${done} by this run`,
      )
    }
  }

  /** Where the outcomes are, and the command that goes on; nothing that a file or stdout has said already. */
  #whatIsLeft({ run: { run }, state, summary, outputs, recorded }: EndedSession): void {
    const { left, exitCode } = summary
    const { format } = this.#tools.print
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
      const command = svc`runs export ${run} --outcome ${open.join(',')}`
      this.note(say`to list the ids that ended as ${joinOr(open)}:\n  ${command}`)
    } else if (exitCode === exit.done && !hasReceipts && !isNamed) {
      this.note(`recorded as run ${run}`)
    }
    const command = commandToResume(run, left, state)
    // A wrong list stays wrong: the service would refuse the same again.
    if (command === null || summary.stopReason === 'refused') return
    const why =
      left > 0 ? 'to resume' : 'some answers could not be understood; to send those batches again'
    this.note(say`${why}:\n  ${command}`)
  }

  /** With -q no warning and no note says why the exit code is what it is: one error does. */
  #cause({ run: { run }, state, summary }: EndedSession, stop: StopReason | null): void {
    const { left, exitCode } = summary
    const category = causes.get(exitCode)
    if (category === undefined) return
    const { rows, total } = errorsOf(state, 1)
    const more = total > 1 ? `, and ${groupDigits(total - 1)} more` : ''
    const what = rows.map((row) => `${describeError(state, row)}${more}`)
    const stopped = stop === null ? [] : [stopWords[stop]]
    const [why = 'the run is not finished', ...lines] = [...stopped, ...what]
    const command = commandToResume(run, left, state)
    const hint = command === null ? undefined : [command]
    this.error(new SvcError(category, why, { lines, exitCode, run, hint }))
  }

  /** The first rows of trouble, each in a warning of its own, and where the others are. */
  #errors({ run: { run }, state }: EndedSession): void {
    const { rows, total } = errorsOf(state, mostErrors)
    for (const row of rows) this.#tools.warn(describeError(state, row))
    const more = total - rows.length
    if (more === 0) return
    const command = svc`runs export ${run} --outcome error,unknown`
    this.#tools.warn(say`and ${groupDigits(more)} more; all of them:\n  ${command}`)
  }
}

/** The ended run as an operation's own notes are given it. */
function endedRun({ run, state }: EndedSession): EndedRun {
  const { outcomes, counts } = state.totals()
  const target = targetOf(run.operation, run.parameters)
  return {
    count: (outcome) => (isOutcome(outcome) ? outcomes[outcome] : 0),
    sum: (count) => counts[count] ?? 0,
    ids: state.batches.to - state.batches.from,
    isSent() {
      const batches = [...numbers(state.batches.total)]
      return batches.some((batch) => state.of(batch).attempts > 0)
    },
    isolates: state.isolates,
    isolateCalls: state.isolateCalls,
    run: run.run,
    target: target?.name ?? target?.id,
  }
}

/** A file that could not be written when all was done, which stopped nothing, has words of its own. */
function whyStopped(stop: StopReason, { run, state, summary }: EndedSession): Message {
  if (stop !== 'journal' || summary.left > 0 || state.totals().outcomes['not-attempted'] > 0) {
    return stopWords[stop]
  }
  const command = continuing`runs resume ${run.run}`
  return say`nothing is left to send; only a file could not be written; to write it again:\n  ${command}`
}

/** Exit codes of a run that did not come to its end, or of which something is not known. */
const causes = new Map<number, Category>([
  [exit.auth, 'auth'],
  [exit.forbidden, 'forbidden'],
  [exit.rejected, 'rejected'],
  [exit.unavailable, 'unavailable'],
  [exit.limit, 'limit'],
])

/** `batch 3, 100 ids: unknown after 2 attempts: the service gave no answer (HTTP 502)`. */
function describeError(state: RunState, row: ErrorRow): string {
  const { batch, outcome, message, httpStatus, attempts, count, first } = row
  const which =
    count === 1
      ? describeItem(state, first)
      : `batch ${groupDigits(batch)}, ${groupDigits(count)} ids`
  // One answer that says no needs no outcome, and no count.
  const isRefused = outcome === 'error' && httpStatus !== null && attempts === 1
  const tries = attempts === 0 ? '' : ` after ${pluralize(attempts, 'attempt')}`
  const ending = isRefused ? 'refused' : `${outcome}${tries}`
  // Many messages name the status themselves.
  const isStatusSaid = httpStatus === null || message.includes(`HTTP ${httpStatus}`)
  const status = isStatusSaid ? '' : ` (HTTP ${httpStatus})`
  return `${which}: ${ending}: ${safe(message)}${status}`
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
