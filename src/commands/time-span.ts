/**
 * `--since` and `--until` of the commands that read what happened in a span of time. The verbs are `tickets history`
 * (`tickets/history.ts`), `runs list` and `runs export` (`commands/runs/reading.ts`, `commands/runs/export.ts`).
 */
import { defineOptions } from '../cli/options.ts'
import { usageError } from '../errors.ts'
import { parseTime } from '../values.ts'

/** Milliseconds since 1970, inclusive and exclusive. */
export interface TimeSpan {
  readonly since: number | undefined
  readonly until: number | undefined
}

/** `what`: the rows that are chosen, in words. */
export function spanOptions(what: string) {
  return defineOptions({
    since: {
      value: 'time|age',
      summary: `only ${what} from this time on: 2026-03-01, 2026-03-01T10:00:00Z, 2d, 1w, today or yesterday (local midnight)`,
    },
    until: { value: 'time|age', summary: `only ${what} before this time` },
  })
}

type Typed = { readonly [option in keyof TimeSpan]?: string | undefined }

/** Throws exit 2 for what is no time, and for a span that ends before it begins. */
export function parseSpan(typed: Typed, now: number): TimeSpan {
  const time = (option: keyof TimeSpan): number | undefined =>
    typed[option] === undefined ? undefined : parseTime(typed[option], now, `--${option}`)
  const since = time('since')
  const until = time('until')
  if (since !== undefined && until !== undefined && since >= until)
    throw usageError('--since must be before --until')
  return { since, until }
}
