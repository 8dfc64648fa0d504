/**
 * Why a command may not begin a run or go on with one. Each refusal is exit 2, and names the ways on. A delete or merge may not
 * repeat ids that another run has open: still to be sent there, or of a merge whose answer was lost.
 */
import { basename } from 'node:path'
import type { Profile } from '../config/profile.ts'
import { usageError, type SvcError } from '../errors.ts'
import { dateToMinute } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { groupDigits, pluralize } from '../words.ts'
import { belongsTo, type ListedRuns, type RunFacts, type Runs } from './find.ts'
import type { Job } from './job.ts'
import type { Party } from './lines.ts'
import { busyError, type RunRecord } from './record.ts'
import { describeTarget } from './summary.ts'

/** The job of this command, and the name that its run has or will have. */
type OwnJob = Pick<Job, 'operation' | 'items'> & { run: string }

/**
 * Throws exit 2 if another run has some of these ids open; exit 7 if a process works on that run, or took this run's name meanwhile.
 */
export async function refuseOpenIds(
  runs: Runs,
  { runs: known, unreadable }: ListedRuns,
  job: OwnJob,
  profile: Profile,
): Promise<void> {
  const { operation, run: own } = job
  // One is enough to name.
  const [damaged] = unreadable
  if (operation.isFinalIfLost === true && damaged !== undefined)
    throw unreadableError(damaged)
  const keys = keysOf(job)
  for (const facts of known) {
    const { run, state } = facts
    const { head: other } = state
    const isSame = other.operation === operation.name && other.baseUrl === profile.baseUrl
    const record = isSame && mayHaveOpenIds(facts) ? await runs.read(run) : undefined
    if (record === undefined) continue
    const open = openIdsOf(record, keys())
    if (open.shared.length === 0) continue
    throw record.isHeld || run === own ? busyError(run) : openError(facts, open, profile)
  }
}

/** Returns a function that makes the keys of a job when they are first needed. */
function keysOf({ items }: OwnJob) {
  let keys: ReadonlySet<string> | undefined
  return () => (keys ??= new Set(items.ids.map((id) => id.toLowerCase())))
}

function mayHaveOpenIds({ state: { due, counts, head } }: RunFacts) {
  return due > 0 || (head.isFinalIfLost === true && counts.unknown !== undefined)
}

/** Returns the open ids of a run that are among these, and how many others are open there. */
function openIdsOf({ state }: RunRecord, keys: ReadonlySet<string>) {
  const shared: number[] = []
  let otherCount = 0
  for (const [index, id] of state.items.ids.entries()) {
    if (!state.isOpen(index)) continue
    if (keys.has(id.toLowerCase())) shared.push(index)
    else otherCount += 1
  }
  const lostAt = shared.find((index) => !state.isDue(index))
  const lost = lostAt === undefined ? undefined : state.items.at(lostAt)
  return { shared, otherCount, lost }
}

/**
 * Takes the hidden folders of other commands away that are about to begin the same operation with some of these ids, so that at
 * most one of them begins. A folder whose ids are not written whole is left: its owner looks later.
 */
export async function takeRivalsAway(
  runs: Runs,
  job: OwnJob,
  { baseUrl }: Profile,
  ownFolder: string,
): Promise<void> {
  const keys = keysOf(job)
  for (const name of runs.drafts()) {
    const state = name === ownFolder ? undefined : (await runs.read(name))?.state
    if (state === undefined || !state.isWhole) continue
    const { operation, baseUrl: otherUrl, run } = state.head
    if (operation !== job.operation.name || otherUrl !== baseUrl || run === job.run)
      continue
    if (state.items.ids.some((id) => keys().has(id.toLowerCase()))) runs.takeAway(name)
  }
}

const headProblem = 'the head is not whole'

function unreadableError({ run, state: { damage } }: RunFacts) {
  return usageError(
    `${damage ?? headProblem}, so svc does not know which contacts run ${run} may have merged; nothing was sent`,
    `if none of these can be among them, forget that run:\n  svc runs remove ${run}`,
  )
}

function openError(
  { run, state: { head, lastAt, due } }: RunFacts,
  { shared, otherCount, lost }: ReturnType<typeof openIdsOf>,
  profile: Profile,
): SvcError {
  const file = head.source?.path
  const input = file === undefined ? '' : `"${safe(basename(file))}", `
  const those = pluralize(shared.length, 'of these ids is', 'of these ids are')
  const message = `${those} open in run ${run} (${input}stopped ${dateToMinute(lastAt)}); nothing was sent`
  if (lost !== undefined) {
    const { id, other = '' } = lost
    const close = due === 0 ? '' : `\n  svc runs close ${run}`
    return usageError(
      message,
      `the merge of ${id} into ${other} may have been made: check both contacts (a lost request can take effect within 11 minutes):\n  svc contacts get ${id} ${other}\nto forget that run, and then type this command again:${close}\n  svc runs remove ${run}`,
    )
  }
  const rest = otherCount === 0 ? '' : ` (${pluralize(otherCount, 'other id')} there, too)`
  const resume = `go on with that run${rest}:\n  svc runs resume ${run}\nor `
  return usageError(
    message,
    `${belongsTo(head, profile) ? resume : ''}close it, so that nothing more is sent there, and type this command again:\n  svc runs close ${run}`,
  )
}

/** Throws exit 2 for a damaged run, and for one of another service, or of another key under another profile name. */
export function refuseForeign(record: RunRecord, profile: Profile) {
  const { run, state } = record
  refuseUnreadable(record)
  if (state.damage !== undefined)
    throw usageError(
      `${state.damage}, so nothing more is sent in run ${run}`,
      `see what is known of it, or forget it:\n  svc runs export ${run}\n  svc runs remove ${run}`,
    )
  if (!belongsTo(state.head, profile)) throw otherServiceError(record, profile)
}

/** Throws exit 2 for a run whose job or ids cannot be read, so that nothing can be shown. */
export function refuseUnreadable({ run, state }: RunRecord) {
  if (state.isWhole) return
  throw usageError(
    `${state.damage ?? headProblem}, so nothing of run ${run} can be shown`,
    `to forget it:\n  svc runs remove ${run}`,
  )
}

function otherServiceError({ run, state }: RunRecord, { baseUrl }: Profile) {
  const { head, due } = state
  const isElsewhere = head.baseUrl !== baseUrl
  const { host } = new URL(head.baseUrl)
  const owner =
    head.profile === null ? 'credentials of the environment' : `profile "${head.profile}"`
  const what = isElsewhere
    ? `is on ${host}, not on ${new URL(baseUrl).host}`
    : `began with another key (${owner}, key ${head.keyEnding})`
  const rest =
    due === 0
      ? ''
      : `\nto list the ids that are left, and to send nothing more there:\n  svc runs export ${run} --outcome not-attempted,unknown -o ids\n  svc runs close ${run}`
  return usageError(
    `run ${run} ${what}; nothing was sent`,
    `go on with the ${head.profile === null ? 'base URL and key' : 'profile'} that it began with${rest}`,
  )
}

/** Throws exit 2 if a `--once` name belongs to another job. */
export function refuseOtherJob(record: RunRecord, job: Job) {
  const difference = findDifference(record, job)
  if (difference === undefined) return
  throw usageError(
    `run ${record.run} is another job: ${difference}; nothing was sent`,
    'give this job another name with --once',
  )
}

/** Returns the first difference between a recorded job and the one of this command; undefined if they are the same. */
function findDifference({ state }: RunRecord, job: Job): string | undefined {
  const { head, items } = state
  const idOf = (party: Party | undefined) => party?.id.toLowerCase()
  const acceptOf = (accept: readonly string[]) => [...new Set(accept)].sort().join(',')
  if (head.operation !== job.operation.name) return `it is a run of ${head.operation}`
  if (idOf(head.target) !== idOf(job.target))
    return `it is for ${describeTarget(head) ?? 'pairs'}`
  if (idOf(head.ifAssignee) !== idOf(job.ifAssignee)) return 'its --if-assignee differs'
  const accept = acceptOf(head.accept)
  if (accept !== acceptOf(job.accept))
    return `it was begun ${accept === '' ? 'without --accept' : `with --accept ${accept}`}`
  if (items.sortedKeys().join('\n') === job.items.sortedKeys().join('\n')) return undefined
  const count = pluralize(items.size, 'id')
  const counts = `it has ${count}, this command ${groupDigits(job.items.size)}`
  return items.size === job.items.size ? 'its ids are others' : `its ids differ (${counts})`
}
