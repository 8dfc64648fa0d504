/** Lines of `-v` and `-vv` about each attempt and each wait. */
import type { AnswerHeaders, Exchange } from '../world.ts'
import type { AttemptResult } from './attempt.ts'

/** Where the lines go. */
export interface TraceLog {
  /** 0, 1 (`-v`) or 2 (`-vv`): what is not shown is not made. */
  verbose: number
  log(level: 1 | 2, line: string, members?: Readonly<Record<string, unknown>>): void
}

export interface TracedAttempt {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer
  exchange: Exchange
  result: AttemptResult
  ms: number
  attempt: number
  batch: number | undefined
  hide: (text: string) => string
}

/** Tells of an attempt that has ended. */
export function traceAttempt(log: TraceLog, traced: TracedAttempt) {
  if (log.verbose < 1) return
  const { method, path, headers, body, attempt, batch, result, exchange, hide } = traced
  const { kind: outcome, requestId, code, message } = result
  const ms = Math.round(traced.ms)
  // Null when no answer came.
  const httpStatus = exchange.kind === 'response' ? exchange.status : null
  const loss = `${outcome === 'never-sent' ? 'never sent' : 'no answer'} (${message ?? ''})`
  const id = requestId === undefined ? '' : `, request ${requestId}`
  const members = { type: 'request', method, path, httpStatus, ms, attempt, batch }
  const line = `${method} ${path} ${httpStatus ?? loss} ${ms} ms, attempt ${attempt}${id}`
  log.log(1, line, { ...members, requestId, outcome, code, message })
  if (log.verbose < 2) return
  const lines = [...headerLines('>', headers), ...bodyLines('>', body, hide)]
  if (exchange.kind === 'response')
    lines.push(
      ...headerLines('<', exchange.headers),
      ...bodyLines('<', exchange.body, hide),
    )
  for (const each of lines) log.log(2, hide(each))
}

/** Tells of a wait before a request, in milliseconds and why; `batch` is that of a bulk run. */
export function traceWait(
  log: TraceLog,
  { batch, attempts }: { batch: number | undefined; attempts: number },
  ms: number,
  why: string,
) {
  const wait = ms < 100 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
  const attempt = attempts === 0 ? undefined : attempts
  log.log(1, `waiting ${wait} ${why}`, batch === undefined ? undefined : { batch, attempt })
}

const hidden = '[hidden]'
/** The signature can be replayed for five minutes, so no log has it. */
const secretHeader = /signature|key|cookie|authorization|secret|token/i

/** Bytes of a body that `-vv` shows. */
const mostShown = 2000

function headerLines(direction: '>' | '<', headers: AnswerHeaders) {
  return Object.entries(headers).map(([name, value]) => {
    const shown = secretHeader.test(name) ? hidden : String(value)
    return `${direction} ${name}: ${shown}`
  })
}

/** The beginning of a body. It is hidden before it is cut: otherwise part of a secret at the cut would remain. */
function bodyLines(direction: '>' | '<', body: Buffer, hide: (text: string) => string) {
  if (body.length === 0) return []
  const text = hide(body.toString('utf8'))
  const more = text.length > mostShown ? `… (${body.length} bytes)` : ''
  return [`${direction} ${text.slice(0, mostShown)}${more}`]
}
