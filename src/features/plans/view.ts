/** The rows of a plan, as `plans show` shows them. */
import * as v from 'valibot'
import { columnsFor } from '../../output/columns.ts'
import type { LoadSchema, View } from '../../output/result.ts'

const text = v.string()

/** An item of a plan: an id, and for a pair its second party. Names and lists are empty without `--who`. */
const PlannedItem = v.object({
  id: text,
  name: text,
  other: v.nullable(text),
  otherName: text,
  lists: v.array(text),
})
export type PlannedItem = v.InferOutput<typeof PlannedItem>

/** Columns for ids, or for pairs with titles from `sides`. `hasNames`: names and lists were read. */
export function plannedColumns(
  sides: readonly [string, string] | undefined,
  hasNames: boolean,
) {
  if (sides === undefined)
    return hasNames ? columnsFor('id', 'name', 'lists') : columnsFor('id')
  const [first, second] = sides.map((side) => side.toUpperCase())
  if (!hasNames) return columnsFor(`id as ${first}`, `other:id as ${second}`)
  return columnsFor(
    `id as ${first}`,
    'name',
    `other:id as ${second}`,
    `otherName as ${second} NAME`,
    'lists',
  )
}

/** The view of a plan. `schema` describes the plan without its items. */
export const planView = (schema: LoadSchema): View<PlannedItem> => ({
  columns: plannedColumns(['source', 'target'], true),
  isDocument: true,
  row: () => PlannedItem,
  id: ({ id }) => id,
  schema,
})
