/** From `--limit`, `--page` and `--page-size` to a walk over pages. */
import type { Paging } from '../api/paginate.ts'
import type { PrintOptions } from '../output/result.ts'
import type { pagingOptions } from './options.ts'

type PagingOptions = ReturnType<ReturnType<typeof pagingOptions>['opts']>

/** The most rows: as typed, else what goes with the format. */
export function rowLimit(print: PrintOptions, typed: number | 'all' | undefined): number {
  if (typed === undefined) return print.rowLimit
  return typed === 'all' ? Infinity : typed
}

export function paging(print: PrintOptions, { limit, page, pageSize }: PagingOptions): Paging {
  // One page was asked for: only a typed limit cuts it.
  if (page === undefined) return { limit: rowLimit(print, limit), pageSize }
  return { limit: typeof limit === 'number' ? limit : Infinity, page, pageSize }
}
