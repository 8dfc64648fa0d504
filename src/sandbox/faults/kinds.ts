/** What each fault does, by its name. */
import { STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import { usageError } from '../../errors.ts'
import { jsonAnswer, refusals, type Answer } from '../answer.ts'
import * as distort from './distort.ts'
import type { Effect } from './effect.ts'
import { bytesOf, durationOf, type Params } from './params.ts'

const htmlPage = Buffer.from(
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
  if (!['json', 'html', 'empty'].includes(body)) throw usageError(`body=${body} is not one of json, html, empty`)
  const [code, usual] = codes[status] ?? [status * 100, STATUS_CODES[status] ?? 'Error']
  const ownCode = params.value('code')
  const message = params.value('message') ?? usual
  const json = jsonAnswer(status, { code: ownCode === undefined ? code : params.number('code', ownCode), message })
  const answer = body === 'json' ? json : page(status, body === 'html' ? htmlPage : Buffer.alloc(0))
  const later = (now: number) => retryAfter !== undefined && { 'retry-after': retryAfterValue(retryAfter, now) }
  return { apply: false, instead: ({ now }) => ({ ...answer, headers: { ...answer.headers, ...later(now) } }) }
}

function page(status: number, body: Buffer): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** `date+5s` is the service's time and five seconds as an HTTP date; everything else goes out as it is written. */
function retryAfterValue(value: string, now: number): string {
  return value.startsWith('date+') ? new Date(now + durationOf(value.slice(5))).toUTCString() : value
}

/** Faults whose parentheses hold one text, commas included. */
export const faultsOfText: readonly string[] = ['content-type', 'date']

/** The faults that are words; statuses stand beside them. */
export const faultKinds: Readonly<Record<string, (params: Params) => Effect>> = {
  'drop-before': () => ({ apply: false, send: { kind: 'drop' } }),
  'drop-after-apply': () => ({ send: { kind: 'drop' } }),
  'drop-mid': (params) => {
    const ofAll = params.value('whole-at')
    const place = ofAll ?? params.value('at')
    const at = place === undefined ? undefined : params.number('at', place)
    return { send: { kind: 'cut', at, whole: ofAll !== undefined, chunked: params.flag('chunked') } }
  },
  reset: () => ({ apply: false, send: { kind: 'reset' } }),
  delay: (params) => {
    const wait = durationOf(params.first('a duration such as 500ms'))
    return params.flag('before') ? { before: wait } : { after: wait }
  },
  drip: (params) => ({ send: { kind: 'drip', wait: durationOf(params.first('a duration such as 100ms')) } }),
  duplicate: (params) => ({ send: { kind: 'duplicate', wait: durationOf(params.first('a duration such as 5ms')) } }),
  'hang-before': () => ({ apply: false, send: { kind: 'hang' } }),
  hang: () => ({ apply: false, send: { kind: 'hang' } }),
  'hang-after-apply': () => ({ send: { kind: 'hang' } }),
  late: (params) => ({ late: durationOf(params.first('a duration such as 300ms')), send: { kind: 'hang' } }),
  'apply-half': () => ({ apply: 'half', instead: () => refusals.internal().answer }),
  'truncated-json': () => ({ bytes: (body) => body.subarray(0, Math.floor(body.length / 2)) }),
  'invalid-json': () => ({ bytes: () => Buffer.from('{"data": {oops}') }),
  'invalid-utf8': () => ({ bytes: distort.invalidUtf8 }),
  'garbage-after': () => ({
    bytes: (body) => Buffer.concat([body, Buffer.from('\n<!-- served by proxy -->{"data":1}')]),
  }),
  html: () => ({ apply: false, instead: () => page(200, htmlPage) }),
  'content-type': (params) => {
    const value = params.header(params.text)
    return { headers: { 'content-type': value === '' ? undefined : value } }
  },
  'content-length': (params) => {
    const text = params.first('a difference such as +5 or -5')
    if (!/^[+-]\d{1,9}$/.test(text)) throw usageError(`content-length needs +n or -n, not "${text}"`)
    return { send: { kind: 'length', difference: Number(text) } }
  },
  empty: () => ({ bytes: () => Buffer.alloc(0) }),
  null: () => ({ value: () => null }),
  'missing-data': () => ({ value: () => ({}) }),
  'wrong-shape': () => ({
    value: (value) => (distort.isObject(value) ? distort.mapMembers(value, distort.wrongShape) : 0),
  }),
  'unknown-fields': () => ({ value: distort.unknownFields }),
  huge: (params) => ({ send: { kind: 'huge', bytes: bytesOf(params.first('a size such as 300MB')) } }),
  deep: (params) => {
    const levels = params.number('deep', params.first('a number of levels'))
    const nested = `{"deep":${'['.repeat(levels)}${']'.repeat(levels)},`
    return { bytes: (body) => Buffer.concat([Buffer.from(nested), body.subarray(1)]) }
  },
  gzip: () => ({ bytes: (body) => gzipSync(body), headers: { 'content-encoding': 'gzip' } }),
  redirect: (params) => {
    const location = params.header(params.first('a URL'))
    const status = params.number('redirect', params.second() ?? '307')
    if (status < 300 || status > 399) throw usageError(`redirect needs a status from 300 to 399, not ${status}`)
    const answer = { status, headers: { location, 'content-type': 'text/html' }, body: htmlPage }
    return { apply: false, instead: () => answer }
  },
  date: (params) => ({ headers: { date: params.header(params.text) } }),
  'no-date': () => ({ noDate: true }),
  'number-ids': () => ({ bytes: distort.numberIds }),
  'wrong-sums': () => ({ value: distort.inData(distort.wrongSums) }),
  'foreign-ids': () => ({ value: distort.inData(distort.foreignIds) }),
  'lower-case': () => ({ bytes: distort.mapIds((id) => id.toLowerCase()) }),
  'upper-case': () => ({ bytes: distort.mapIds((id) => id.toUpperCase()) }),
  'cursor-loop': distort.cursorLoop,
  'cursor-same': () => ({
    value: distort.inData((data, { cursor }) => {
      if (cursor !== undefined && 'messages' in data) data['nextChunkStartMessageId'] = cursor
    }),
  }),
  'cursor-exclusive': () => ({ chunking: { exclusive: true } }),
  'cursor-overlap': () => ({ chunking: { overlap: true } }),
  'chunk-size': (params) => ({
    chunking: { size: Math.max(1, params.number('chunk-size', params.first('a number'))) },
  }),
  'page-lies': () => ({ value: distort.inData(distort.pageLies) }),
  employees: (params) => {
    const count = params.number('employees', params.first('a number'))
    return { value: (value) => distort.manyEmployees(value, count) }
  },
}
