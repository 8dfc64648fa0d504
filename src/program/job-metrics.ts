/** What `--metrics-file` is told of a command: when a bulk command begins, and at every ending that it can have. */
import type { Host } from '../host.ts'
import { SvcError } from '../errors.ts'
import { MetricsFile } from '../output/metrics-file.ts'
import type { RequestTally } from '../http/tally.ts'
import { isObject } from '../values.ts'

export class JobReport {
  readonly #file: MetricsFile
  readonly #operation: string
  readonly #host: Pick<Host, 'now' | 'monotonic'>
  readonly #startedAt: number
  readonly #started: number

  /** `words`: the command, `svc contacts delete`. Throws exit 2 when the file cannot be written. */
  constructor(path: string, words: string, host: Pick<Host, 'now' | 'monotonic'>) {
    this.#file = new MetricsFile(path)
    this.#operation = words.split(' ').slice(1).join('.')
    this.#host = host
    this.#startedAt = host.now()
    this.#started = host.monotonic()
    try {
      this.#file.write({ operation: this.#operation, startedAt: this.#startedAt })
    } catch (error) {
      // Nothing was sent yet: a person is needed, and no repeat.
      throw error instanceof SvcError ? new SvcError('usage', error.message, error.details) : error
    }
  }

  /** `summary`: of the run, if one came about. Throws exit 10. */
  end(exitCode: number, summary: Readonly<Record<string, unknown>> | undefined, tally: RequestTally | undefined): void {
    const { now, monotonic } = this.#host
    const durationMs = monotonic() - this.#started
    const { statuses = new Map<string, number>(), retries = 0 } = tally ?? {}
    const end = { at: now(), exitCode, durationMs, ids: idsOf(summary?.['result']), requests: statuses, retries }
    this.#file.write({ operation: this.#operation, startedAt: this.#startedAt, end })
  }
}

/** Counts by outcome, called as in receipts: `not-found`. */
function idsOf(result: unknown): Record<string, number> | undefined {
  if (!isObject(result)) return undefined
  const counts = Object.entries(result).map(([name, count]) => [
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    Number(count),
  ])
  return Object.fromEntries(counts) as Record<string, number>
}
