/** Faults that only tests ask for, by name: answers that are wrong on purpose, and connections that no service treats so. */
import { gzipSync } from 'node:zlib'
import { usageError } from '../../src/errors.ts'
import type { Call } from '../../src/sandbox/input.ts'
import type { Effect } from '../../src/sandbox/faults/effect.ts'
import { Refusal, refusals } from '../../src/sandbox/answer.ts'
import { htmlPage, page, type FaultKinds } from '../../src/sandbox/faults/kinds.ts'
import { durationOf, type Params } from '../../src/sandbox/faults/params.ts'
import * as distort from './distort.ts'
import { cut, writeWrongLength } from './written.ts'

/** All that the parentheses have, as one text, commas included. */
function textOf(params: Params): string {
  for (const word of params.words) params.flag(word)
  return params.words.join(', ')
}

function secondOf(params: Params): string | undefined {
  const [, word] = params.words
  if (word !== undefined) params.flag(word)
  return word
}

/**
 * Other cursors that the description allows as well: the last message that was given, after which the next chunk begins
 * (`exclusive`), or with which it begins.
 */
function cursorOfLast(kind: 'exclusive' | 'overlap'): Effect {
  return distort.inData((data, { cursor }) => {
    const { messages, nextChunkStartMessageId: next } = data
    if (!Array.isArray(messages)) return
    const last: unknown = messages.at(-1)
    if (!distort.isObject(last)) return
    if (kind === 'exclusive' && cursor !== undefined) messages.shift()
    // An exclusive one is given as long as there was a message, so that the last chunk may be empty.
    if (next !== undefined || (kind === 'exclusive' && messages.length > 0))
      data['nextChunkStartMessageId'] = last['id']
  })
}

/** 429 beyond so many requests in a second, with the time after which more are taken. */
function atMost(text: string): Effect {
  const [, most] = /^(\d{1,6})\/s$/.exec(text) ?? []
  if (most === undefined) throw usageError('use 10/s')
  let window = { start: -Infinity, count: 0 }
  return {
    alter(call) {
      const now = performance.now()
      if (now - window.start >= 1000) window = { start: now, count: 0 }
      window.count += 1
      if (window.count <= Number(most)) return call
      const refusal = new Refusal(429, 42900, 'Too many requests')
      refusal.answer.headers['retry-after'] = '1'
      throw refusal
    },
  }
}

/** Only the first half of a bulk request. */
function halfOf(call: Call): Call {
  const body = JSON.parse(Buffer.from(call.rawBody).toString()) as { contactIds?: unknown[] }
  if (body.contactIds === undefined) return call
  const contactIds = body.contactIds.slice(0, Math.ceil(body.contactIds.length / 2))
  return { ...call, rawBody: Buffer.from(JSON.stringify({ ...body, contactIds })) }
}

export const distortions: FaultKinds = {
  'drop-mid': (params) => {
    const ofAll = params.value('whole-at')
    const place = ofAll ?? params.value('at')
    const at = place === undefined ? undefined : params.number('at', place)
    const where = { at, whole: ofAll !== undefined }
    return {
      send: ({ socket }, answer) => {
        const sent = cut(answer, where)
        socket?.end(sent)
        // An answer without a body has nothing to be cut off.
        const isWhole = sent.length === cut(answer, { ...where, at: Infinity }).length
        return isWhole ? 'complete' : 'incomplete'
      },
    }
  },
  reset: () => ({
    apply: false,
    send: ({ socket }) => {
      socket?.resetAndDestroy()
      return 'incomplete'
    },
  }),
  'close-after': (params) => {
    const wait = durationOf(params.first('a duration such as 1ms'))
    return {
      send: (response, { status, headers, body }) => {
        const { socket } = response
        response.writeHead(status, headers).end(body, () => setTimeout(() => socket?.destroy(), wait))
        return 'node'
      },
    }
  },
  rate: (params) => atMost(params.first('a rate such as 10/s')),
  'apply-half': () => ({ alter: halfOf, instead: () => refusals.internal().answer }),
  'truncated-json': () => distort.inBytes((body) => body.subarray(0, Math.floor(body.length / 2))),
  'invalid-json': () => distort.inBytes(() => Buffer.from('{"data": {oops}')),
  'invalid-utf8': () => distort.inBytes(distort.invalidUtf8),
  'garbage-after': () =>
    distort.inBytes((body) => Buffer.concat([body, Buffer.from('\n<!-- served by proxy -->{"data":1}')])),
  html: () => ({ apply: false, instead: () => page(200, htmlPage) }),
  'content-type': (params) => {
    const value = textOf(params)
    return { distort: (answer) => distort.withHeader(answer, 'content-type', value === '' ? undefined : value) }
  },
  'content-length': (params) => {
    const text = params.first('a difference such as +5 or -5')
    if (!/^[+-]\d{1,9}$/.test(text)) throw usageError(`content-length needs +n or -n, not "${text}"`)
    return {
      send: (response, answer) => {
        writeWrongLength(response, answer, Number(text))
        return 'node'
      },
    }
  },
  empty: () => distort.inBytes(() => Buffer.alloc(0)),
  null: () => distort.inValue(() => null),
  'missing-data': () => distort.inValue(() => ({})),
  'wrong-shape': () =>
    distort.inValue((value) => (distort.isObject(value) ? distort.mapMembers(value, distort.wrongShape) : 0)),
  'unknown-fields': () => distort.inValue(distort.unknownFields),
  deep: (params) => {
    const levels = params.number('deep', params.first('a number of levels'))
    const nested = `{"deep":${'['.repeat(levels)}${']'.repeat(levels)},`
    return distort.inBytes((body) => Buffer.concat([Buffer.from(nested), body.subarray(1)]))
  },
  gzip: () => ({
    distort: (answer) => distort.withHeader({ ...answer, body: gzipSync(answer.body) }, 'content-encoding', 'gzip'),
  }),
  redirect: (params) => {
    const location = params.first('a URL')
    const status = params.number('redirect', secondOf(params) ?? '307')
    if (status < 300 || status > 399) throw usageError(`redirect needs a status from 300 to 399, not ${status}`)
    const answer = { status, headers: { location, 'content-type': 'text/html' }, body: htmlPage }
    return { apply: false, instead: () => answer }
  },
  date: (params) => {
    const value = textOf(params)
    return { distort: (answer) => distort.withHeader(answer, 'date', value) }
  },
  'no-date': () => ({ distort: (answer) => distort.withHeader(answer, 'date', undefined) }),
  'number-ids': () => distort.inBytes(distort.numberIds),
  'wrong-sums': () => distort.inData(distort.wrongSums),
  'foreign-ids': () => distort.inData(distort.foreignIds),
  'lower-case': () => distort.inBytes(distort.mapIds((id) => id.toLowerCase())),
  'upper-case': () => distort.inBytes(distort.mapIds((id) => id.toUpperCase())),
  'cursor-exclusive': () => cursorOfLast('exclusive'),
  'cursor-overlap': () => cursorOfLast('overlap'),
  'chunk-size': (params) => {
    const chunkSize = Math.max(1, params.number('chunk-size', params.first('a number')))
    return { alter: (call) => ({ ...call, chunkSize }) }
  },
  employees: (params) => {
    const count = params.number('employees', params.first('a number'))
    return distort.inValue((value) => distort.manyEmployees(value, count))
  },
}
