/** What is said of a batch beside its outcome: status, code and message, and whose ticket it was. Pure. */
import { isAmbiguous, type BatchState } from './batch-state.ts'
import type { BatchOutcome } from './claims.ts'
import type { BulkOperation } from './events.ts'

export interface Remark {
  readonly status: number | null
  readonly code: number | null
  readonly message: string | null
  readonly before?: string | null
  readonly after?: string | null
}

/** `why`: said of ids that were not sent, or not isolated. Undefined when there is nothing to say. */
export function remarkOf(
  operation: BulkOperation,
  state: BatchState,
  { outcomes: [outcome], problem }: BatchOutcome,
  why: string | undefined,
): Remark | undefined {
  const assigned = operation === 'tickets.assign' ? assignees(state) : {}
  if (problem !== undefined || outcome === 'error' || outcome === 'unknown') {
    return { ...lastAnswer(state), message: problem ?? reasonOf(state, why), ...assigned }
  }
  const isOpen = outcome === 'not-attempted' || outcome === 'undetermined'
  const message = isOpen ? (why ?? null) : null
  if (message === null && operation !== 'tickets.assign') return undefined
  return { status: null, code: null, message, ...assigned }
}

function lastAnswer({ declined, last }: BatchState): { status: number | null; code: number | null } {
  return declined === true ? { status: null, code: null } : { status: last?.status ?? null, code: last?.code ?? null }
}

/** Why a batch has no accepted answer. */
function reasonOf(state: BatchState, why: string | undefined): string {
  const { last } = state
  if (state.open) return 'the process ended before an answer came'
  if (last === undefined)
    return why ?? (isAmbiguous(state) ? 'it may have been sent without a record of it' : 'nothing was sent')
  if (last.kind === 'answered') return 'the answer was not accepted'
  const said = last.message ?? ''
  const status = last.status === undefined ? '' : `HTTP ${last.status}`
  return said === '' ? status : said
}

/** API: Bulk results, the answer names the assignee before and after. */
function assignees(state: BatchState): { before?: string | null; after?: string | null } {
  const data = state.answer?.data as { previousAssigneeId?: string | null; newAssigneeId?: string } | undefined
  if (data !== undefined) return { before: data.previousAssigneeId ?? null, after: data.newAssigneeId ?? null }
  const before = state.before?.id
  const after = state.reading?.ok === true ? state.reading.id : undefined
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}
