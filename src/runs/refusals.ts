/** Why a command may not go on with a recorded run, or show it. Each refusal is exit 2, and names the ways on. */
import type { Profile } from '../config/profile.ts'
import { usageError } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'
import { belongsTo } from './find.ts'
import type { Job } from './job.ts'
import type { Party } from './lines.ts'
import type { RunRecord } from './record.ts'
import { describeTarget } from './summary.ts'

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
  if (state.hasAllIds) return
  throw usageError(
    `${state.damage ?? headProblem}, so nothing of run ${run} can be shown`,
    `to forget it:\n  svc runs remove ${run}`,
  )
}

/** What is said of a head whose damage is not known. */
export const headProblem = 'the head is not whole'

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
