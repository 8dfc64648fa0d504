/** Lines of `-v` about each attempt and each wait. */
import type { Exchange } from '../world.ts'
import type { AttemptResult } from './attempt.ts'

/** Where the lines go. */
export interface TraceLog {
  log(line: string): void
}

export interface TracedAttempt {
  method: string
  path: string
  exchange: Exchange
  result: AttemptResult
  ms: number
  attempt: number
}

/** Tells of an attempt that has ended. */
export function traceAttempt(log: TraceLog, traced: TracedAttempt) {
  const { method, path, attempt, result, exchange, ms } = traced
  const { kind, requestId, message = '' } = result
  const loss = `${kind === 'never-sent' ? 'never sent' : 'no answer'} (${message})`
  const ending = exchange.kind === 'response' ? exchange.status : loss
  const id = requestId === undefined ? '' : `, request ${requestId}`
  log.log(`${method} ${path} ${ending} ${Math.round(ms)} ms, attempt ${attempt}${id}`)
}

/** Tells of a wait before the next attempt of a request, in milliseconds. */
export function traceWait(log: TraceLog, ms: number, attempt: number) {
  const wait = ms < 100 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
  log.log(`waiting ${wait} before attempt ${attempt}`)
}
