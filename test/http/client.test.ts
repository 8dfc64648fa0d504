import { describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/api.ts'
import { Attempts } from '../../src/http/client.ts'
import { sign } from '../../src/http/signer.ts'
import { table } from '../support/table.ts'
import {
  answering,
  callOf,
  goodBody,
  http,
  openClient,
  tell,
  apiKey,
  json,
  secret,
  type ClassName,
} from '../support/loopback.ts'

/** Answers in this order; the last one forever. */
const script = (...answers: readonly Buffer[]) =>
  answering((socket, _, n) => socket.write(answers[Math.min(n, answers.length) - 1] ?? ''))

const good = (retryClass: ClassName): Buffer => http(200, goodBody[retryClass])
const error = (status: number, headers: Readonly<Record<string, string>> = {}): Buffer =>
  http(status, '{"code":50001,"message":"Internal server error"}', { ...json, ...headers })

const headerOf = (request: string, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(request)?.[1] ?? ''

it('every attempt is signed afresh, and what is signed is what is sent', async () => {
  const server = await script(error(500), good('repeatable'))
  let now = 1_767_225_600_000
  const client = openClient(`${server.baseUrl}/prefix/`, { now: () => (now += 1000) })
  await tell(client, 'repeatable')
  expect(server.requests).toHaveLength(2)
  const times = server.requests.map((request) => {
    const [head = '', body = ''] = request.split('\r\n\r\n')
    expect(head).toMatch(/^PATCH \/prefix\/v1\/lists\/\w{24} HTTP\/1\.1\r\n/)
    const timestamp = Number(headerOf(head, 'x-service-timestamp'))
    const signature = sign(secret, timestamp, Buffer.from(body, 'latin1'))
    expect(headerOf(head, 'x-service-signature')).toBe(signature)
    expect(headerOf(head, 'x-service-key')).toBe(apiKey)
    expect(headerOf(head, 'content-type')).toBe('application/json')
    return timestamp
  })
  expect(times[1]).toBeGreaterThan(times[0] ?? Infinity)
})

it('every attempt of a change needs a permit', async () => {
  const server = await script(good('read'))
  const beforeChange = (): never => {
    throw new Error('no permit')
  }
  const client = openClient(server.baseUrl, { beforeChange })
  await expect(tell(client, 'repeatable')).rejects.toThrow('no permit')
  expect((await tell(client, 'read')).error).toBeUndefined()
  expect(server.requests).toHaveLength(1)
})

it("the caller's signal ends a wait, with its own reason", async () => {
  const server = await script(error(503, { 'retry-after': '4' }))
  const client = openClient(server.baseUrl)
  const stop = new AbortController()
  const request = createApi(client).request('employees.list', {})
  const attempts = new Attempts(client, { signal: stop.signal })
  await attempts.enter(request)
  expect(attempts.endOf(request, await attempts.make(request))).toBeUndefined()
  stop.abort(new Error('stopped'))
  await expect(attempts.enter(request)).rejects.toThrow('stopped')
  expect(server.requests).toHaveLength(1)
})

it('readings ask for what is fresh, and changes do not', async () => {
  const server = await script(good('read'), good('once'))
  const client = openClient(server.baseUrl)
  await tell(client, 'read')
  await tell(client, 'once')
  const found = server.requests.map((request) => headerOf(request, 'cache-control'))
  expect(found).toEqual(['no-cache', ''])
})

describe('waiting', () => {
  it('a 503 that names a time ends a change that is sent once; what comes after it waits', async () => {
    const server = await script(error(503, { 'retry-after': '7' }), good('read'))
    const client = openClient(server.baseUrl)
    const { error: failure } = await tell(client, 'once')
    expect(failure).toMatchObject({ exitCode: 7, details: { isUnanswered: true, httpStatus: 503 } })
    expect(server.requests).toHaveLength(1)
    expect(client.waits).toEqual([])
    expect((await tell(client, 'read')).error).toBeUndefined()
    expect(Math.max(...client.waits)).toBeGreaterThan(5000)
  })

  it('an outage is waited out until --wait has passed, and the first retry of a command is a note', async () => {
    let broken = true
    const server = await answering((socket) => socket.write(broken ? error(500) : good('read')))
    const client = openClient(server.baseUrl, { wait: 60_000, random: 1 - 1e-9 })
    const { error: failure } = await tell(client, 'read')
    const waited = client.waits.reduce((sum, wait) => sum + wait, 0)
    // The time that the attempts took counts, and a busy machine takes more of it.
    expect(waited).toBeGreaterThan(50_000)
    expect(waited).toBeLessThanOrEqual(60_001)
    expect(failure?.exitCode).toBe(7)
    await tell(client, 'read')
    expect(client.notes).toEqual(['Internal server error; trying again for up to 1m'])
    broken = false
    expect((await tell(client, 'read')).error).toBeUndefined()
  })

  it.each([
    ['seconds', '7', 7],
    ['a date, by the clock of the answer', 'Sun, 01 Mar 2026 10:15:09 GMT', 9],
    ['a date that has passed', 'Sun, 01 Mar 2026 10:14:00 GMT', 1],
    ['no time', 'soon', 1],
    ['no wait at all', '0', 1],
  ])('Retry-After as %s', async (_, text, seconds) => {
    const date = 'Sun, 01 Mar 2026 10:15:00 GMT'
    const server = await script(error(429, { 'retry-after': text, date }), good('once'))
    const client = openClient(server.baseUrl, { random: 1 - 1e-9 })
    expect((await tell(client, 'once')).error).toBeUndefined()
    expect(client.waits.map((wait) => Math.round(wait / 500) / 2)).toEqual([seconds])
  })

  it('a wait that --wait does not leave ends it, with the time that was asked for', async () => {
    const server = await script(error(503, { 'retry-after': '31' }))
    const client = openClient(server.baseUrl)
    const { error: failure } = await tell(client, 'read')
    expect(failure).toMatchObject({ exitCode: 7, details: { tooLongWait: 31_000 } })
    expect(client.waits).toEqual([])
  })

  it('ends with the first signal, also for a change; what it leaves unknown is said', async () => {
    const server = await answering((socket) => {
      socket.write(error(500))
      client.stop.abort()
    })
    const client = openClient(server.baseUrl)
    await expect(callOf('repeatable')(client)).rejects.toMatchObject({
      category: 'interrupted',
      message: 'interrupted: the service may have carried out the request',
      details: { isUnanswered: true },
    })
  })
})

it.each([
  ['a body that a proxy finds too large', http(413, '<html>'), 'too large, probably for a proxy'],
  ['headers of 20 kB', http(200, '[]', { 'x-large': 'x'.repeat(20_000) }), 'is not valid HTTP'],
])('%s: nothing is tried again, and a proxy is named as its cause', async (_, bytes, words) => {
  const server = await script(bytes)
  const { error: failure, results } = await tell(openClient(server.baseUrl), 'repeatable')
  expect(results).toHaveLength(1)
  expect(failure?.message).toContain(words)
  expect(JSON.stringify(failure?.details.hint)).toContain('a proxy or a login page may have')
})

const unauthorized = http(401, '{"code":40121,"message":"Invalid API credentials"}', json)

it.each([
  [241_000, 2, true],
  [239_000, 1, false],
])('a 401 after %i ms of sleep is signed anew: %i attempts', async (slept, attempts, isGood) => {
  let asleep = 0
  const server = await answering((socket, _request, n) => {
    if (n === 1) asleep = slept
    socket.write(n === 1 ? unauthorized : good('once'))
  })
  const start = Date.now()
  const client = openClient(server.baseUrl, { now: () => start + asleep })
  const { error: failure, results } = await tell(client, 'once')
  expect(results).toHaveLength(attempts)
  expect(failure === undefined).toBe(isGood)
  const [first, second] = server.requests.map((each) => headerOf(each, 'x-service-timestamp'))
  expect(Number(second ?? NaN) - Number(first) > 240_000).toBe(isGood)
})

it('a 401 is signed anew once', async () => {
  const { baseUrl, requests } = await script(unauthorized)
  let hours = 0
  const client = openClient(baseUrl, { now: () => (hours += 1) * 3_600_000 })
  expect((await tell(client, 'once')).error?.exitCode).toBe(4)
  expect(requests).toHaveLength(2)
})

const cuts = [16_384 - 10, 16_384 - secret.length + 1]
it.each(cuts)('-v and errors hold no half of a secret in a cut message: at %i', async (at) => {
  const message = `${'x'.repeat(at)}${secret}${'y'.repeat(100)}`
  const server = await script(http(400, JSON.stringify({ code: 1, message })))
  const { results, error } = await tell(openClient(server.baseUrl), 'read')
  const told = results.map((result) => 'message' in result && result.message)
  for (const text of [error?.message, ...told]) expect(text).toMatch(/^x+\[hidden\]?y*$/)
})

// Made with Python's hmac module.
it.each(
  table(`
  "s3cr3t with blanks " | 1             | {"a":"é 😀"} | e5b686a741674e3ffcccfe4048bc912406d4ad1c3649c0882d4c4233ccafe4dc
  "secret"              | 1767225600000 |              | 77f113317b943d68aa35ccd74217e4139c72a679860a71729236a286984f3a63`),
)('the signature with the secret %s, at %s, of the body "%s"', (quoted, time, body, expected) => {
  const bytes = Buffer.from(body ?? '')
  expect(sign(JSON.parse(quoted ?? '') as string, Number(time), bytes)).toBe(expected)
})
