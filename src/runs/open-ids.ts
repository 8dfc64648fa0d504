/**
 * Ids that are open in other runs: still to be sent there, or of a merge whose answer was lost. A delete or merge may not repeat them:
 * it is refused, and the refusal names the ways on.
 */
import { basename } from 'node:path'
import { arrivalTime } from '../api/operations.ts'
import type { Profile } from '../config/profile.ts'
import { usageError, type SvcError } from '../errors.ts'
import { dateToMinute } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { pluralize } from '../words.ts'
import { belongsTo, type ListedRuns, type RunFacts, type Runs } from './find.ts'
import type { Job } from './job.ts'
import { busyError, type RunRecord } from './record.ts'
import { headProblem } from './refusals.ts'
import { lostMerges } from './state.ts'

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
  return due > 0 || lostMerges(head, counts) > 0
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
  for (const name of runs.beginnings()) {
    const state = name === ownFolder ? undefined : (await runs.read(name))?.state
    if (state === undefined || !state.hasAllIds) continue
    const { operation, baseUrl: otherUrl, run } = state.head
    if (operation !== job.operation.name || otherUrl !== baseUrl || run === job.run)
      continue
    if (state.items.ids.some((id) => keys().has(id.toLowerCase()))) runs.takeAway(name)
  }
}

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
    const { id, target = '' } = lost
    const close = due === 0 ? '' : `\n  svc runs close ${run}`
    return usageError(
      message,
      `the merge of ${id} into ${target} may have been made: check both contacts (a lost request can take effect within ${arrivalTime}):\n  svc contacts get ${id} ${target}\nto forget that run, and then type this command again:${close}\n  svc runs remove ${run}`,
    )
  }
  const rest = otherCount === 0 ? '' : ` (${pluralize(otherCount, 'other id')} there, too)`
  const resume = `go on with that run${rest}:\n  svc runs resume ${run}\nor `
  return usageError(
    message,
    `${belongsTo(head, profile) ? resume : ''}close it, so that nothing more is sent there, and type this command again:\n  svc runs close ${run}`,
  )
}
