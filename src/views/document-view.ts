/** Views of documents whose columns are their fields. Called by the verbs of `profiles`, by `whoami` and by `runs check`. */
import type { InferOutput } from 'valibot'
import { columnsFor } from '../output/columns.ts'
import type { CellKind, View } from '../output/result.ts'
import type * as documents from './documents.ts'

type Documents = typeof documents
type Shown<N extends keyof Documents> = InferOutput<Documents[N]>

/** A field in the words of a column: `status:state`, `path as FILE`. */
type Words<F extends string> = `${F}${'' | `:${CellKind}`}${'' | ` as ${string}`}`

/** A document of svc's own: a table with a column for each field, and the schema of that name. */
export function documentView<N extends keyof Documents>(
  name: N,
  columns: readonly Words<keyof Shown<N> & string>[],
  more: Partial<View<Shown<N>>> = {},
): View<Shown<N>> {
  return {
    columns: columnsFor(...columns),
    schema: async () => (await import('./documents.ts'))[name],
    ...more,
  }
}
