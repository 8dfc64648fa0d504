import { columnsFor } from '../output/columns.ts'
import * as v from 'valibot'
import { text, textOrNull } from './shapes.ts'
import type { View } from '../output/result.ts'

const Signer = v.object({ principal: text, key: text })

/** A plan without its ids, and what its signatures are worth here. */
const ShownPlan = v.looseObject({
  /** SHA-256 of the file. */
  plan: text,
  /** In words. */
  state: text,
  isExpired: v.boolean(),
  /** Here and now, by the policies of this machine and profile. */
  canApply: v.boolean(),
  /** Why it cannot, in words. */
  reasons: v.array(text),
  approvalsNeeded: v.number(),
  author: v.nullable(Signer),
  approvals: v.array(Signer),
  signatures: v.array(text),
  operation: text,
  ...v.entriesFromList(['schema', 'baseUrl'], text),
  profile: textOrNull,
  keyEnding: text,
  target: v.unknown(),
  input: v.unknown(),
  source: v.optional(v.unknown()),
  sha256: text,
  options: v.unknown(),
  plannedBy: v.unknown(),
  reason: textOrNull,
  ...v.entriesFromList(['plannedAt', 'expiresAt', 'nonce'], text),
  peopleSha256: textOrNull,
})

/** An id of a plan, with the second party of a pair; name and lists where the file with the names of people is there. */
const PlannedId = v.object({ id: text, other: textOrNull, name: text, lists: v.array(text) })
export type PlannedId = v.InferOutput<typeof PlannedId>

export const planView: View<PlannedId> = {
  formats: ['table', 'json', 'ndjson', 'csv', 'tsv', 'xlsx', 'ids'],
  columns: columnsFor('id', 'other:id', 'name', 'lists'),
  isDocument: true,
  row: () => PlannedId,
  id: ({ id }) => id,
  schema: () => ShownPlan,
}

/** A signature that was made. */
export const Approval = v.object({ plan: text, signature: text, key: text })
export type Approval = v.InferOutput<typeof Approval>

export const approvalView: View<Approval> = {
  columns: columnsFor('signature', 'key', 'plan'),
  schema: () => Approval,
}

/** A file of an evidence folder. */
const EvidenceFile = v.object({ file: text, sha256: text })
export type EvidenceFile = v.InferOutput<typeof EvidenceFile>

export const evidenceView: View<EvidenceFile> = {
  columns: columnsFor('file', 'sha256 as SHA-256'),
  schema: () => v.array(EvidenceFile),
}
