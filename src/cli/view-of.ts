/**
 * Views whose JSON has a schema of `schemas.ts`, by its name, which is loaded when it is asked for; and the
 * view of verbs that go on with a run of any operation.
 */
import type { GenericSchema, InferOutput } from 'valibot'
import { columnsFor, type Column, type View } from '../output/result.ts'
import { assignOutcomeView } from '../views/bulk.ts'
import type * as schemas from './schemas.ts'

type Schemas = typeof schemas
type ShownDocument<N extends keyof Schemas> = InferOutput<Schemas[N]>

/** The rows of an array, or the document itself. */
type ShownRow<N extends keyof Schemas> =
  ShownDocument<N> extends readonly (infer Item)[] ? Item : ShownDocument<N>

export function schemaOf(name: keyof Schemas): () => Promise<GenericSchema> {
  return async () => (await import('./schemas.ts'))[name]
}

/** `columns`: in words, `status:state` or `path as FILE`, or as they are. */
export function viewOf<N extends keyof Schemas>(
  name: N,
  columns: readonly (string | Column)[],
  more: Partial<View<ShownRow<N>>> = {},
): View<ShownRow<N>> {
  return { columns: columnsFor(...columns), schema: schemaOf(name), ...more }
}

export const runOutcomeView = { ...assignOutcomeView, schema: schemaOf('Summary') }
