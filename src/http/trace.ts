/**
 * Lines of `-v` and `-vv` about each attempt and each wait of `client.ts`, and the hiding of what was sent from what came back: a service or
 * a proxy may repeat a signature in its answer, and one can be replayed for five minutes.
 */
import type { Exchange } from '../world.ts'
import type { AttemptResult } from './attempt.ts'
import type { WaitReason } from './pace.ts'
import type { Decision } from './retry.ts'

export interface TraceOptions {
  /** 0, 1 (`-v`) or 2 (`-vv`): what is not shown is not made. */
  readonly verbose: () => number
  readonly log: (level: 1 | 2, line: string, members?: Readonly<Record<string, unknown>>) => void
  /** An attempt that has ended, as data and in words. */
  readonly request: (members: RequestFacts, line: string) => void
}

/** An attempt as a log has it. */
type RequestFacts = ReturnType<typeof factsOf>

export interface TracedAttempt {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly exchange: Exchange
  readonly result: AttemptResult
  readonly ms: number
  readonly number: number
  readonly batch: number | undefined
  readonly hide: (text: string) => string
}

/** A request that waits, after so many attempts. */
interface Waiting {
  readonly batch: number | undefined
  readonly attempts: number
}

const throttledWords = 'fewer requests per second, because the service answered HTTP 429'

/** Milliseconds; nobody notices a shorter pause. */
const shortestTold = 100

/** The lines about the requests of one client (`client.ts`). */
export class Trace {
  readonly #options: TraceOptions

  constructor(options: TraceOptions) {
    this.#options = options
  }

  attempt(attempt: TracedAttempt): void {
    const { log, request, verbose } = this.#options
    if (verbose() < 1) return
    const members = factsOf(attempt)
    const { method, path, httpStatus, ms, requestId, outcome, message = '' } = members
    const loss = outcome === 'never-sent' ? 'never sent' : 'no answer'
    const ending = httpStatus ?? `${loss} (${message})`
    const id = requestId === undefined ? '' : `, request ${requestId}`
    request(members, `${method} ${path} ${ending} ${ms} ms, attempt ${members.attempt}${id}`)
    if (verbose() < 2) return
    for (const line of detailsOf(attempt)) log(2, line)
  }

  wait(
    { batch, attempts }: Waiting,
    result: AttemptResult,
    { wait, shared }: Decision & { kind: 'again' },
  ): void {
    const cause = result.status === undefined ? (result.message ?? '') : `HTTP ${result.status}`
    const why = shared ? `${cause}, and the service asked for this wait` : cause
    this.#log({ batch, attempts }, wait, `before attempt ${attempts + 1}: ${why}`)
  }

  /** A wait for what other requests were answered. The limit that was asked for is no news. */
  pause(waiting: Waiting, wait: number, why: WaitReason): void {
    if (wait < shortestTold || why === 'limit') return
    const words = { 'retry-after': 'the service asked for a pause', throttled: throttledWords }
    this.#log(waiting, wait, `before the next request: ${words[why]}`)
  }

  #log({ batch, attempts }: Waiting, wait: number, why: string): void {
    const attempt = attempts === 0 ? undefined : attempts
    const members = batch === undefined ? undefined : { batch, attempt }
    this.#options.log(1, `waiting ${waitWords(wait)} ${why}`, members)
  }
}

/** `0.5 s`, and milliseconds below a tenth of a second. */
function waitWords(ms: number): string {
  return ms < shortestTold ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

function factsOf({ method, path, exchange, result, ms, number, batch }: TracedAttempt) {
  return {
    method,
    path,
    /** Null when no answer came. */
    httpStatus: exchange.kind === 'response' ? exchange.status : null,
    ms: Math.round(ms),
    attempt: number,
    batch,
    requestId: result.requestId,
    outcome: result.kind,
    code: result.code,
    /** The service's words for a refusal, or why there was no answer. */
    message: result.message,
  }
}

function* detailsOf({ headers, body, exchange, hide }: TracedAttempt): Generator<string> {
  // Names and values by turns, as the transport takes them.
  for (let i = 0; i + 1 < headers.length; i += 2) {
    yield headerLine('>', headers[i] ?? '', headers[i + 1] ?? '', hide)
  }
  if (body.length > 0) yield `> ${shownBody(body, hide)}`
  if (exchange.kind === 'failed') return
  for (const [name, value] of Object.entries(exchange.headers)) {
    yield headerLine('<', name, String(value), hide)
  }
  if (exchange.body.length > 0) yield `< ${shownBody(exchange.body, hide)}`
}

const hidden = '[hidden]'
/** The signature can be replayed for five minutes, so no log has it. */
const secretHeader = /signature|key|cookie|authorization|secret|token/i

function headerLine(
  direction: '>' | '<',
  name: string,
  value: string,
  hide: (text: string) => string,
): string {
  const shown = secretHeader.test(name) ? hidden : value
  return hide(`${direction} ${name}: ${shown}`)
}

/** Characters of a body that `-vv` shows. */
const mostShown = 2000

/** The beginning of a body. It is hidden before it is cut: of a secret across the cut the first part would stay. */
function shownBody(body: Buffer, hide: (text: string) => string): string {
  const text = hide(body.toString('utf8'))
  if (text.length <= mostShown) return text
  return `${text.slice(0, mostShown)}… (${body.length} bytes)`
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
