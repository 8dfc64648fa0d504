/** The notes and errors of a run on stderr: how it begins, how it ended, and what can follow. */
import { describeProfile, type Profile } from '../config/profile.ts'
import { exitCodes, SvcError } from '../errors.ts'
import type { Item } from '../input/items.ts'
import { dateToMinute } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { groupDigits, joinOr, pluralize, shellWord } from '../words.ts'
import { belongsTo, keyFingerprint, type ListedRuns } from './find.ts'
import type { Job, Operation, RunTools } from './job.ts'
import type { StopReason } from './lines.ts'
import { isDone, outcomes, type Outcome } from './outcomes.ts'
import { describeChange, describeRun, type Change } from './question.ts'
import { withStatus } from './receipts.ts'
import type { RunRecord } from './record.ts'
import type { State } from './state.ts'
import { stopOf, type ShownRun, type Ending, type Summary } from './summary.ts'

const lowerFirst = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** The lines that go on with a run, and that close it. */
export const waysOn = (run: string) => `svc runs resume ${run}\n  svc runs close ${run}`

/** Tells which run the command works on, so that its name is known after a kill. */
export function tellBeginning(
  { note }: RunTools,
  change: Change,
  { run, state }: RunRecord,
) {
  const { due, items, head, opened } = state
  // The part of a command that goes on follows another one.
  const isGoingOn = opened?.after !== undefined
  if (!isGoingOn)
    return note(`run ${run}: ${lowerFirst(describeChange(change, items.size))}`)
  const left = due === 0 ? 'nothing' : `${groupDigits(due)} of ${groupDigits(items.size)}`
  note(`${describeRun(run, head)}: ${left} left`)
}

/** Tells that the key is not the one that a run began with. */
export function tellNewKey({ note }: RunTools, { state }: RunRecord, { apiKey }: Profile) {
  const { key, keyEnding } = state.head
  if (key !== keyFingerprint(apiKey)) note(`this run began with another key, ${keyEnding}`)
}

/** Tells about runs that cannot be read, before a change that svc does not repeat while another run has the same ids open. */
export function tellUnreadable({ note }: RunTools, { unreadable }: ListedRuns) {
  for (const { run, state } of unreadable)
    note(`${state.damage ?? ''}, so svc does not know which ids run ${run} has open`)
}

/** Tells about runs of a profile that are not finished, and at which nobody is working. `own` is the run of this command. */
export function tellUnfinished(
  { note }: Pick<RunTools, 'note'>,
  { runs }: ListedRuns,
  profile: Profile,
  own?: string,
) {
  const unfinished = runs.filter(
    ({ run, state, isHeld }) =>
      state.due > 0 && !isHeld && run !== own && belongsTo(state.head, profile),
  )
  const [first] = unfinished
  if (first === undefined) return
  const { run, state } = first
  if (unfinished.length > 1)
    note(
      `${pluralize(unfinished.length, 'run')} are not finished; see them with:\n  svc runs list --unfinished`,
    )
  else
    note(
      `${describeRun(run, state.head)} is not finished: ${pluralize(state.due, 'id')} left; to go on with it, or to close it:\n  ${waysOn(run)}`,
    )
}

/** Tells that nothing is due in a run, and that its result is printed again. */
export function tellFinished({ note }: RunTools, record: RunRecord) {
  const { run, state } = record
  const ended = `run ${run} ended on ${dateToMinute(state.lastAt)}`
  note(`${state.isClosed ? closedText(record) : ended}; nothing was sent now`)
}

/** Tells that a run was closed, and how much of it was never sent. */
export function tellClosed({ note }: RunTools, record: RunRecord) {
  note(closedText(record))
}

function closedText({ run, state }: RunRecord) {
  const unsent = state.counts['not-attempted'] ?? 0
  const rest = unsent === 0 ? '' : `: ${groupDigits(unsent)} were never sent`
  return `run ${run} was closed on ${dateToMinute(state.lastAt)}${rest}`
}

const stopWords: Readonly<Record<StopReason, string>> = {
  failures:
    'stopped: three requests in a row failed, or one failed in a way that all others would',
  'not-allowed': 'stopped: the service does not allow this',
  wait: 'stopped: the service asks for a longer wait than --wait leaves',
  record: 'stopped: the record of the run cannot be written',
  signal: 'interrupted',
}

/** Messages show at most this many kinds of errors. The receipts have all of them. */
const maxShown = 20

/** Tells how a run ended, and what to do next. Without an `ending`, it ended before this command. */
export function tellEnding(
  tools: RunTools,
  { operation, record, summary }: ShownRun,
  ending?: Ending,
) {
  const { note, messages } = tools
  const { state } = record
  const { due, exitCode } = summary
  const thrown = [...new Set(ending?.errors)].filter((each) => each !== undefined)
  for (const error of thrown) messages.error(error.with({ exitCode }))
  if (thrown.length === 0 && ending !== undefined) tellErrors(tools, operation, summary)
  const stop = stopOf(state, ending)
  if (stop !== undefined && due > 0) note(stopWords[stop])
  if (ending?.signal !== undefined && due === 0)
    note('interrupted, but nothing was left to be sent')
  for (const text of operation.remarks?.(summary, state) ?? []) note(text)
  tellNotDone(tools, record, summary)
  if (!record.isGone) tellWaysOn(tools, record)
}

/** Tells the commands that can follow: for the receipts, an undo, or the rest. */
function tellWaysOn(tools: RunTools, record: RunRecord) {
  const { run, state } = record
  tellReceipts(tools, record)
  if (state.due > 0) tools.note(`to go on, or to close the run:\n  ${waysOn(run)}`)
  else if (canBeUndone(state))
    tools.note(`to give the tickets back:\n  svc runs undo ${run}`)
}

/** Whether an answer confirmed the change of a ticket, which can then be given back. To undo an undo is not proposed. */
function canBeUndone(state: State) {
  const { head, items } = state
  const isConfirmed = (_: string, index: number) =>
    state.resultOf(index)?.assigneeAfter !== undefined
  return head.undoes === undefined && items.ids.some(isConfirmed)
}

/** Tells how to get the receipts that the run was to write, and that are not written. */
function tellReceipts({ note }: RunTools, { run, state }: RunRecord) {
  const { receipts, source } = state.head
  if (receipts === undefined || state.receiptsFiles.size > 0) return
  if (state.due > 0) return note(`the receipts wait until nothing is due anymore`)
  // NDJSON keeps no columns.
  const keepsColumns = source?.isTable === true && !/\.ndjson$/i.test(receipts)
  const input = keepsColumns ? source.path : undefined
  const line =
    input === undefined
      ? `svc runs export ${run} --out ${shellWord(receipts)}`
      : `svc runs export ${run} --file ${shellWord(input)} --out ${shellWord(receipts)}`
  note(`the receipts are not written; to write them to a new file:\n  ${line}`)
}

const failureWords: Partial<Record<Outcome, string>> = {
  error: 'refused',
  'not-attempted': 'not sent',
}

/** Tells the errors. If the command failed, the first is printed as an error, so that `--quiet` shows it too. */
function tellErrors(
  { messages, warn }: RunTools,
  { words }: Operation,
  { errors, exitCode }: Summary,
) {
  const hasFailed = exitCode !== exitCodes.done && exitCode !== exitCodes.incomplete
  for (const [index, { outcome, httpStatus, message, count }] of errors
    .slice(0, maxShown)
    .entries()) {
    const what = failureWords[outcome] ?? outcome
    const reason = safe(withStatus(message, httpStatus))
    const text = `${pluralize(count, words.item)} ${what}: ${reason}`
    // The category is not shown.
    if (hasFailed && index === 0) messages.error(new SvcError('rejected', text))
    else warn(text)
  }
  if (errors.length > maxShown)
    warn(`${groupDigits(errors.length - maxShown)} more kinds of errors`)
}

/** Tells the command that lists the ids which were sent and are not done. */
function tellNotDone(
  { note }: RunTools,
  { run, state }: RunRecord,
  { outcomes: counts }: Summary,
) {
  const notDone = outcomes.filter(
    (outcome) =>
      counts[outcome] !== undefined &&
      outcome !== 'not-attempted' &&
      !isDone(outcome, state.head.accept),
  )
  if (notDone.length > 0 && state.items.size > 1)
    note(
      `to list the ids with the outcome ${joinOr(notDone)}:\n  svc runs export ${run} --outcome ${notDone.join(',')}`,
    )
}

/** Tells what a dry run would send: `count` items, with the first five and the last of a run that begins. */
export function tellDryRun(
  { note }: RunTools,
  job: Job,
  profile: Profile,
  { count, requests }: { count: number; requests: number },
) {
  const { items } = job
  const change = `${lowerFirst(describeChange(job, count))} on ${describeProfile(profile)}`
  note(
    `dry run: ${change}, in ${pluralize(requests, 'request')}; no change is sent or recorded`,
  )
  if (items.size < 2 || count < items.size) return
  const last = items.size - 1
  const texts = Array.from({ length: Math.min(5, last) }, (_, index) =>
    describeItem(items.at(index)),
  )
  if (last > 5) texts.push(`… ${groupDigits(last - 5)} more`)
  texts.push(describeItem(items.at(last)))
  note(`${last > 5 ? 'the first and the last' : 'all of them'}:\n  ${texts.join('\n  ')}`)
}

/** Returns `6400… 6401…  line 12`. An argument has no line. */
function describeItem({ id, target, line }: Item) {
  const ids = target === undefined ? id : `${id} ${target}`
  return line === 0 ? ids : `${ids}  line ${groupDigits(line)}`
}
