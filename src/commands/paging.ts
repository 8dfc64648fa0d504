/** From `--limit`, `--page` and `--page-size` to a walk over pages, with the notes that a cut deserves. */
import type { Paging } from '../api/pages.ts'
import type { Tools } from '../verb.ts'

export interface PagingChoice {
  readonly limit?: number | 'all'
  readonly page?: number
  readonly pageSize?: number
}

/** The most rows: as typed, else as configured, else 50 where people read and all where machines do. */
export async function rowLimit(tools: Tools, typed: number | 'all' | undefined): Promise<number> {
  const limit = typed ?? (await tools.configuration()).settings.limit.value
  if (limit === 'all') return Infinity
  if (limit !== undefined) return limit
  return tools.print.format === 'table' || tools.print.format === 'transcript' ? 50 : Infinity
}

export async function paging(tools: Tools, choice: PagingChoice, what: string): Promise<Paging> {
  return {
    limit: choice.page === undefined ? await rowLimit(tools, choice.limit) : choice.limit === undefined || choice.limit === 'all' ? Infinity : choice.limit,
    page: choice.page,
    pageSize: choice.pageSize,
    onMoved: (from, to) => {
      tools.note(`the number of ${what} moved from ${count(from)} to ${count(to)} meanwhile: rows may be missing at the seams`)
    },
    onLeftOut: (shown, total) => {
      const all = choice.page === undefined ? 'all of them: --limit all' : 'another page: --page; all of them: --limit all without --page'
      tools.note(`${count(shown)} of ${count(total)} ${what}; ${all}`)
    },
  }
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
