/**
 * Requests and their real effects, for tests that compare them with what svc reports. The log is bounded so
 * that a sandbox can run for days: it drops the oldest requests and counts them. A request takes at most 40
 * KB: a path, a key and a hundred ids.
 */
import type { OperationName } from '../../api/operations.ts'
import { findRoute } from './exchange.ts'

/** Real effects of a request. Ids are in lower case. */
export interface Change
  extends
    Partial<Record<'list' | 'created' | 'updated', string>>,
    Partial<
      Record<'added' | 'skipped' | 'failed' | 'deleted' | 'notFound' | 'blocked', string[]>
    > {
  merged?: { source: string; target: string }
  assigned?: { ticket: string; from: string; to: string }
}

/** A result and, for a write, what changed. */
export interface Result {
  readonly data: unknown
  readonly change?: Change
}

export interface LoggedRequest extends Change {
  /** From 1, in order of arrival. */
  readonly n: number
  /** ISO time on this machine's clock. */
  readonly at: string
  readonly operation: OperationName | null
  readonly method: string
  readonly path: string
  readonly apiKey: string | null
  /** The status of the answer; `dropped` until a complete answer was sent. */
  status: number | 'dropped'
  /** The fault rules that were applied, as written. */
  fault: string | null
}

/** A request as received: read, but not checked. */
export interface Arrival {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Undefined when it is too large. */
  readonly rawBody: Buffer | undefined
}

/** The value of a header that appears exactly once. */
export function headerOf({ headers }: Pick<Arrival, 'headers'>, name: string) {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** The last requests of a sandbox and what each of them changed. */
export class RequestLog {
  /** In order of arrival, without the oldest once there are too many. */
  readonly entries: LoggedRequest[] = []
  readonly #most: number
  /** Number of requests that are no longer kept. */
  dropped = 0

  constructor(most = 1_000) {
    this.#most = most
  }

  add(arrival: Arrival): LoggedRequest {
    const { at, method, url } = arrival
    const entry: LoggedRequest = {
      n: this.dropped + this.entries.length + 1,
      at: new Date(at).toISOString(),
      operation: findRoute(method, url)?.name ?? null,
      method,
      path: url,
      apiKey: headerOf(arrival, 'x-service-key') ?? null,
      status: 'dropped',
      fault: null,
    }
    this.entries.push(entry)
    while (this.entries.length > this.#most) {
      this.entries.shift()
      this.dropped += 1
    }
    return entry
  }
}
