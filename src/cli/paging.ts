/** From `--limit`, `--page` and `--page-size` to a walk over pages, with the notes that a cut deserves. */
import type { Paging } from '../api/paginate.ts'
import type { Context } from './context.ts'
import { grouped } from '../words.ts'

export interface PagingChoice {
  readonly limit?: number | 'all'
  readonly page?: number
  readonly pageSize?: number
}

/**
 * The most rows: as typed; else, where people read, as configured or 50; else all of them. What a file says never cuts what
 * goes to another program: rows that are missing there delete the wrong ones somewhere else.
 */
export async function rowLimit(context: Context, typed: number | 'all' | undefined): Promise<number> {
  if (typed !== undefined) return typed === 'all' ? Infinity : typed
  if (context.print.format !== 'table' && context.print.format !== 'transcript') return Infinity
  const configured = (await context.configuration()).settings.limit.value
  return configured === 'all' ? Infinity : (configured ?? 50)
}

/** A walk, and what is to be said of it when its rows are out. */
export interface Walk extends Paging {
  readonly after: () => void
}

/** `what` in the plural, for the notes: `lists`. */
export async function paging(context: Context, { limit, page, pageSize }: PagingChoice, what: string): Promise<Walk> {
  const notes: string[] = []
  return {
    // One page was asked for: only a typed limit cuts it.
    limit: page === undefined ? await rowLimit(context, limit) : typeof limit === 'number' ? limit : Infinity,
    page,
    pageSize,
    onMoved: (from, to) => {
      notes.push(
        `the number of ${what} moved from ${grouped(from)} to ${grouped(to)} meanwhile: rows may be missing at the seams`,
      )
    },
    onLeftOut: (shown, total) => {
      const all =
        page === undefined
          ? 'all of them: --limit all'
          : 'another page: --page; all of them: --limit all without --page'
      notes.push(`${grouped(shown)} of ${grouped(total)} ${what}; ${all}`)
    },
    onShort: (shown, total) => {
      notes.push(
        `the service counts ${grouped(total)} ${what}, and its pages had ${grouped(shown)}: they moved while they were read`,
      )
    },
    onAll: (shown) => {
      const words = countWords(context, shown, what)
      if (words !== undefined) notes.push(words)
    },
    after: () => {
      for (const words of notes) context.note(words)
    },
  }
}

/** How many rows a whole table has, for the person who looks at it; nothing off a terminal and for an empty one. */
export function countWords({ print }: Context, shown: number, what: string): string | undefined {
  if (print.format !== 'table' || print.width === undefined || shown === 0) return undefined
  return `${grouped(shown)} ${shown === 1 ? what.replace(/s$/, '') : what}`
}
