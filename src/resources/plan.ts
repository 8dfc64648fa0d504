import { columnsFor } from '../output/columns.ts'
import * as v from 'valibot'
import type { View } from '../output/result.ts'

const text = v.string()
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
})

/** An id of a plan, with the second party of a pair. */
export interface PlannedId {
  readonly id: string
  readonly other: string | null
  /** Where the file with the names of people is there. */
  readonly name: string
  readonly lists: readonly string[]
}

export const planView: View<PlannedId> = {
  formats: ['table', 'json', 'ndjson', 'csv', 'tsv', 'xlsx', 'ids'],
  columns: columnsFor('id', 'other:id', 'name', 'lists'),
  fields: ['id', 'other', 'name', 'lists'],
  document: [
    ...[
      'plan',
      'state',
      'isExpired',
      'canApply',
      'reasons',
      'approvalsNeeded',
      'author',
      'approvals',
      'signatures',
      'operation',
      'schema',
    ],
    ...['baseUrl', 'profile', 'keyEnding', 'target', 'input', 'source', 'sha256', 'options', 'plannedBy', 'reason'],
    ...['plannedAt', 'expiresAt', 'nonce', 'peopleSha256'],
  ],
  id: ({ id }) => id,
  schema: () => ShownPlan,
}

/** A signature that was made. */
export const Approval = v.object({ plan: text, signature: text, key: text })
export type Approval = v.InferOutput<typeof Approval>

export const approvalView: View<Approval> = {
  columns: columnsFor('signature', 'key', 'plan'),
  fields: ['plan', 'signature', 'key'],
  schema: () => Approval,
}

/** A file of an evidence folder. */
const EvidenceFile = v.object({ file: text, sha256: text })
export type EvidenceFile = v.InferOutput<typeof EvidenceFile>

export const evidenceView: View<EvidenceFile> = {
  columns: columnsFor('file', 'sha256 as SHA-256'),
  fields: ['file', 'sha256'],
  schema: () => v.array(EvidenceFile),
}
