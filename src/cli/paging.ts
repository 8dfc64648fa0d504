/** Options of the commands that list, and how many rows they ask for. */
import type { Paging } from '../api/paginate.ts'
import { optionOf } from '../config/table.ts'
import type { PrintOptions } from '../output/result.ts'
import { parseCount } from '../values.ts'
import { defineOptions, type OptionValues } from './option.ts'

export const limitOption = defineOptions({ limit: optionOf('limit') })

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

export function paging(
  print: PrintOptions,
  { page, pageSize }: OptionValues<typeof pagingOptions>,
): Paging {
  // One page was asked for: only a typed limit cuts it.
  const isWhole = page !== undefined && print.isLimited !== true
  return { limit: isWhole ? Infinity : print.rowLimit, page, pageSize }
}
