/** What each fault does, by its name. */
import { gzipSync } from 'node:zlib'
import { usageError } from '../../errors.ts'
import { jsonAnswer } from '../answer.ts'
import {
  cursorLoop,
  foreignIds,
  inData,
  invalidUtf8,
  isObject,
  manyEmployees,
  mapIds,
  mapMembers,
  numberIds,
  pageLies,
  unknownFields,
  wrongShape,
  wrongSums,
} from './distort.ts'
import type { Effect, Sending } from './effect.ts'
import { bytesOf, durationOf, type Params } from './params.ts'

export interface FaultKind {
  /** The text in the parentheses is one parameter, commas included. */
  readonly raw?: true
  readonly make: (params: Params) => Effect
}

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
  if (!['json', 'html', 'empty'].includes(body)) throw usageError(`body=${body} is not known: json, html, empty`)
  const [code, message] = codes[status] ?? [status * 100, `Status ${status}`]
  const ownCode = params.value('code')
  const error = {
    code: ownCode === undefined ? code : params.number('code', ownCode),
    message: params.value('message') ?? message,
  }
  return {
    apply: false,
    instead: ({ now }) => {
      const html = { 'content-type': 'text/html; charset=utf-8' }
      const page = { status, headers: html, body: body === 'html' ? htmlPage : Buffer.alloc(0) }
      const answer = body === 'json' ? jsonAnswer(status, error) : page
      if (retryAfter === undefined) return answer
      return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfterValue(retryAfter, now) } }
    },
  }
}

/** `date+5s` is the service's time and five seconds as an HTTP date; everything else goes out as it is written. */
function retryAfterValue(value: string, now: number): string {
  return value.startsWith('date+') ? new Date(now + durationOf(value.slice(5))).toUTCString() : value
}

const cut = (params: Params, at: string | undefined, whole: boolean): Sending => ({
  kind: 'cut',
  at: at === undefined ? undefined : params.number('at', at),
  whole,
  chunked: params.flag('chunked'),
})

/** The faults that are words; statuses stand beside them. */
export const faultKinds: Readonly<Record<string, FaultKind>> = {
  'drop-before': {
    make: () => ({ apply: false, send: { kind: 'drop' } }),
  },
  'drop-after-apply': {
    make: () => ({ send: { kind: 'drop' } }),
  },
  'drop-mid': {
    make: (params) => {
      const whole = params.value('whole-at')
      return { send: cut(params, whole ?? params.value('at'), whole !== undefined) }
    },
  },
  reset: {
    make: () => ({ apply: false, send: { kind: 'reset' } }),
  },
  delay: {
    make: (params) => {
      const wait = durationOf(params.first('a duration such as 500ms'))
      return params.flag('before') ? { before: wait } : { after: wait }
    },
  },
  drip: {
    make: (params) => ({ send: { kind: 'drip', wait: durationOf(params.first('a duration such as 100ms')) } }),
  },
  'hang-before': {
    make: () => ({ apply: false, send: { kind: 'hang' } }),
  },
  hang: { make: () => ({ apply: false, send: { kind: 'hang' } }) },
  'hang-after-apply': {
    make: () => ({ send: { kind: 'hang' } }),
  },
  late: {
    make: (params) => ({
      late: durationOf(params.first('a duration such as 300ms')),
      send: { kind: 'hang' },
    }),
  },
  'apply-half': {
    make: () => ({ apply: 'half', instead: () => jsonAnswer(500, { code: 50001, message: 'Internal server error' }) }),
  },
  'truncated-json': {
    make: () => ({ bytes: (body) => body.subarray(0, Math.floor(body.length / 2)) }),
  },
  'invalid-json': {
    make: () => ({ bytes: () => Buffer.from('{"data": {oops}') }),
  },
  'invalid-utf8': {
    make: () => ({ bytes: invalidUtf8 }),
  },
  'garbage-after': {
    make: () => ({ bytes: (body) => Buffer.concat([body, Buffer.from('\n<!-- served by proxy -->{"data":1}')]) }),
  },
  html: {
    make: () => ({
      apply: false,
      instead: () => ({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: htmlPage }),
    }),
  },
  'content-type': {
    raw: true,
    make: (params) => {
      const value = params.header(params.text)
      return {
        headers: (headers) => {
          if (value === '') delete headers['content-type']
          else headers['content-type'] = value
        },
      }
    },
  },
  'content-length': {
    make: (params) => {
      const text = params.first('a difference such as +5 or -5')
      if (!/^[+-]\d{1,9}$/.test(text)) throw usageError(`content-length needs +n or -n, not "${text}"`)
      return { send: { kind: 'length', difference: Number(text) } }
    },
  },
  empty: { make: () => ({ bytes: () => Buffer.alloc(0) }) },
  null: { make: () => ({ value: () => null }) },
  'missing-data': { make: () => ({ value: () => ({}) }) },
  'wrong-shape': {
    make: () => ({ value: (value) => (isObject(value) ? mapMembers(value, wrongShape) : 0) }),
  },
  'unknown-fields': {
    make: () => ({ value: unknownFields }),
  },
  huge: {
    make: (params) => ({ send: { kind: 'huge', bytes: bytesOf(params.first('a size such as 300MB')) } }),
  },
  deep: {
    make: (params) => {
      const levels = params.number('deep', params.first('a number of levels'))
      return {
        bytes: (body) => {
          const nested = Buffer.from(`{"deep":${'['.repeat(levels)}${']'.repeat(levels)},`)
          return Buffer.concat([nested, body.subarray(1)])
        },
      }
    },
  },
  gzip: {
    make: () => ({
      bytes: (body) => gzipSync(body),
      headers: (headers) => {
        headers['content-encoding'] = 'gzip'
      },
    }),
  },
  redirect: {
    make: (params) => {
      const location = params.header(params.first('a URL'))
      const status = params.number('redirect', params.second() ?? '307')
      if (status < 300 || status > 399) throw usageError(`redirect needs a status from 300 to 399, not ${status}`)
      return {
        apply: false,
        instead: () => ({ status, headers: { location, 'content-type': 'text/html' }, body: htmlPage }),
      }
    },
  },
  date: {
    raw: true,
    make: (params) => {
      const value = params.header(params.text)
      return {
        headers: (headers) => {
          headers['date'] = value
        },
      }
    },
  },
  'no-date': { make: () => ({ noDate: true }) },
  'number-ids': {
    make: () => ({ bytes: numberIds }),
  },
  'wrong-sums': {
    make: () => ({ value: (value) => inData(value, wrongSums) }),
  },
  'foreign-ids': {
    make: () => ({ value: (value) => inData(value, foreignIds) }),
  },
  'lower-case': {
    make: () => ({ bytes: (body) => mapIds(body, (id) => id.toLowerCase()) }),
  },
  'upper-case': {
    make: () => ({ bytes: (body) => mapIds(body, (id) => id.toUpperCase()) }),
  },
  'cursor-loop': { make: cursorLoop },
  'cursor-same': {
    make: () => ({
      value: (value, { cursor }) =>
        cursor === undefined
          ? value
          : inData(value, (data) => {
              if ('messages' in data) data['nextChunkStartMessageId'] = cursor
            }),
    }),
  },
  'cursor-exclusive': {
    make: () => ({ chunking: { exclusive: true } }),
  },
  'cursor-overlap': {
    make: () => ({ chunking: { overlap: true } }),
  },
  'chunk-size': {
    make: (params) => ({ chunking: { size: Math.max(1, params.number('chunk-size', params.first('a number'))) } }),
  },
  'page-lies': {
    make: () => ({ value: (value) => inData(value, pageLies) }),
  },
  employees: {
    make: (params) => {
      const count = params.number('employees', params.first('a number'))
      return { value: (value) => manyEmployees(value, count) }
    },
  },
}
