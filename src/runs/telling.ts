/**
 * The texts of a run for people, besides its results: the question before anything is sent, and the notes on stderr. All of them
 * describe a change in the same words.
 */
import { basename } from 'node:path'
import { assignRules, type BulkOperation } from '../api/operations.ts'
import { describeProfile, describeService, type Profile } from '../config/profile.ts'
import { exitCodes, SvcError, say, svc } from '../errors.ts'
import type { Item } from '../input/items.ts'
import { exactTime, relativeTime } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { firstTexts, groupDigits, joinOr, pluralize } from '../words.ts'
import type { Change, Job } from './jobs/job.ts'
import { keyFingerprint, type Party, type StopReason } from './lines.ts'
import type { ChosenRun } from './list.ts'
import type { BegunLog } from './log.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
import { operationOf } from './operations/operations.ts'
import { isDone, meanings, outcomes } from './outcomes.ts'
import type { ErrorRow, Summary } from './summary.ts'
import type { RunTools } from './tools.ts'

/** Returns `1 contact` or `1,234 tickets`. */
const describeCount = (operation: BulkOperation, count: number) =>
  pluralize(count, operationOf(operation).words.item)

/** Returns `"VIP" (6400…)`, or the id alone. */
const describeParty = ({ id, name }: Party) =>
  name === undefined ? id : `"${safe(name)}" (${id})`

/** Returns `run delete-3fa9c1d20b77.1 ("old.txt", started 2026-03-01 10:15, 3h ago)`. A person recognizes the file and the time. */
function describeRun(tools: RunTools, { run, head }: BegunLog) {
  const file = head.source === undefined ? '' : `"${safe(basename(head.source))}", `
  const age = relativeTime(head.at, tools.host.now())
  return `run ${run} (${file}started ${exactTime(head.at)}, ${age})`
}

/**
 * Returns `Delete 1,234 contacts`, `Assign ticket 6400… to "Ada" (6401…)` or `Give 9 tickets back`. `count` is the number to
 * name: of all items, or of those that are left.
 */
function describeChange(change: Change, count: number) {
  const { operation, target, ifAssignee, undoes, items } = change
  const { verb, item } = operationOf(operation).words
  // A single item is named.
  const single = items.size === 1 && count === 1 ? items.at(0) : undefined
  const what =
    single === undefined ? describeCount(operation, count) : `${item} ${single.id}`
  // The target of the whole job, or that of its single item.
  const other = target === undefined ? single?.other : describeParty(target)
  const preposition = operation === 'contacts.merge' ? 'into' : 'to'
  const to = other === undefined ? '' : ` ${preposition} ${other}`
  if (undoes !== undefined) return `Give ${what} back${to}`
  const condition =
    ifAssignee === undefined ? '' : `, with --if-assignee ${describeParty(ifAssignee)}`
  return `${verb} ${what}${to}${condition}`
}

/** The run that a command resumes, or the finished run of the same job before a new one. At most one of them is set. */
interface EarlierRun {
  resumed?: BegunLog | undefined
  previous?: BegunLog | undefined
}

/**
 * Asks before a change that cannot be undone, and before every change on a protected profile. To confirm several changes that
 * cannot be undone, a person types their number. Throws exit 2 for a no.
 */
export async function confirm(
  tools: RunTools,
  job: Job,
  profile: Profile,
  earlier: EarlierRun = {},
): Promise<void> {
  const { isIrreversible = false } = operationOf(job.operation)
  const { resumed } = earlier
  const count = resumed === undefined ? job.items.size : resumed.queue.dueItems
  const isAsked = isIrreversible || profile.protected
  if (count === 0 || !isAsked) return
  const change = `${describeChange(job, count)}${earlierSuffix(tools, earlier)}`
  const otherKey = resumed === undefined ? '' : otherKeySuffix(resumed, profile)
  const warning = isIrreversible ? ' This cannot be undone.' : ''
  const message = `${change} on ${describeProfile(profile)}${otherKey}?${warning}`
  const expected = isIrreversible && count > 1 ? groupDigits(count) : undefined
  const questions = await tools.questions()
  await questions.confirm({ message, expected, about: whoLine(tools, job) })
}

/** Returns what follows the change in a question: `, the rest of run …`, or ` again, as on 2026-03-01 10:15,`. */
function earlierSuffix(tools: RunTools, { resumed, previous }: EarlierRun) {
  if (resumed !== undefined) return `, the rest of ${describeRun(tools, resumed)}`
  return previous === undefined ? '' : ` again, as on ${exactTime(previous.lastAt)},`
}

/** Returns `, begun with key …ab12` for a run that began with another key; else an empty text. */
const otherKeySuffix = ({ head }: BegunLog, { apiKey }: Profile) =>
  head.key === keyFingerprint(apiKey) ? '' : `, begun with key ${head.keyEnding}`

/** Returns the line beside the question of a single delete or merge: the command that shows who the contact is. */
function whoLine(tools: RunTools, { operation, items }: Job) {
  if (items.size !== 1 || !operation.startsWith('contacts.')) return undefined
  const { id, other } = items.at(0)
  const command =
    other === undefined ? svc`contacts get ${id}` : svc`contacts get ${id} ${other}`
  return `to see who it is: ${tools.messages.textOf(command)}`
}

/** Tells which run is resumed, and how many of its items are left. */
export function tellResumed(tools: RunTools, log: BegunLog) {
  const due = groupDigits(log.queue.dueItems)
  const all = describeCount(log.head.operation, log.items.size)
  tools.note(`resuming ${describeRun(tools, log)}: ${due} of ${all} left`)
}

/** Tells about another run of the same job: `previous` is finished, and `replaces` is not, so this run closes it. */
export function tellBeside({ note }: RunTools, { previous, replaces }: ChosenRun) {
  // A run that an undo or a newer run closed did not end by itself.
  if (previous !== undefined && !previous.isClosed) {
    const words = `a run of the same job ended on ${exactTime(previous.lastAt)}; this is a new run`
    note(say`${words}; to see what that one did:\n  ${svc`runs show ${previous.run}`}`)
  }
  if (replaces !== undefined)
    note(
      `run ${replaces} of the same job is not finished; this is a new run, which closes it`,
    )
}

/** Tells that a run is finished. Its result is printed again. */
export function tellFinished({ note }: RunTools, { run, lastAt }: BegunLog) {
  note(`run ${run} ended on ${exactTime(lastAt)}; nothing was sent`)
}

const stopWords: Readonly<Record<StopReason, string>> = {
  failures:
    'stopped: three requests in a row failed, or one failed in a way that would repeat itself',
  'not-allowed': 'stopped: the service does not allow this',
  wait: 'stopped: the service asks for a longer wait than --wait leaves',
  record: 'stopped: the record of the run cannot be written',
  signal: 'interrupted',
}

/** Notes show at most this many errors. The receipts have all of them. */
const maxShown = 20

/** Tells how a run ended, and what to do next. With `isExplained`, its errors were already printed. */
export function tellEnding(
  tools: RunTools,
  log: BegunLog,
  summary: Summary,
  { isExplained }: { isExplained: boolean },
) {
  const { operation } = log.head
  const { errors, stopReason, status } = summary
  if (!isExplained) tellErrors(tools, operation, summary)
  // A 400 does not say which of its rules the service applied.
  if (operation === 'tickets.assign' && errors.some(({ httpStatus }) => httpStatus === 400))
    tools.note(assignRules)
  const { head, items } = log
  const change = lowerFirst(describeChange({ ...head, items }, items.size))
  tools.note(`run ${log.run}: ${change} on ${describeService(head)}`)
  if (status === 'interrupted') tools.note(stopWords.signal)
  // A signal is told by the status, and `stopReason` is then null.
  if (stopReason !== null) tools.note(stopWords[stopReason])
  tellGone(tools, summary)
  tellAdded(tools, log, summary)
  tellMergesInDoubt(tools, log)
  tellNextCommands(tools, log, summary)
}

/** Tells how many contacts this run deleted, at least and at most, if some were absent after a lost answer. */
function tellGone({ note }: RunTools, { outcomes: { done = 0, gone } }: Summary) {
  if (gone === undefined) return
  const between = `between ${groupDigits(done)} and ${groupDigits(done + gone)}`
  note(`gone: ${meanings.gone}; ${between} were deleted by this run`)
}

/** Tells the commands that list the ids which are not done, and that resume the run. */
function tellNextCommands({ note }: RunTools, log: BegunLog, summary: Summary) {
  const { run, head, items } = log
  const unsettled = outcomes.filter((outcome) => {
    const isThere = summary.outcomes[outcome] !== undefined
    return isThere && !isDone(outcome, head.accept) && outcome !== 'not-attempted'
  })
  // A single id was told already.
  if (unsettled.length > 0 && items.size > 1) {
    const command = svc`runs export ${run} --outcome ${unsettled.join(',')}`
    note(say`to list the ids with the outcome ${joinOr(unsettled)}:\n  ${command}`)
  }
  if (summary.resume !== null) note(say`to resume:\n  ${summary.resume}`)
}

const lowerFirst = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** Tells the errors. If the command failed, the first is printed as an error, so that `--quiet` shows it too. */
function tellErrors(
  { messages, warn }: RunTools,
  operation: BulkOperation,
  { errors, exitCode }: Summary,
) {
  const hasFailed = exitCode !== exitCodes.done && exitCode !== exitCodes.incomplete
  for (const [index, row] of errors.slice(0, maxShown).entries()) {
    const text = describeError(operation, row)
    if (hasFailed && index === 0) messages.error(new SvcError('rejected', text))
    else warn(text)
  }
}

/** Returns `3 contacts unknown: the connection was reset` or `1 ticket refused: the ticket is not active (HTTP 400)`. */
function describeError(
  operation: BulkOperation,
  { outcome, httpStatus, message, count }: ErrorRow,
) {
  const isStatusAdded = httpStatus !== null && !message.includes(String(httpStatus))
  const status = isStatusAdded ? ` (HTTP ${httpStatus})` : ''
  const what = outcome === 'error' ? 'refused' : outcome
  return `${describeCount(operation, count)} ${what}: ${safe(message)}${status}`
}

/** Tells how many contacts an add has added, unless all were: `212 of 280 were added, the others were there already`. */
function tellAdded(
  { note }: RunTools,
  { queue }: BegunLog,
  { added, outcomes: { done = 0 } }: Summary,
) {
  if (added === null) return
  const counts = `${groupDigits(added)} of ${groupDigits(done)} were added`
  // An answer that only some contacts of a request exist has split the request into halves. Until both are answered, `added` has
  // contacts that are not `done`, so the two numbers do not compare.
  const hasOpenHalf = queue.requests.some((each) => each.isHalf && !isAnswered(each))
  if (hasOpenHalf) return note(`the answers count ${groupDigits(added)} as added`)
  if (added >= done) return
  const hasDoubt = queue.requests.some(isInDoubt)
  if (!hasDoubt) return note(`${counts}, the others were there already`)
  // A lost answer may have counted more. "At least 0" would say nothing.
  if (added > 0) note(`at least ${counts}`)
}

/** Tells about merges whose answer was lost. */
function tellMergesInDoubt({ note }: RunTools, { head, queue, items }: BegunLog) {
  if (head.operation !== 'contacts.merge') return
  const doubtful = queue.requests.filter(
    (request) => queue.outcomesOf(request)[0] === 'unknown',
  )
  if (doubtful.length === 0) return
  note(
    'a lost request can take effect within 11 minutes: look at both contacts after that; svc does not send these merges again without --new-run',
  )
  const pairs = doubtful.map(({ range }) => items.at(range[0]))
  const texts = pairs.map(({ id, other = '' }) => `unknown: ${id} into ${other}`)
  for (const text of firstTexts(texts)) note(text)
}

/** Tells what a dry run would send, with the first five items and the last. */
export function tellDryRun(tools: RunTools, job: Job, profile: Profile | undefined) {
  const { items, operation } = job
  const { maxPerRequest } = operationOf(operation)
  const requests = pluralize(Math.ceil(items.size / maxPerRequest), 'request')
  const change = lowerFirst(describeChange(job, items.size))
  const on = profile === undefined ? '' : ` on ${describeProfile(profile)}`
  tools.note(`dry run: ${change}${on}, in ${requests}; nothing is sent or written`)
  if (items.size < 2) return
  const lastIndex = items.size - 1
  const count = Math.min(5, lastIndex)
  const texts = Array.from({ length: count }, (_, index) => describeItem(items.at(index)))
  if (lastIndex > count) texts.push(`… ${groupDigits(lastIndex - count)} more`)
  texts.push(describeItem(items.at(lastIndex)))
  tools.note(`the first and the last:\n  ${texts.join('\n  ')}`)
}

/** Returns `6400… 6401…  line 12`. An argument has no line. */
function describeItem({ id, other, line }: Item) {
  const ids = other === undefined ? id : `${id} ${other}`
  return line === 0 ? ids : `${ids}  line ${groupDigits(line)}`
}

/** Tells which run the command would resume without --dry-run, or whose result it would print again. */
export function tellForeseen(tools: RunTools, log: BegunLog) {
  const { operation } = log.head
  const due = describeCount(operation, log.queue.dueItems)
  const what = log.isFinished
    ? 'is finished: nothing would be sent'
    : `would be resumed, with ${due} left`
  tools.note(`${describeRun(tools, log)} is the same job and ${what}`)
}

/** Tells which tickets an undo leaves out. */
export function tellLeftOut({ note }: RunTools, ids: readonly string[]) {
  if (ids.length === 0) return
  const what = pluralize(ids.length, 'ticket is', 'tickets are')
  note(
    `${what} left out, because an answer was lost: look at each of them:\n  ${firstTexts(ids).join('\n  ')}`,
  )
}
