/**
 * Lines of `-v` and `-vv` about each attempt and each wait of `client.ts`, and the hiding of what was sent from what came back: a service or
 * a proxy may repeat a signature in its answer, and one can be replayed for five minutes.
 */
import type { Exchange } from '../world.ts'
import type { AttemptResult } from './attempt.ts'

export interface TraceOptions {
  /** 0, 1 (`-v`) or 2 (`-vv`): what is not shown is not made. */
  readonly verbose: () => number
  readonly log: (
    level: 1 | 2,
    line: string,
    members?: Readonly<Record<string, unknown>>,
  ) => void
  /** An attempt that has ended, as data and in words. */
  readonly request: (members: Readonly<Record<string, unknown>>, line: string) => void
}

export interface TracedAttempt {
  readonly method: string
  readonly path: string
  /** Names and values by turns, as the transport takes them. */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly exchange: Exchange
  readonly result: AttemptResult
  readonly ms: number
  readonly number: number
  readonly batch: number | undefined
  readonly hide: (text: string) => string
}

/** Tells of an attempt that has ended. */
export function traceAttempt(
  { log, request, verbose }: TraceOptions,
  attempt: TracedAttempt,
) {
  if (verbose() < 1) return
  const { method, path, number, batch, result } = attempt
  const { kind: outcome, requestId, code, message } = result
  const ms = Math.round(attempt.ms)
  // Null when no answer came.
  const httpStatus = attempt.exchange.kind === 'response' ? attempt.exchange.status : null
  const loss = `${outcome === 'never-sent' ? 'never sent' : 'no answer'} (${message ?? ''})`
  const id = requestId === undefined ? '' : `, request ${requestId}`
  request(
    {
      method,
      path,
      httpStatus,
      ms,
      attempt: number,
      batch,
      requestId,
      outcome,
      code,
      message,
    },
    `${method} ${path} ${httpStatus ?? loss} ${ms} ms, attempt ${number}${id}`,
  )
  if (verbose() < 2) return
  const { headers, body, exchange, hide } = attempt
  const sent = headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : [],
  )
  for (const line of partsOf('>', sent, body, hide)) log(2, line)
  if (exchange.kind === 'failed') return
  const came = Object.entries(exchange.headers).map(
    ([name, value]) => [name, String(value)] as const,
  )
  for (const line of partsOf('<', came, exchange.body, hide)) log(2, line)
}

/** Tells of a wait before a request, in milliseconds and why; `batch` is that of a bulk run. */
export function traceWait(
  { log }: TraceOptions,
  { batch, attempts }: { readonly batch: number | undefined; readonly attempts: number },
  ms: number,
  why: string,
): void {
  const wait = ms < 100 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
  const attempt = attempts === 0 ? undefined : attempts
  log(1, `waiting ${wait} ${why}`, batch === undefined ? undefined : { batch, attempt })
}

const hidden = '[hidden]'
/** The signature can be replayed for five minutes, so no log has it. */
const secretHeader = /signature|key|cookie|authorization|secret|token/i

/** Bytes of a body that `-vv` shows. */
const mostShown = 2000

/** Headers, and the beginning of a body. It is hidden before it is cut: of a secret across the cut the first part would stay. */
function partsOf(
  direction: '>' | '<',
  headers: readonly (readonly [name: string, value: string])[],
  body: Buffer,
  hide: (text: string) => string,
): string[] {
  const lines = headers.map(([name, value]) =>
    hide(`${direction} ${name}: ${secretHeader.test(name) ? hidden : value}`),
  )
  if (body.length === 0) return lines
  const text = hide(body.toString('utf8'))
  const more = text.length > mostShown ? `… (${body.length} bytes)` : ''
  return [...lines, `${direction} ${text.slice(0, mostShown)}${more}`]
}

/** Shorter ones stand in ordinary words. */
const shortestHidden = 8

/** For `client.ts`, of each request: a function that hides these values wherever they stand in a text, in any letter case. */
export function hiding(values: readonly string[]): (text: string) => string {
  const wanted = values
    .filter((value) => value.length >= shortestHidden)
    // The longer one of two that begin alike is found first: else its end would stay.
    .toSorted((one, other) => other.length - one.length)
  return (text) => {
    const lower = text.toLowerCase()
    // A signature is another one each time, and so would the pattern be: V8 keeps kilobytes of code for each one it runs.
    if (!wanted.some((value) => lower.includes(value.toLowerCase()))) return text
    const escaped = wanted.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    return text.replace(new RegExp(escaped.join('|'), 'gi'), hidden)
  }
}
