import type { CellKind, View } from '../output/result.ts'
import type * as documents from './documents.ts'

type Title<T> = readonly [title: string, field: keyof T & string, kind?: CellKind]

/** A document of svc's own: a table with a column for each field, and the schema of that name. */
export function documentView<T extends object>(
  name: keyof typeof documents,
  titles: readonly Title<T>[],
  more: Partial<View<T>> = {},
): View<T> {
  return {
    columns: titles.map(([title, field, kind]) => ({ title, field, ...(kind !== undefined && { kind }) })),
    fields: titles.map(([, field]) => field),
    schema: async () => (await import('./documents.ts'))[name],
    ...more,
  }
}
