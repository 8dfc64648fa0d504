/**
 * The columns of what is shown of plans: their ids, approvals, and the files of evidence. Called by `plans show`, `plans approve` and
 * `runs evidence`; the files of `src/plans` make rows in these shapes.
 */
import { columnsFor } from '../output/columns.ts'
import * as v from 'valibot'
import type { LoadSchema, View } from '../output/result.ts'

const text = v.string()

/** An id of a plan, with the second party of a pair; names and lists where the file with the names of people is there. */
const PlannedId = v.object({
  id: text,
  name: text,
  other: v.nullable(text),
  otherName: text,
  lists: v.array(text),
})
export type PlannedId = v.InferOutput<typeof PlannedId>

/**
 * The columns of ids, or of pairs by what their two sides are called; contacts have names and lists beside them. `kind`: what the
 * operation works on.
 */
export function plannedColumns(
  kind: 'contact' | 'ticket',
  sides: readonly [string, string] | undefined,
) {
  if (sides === undefined) {
    return kind === 'contact' ? columnsFor('id', 'name', 'lists') : columnsFor('id')
  }
  const [first, second] = sides.map((side) => side.toUpperCase())
  if (kind !== 'contact') return columnsFor(`id as ${first}`, `other:id as ${second}`)
  return columnsFor(
    `id as ${first}`,
    'name',
    `other:id as ${second}`,
    `otherName as ${second} NAME`,
    'lists',
  )
}

/** `schema`: of a plan without its ids, and what its signatures are worth here. */
export const planView = (schema: LoadSchema): View<PlannedId> => ({
  formats: ['table', 'json', 'ndjson', 'csv', 'xlsx', 'ids'],
  columns: plannedColumns('contact', ['source', 'target']),
  isDocument: true,
  row: () => PlannedId,
  id: ({ id }) => id,
  schema,
})

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
