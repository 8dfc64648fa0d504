/**
 * What a run tells people besides its results: the question before anything is sent, and the notes on stderr. The question,
 * the dry run and the notes name a change in the same words.
 */
import { basename } from 'node:path'
import { assignRules, type BulkOperation } from '../api/operations.ts'
import { onProfile, onService, type Profile } from '../config/profile.ts'
import { exitCodes, SvcError, say, svc } from '../errors.ts'
import type { Item } from '../input/items.ts'
import { exactTime, relativeTime } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { firstOf, groupDigits, joinOr, pluralize } from '../words.ts'
import type { Job } from './jobs/job.ts'
import { keyFingerprint, type Party, type StopReason } from './lines.ts'
import type { ChosenRun } from './list.ts'
import type { BegunLog } from './log.ts'
import { isAnswered, isInDoubt } from './operations/operation.ts'
import { operationOf } from './operations/operations.ts'
import { isDone, meanings, outcomes } from './outcomes.ts'
import type { ErrorRow, Summary } from './summary.ts'
import type { RunTools } from './tools.ts'

/** `1 contact` or `1,234 tickets`. */
const describeCount = (operation: BulkOperation, count: number) =>
  pluralize(count, operationOf(operation).words.item)

/** `"VIP" (6400…)`, or the id alone. */
const partyWords = ({ id, name }: Party) =>
  name === undefined ? id : `"${safe(name)}" (${id})`

/** `run delete-3fa9c1d20b77.1 ("old.txt", started 2026-03-01 10:15, 3h ago)`: a run as a person recognizes it. */
function describeRun(tools: RunTools, { run, head }: BegunLog) {
  const file = head.source === undefined ? '' : `"${safe(basename(head.source))}", `
  const age = relativeTime(head.at, tools.host.now())
  return `run ${run} (${file}started ${exactTime(head.at)}, ${age})`
}

type Change = Pick<Job, 'operation' | 'target' | 'ifAssignee' | 'undoes' | 'items'>

/** A change in words: `Delete 1,234 contacts`, `Assign ticket 6400… to "Ada" (6401…)`, `Give 9 tickets back`. `count`: how many of its items are left. */
function changeWords(
  { operation, target, ifAssignee, undoes, items }: Change,
  count = items.size,
) {
  const { verb, item, preposition } = operationOf(operation).words
  const only = count === 1 && items.size === 1 ? items.at(0) : undefined
  const what = only === undefined ? describeCount(operation, count) : `${item} ${only.id}`
  const other = only?.other
  if (undoes !== undefined)
    return `Give ${what} back${other === undefined ? '' : ` to ${other}`}`
  const second = target === undefined ? other : partyWords(target)
  const to = second === undefined ? '' : ` ${preposition} ${second}`
  const condition =
    ifAssignee === undefined ? '' : `, with --if-assignee ${partyWords(ifAssignee)}`
  return `${verb} ${what}${to}${condition}`
}

/** The run that a command resumes, or the finished run of the same job before it. There is one of them at most. */
interface EarlierRuns {
  resumed?: BegunLog | undefined
  previous?: BegunLog | undefined
}

/**
 * Asks before anything that cannot be undone, before every change on a protected profile, and about what was chosen at the
 * terminal. Several changes that cannot be undone are answered with their number. Throws exit 2 for a no.
 */
export async function confirm(
  tools: RunTools,
  job: Job,
  profile: Profile,
  earlier: EarlierRuns = {},
): Promise<void> {
  const { isFinal = false } = operationOf(job.operation)
  const { resumed } = earlier
  const count = resumed === undefined ? job.items.size : resumed.queue.dueItems
  if (count === 0 || (!isFinal && !profile.protected && job.isChosen !== true)) return
  const change = `${changeWords(job, count)}${earlierWords(tools, earlier)}`
  const otherKey = resumed === undefined ? '' : otherKeyWords(resumed, profile)
  const warning = isFinal ? ' This cannot be undone.' : ''
  const message = `${change}${onProfile(profile)}${otherKey}?${warning}`
  const expected = isFinal && count > 1 ? groupDigits(count) : undefined
  const questions = await tools.questions()
  await questions.confirm({ message, expected, about: whoLine(tools, job) })
}

/** The part of a question about an earlier run: `Delete 9 contacts, the rest of run …`, `Delete 9 contacts again, as on 2026-03-01 10:15, on "prod"`. */
function earlierWords(tools: RunTools, { resumed, previous }: EarlierRuns) {
  if (resumed !== undefined) return `, the rest of ${describeRun(tools, resumed)}`
  return previous === undefined ? '' : ` again, as on ${exactTime(previous.lastAt)},`
}

/** The part of a question about a run that began with another key. */
const otherKeyWords = ({ head }: BegunLog, { apiKey }: Profile) =>
  head.key === keyFingerprint(apiKey) ? '' : `, begun with key ${head.keyEnding}`

/** The line that shows who a single merge or delete is about. */
function whoLine(tools: RunTools, { operation, items }: Job) {
  if (items.size !== 1 || !operation.startsWith('contacts.')) return undefined
  const { id, other } = items.at(0)
  const command =
    other === undefined
      ? svc`contacts delete ${id} --dry-run --who`
      : svc`contacts merge ${id} --into ${other} --dry-run --who`
  return `to see who it is: ${tools.messages.textOf(command)}`
}

/** A note about the run that is resumed: since when, and how many are left. */
export function tellResumed(tools: RunTools, log: BegunLog) {
  const due = groupDigits(log.queue.dueItems)
  const all = describeCount(log.head.operation, log.items.size)
  tools.note(`resuming ${describeRun(tools, log)}: ${due} of ${all} left`)
}

/** Notes about the run of the same job beside which a new one begins. */
export function tellBeside({ note }: RunTools, { previous, replaces }: ChosenRun) {
  if (previous !== undefined && !previous.isClosed) {
    const words = `a run of the same job ended on ${exactTime(previous.lastAt)}; this is a new run`
    note(say`${words}; to see what that one did:\n  ${svc`runs show ${previous.run}`}`)
  }
  if (replaces !== undefined)
    note(
      `run ${replaces} of the same job is not finished; this is a new run, which closes it`,
    )
}

/** A note about a finished run, whose result is printed again. */
export function tellFinished({ note }: RunTools, { run, lastAt }: BegunLog) {
  note(`run ${run} ended on ${exactTime(lastAt)}; nothing was sent`)
}

/** Words for each reason to stop. */
const stopWords: Readonly<Record<StopReason, string>> = {
  failures: 'stopped: three requests in a row failed, or one that would fail again',
  'not-allowed': 'stopped: the service does not allow this',
  wait: 'stopped: the service asks for a longer wait than --wait leaves',
  record: 'stopped: the record of the run cannot be written',
  signal: 'interrupted',
}

/** The most errors that notes show. The receipts have all of them. */
const maxShown = 20

/** Says how a run ended, and what to do next. `isExplained`: its errors were told already. */
export function tellEnding(
  tools: RunTools,
  log: BegunLog,
  summary: Summary,
  { isExplained }: { isExplained: boolean },
) {
  const { operation } = log.head
  const { errors, stopReason, status } = summary
  if (!isExplained) tellErrors(tools, operation, summary)
  // The service refuses an assign with 400 for each of its rules alike.
  if (operation === 'tickets.assign' && errors.some(({ httpStatus }) => httpStatus === 400))
    tools.note(assignRules)
  const change = lowerFirst(changeWords({ ...log.head, items: log.items }))
  tools.note(`run ${log.run}: ${change}${onService(log.head)}`)
  if (status === 'interrupted') tools.note(stopWords.signal)
  if (stopReason !== null) tools.note(stopWords[stopReason])
  tellGone(tools, summary)
  tellAdded(tools, log, summary)
  tellMergesInDoubt(tools, log)
  tellWhatIsLeft(tools, log, summary)
}

/** How many contacts this run deleted at least and at most, if some were absent after a lost answer. */
function tellGone({ note }: RunTools, { outcomes: { done = 0, gone } }: Summary) {
  if (gone === undefined) return
  const between = `between ${groupDigits(done)} and ${groupDigits(done + gone)}`
  note(`gone: ${meanings.gone}; ${between} were deleted by this run`)
}

/** The commands that list the ids which are not done, and that resume the run. */
function tellWhatIsLeft({ note }: RunTools, { run, head }: BegunLog, summary: Summary) {
  const toList = outcomes.filter((outcome) => {
    const isThere = summary.outcomes[outcome] !== undefined
    return isThere && !isDone(outcome, head.accept) && outcome !== 'not-attempted'
  })
  if (toList.length > 0) {
    const command = svc`runs export ${run} --outcome ${toList.join(',')}`
    note(say`to list the ids with the outcome ${joinOr(toList)}:\n  ${command}`)
  }
  if (summary.resume !== null) note(say`to resume:\n  ${summary.resume}`)
}

const lowerFirst = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** If the command failed, the first is printed as an error, so that `--quiet` shows it too. */
function tellErrors(
  { messages, warn }: RunTools,
  operation: BulkOperation,
  { errors, exitCode }: Summary,
) {
  for (const [at, row] of errors.slice(0, maxShown).entries()) {
    const words = errorWords(operation, row)
    if (at > 0 || exitCode === exitCodes.done || exitCode === exitCodes.incomplete)
      warn(words)
    else messages.error(new SvcError('rejected', words))
  }
}

/** `3 contacts unknown: the connection was reset`, `1 ticket refused: the ticket is not active (HTTP 400)`. */
function errorWords(
  operation: BulkOperation,
  { outcome, httpStatus, message, count }: ErrorRow,
) {
  const isSaid = httpStatus === null || message.includes(String(httpStatus))
  const status = isSaid ? '' : ` (HTTP ${httpStatus})`
  const what = outcome === 'error' ? 'refused' : outcome
  return `${describeCount(operation, count)} ${what}: ${safe(message)}${status}`
}

/** How many contacts an add has added, if that are not all of those on the list: `212 of 280 were added, the others were there already`. */
function tellAdded(
  { note }: RunTools,
  { queue }: BegunLog,
  { added, outcomes: { done = 0 } }: Summary,
) {
  if (added === null) return
  const counts = `${groupDigits(added)} of ${groupDigits(done)} were added`
  const hasOpenHalf = queue.requests.some((each) => each.isHalf && !isAnswered(each))
  // The answer to the whole counted contacts whose outcome is unknown now.
  if (hasOpenHalf) note(`the answers count ${groupDigits(added)} as added`)
  else if (added >= done) return
  else if (!queue.requests.some(isInDoubt)) note(`${counts}, the others were there already`)
  // A lost answer may have counted more. "At least 0" says nothing.
  else if (added > 0) note(`at least ${counts}`)
}

/** Notes about merges whose answer was lost. */
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
  for (const text of firstOf(
    pairs.map(({ id, other = '' }) => `unknown: ${id} into ${other}`),
  ))
    note(text)
}

/** A dry run in words: what would be sent, with the first five items and the last. */
export function tellDryRun(tools: RunTools, job: Job, profile: Profile | undefined) {
  const { items, operation } = job
  const { most } = operationOf(operation)
  const requests = pluralize(Math.ceil(items.size / most), 'request')
  const change = lowerFirst(changeWords(job))
  const on = profile === undefined ? '' : onProfile(profile)
  tools.note(`dry run: ${change}${on}, in ${requests}; nothing is sent or written`)
  if (items.size < 2) return
  const last = items.size - 1
  const first = Array.from({ length: Math.min(5, last) }, (_, position) => position)
  const more = last > first.length ? [`… ${groupDigits(last - first.length)} more`] : []
  const texts = [...first.map((at) => itemWords(items.at(at))), ...more]
  const lines = [...texts, itemWords(items.at(last))].map((text) => `\n  ${text}`)
  tools.note(`the first and the last:${lines.join('')}`)
}

/** `6400… 6401…  line 12`. An argument has no line. */
function itemWords({ id, other, line }: Item) {
  const ids = other === undefined ? id : `${id} ${other}`
  return line === 0 ? ids : `${ids}  line ${groupDigits(line)}`
}

/** A note of a dry run: the run that the command would resume, or whose result it would print again. */
export function tellForeseen(tools: RunTools, log: BegunLog) {
  const { operation } = log.head
  const due = describeCount(operation, log.queue.dueItems)
  const what = log.isFinished
    ? 'is finished: nothing would be sent'
    : `would be resumed, with ${due} left`
  tools.note(`${describeRun(tools, log)} is the same job and ${what}`)
}

/** A note about the tickets that an undo leaves out. */
export function tellLeftOut({ note }: RunTools, doubtful: readonly string[]) {
  if (doubtful.length === 0) return
  const what = pluralize(doubtful.length, 'ticket is', 'tickets are')
  const named = firstOf(doubtful).map((text) => `\n  ${text}`)
  note(
    `${what} left out, because an answer was lost: look at each of them:${named.join('')}`,
  )
}
