/**
 * The ids that another run has open: still to be sent there, or of a merge whose answer was lost. A delete or merge that would
 * repeat them is refused, and nothing is sent.
 */
import { basename } from 'node:path'
import type { Profile } from '../config/profile.ts'
import { usageError, type SvcError } from '../errors.ts'
import { dateToMinute } from '../output/text.ts'
import { safe } from '../safe-text.ts'
import { pluralize } from '../words.ts'
import { belongsTo, type ListedRuns, type RunFacts, type Runs } from './find.ts'
import type { Job } from './job.ts'
import { busy, type RunRecord } from './record.ts'

/** The job of this command, and the name that its run has or will have. */
type OwnJob = Pick<Job, 'operation' | 'items'> & { run: string }

/**
 * Throws exit 2 if another run has some of these ids open; exit 7 if somebody is working on that run, and if it has the name of this
 * command's own, which another process has taken meanwhile.
 */
export async function refuseOpenIds(
  runs: Runs,
  { runs: known, unreadable }: ListedRuns,
  job: OwnJob,
  profile: Profile,
): Promise<void> {
  const { operation, run: own } = job
  const [damaged] = unreadable
  if (operation.isFinalIfLost === true && damaged !== undefined)
    throw unreadableError(damaged)
  const keys = keysOf(job)
  for (const facts of known) {
    const { run, state } = facts
    const { job: other } = state
    const isSame = other.operation === operation.name && other.baseUrl === profile.baseUrl
    const record = isSame && mayHaveOpenIds(facts) ? await runs.read(run) : undefined
    if (record === undefined) continue
    const open = openPositions(record, keys())
    if (open.shared.length === 0) continue
    throw record.isHeld || run === own ? busy(run) : openError(facts, open, profile)
  }
}

/** Returns a function that makes the keys of a job when they are first needed. */
function keysOf({ items }: OwnJob) {
  let keys: ReadonlySet<string> | undefined
  return () => (keys ??= new Set(items.ids.map((id) => id.toLowerCase())))
}

function mayHaveOpenIds({ state: { due, counts, job } }: RunFacts) {
  return due > 0 || (job.isFinalIfLost === true && counts.unknown !== undefined)
}

/** Returns the open ids of a run that are among these, and how many others are open there. */
function openPositions({ state }: RunRecord, keys: ReadonlySet<string>) {
  const shared: number[] = []
  let others = 0
  for (const [at, id] of state.items.ids.entries()) {
    if (!state.isOpen(at)) continue
    if (keys.has(id.toLowerCase())) shared.push(at)
    else others += 1
  }
  const lost = shared.find((at) => !state.isDue(at))
  return { shared, others, lost: lost === undefined ? undefined : state.items.at(lost) }
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
    const { operation, baseUrl: otherUrl, run } = state.job
    if (operation !== job.operation.name || otherUrl !== baseUrl || run === job.run)
      continue
    if (state.items.ids.some((id) => keys().has(id.toLowerCase()))) runs.takeAway(name)
  }
}

function unreadableError({ run, state: { damage } }: RunFacts) {
  return usageError(
    `${damage ?? ''}, so svc does not know which contacts run ${run} may have merged; nothing was sent`,
    `if none of these can be among them, forget that run:\n  svc runs remove ${run}`,
  )
}

function openError(
  { run, state: { job, lastAt, due } }: RunFacts,
  { shared, others, lost }: ReturnType<typeof openPositions>,
  profile: Profile,
): SvcError {
  const file = job.source?.path
  const input = file === undefined ? '' : `"${safe(basename(file))}", `
  const those = pluralize(shared.length, 'of these ids is', 'of these ids are')
  const message = `${those} open in run ${run} (${input}stopped ${dateToMinute(lastAt)}); nothing was sent`
  if (lost !== undefined) {
    const { id, other = '' } = lost
    const close = due === 0 ? '' : `\n  svc runs close ${run}`
    return usageError(
      message,
      `svc does not know whether ${id} was merged into ${other}: look at both (a lost request can take effect within 11 minutes):\n  svc contacts get ${id} ${other}\nto forget that run, and then type this command again:${close}\n  svc runs remove ${run}`,
    )
  }
  const rest = others === 0 ? '' : ` (${pluralize(others, 'other id')} there, too)`
  const resume = `go on with that run${rest}:\n  svc runs resume ${run}\nor `
  return usageError(
    message,
    `${belongsTo(job, profile) ? resume : ''}close it, so that nothing more is sent there, and type this command again:\n  svc runs close ${run}`,
  )
}
