/** Options of the commands that list, and how many rows they ask for. */
import type { Paging } from '../api/paginate.ts'
import type { PrintOptions } from '../output/result.ts'
import { parseCount, parseLimit } from '../values.ts'
import { defineOptions, type OptionValues } from './command.ts'

export const limitOption = defineOptions({
  limit: {
    value: 'n|all',
    summary: 'the maximum number of rows',
    default: '50 for table, all for other formats',
    suggestions: ['all'],
    parse: parseLimit,
  },
})

export const pagingOptions = defineOptions({
  ...limitOption,
  page: {
    value: 'n',
    summary: 'only this page, counted from 1',
    parse: (text) => parseCount(text, '--page', { min: 1 }),
  },
  pageSize: {
    value: 'n',
    summary: 'rows per request, 1 to 100',
    default: '100; with --page: 20',
    parse: (text) => parseCount(text, '--page-size', { min: 1, max: 100 }),
  },
})

type PagingOptions = OptionValues<typeof pagingOptions>

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
