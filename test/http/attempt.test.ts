/** An answer as it is read: its kind, and the limits on its JSON; `faults/requests.test.ts` has what follows from it. */
import * as fc from 'fast-check'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BadAnswer, parseAnswer, depthOf, type Answer } from '../../src/http/answer.ts'
import { classify } from '../../src/http/attempt.ts'
import { connectionError, connectionFailure } from '../../src/http/connection-errors.ts'
import type { AnswerHeaders } from '../../src/host.ts'

const read = parseAnswer

function answer(status: number, body: string | Buffer = '{}', headers: AnswerHeaders = {}): Answer {
  return { kind: 'response', status, headers, body: Buffer.from(body) }
}

it.each([
  ['answered', [200, 299]],
  ['refused', [400, 407, 409, 499]],
  ['ambiguous', [199, 300, 399, 408, 500, 599]],
])('%s: %j', (kind, statuses) => {
  for (const status of statuses)
    expect([status, classify(answer(status), read).kind]).toEqual([status, kind])
})

it('before sending, certificates, unknown hosts and refusing proxies are final, and nothing else', () => {
  const codes = {
    certificate: `CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA`,
    unknownHost: 'ENOTFOUND',
    proxy: 'SVC_PROXY_REFUSED',
    unreachable: `ECONNREFUSED EAI_AGAIN XENOTFOUND ENOTFOUNDX EPROTO EMFILE XCERT_ XINVALID_CA INVALID_CAX SVC_PROXY`,
  }
  for (const [failure, text] of Object.entries(codes))
    for (const code of text.split(' '))
      expect([code, connectionFailure(connectionError('', code))]).toEqual([code, failure])
})

it('an error body is an object with a whole code and a text', () => {
  const good = classify(answer(400, '{"code":40121,"message":"m","more":1}'), read)
  expect(good).toMatchObject({ code: 40121, message: 'm' })
  const others = '{"code":"40121","message":7}~{"code":1.5,"message":""}~null~[]~"text"~~<html>~ÿ'
  for (const body of [...others.split('~'), '{"__proto__":{"code":1,"message":"m"}}'])
    expect(Object.keys(classify(answer(400, body), read)).length).toBe(4)
})

describe('reading an answer', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  // API: List employees, at most 1,000; each with the ids of as many channels as fit into an answer.
  const employees = Array.from({ length: 1000 }, () => ({
    name: '',
    channels: Array(300).fill('ff'.repeat(12)),
  }))
  const good: readonly (readonly [string, AnswerHeaders?])[] = [
    ['\ufeff{"data":1}'],
    [' \n{"data":1}\r\n', { 'content-type': 'text/plain' }],
    ['{"data":1}', { 'content-encoding': ' Identity ' }],
    ['{"data":1}', { 'content-encoding': '  ' }],
    [nested(64)],
    // Brackets in texts are none, whatever stands before them.
    [`["${'['.repeat(100)}",{"${'{\\"'.repeat(100)}":"\\\\"},["]",1]]`],
    [JSON.stringify(employees)],
  ]
  const [deep, encoded] = ['nested more than 64 levels deep', 'encoded (']
  const bad: readonly (readonly [string | Buffer, string, AnswerHeaders?])[] = [
    [nested(65), deep],
    [nested(100_000), deep],
    ['', 'empty'],
    [' \r\n\t', 'empty'],
    ['{"data":1', 'not valid JSON'],
    ['{"data":1}x', 'not valid JSON'],
    [Buffer.from([0xff, 0xfe, 0x7b, 0x00]), 'not valid UTF-8'],
    [gzipSync('{}'), `${encoded}gzip)`, { 'content-encoding': 'gzip' }],
    ['{}', `${encoded}deflate)`, { 'content-encoding': ['deflate', 'gzip'] }],
  ]
  it('takes what is JSON, within its limits', () => {
    for (const [body, headers] of good)
      expect(() => parseAnswer(answer(200, body, headers))).not.toThrow()
  })
  it.each(
    bad.map(([body, problem, headers], n) => [`${n}: ${problem}`, body, problem, headers] as const),
  )('%s', (_, body, problem, headers) => {
    const parse = () => parseAnswer(answer(200, body, headers))
    expect(parse).toThrow(BadAnswer)
    expect(parse).toThrow(problem)
  })
})

it('the depth of any JSON text is measured, in time in proportion to its length', () => {
  fc.assert(fc.property(fc.string(), (text) => depthOf(text) >= 0))
  const time = (length: number): number => {
    // Processor time, which a busy machine does not change.
    const started = process.cpuUsage()
    expect(depthOf(`"${'\\'.repeat(length)}`)).toBe(0)
    expect(depthOf('"\\"'.repeat(length / 4))).toBe(0)
    expect(depthOf('['.repeat(length))).toBe(length)
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
  time(100_000)
  const short = Math.min(time(100_000), time(100_000))
  expect(time(2_000_000)).toBeLessThan(short * 100 + 100)
})
