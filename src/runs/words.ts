/**
 * All that svc says about a run: its summary, notes, receipts and next steps, and why a command
 * leaves it alone. What only one operation says is on its page.
 */
import { basename } from 'node:path'
import { arrivalTime } from '../api/limits.ts'
import {
  categoryOf,
  stepsOf,
  SvcError,
  usageError,
  type Hint,
  type Step,
} from '../errors.ts'
import { noReason } from '../http/attempt.ts'
import type { Item } from '../input/items.ts'
import { safe } from '../safe-text.ts'
import {
  dateToMinute,
  firstTexts,
  groupDigits,
  joinPresent,
  pluralize,
  shellWord,
} from '../wording.ts'
import {
  hasSent,
  isDone,
  isDue,
  isOpen,
  outcomes,
  type Batch,
  type BulkOperation,
  type Job,
  type Outcome,
  type OutcomeCounts,
  type Run,
  type RunWithBatches,
} from './model.ts'
import { exitCodeOf } from './record.ts'

/** The meaning of each outcome but `done`, whose meaning depends on the operation. */
export const meanings: Readonly<Record<Exclude<Outcome, 'done'>, string>> = {
  'not-found': 'there is no such contact',
  blocked: 'not deleted, because it has chats',
  kept: 'someone else or nobody has it, so svc left it',
  refused: 'the service refused this request',
  'no-answer': 'no answer says whether it was done',
  'not-sent': 'not sent, or the service took no requests',
}

/** What an outcome does not say if an earlier request for the id was lost. */
const lostReason = 'an earlier request got no answer, and may have been carried out'

/** When no id of a run is a contact. */
const wrongKind =
  'none of these ids is a contact: they were deleted, or are ids of lists, tickets, or list ' +
  "memberships, which look the same (a member's contact is contact.id in JSON)"

/** Whether an answer after a lost one leaves open what the lost request did. */
const isUnsure = (outcome: Outcome, { lost }: Batch) =>
  lost && ['not-found', 'kept', 'refused'].includes(outcome)

const withLost = (outcome: Outcome, batch: Batch, reason: string) =>
  joinPresent([reason, isUnsure(outcome, batch) && lostReason], '; ')

/** Whether an input has ids of another kind: every request was answered, and found no contact. */
const hasWrongKind = ({ counts, job, batches }: RunWithBatches) =>
  job.input.unique > 1 &&
  counts['not-found'] === job.input.unique &&
  batches.every(({ lost }) => !lost)

/** Adds the HTTP status to a message. */
const withStatus = (message: string, status: number | null = null) =>
  status === null ? message : `${message} (HTTP ${status})`

/** The summary of a bulk command: the same members for every ending, and for a dry run. */
export type Summary = ReturnType<typeof summaryOf> & { dryRun?: true }

/** A job that did not begin, such as that of a dry run. */
export const unrecorded = (job: Job) => ({
  job,
  id: null,
  name: '',
  begun: null,
  ended: null,
  status: null,
  stop: null,
  message: null,
  counts: {} as OutcomeCounts,
  batches: [],
  due: 0,
  exitCode: exitCodeOf({ job, counts: {}, due: 0, stop: null }),
})

export function summaryOf(run: RunWithBatches | ReturnType<typeof unrecorded>) {
  const { job, due, status, begun, ended } = run
  return {
    schema: 'svc.bulk/7',
    run: run.id,
    once: job.once ?? null,
    operation: job.operation,
    target: targetText(job),
    profile: job.profile,
    /** The absolute path of the input, if it was a file. */
    source: job.source ?? null,
    begunAt: begun === null ? null : new Date(begun).toISOString(),
    endedAt: ended === null ? null : new Date(ended).toISOString(),
    status,
    /** Why it ended before every id was sent, and what the error said. */
    stop: run.stop,
    message: run.message,
    input: job.input,
    outcomes: run.counts,
    errors: errorsOf(run),
    due,
    /** The command that resumes it, without `svc`. */
    resume: due > 0 && status !== 'working' ? `runs resume ${run.name}` : null,
    exitCode: run.exitCode,
  }
}

/** Returns the target of a job in words: `VIP (6401…)`. */
export function targetText({ target }: Job) {
  const { id, name } = target ?? {}
  return name === undefined ? (id ?? null) : `${name} (${id})`
}

/** Why some ids are open, refused, or unsure. */
interface Failed {
  outcome: Outcome
  httpStatus: number | null
  code: number | null
  message: string
  count: number
}

/** Returns up to 100 reasons why ids are open, refused, or unsure, each with its count. */
function errorsOf({
  batches,
  status: ofRun,
}: {
  batches: readonly Batch[]
  status: Run['status'] | null
}) {
  const found = new Map<string, Failed>()
  const noAnswer = ofRun === 'working' ? 'no answer yet' : 'no answer is recorded'
  for (const batch of batches) {
    const { outcomes: all, at, status = null, code = null, message } = batch
    if (at === null) continue
    const noMessage = status === null ? noAnswer : noReason
    for (const outcome of all) {
      if (outcome !== 'refused' && !isOpen(outcome) && !isUnsure(outcome, batch)) continue
      const reason = isOpen(outcome) ? noMessage : meaningOf(outcome)
      const words = withLost(outcome, batch, message ?? reason)
      const row = { outcome, httpStatus: status, code, message: words }
      const key = JSON.stringify(row)
      found.set(key, { ...row, count: (found.get(key)?.count ?? 0) + 1 })
    }
  }
  return [...found.values()].slice(0, 100)
}

const meaningOf = (outcome: Outcome) => (outcome === 'done' ? '' : meanings[outcome])

/** Returns the notes after a summary: what the counts do not say, what failed, and what to do. */
export function notesOf(
  operation: BulkOperation,
  run: RunWithBatches,
): (Hint | SvcError)[] {
  // Requests in flight have no end yet.
  if (run.status === 'working') return []
  return [
    ...(run.job.input.unique === 0
      ? ['there was nothing to do, because no ids were read']
      : []),
    ...(hasWrongKind(run) ? [wrongKind] : []),
    ...(operation.notes?.(run) ?? []),
    ...failureNotes(run),
  ]
}

/**
 * Returns notes on what failed, with the next steps. They are errors if the command failed, and not
 * only some of its ids. A program reads one error, which has the last status and the steps.
 */
function failureNotes(run: RunWithBatches): (Hint | SvcError)[] {
  const { job, open, exitCode, stop, message } = run
  const steps = nextSteps(run)
  const failed = errorsOf(run)
  const rows = failed.filter(
    (each) => each.message !== message && each.outcome !== 'not-found',
  )
  const textOf = (row: Failed) =>
    `${failureText(row.outcome, pluralize(row.count, job.item))}: ${safe(row.message)}`
  const category = categoryOf(exitCode)
  if (category === 'done' || category === 'partial') {
    const texts = rows.map((row) => withStatus(textOf(row), row.httpStatus))
    return [...firstTexts(texts, open > 0 ? 2 : 20), ...steps]
  }
  const more = rows.length - 2
  const moreNotes = more > 0 ? [`and ${pluralize(more, 'more reason')}`] : []
  const errors = rows
    .slice(0, 2)
    .map((row) => new SvcError('failed', textOf(row)).with(numbersOf(row)))
  if (stop !== null && stop !== 'closed') {
    const { error = new SvcError(stop, message ?? '') } = run
    errors.push(error.with({ ...numbersOf(failed.at(-1)), ...error.details }))
  }
  const last = errors.pop()
  // Resuming the run replaces the advice to try again.
  const advice = last?.category === 'unfinished' ? [] : stepsOf(last?.details.hint)
  const hint = [...advice, ...steps]
  if (last === undefined) return steps
  return [...errors, ...moreNotes, last.with({ hint, exitCode })]
}

/** The HTTP status and the code of a failure, as details of an error. */
const numbersOf = (row?: Failed) => ({
  httpStatus: row?.httpStatus ?? undefined,
  code: row?.code ?? undefined,
})

/** Returns what failed for some ids, by what svc does not know or what the service refused. */
function failureText(outcome: Outcome, ids: string) {
  if (outcome === 'no-answer') return `no clear answer about ${ids}`
  if (outcome === 'not-sent') return `nothing was done for ${ids}`
  return outcome === 'refused' ? `the service refused ${ids}` : ids
}

/** Returns the next steps for a run that is not complete. */
function nextSteps(run: Run): Step[] {
  const { due, open, job, counts } = run
  const toDo =
    due > 0
      ? `${pluralize(open, 'id is', 'ids are')} open; resume or close the run`
      : 'check the ids without an answer, then close the run'
  if (open > 0) return [resumeOrCloseStep(run, toDo)]
  const notDone = outcomes.filter(
    (outcome) => counts[outcome] !== undefined && !isDone(outcome, job),
  )
  if (notDone.length === 0 || job.input.unique === 1) return []
  const list = `to list the ids with the outcome ${notDone.join(' or ')}`
  return [exportStep(run, list, notDone)]
}

/** How one id of a run ended. */
export interface Receipt {
  id: string
  /** Its row in the input; null for an argument. */
  row: number | null
  target: string | undefined
  outcome: Outcome
  /** The assignee before this run, and the one that this run set. */
  former: string | undefined
  assignee: string | undefined
  /** Why it has this outcome; empty for a plain `done`. */
  reason: string
  /** When its last attempt ended, or else began. ISO 8601; null if there was none. */
  at: string | null
}

/** Yields the receipts of a run in the order of its input, all or those with wanted outcomes. */
export function* receiptsOf(
  { assigneesOf }: Pick<BulkOperation, 'assigneesOf'>,
  run: RunWithBatches,
  wanted: readonly Outcome[] = outcomes,
): Generator<Receipt> {
  const isWrong = hasWrongKind(run)
  for (const batch of run.batches) {
    const { items, outcomes: all, at, message, status } = batch
    const { former, assignee } = assigneesOf?.(batch) ?? {}
    for (const [index, { id, line, target }] of items.entries()) {
      const outcome = all[index] ?? 'no-answer'
      if (!wanted.includes(outcome)) continue
      const meaning = isWrong ? wrongKind : meaningOf(outcome)
      const said = message == null ? meaning : withStatus(message, status)
      yield {
        id,
        row: line === 0 ? null : line,
        target,
        outcome,
        former,
        assignee,
        reason: withLost(outcome, batch, said),
        at: at === null ? null : new Date(at).toISOString(),
      }
    }
  }
}

/** Returns `run delete-20260301-101500-3f9a ("old.txt", started 2026-03-01 10:15)`. */
export const describeRun = (run: Run) => `run ${run.name} (${whenOf(run).join(', ')})`

/** Returns the name of the file that a run has its ids from; undefined for any other input. */
export const fileOf = ({ job: { source } }: Run) =>
  source === undefined ? undefined : basename(source)

function whenOf(run: Run) {
  const file = fileOf(run)
  return [
    ...(file === undefined ? [] : [`"${safe(file)}"`]),
    `started ${dateToMinute(run.begun)}`,
  ]
}

const closeLine = (run: Run) => `runs close ${run.name}`

/** Returns a step with commands about a run, which another profile than its own cannot use. */
export const stepFor = (
  { job: { profile } }: Run,
  say: string,
  type: string | readonly string[],
): Step => ({ say, type, profile })

/** Returns a step that resumes or closes a run. */
export const resumeOrCloseStep = (run: Run, say: string) =>
  stepFor(
    run,
    say,
    run.due > 0 ? [`runs resume ${run.name}`, closeLine(run)] : closeLine(run),
  )

/** Returns a step that removes a run that changed nothing. */
export const forgetStep = (run: Run) =>
  stepFor(run, 'to forget that run, which changed nothing', `runs remove ${run.name}`)

/** Returns a step that lists the ids of a run with some outcomes. */
export const exportStep = (run: Run, say: string, wanted: readonly Outcome[]) =>
  stepFor(run, say, `runs export ${run.name} --outcome ${wanted.join(',')}`)

/** Returns `1,080 done, 100 no-answer, 54 not-sent`. */
export const countsText = (counts: OutcomeCounts) =>
  joinPresent(
    outcomes.map(
      (outcome) =>
        (counts[outcome] ?? 0) > 0 && `${groupDigits(counts[outcome] ?? 0)} ${outcome}`,
    ),
    ', ',
  )

/** Returns a note about the unfinished runs; undefined if there are none. */
export function unfinishedNote(runs: readonly Run[]): Step[] | undefined {
  const unfinished = runs.filter(({ status }) => status === 'unfinished')
  const [first, ...more] = unfinished
  if (first === undefined) return undefined
  if (more.length > 0)
    return [
      {
        say: `${groupDigits(unfinished.length)} runs are unfinished; to list them`,
        type: 'runs list --unfinished',
        profile: null,
      },
    ]
  const { due, open } = first
  const ids = pluralize(open, 'open id')
  const rest = due > 0 ? ids : `${ids}; check what has no answer, then close the run`
  return [resumeOrCloseStep(first, `${describeRun(first)} is unfinished, with ${rest}`)]
}

/** Returns a hint that shows the progress of a run, after optional words. */
const showHint = (run: Run, before: string | false) =>
  stepFor(run, joinPresent([before, 'to see its progress'], '; '), `runs show ${run.name}`)

/** Returns in words why a command does not touch a run: it was removed, is in use, or changed. */
function changeText(name: string, now: Run | undefined) {
  if (now === undefined) return `run ${name} was removed`
  const { status, stop, pid, machine, taken, open } = now
  if (status === 'working')
    return (
      `process ${pid} on ${safe(machine)} has been working on run ${name} since ` +
      dateToMinute(taken)
    )
  const rest = open > 0 && `with ${pluralize(open, 'open id')}`
  return joinPresent(
    [`run ${name} changed: it is now ${stop === 'closed' ? stop : status}`, rest],
    ', ',
  )
}

/** The error for a run that a command works on, or that changed while svc was asking. */
export function changedError(asked: Run, now: Run | undefined) {
  const suspended = 'if it is suspended, continue it, or end it with kill -9'
  return new SvcError(
    'unfinished',
    `${changeText(asked.name, now)}; this command changed nothing`,
    {
      hint:
        now === undefined
          ? undefined
          : showHint(asked, now.status === 'working' && suspended),
    },
  )
}

/** The error for a run that was removed while a command was working with it. */
export const removedError = ({ name }: Run) =>
  new SvcError('failed', `run ${name} was removed while this command was working`)

/** The open items of an unfinished run that have an id of a job. */
export interface SharedIds {
  items: readonly { item: Item; outcome: Outcome }[]
  /** Whether this key or profile may resume the run. */
  isOwn: boolean
}

/** The error for a job whose ids an unfinished run still has. */
export function openIdsError(run: Run, shared: SharedIds) {
  const { status, ended, due } = run
  const these = `${groupDigits(shared.items.length)} of these ids`
  if (status === 'working') {
    const { category, message, details } = changedError(run, run)
    return new SvcError(category, `a run still has ${these}: ${message}`, details)
  }
  const stopped = ended === null ? 'ended early' : `stopped ${dateToMinute(ended)}`
  const when = [...whenOf(run), stopped].join(', ')
  return new SvcError(
    due > 0 ? 'unfinished' : 'usage',
    `nothing was sent: run ${run.name} (${when}) is unfinished and still has ${these}`,
    { hint: sharedIdsSteps(run, shared) },
  )
}

function sharedIdsSteps(run: Run, { items, isOwn }: SharedIds): Step[] {
  const looks = items
    .filter(({ outcome }) => outcome === 'no-answer' && !isDue(outcome, run.job))
    .map(({ item: { id, target = '' } }) => `contacts get ${id} ${target}`)
  const steps: Step[] = []
  if (looks.length > 0)
    steps.push({
      say: `${arrivalTime} after that run stopped, check whether the change was made`,
      type: looks,
    })
  if (run.due === 0) return [...steps, stepFor(run, 'then close that run', closeLine(run))]
  const resume = stepFor(run, 'to resume that run', `runs resume ${run.name}`)
  if (!hasSent(run)) return [...(isOwn ? [resume] : []), forgetStep(run)]
  if (!isOwn) return [...steps, ...otherOwnerSteps(run)]
  const close = stepFor(run, 'to close it without sending the rest', closeLine(run))
  return [...steps, resume, close]
}

/** The error for a run of another service, or of another key under another profile name. */
export function otherOwnerError(run: Run, baseUrl: string) {
  const message = `run ${run.name} ${ownerDifference(run, baseUrl)}; nothing was sent`
  return usageError(message, otherOwnerSteps(run, baseUrl))
}

/** Returns how the service or the key of a run differs from those of a command. */
export const ownerDifference = ({ job }: Run, baseUrl: string) =>
  job.baseUrl === baseUrl
    ? `started with a different key, ${job.keyEnding}`
    : `is on ${job.baseUrl}, not on ${baseUrl}`

/**
 * The next steps for a run of another service or key: use its profile or variables, save its new
 * key, or start a new run.
 */
function otherOwnerSteps(run: Run, baseUrl = run.job.baseUrl): Step[] {
  const { profile, keyEnding, baseUrl: own } = run.job
  const list = `runs export ${run.name} --outcome not-sent,no-answer -o ids`
  if (profile !== null)
    return [
      { say: `use its profile: -p ${shellWord(profile)}` },
      {
        say: 'if its key was replaced, save the new one',
        type: `profiles add ${shellWord(profile)} --replace`,
      },
    ]
  if (own !== baseUrl)
    return [{ say: `set SVC_BASE_URL to ${own}, and SVC_API_KEY to its key, ${keyEnding}` }]
  return [
    { say: `set SVC_API_KEY to the key that it started with, ${keyEnding}` },
    ...(run.due > 0
      ? [
          stepFor(run, 'or list its due ids, close it, and send them in a new run', [
            list,
            closeLine(run),
          ]),
        ]
      : []),
  ]
}

/** The error for a run that cannot be removed yet. */
export const openRunError = (run: Run) =>
  usageError(`run ${run.name} is unfinished, with ${pluralize(run.open, 'open id')}`, [
    resumeOrCloseStep(run, run.due > 0 ? 'first resume or close it' : 'first close it'),
  ])
