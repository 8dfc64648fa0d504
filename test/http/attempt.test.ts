/** How an attempt ends, the JSON of an answer, and the end of a request for each exchange. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Exchange, Transport } from '../../src/host.ts'
import { BadAnswer, attemptOf, parseAnswer } from '../../src/http/attempt.ts'
import { shownText } from '../support/shown-text.ts'
import { table } from '../support/table.ts'
import { openClient, tell, type ClassName, type TestClient } from '../support/loopback.ts'

type AnswerHeaders = (Exchange & { kind: 'response' })['headers']

const request = { readAnswer: parseAnswer, refusalHint: () => undefined }
const endOf = (exchange: Exchange) => attemptOf(exchange, request, 0)

const came = (status: number, body: string | Buffer = '', headers: AnswerHeaders = {}) =>
  ({ kind: 'response', status, headers, body: Buffer.from(body) }) as const

it.each([
  ['answered', [200, 299]],
  ['refused', [400, 407, 409, 499]],
  ['no-answer', [0, 199, 300, 399, 408, 500, 599, 600, 1000]],
])('%s: %j', (end, statuses) => {
  for (const status of statuses)
    expect([status, endOf(came(status, '{}')).end]).toEqual([status, end])
})

it('before sending, certificates, unknown hosts and refusing proxies would meet every id, and nothing else', () => {
  const codes = {
    final: `CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID DEPTH_ZERO_SELF_SIGNED_CERT
      SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA ENOTFOUND`,
    passing: `ECONNREFUSED EAI_AGAIN XENOTFOUND ENOTFOUNDX EPROTO EMFILE XINVALID_CA INVALID_CAX`,
  }
  const failureOf = (error: Error) => {
    const attempt = endOf({ kind: 'failed', sent: false, error })
    return attempt.end === 'not-sent' && attempt.failure
  }
  for (const [kind, text] of Object.entries(codes))
    for (const code of text.split(/\s+/)) {
      const cause = Object.assign(new Error(''), { code })
      const expected = kind === 'final' ? { isForAll: true } : { isTemporary: true }
      expect([code, failureOf(cause)]).toEqual([code, expect.objectContaining(expected)])
      expect(failureOf(new Error('', { cause }))).toMatchObject(expected)
    }
})

it('an error body is an object with a whole code and a text', () => {
  const good = endOf(came(400, '{"code":40121,"message":"m","more":1}'))
  expect(good).toMatchObject({ code: 40121, message: 'm' })
  const others = '{"code":"40121","message":7}~{"code":1.5,"message":""}~null~[]~"text"~~<html>~ÿ'
  for (const body of [...others.split('~'), '{"__proto__":{"code":1,"message":"m"}}'])
    expect(endOf(came(400, body))).toEqual({
      end: 'refused',
      hint: expect.anything(),
      failure: expect.objectContaining({ category: 'failed', end: 'refused' }),
      status: 400,
    })
})

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

it.each<[string, headers?: AnswerHeaders]>([
  ['\ufeff{"data":1}'],
  [' \n{"data":1}\r\n', { 'content-type': 'text/plain' }],
  ['{"data":1}', { 'content-encoding': ' Identity ' }],
  ['{"data":1}', { 'content-encoding': '  ' }],
  [nested(100)],
])('answer %# is JSON', (body, headers) => {
  expect(() => parseAnswer(came(200, body, headers))).not.toThrow()
})

it.each<[string | Buffer, problem: string, headers?: AnswerHeaders]>([
  ['', 'not JSON'],
  [' \r\n\t', 'not JSON'],
  ['{"data":1', 'not JSON'],
  ['{"data":1}x', 'not JSON'],
  [Buffer.from([0xff, 0xfe, 0x7b, 0x00]), 'not JSON'],
  [gzipSync('{}'), 'encoded', { 'content-encoding': 'gzip' }],
  ['{}', 'encoded', { 'content-encoding': ['deflate', 'gzip'] }],
  [nested(101), 'nested too deeply'],
])('the answer %j is %s', (body, problem, headers) => {
  const parse = () => parseAnswer(came(200, body, headers))
  expect(parse).toThrow(BadAnswer)
  expect(parse).toThrow(problem)
})

const host = 'api.example.com'
const classes: readonly ClassName[] = ['read', 'repeatable', 'once']

const failed = (sent: boolean, code: string, message: string): Exchange => ({
  kind: 'failed',
  sent,
  error: Object.assign(new Error(message), code === '-' ? {} : { code }),
})

/**
 * `came 429 retry-after=2`: an answer with its body and headers. `said`: an error of the service.
 * `page`: a web page. `lost` and `unsent`: an error after bytes left, or before.
 */
function exchangeOf(text: string): Exchange {
  const [kind = '', first = '', ...more] = text.split(' ')
  const isHeader = (word: string): boolean => /^[a-z-]+=/.test(word)
  const headers = Object.fromEntries(more.filter(isHeader).map((word) => word.split('=')))
  const { date } = headers as { date?: string }
  if (date !== undefined)
    headers['date'] = new Date(Date.now() + Number(date) * 86_400_000).toUTCString()
  const words = more.filter((word) => !isHeader(word))
  if (kind === 'lost' || kind === 'unsent') return failed(kind === 'lost', first, words.join(' '))
  const [code, ...said] = words
  const message = said.join(' ') || `said ${code}`
  const bodies = {
    said: JSON.stringify({ code: Number(code), message }),
    page: '\n <!DOCTYPE html>',
  }
  return came(Number(first), bodies[kind as keyof typeof bodies] ?? code, headers)
}
function clientOf(exchanges: readonly Exchange[], baseUrl = `https://${host}`): TestClient {
  let n = 0
  const openTransport = (): Transport => ({
    send: () => {
      const exchange = exchanges[Math.min(n++, exchanges.length - 1)] ?? failed(true, '-', 'why')
      return Promise.resolve(exchange)
    },
    close: () => undefined,
  })
  return openClient(baseUrl, { openTransport })
}

const hints: Readonly<Record<string, RegExp>> = {
  later: /^try again later, or with a longer --wait; -v shows each request$/,
  rejected: /^this id may not exist, or the base URL may be wrong$/,
  url: /^check the base URL/,
  page: /login page .*, or the base URL is wrong:\n {2}svc doctor$/,
  ca: /set NODE_EXTRA_CA_CERTS to its CA file$/,
  key: /^the key or the secret is wrong, or belongs .*:\n {2}svc doctor$/,
}

/** End (`*`: it would meet every id), classes sent again, exchange; of a read: code and words. */
const rows = table(String.raw`
  refused     | none | said 400 40001 | 1 | said 40001 | rejected
  refused*    | none | said 401 40121 | 4 | said 40121 | key
  refused*    | none | said 401 40121 date=0 | 4 | said 40121 | key
  refused*    | none | said 401 40121 date=5 | 4 | said 40121 | ^set the clock of this machine: it shows \S+, and the service shows \S+ \(UTC\)$
  refused*    | none | page 401 | 4 | no reason was given | key
  refused*    | none | said 403 40361 | 4 | said 40361 | ^this needs a key with the permission "read"$
  refused*    | none | said 403 40351 | 4 | said 40351 | the company's plan does not allow this
  refused*    | none | page 403 | 4 | no reason was given | page
  refused     | none | said 404 40400 | 1 | said 40400 | rejected
  refused     | none | page 404 | 1 | no reason was given | page
  refused     | none | came 405 | 1 | no reason was given | page
  refused*    | all  | came 429 | 7 | no reason was given | later
  refused*    | all  | came 429 retry-after=2 | 7 | no reason was given | ^  the service asked svc to wait 2 s\ntry again
  no-answer   | most | came 408 | 7 | no reason was given | later
  no-answer   | most | came 500 | 7 | no reason was given | later
  no-answer   | most | page 502 | 7 | no reason was given | later
  no-answer   | most | said 503 50300 retry-after=1 | 7 | said 50300 | wait 1 s\ntry again
  no-answer   | most | page 503 retry-after=9 | 7 | no reason was given | wait 9 s\ntry again
  no-answer   | most | came 200 | 1 | ${host}: the answer is not JSON | page
  no-answer   | none | came 200 null | 1 | ${host}: the answer has no "data" | page
  no-answer   | none | came 200 {"__proto__":{"data":[]}} | 1 | ${host}: the answer has no "data" | page
  no-answer   | none | came 200 {"data":7} | 1 | ${host}: the answer's data does not match the API description | page
  no-answer   | most | lost ECONNRESET | 7 | ${host}: the connection was reset | later
  no-answer   | most | lost - | 7 | ${host}: the connection failed | later
  no-answer   | none | lost UND_ERR_SOCKET bad response | 1 | ${host}: the answer is not valid HTTP | page
  no-answer   | most | page 200 | 1 | ${host}: the answer is not JSON | page
  no-answer* | none | page 200 content-type=text/html | 1 | ${host}: the answer is not JSON | page
  no-answer* | none | came 201 content-type=text/plain {"data":1 | 1 | ${host}: the answer is not JSON | page
  no-answer   | most | came 200 content-type=application/json;charset=utf-8 {"data":1 | 1 | ${host}: the answer is not JSON | page
  no-answer   | none | came 302 location=/x | 1 | ${host}: the answer is a redirect, which svc never follows, or has an odd status | page
  no-answer   | none | came 600 | 1 | ${host}: the answer is a redirect, which svc never follows, or has an odd status | page
  not-sent    | all  | unsent ECONNREFUSED | 7 | ${host}: connection refused | later
  not-sent    | all  | unsent ECONNRESET | 7 | ${host}: the connection was reset | later
  not-sent    | all  | unsent EAI_AGAIN | 7 | ${host}: the name server did not answer | later
  not-sent    | all  | unsent - Proxy response (502) !== 200 when HTTP Tunneling | 7 | ${host}: Proxy response (502) !== 200 when HTTP Tunneling | later
  not-sent    | all  | unsent - why | 7 | ${host}: why | later
  not-sent    | all  | unsent ERR_SSL_WRONG_VERSION_NUMBER | 7 | ${host}: the TLS connection failed (ERR_SSL_WRONG_VERSION_NUMBER) | later
  not-sent    | all  | unsent EPROTO | 7 | ${host}: the TLS connection failed | later
  not-sent*   | none | unsent ENOTFOUND | 1 | ${host}: unknown host name | url
  not-sent*   | none | unsent - Proxy response (407) !== 200 when HTTP Tunneling | 1 | ${host}: Proxy response (407) !== 200 when HTTP Tunneling | Basic authentication.*NO_PROXY$
  not-sent    | all  | unsent ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE | 7 | ${host}: the TLS connection failed (ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE) | later
  no-answer   | most | lost ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED | 7 | ${host}: the TLS connection failed (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED) | later
  not-sent*   | none | unsent DEPTH_ZERO_SELF_SIGNED_CERT self-signed | 1 | ${host}: self-signed | ca
`).map(([end = '', again = '', text = '', code, message = '', hint = '']) => ({
  end: end.replace('*', ''),
  isForAll: end.endsWith('*') || undefined,
  again: again === 'all' ? classes : classes.filter((each) => again === 'most' && each !== 'once'),
  text,
  exchange: exchangeOf(text),
  exitCode: Number(code),
  message,
  hint: hints[hint] ?? new RegExp(hint),
}))

describe('the exchange', () => {
  it.each(rows)('$text', async ({ end, isForAll, again, exchange, exitCode, message, hint }) => {
    for (const retryClass of classes) {
      const { error, results } = await tell(clientOf([exchange]), retryClass)
      expect(new Set(results.map((each) => each.end))).toEqual(new Set([end]))
      expect(results.length > 1).toBe(again.includes(retryClass))
      const isUnanswered = end === 'no-answer' && retryClass !== 'read'
      const { details } = error ?? {}
      expect([details?.isUnanswered, details?.isForAll]).toEqual([isUnanswered, isForAll])
      expect(error?.exitCode).toBe(exitCode)
      expect(error?.message).toBe(message)
      const below = error && shownText(error).slice(message.length + 1)
      // Of a refused change, its verb says what was not changed.
      expect(below).toMatch(retryClass === 'read' ? hint : /^/)
    }
  })

  const silences = [came(500), failed(true, 'EPIPE', 'why')]
  it.each(silences)('no clear answer, then a clear one: it may be made', async (unclear) => {
    for (const { end, again, exchange: clear, exitCode } of rows) {
      if (end === 'no-answer') continue
      const { error, results } = await tell(clientOf([unclear, clear]), 'repeatable')
      expect(error).toMatchObject({ exitCode, details: { isUnanswered: true } })
      expect(results.length > 2).toBe(again.length > 0)
      const read = await tell(clientOf([unclear, clear]), 'read')
      expect(read.error).toMatchObject({ exitCode, details: { isUnanswered: false } })
    }
  })
})
