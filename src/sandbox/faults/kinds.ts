/** Faults by their names. */
import { STATUS_CODES } from 'node:http'
import { usageError } from '../../errors.ts'
import { jsonAnswer, type Answer } from '../answer.ts'
import type { Effect } from './effect.ts'
import { durationOf, type Params } from './params.ts'

export type FaultKinds = Readonly<Record<string, (params: Params) => Effect>>

export const htmlPage = Buffer.from(
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Proxy</h1><p>Please sign in.</p></body></html>\n',
)

/** API: Errors, the codes of the table; another status has its own times a hundred. */
const codes: Readonly<Record<number, readonly [number, string]>> = {
  400: [40001, 'Validation error'],
  401: [40121, 'Invalid API credentials'],
  403: [40361, 'API key scope is not sufficient'],
  500: [50001, 'Internal server error'],
}

/** A fault that is a status, such as `503` or `429(retry-after=2)`. */
export function statusFault(status: number, params: Params): Effect {
  const retryAfter = params.value('retry-after')
  const body = params.value('body') ?? 'json'
  if (!['json', 'html', 'empty'].includes(body))
    throw usageError(`body=${body} is not one of json, html, empty`)
  const [code, usual] = codes[status] ?? [status * 100, STATUS_CODES[status] ?? 'Error']
  const ownCode = params.value('code')
  const message = params.value('message') ?? usual
  const json = jsonAnswer(status, {
    code: ownCode === undefined ? code : params.number('code', ownCode),
    message,
  })
  const answer = body === 'json' ? json : page(status, body === 'html' ? htmlPage : Buffer.alloc(0))
  const later = (now: number) =>
    retryAfter !== undefined && { 'retry-after': retryAfterValue(retryAfter, now) }
  return {
    apply: false,
    instead: ({ now }) => ({ ...answer, headers: { ...answer.headers, ...later(now) } }),
  }
}

export function page(status: number, body: Buffer): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** `date+5s` is the service's time and five seconds as an HTTP date; everything else goes out as it is written. */
function retryAfterValue(value: string, now: number): string {
  return value.startsWith('date+')
    ? new Date(now + durationOf(value.slice(5))).toUTCString()
    : value
}

/** The faults that are words; statuses stand beside them. */
export const faultKinds: FaultKinds = {
  /** The operation's own answer, with the headers that the parentheses name. */
  answer: () => ({}),
  'drop-before': () => ({ apply: false, send: 'drop' }),
  'drop-after-apply': () => ({ send: 'drop' }),
  delay: (params) => {
    const wait = durationOf(params.first('a duration such as 500ms'))
    return params.flag('before') ? { before: wait } : { after: wait }
  },
  duplicate: (params) => ({
    send: { twiceAfter: durationOf(params.first('a duration such as 5ms')) },
  }),
  'hang-before': () => ({ apply: false, send: 'hang' }),
  'hang-after-apply': () => ({ send: 'hang' }),
  late: (params) => ({ late: durationOf(params.first('a duration such as 300ms')), send: 'hang' }),
}
