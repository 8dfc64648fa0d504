import * as fc from 'fast-check'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  classify,
  maxAnswerDepth,
  maxAnswerValues,
  parseAnswer,
  shapeOf,
  type ReadAnswer,
  type Response,
} from '../../src/http/attempt.ts'
import type { AnswerHeaders, Exchange } from '../../src/world.ts'
import { describeFailure } from '../../src/http/connection-errors.ts'

const read: ReadAnswer = (response) => {
  const parsed = parseAnswer(response)
  return parsed.ok ? { ok: true, data: parsed.document } : parsed
}

function answer(status: number, body: string | Buffer = '{}', headers: AnswerHeaders = {}): Response {
  return { kind: 'response', status, headers, body: Buffer.from(body) }
}

function beginning(body: string | Buffer): string {
  return JSON.stringify(body.toString('latin1').slice(0, 30))
}

/** The rule said a second time. */
function expectedKind(status: number): string {
  if (status >= 200 && status <= 299) return 'answered'
  return status >= 400 && status <= 499 && status !== 408 ? 'refused' : 'ambiguous'
}

describe('every status from 100 to 599', () => {
  it('with and without Retry-After, with and without a readable body', () => {
    for (let status = 100; status <= 599; status += 1) {
      for (const headers of [{}, { 'retry-after': '1' }]) {
        const expected = expectedKind(status)
        const result = classify(answer(status, '{"code":7,"message":"words"}', headers), read)
        const said = status >= 400 ? { code: 7, message: 'words' } : {}
        expect(result).toMatchObject({ status, kind: expected, ...said })
        const unreadable = classify(answer(status, '<html>', headers), read)
        expect(unreadable).toMatchObject({ status, kind: expected === 'answered' ? 'ambiguous' : expected, html: true })
      }
    }
  })

  it('a redirect says where to', () => {
    expect(classify(answer(307, '', { location: 'https://evil.example/' }), read)).toMatchObject({
      kind: 'ambiguous',
      message: 'redirected to https://evil.example/',
    })
    expect(classify(answer(304, ''), read)).toMatchObject({ message: 'redirected' })
    expect(classify(answer(300, '', { location: '/x' }), read)).toMatchObject({ message: 'redirected to /x' })
    expect(classify(answer(199, '', { location: '/x' }), read)).toMatchObject({ message: 'HTTP 199' })
  })

  it('a failure is never sent or ambiguous, as the connection knows', () => {
    const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    const failed = (sent: boolean): Exchange => ({ kind: 'failed', sent, error })
    expect(classify(failed(true), read)).toEqual({ kind: 'ambiguous', message: 'the connection was reset' })
    expect(classify(failed(false), read)).toEqual({
      kind: 'never-sent',
      message: 'the connection was reset',
      systemCode: 'ECONNRESET',
    })
  })
})

describe('error bodies', () => {
  it.each([
    ['{"code":40121,"message":"m"}', { code: 40121, message: 'm' }],
    ['{"code":40121,"message":"m","more":1}', { code: 40121, message: 'm' }],
    ['{"code":"40121","message":7}', {}],
    ['{"code":1.5,"message":""}', {}],
    ['{"code":true,"message":["m"]}', {}],
    ['{"__proto__":{"code":1,"message":"m"}}', {}],
    ['null', {}],
    ['[]', {}],
    ['"text"', {}],
    ['', {}],
    ['<html>', {}],
    ['\u00ff', {}],
  ])('%s', (body, expected) => {
    const result = classify(answer(400, body), read)
    const { code, message } = result as { code?: number; message?: string }
    expect({ code, message }).toEqual({ code: undefined, message: undefined, ...expected })
    expect(result.kind).toBe('refused')
  })
})

describe('reading an answer', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const rows: readonly (readonly [string | Buffer, AnswerHeaders, string | undefined])[] = [
    ['{"data":1}', {}, undefined],
    ['\ufeff{"data":1}', {}, undefined],
    [' \n{"data":1}\r\n', {}, undefined],
    ['{"data":1}', { 'content-encoding': 'identity' }, undefined],
    ['{"data":1}', { 'content-encoding': '' }, undefined],
    ['{"data":1}', { 'content-type': 'text/plain' }, undefined],
    [nested(maxAnswerDepth), {}, undefined],
    [nested(maxAnswerDepth + 1), {}, 'the answer is nested more than 64 levels deep'],
    [nested(100_000), {}, 'the answer is nested more than 64 levels deep'],
    ['{"a":'.repeat(65) + '1' + '}'.repeat(65), {}, 'the answer is nested more than 64 levels deep'],
    [`[${'[],'.repeat(maxAnswerValues / 2 - 1)}","]`, {}, undefined],
    [`[${'[],'.repeat(maxAnswerValues / 2)}1]`, {}, 'the answer has more than 400,000 values, a field counting as 4'],
    [`{${'"a":1,'.repeat(99_999)}"b":1}`, {}, undefined],
    [`{${'"a":1,'.repeat(100_000)}"b":1}`, {}, 'the answer has more than 400,000 values, a field counting as 4'],
    // API: List employees, at most 1,000; each with the ids of as many channels as fit into an answer.
    [
      JSON.stringify(Array.from({ length: 1000 }, () => ({ name: '', channels: Array(300).fill('ff'.repeat(12)) }))),
      {},
      undefined,
    ],
    ['', {}, 'the answer is empty'],
    [' \r\n\t', {}, 'the answer is empty'],
    ['{"data":1', {}, 'the answer is not valid JSON'],
    ['{"data":1}x', {}, 'the answer is not valid JSON'],
    ['{"data":01}', {}, 'the answer is not valid JSON'],
    ["{'data':1}", {}, 'the answer is not valid JSON'],
    ['<!doctype html><html>', {}, 'the answer is a web page, not JSON'],
    ['Sign in', { 'content-type': 'text/html' }, 'the answer is a web page, not JSON'],
    [Buffer.from([0x22, 0xc3, 0x28, 0x22]), {}, 'the answer is not valid UTF-8'],
    [Buffer.from([0xff, 0xfe, 0x7b, 0x00]), {}, 'the answer is not valid UTF-8'],
    [gzipSync('{}'), { 'content-encoding': 'gzip' }, 'the answer is encoded (gzip), although svc did not ask for that'],
    ['{}', { 'content-encoding': 'br' }, 'the answer is encoded (br), although svc did not ask for that'],
    [
      '{}',
      { 'content-encoding': ['deflate', 'gzip'] },
      'the answer is encoded (deflate), although svc did not ask for that',
    ],
    ['{}', { 'content-encoding': ' Identity ' }, undefined],
    ['{}', { 'content-encoding': '  ' }, undefined],
  ]
  // The beginning is enough of a name.
  it.each(rows.map((row) => ({ name: beginning(row[0]), row })))('%#: $name', ({ row: [body, headers, problem] }) => {
    const parsed = parseAnswer(answer(200, body, headers))
    expect(parsed.ok ? undefined : parsed.problem).toBe(problem)
  })
})

/** The plain definition: one more than the deepest of what is inside. */
function depthByWalking(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthByWalking))
}

describe('the depth of a JSON text', () => {
  it('is what walking the value finds, whatever its strings hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8, noUnicodeString: false }), (value) => {
        expect(shapeOf(JSON.stringify(value)).depth).toBe(depthByWalking(value))
        expect(shapeOf(JSON.stringify(value, null, 2)).depth).toBe(depthByWalking(value))
      }),
    )
  })

  it('brackets, quotes and backslashes inside strings do not count', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', '}', 'a') }), (text) => {
        expect(shapeOf(JSON.stringify([text])).depth).toBe(1)
        expect(shapeOf(JSON.stringify({ [text]: [text] })).depth).toBe(2)
      }),
    )
  })

  it('takes any text, and time in proportion to its length', () => {
    fc.assert(fc.property(fc.string(), (text) => shapeOf(text).depth >= 0))
    const time = (length: number): number => {
      // Of the processor: whatever else a busy machine does has no part in it.
      const started = process.cpuUsage()
      expect(shapeOf(`"${'\\'.repeat(length)}`).depth).toBe(0)
      expect(shapeOf('"\\"'.repeat(length / 4)).depth).toBe(0)
      expect(shapeOf('['.repeat(length)).depth).toBe(length)
      const { user, system } = process.cpuUsage(started)
      return (user + system) / 1000
    }
    time(100_000)
    const short = Math.min(time(100_000), time(100_000))
    expect(time(2_000_000)).toBeLessThan(short * 100 + 100)
  })
})

it.each([
  ['<!DOCTYPE html>', {}, true],
  ['\n  <html lang="en">', {}, true],
  ['<head>', {}, true],
  ['<BODY>', {}, true],
  ['x <html>', {}, false],
  ['<p>', {}, false],
  [`${' '.repeat(256)}<html>`, {}, false],
  [`${' '.repeat(250)}<html>`, {}, true],
  ['x', { 'content-type': 'Text/HTML; charset=utf-8' }, true],
  ['x', { 'content-type': 'application/xhtml+xml' }, false],
  ['x', {}, false],
])('a web page is told from other answers: %#', (body, headers, html) => {
  expect(classify(answer(500, body, headers), read)).toMatchObject({ kind: 'ambiguous', html })
  expect(classify(answer(200, `${body}{`, headers), read)).toMatchObject({ kind: 'ambiguous', html })
  expect(classify(answer(302, body, headers), read)).toMatchObject({ kind: 'ambiguous', html })
})

describe('failures in words', () => {
  const withCode = (code: string, message = 'connect ECONNREFUSED 10.0.0.1:443'): Error =>
    Object.assign(new Error(message), { code })
  it.each([
    [withCode('ECONNREFUSED'), 'connection refused'],
    [withCode('ECONNRESET'), 'the connection was reset'],
    [withCode('EPIPE'), 'the connection was closed'],
    [withCode('EHOSTUNREACH'), 'host unreachable'],
    [withCode('ENETUNREACH'), 'network unreachable'],
    [withCode('UND_ERR_SOCKET'), 'the connection was closed before the answer was complete'],
    [withCode('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'the length of the answer is not the one in its headers'],
    [withCode('UND_ERR_HEADERS_OVERFLOW'), 'the headers of the answer are larger than 16 KiB'],
    [Object.assign(new Error('bad'), { name: 'HTTPParserError' }), 'the answer is not valid HTTP (bad)'],
    [withCode('ENOTFOUND'), 'unknown host name'],
    [withCode('EAI_AGAIN'), 'the name server did not answer'],
    [withCode('E_NEW', 'something new'), 'something new'],
    [withCode('E_NEW', ''), 'E_NEW'],
    [new Error('words'), 'words'],
    [new Error(''), 'the connection failed'],
    // Several addresses were tried: the message is empty, the code is there.
    [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'connection refused'],
  ])('%s', (error, words) => {
    expect(describeFailure(error)).toBe(words)
  })
})
