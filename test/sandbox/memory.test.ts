/** What the sandbox keeps is bounded, whoever sends what. */
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, bearer, sign, rw } from './client.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

describe('the record', () => {
  test('keeps the last requests, and says how many it has let go', async () => {
    const sandbox = await startSandbox({ record: 3 })
    for (let n = 1; n <= 5; n += 1) await ask(sandbox.baseUrl, rw, { path: `/v1/lists?page=${n}` })
    expect(sandbox.record.entries.map(({ n, path }) => [n, path])).toEqual([
      [3, '/v1/lists?page=3'],
      [4, '/v1/lists?page=4'],
      [5, '/v1/lists?page=5'],
    ])
    expect(sandbox.record.dropped).toBe(2)
    const got = await ask(sandbox.baseUrl, rw, {
      path: '/_sandbox/record',
      headers: bearer(sandbox),
    })
    const lines = got.text.trim().split('\n')
    expect(got.headers['x-record-dropped']).toBe('2')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(sandbox.record.entries)
    const info = await ask(sandbox.baseUrl, rw, {
      path: '/_sandbox/info',
      headers: bearer(sandbox),
    })
    expect(JSON.parse(info.text)).toMatchObject({ recordDropped: 2 })
  })

  test('has no bodies; who watches sees those that are read', async () => {
    const sandbox = await startSandbox({ faults: 'lists.update=500,apply=yes' })
    const list = `/v1/lists/${sandbox.examples.list}`
    await ask(sandbox.baseUrl, rw, { path: '/v1/lists', body: { name: 'kept' } })
    await ask(sandbox.baseUrl, rw, { path: '/v1/lists', body: { name: 'wrong' }, signature: '0' })
    await ask(sandbox.baseUrl, rw, {
      path: '/v1/lists',
      body: { name: 'unknown' },
      key: { ...rw, apiKey: 'pk_x' },
    })
    await ask(sandbox.baseUrl, rw, { path: '/v1/lists', body: { name: '' } })
    await ask(sandbox.baseUrl, rw, { path: '/v1/nothing', body: { name: 'nowhere' } })
    await ask(sandbox.baseUrl, rw, { path: list, method: 'PATCH', body: { name: 'applied' } })
    expect(sandbox.requests.map(({ body }) => body)).toEqual([
      '{"name":"kept"}',
      '{"name":"wrong"}',
      '',
      '{"name":""}',
      '{"name":"nowhere"}',
      '{"name":"applied"}',
    ])
    const { entries } = sandbox.record
    expect(entries.map(({ status }) => status)).toEqual([201, 401, 401, 400, 404, 500])
    expect(entries.map(({ applied }) => applied)).toEqual([true, false, false, false, false, true])
    expect(entries[0]).toMatchObject({
      n: 1,
      connection: 1,
      operation: 'lists.create',
      method: 'POST',
      fault: null,
    })
    const got = await ask(sandbox.baseUrl, rw, {
      path: '/_sandbox/record',
      headers: bearer(sandbox),
    })
    expect(got.text).not.toContain('name')
  })
})

/** A socket on which a request with a body was begun. */
function begin(
  sandbox: Sandbox,
  headers: Readonly<Record<string, string>>,
): { socket: Socket; answer: () => string } {
  const socket = connect(sandbox.port, '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.on('error', () => undefined)
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`POST /v1/lists HTTP/1.1\r\n${lines.join('')}\r\n`)
  return { socket, answer: () => text }
}

const known = { 'X-Service-Key': rw.apiKey, 'X-Service-Timestamp': '1', 'X-Service-Signature': '0' }

describe('bodies', () => {
  test('one that says it is too large is refused before any of it was sent', async () => {
    const { answer } = begin(await startSandbox(), {
      ...known,
      'Content-Length': String(128 * 1024 + 1),
    })
    await expect.poll(answer).toMatch(/^HTTP\/1\.1 413 .*"code":41300/s)
  })

  test('one that does not say is refused when it has become too large, and never read to its end', async () => {
    const { socket, answer } = begin(await startSandbox(), {
      ...known,
      'Transfer-Encoding': 'chunked',
    })
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    for (let n = 0; n < 3; n += 1) socket.write(chunk)
    await expect.poll(answer).toMatch(/^HTTP\/1\.1 413 /)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const more = setInterval(() => socket.write(chunk), 20)
    await closed
    clearInterval(more)
  })

  test('after a refusal the connection is good for the next request', async () => {
    const sandbox = await startSandbox()
    const { socket, answer } = begin(sandbox, { 'X-Service-Key': 'pk_x', 'Content-Length': '5' })
    socket.write('hello')
    await expect.poll(answer).toMatch(/^HTTP\/1\.1 401 /)
    const timestamp = String(Date.now())
    socket.write(
      `GET /v1/employees HTTP/1.1\r\nHost: localhost\r\nX-Service-Key: ${rw.apiKey}\r\n` +
        `X-Service-Timestamp: ${timestamp}\r\nX-Service-Signature: ${sign(rw.apiSecret, timestamp, '')}\r\n\r\n`,
    )
    await expect.poll(answer).toMatch(/HTTP\/1\.1 200 OK/)
  })
})

test('connections beyond a thousand and some are closed', async () => {
  const sandbox = await startSandbox()
  let closed = 0
  const open = (count: number): void => {
    for (let n = 0; n < count; n += 1) {
      const socket = connect(sandbox.port, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => (closed += 1))
      // One that does not read does not see that it was closed.
      socket.resume()
    }
  }
  // A few at a time: where more wait than the system queues for a listener, it drops some that their clients take for open.
  for (let there = 64; there <= 1024; there += 64) {
    open(64)
    await expect.poll(() => sandbox.connections, { interval: 5 }).toBe(there)
  }
  expect(closed).toBe(0)
  open(76)
  await expect.poll(() => closed).toBe(76)
  expect(sandbox.connections).toBe(1024)
  for (const socket of sockets.splice(0)) socket.destroy()
  await expect
    .poll(async () => (await ask(sandbox.baseUrl, rw, { path: '/v1/lists' })).status)
    .toBe(200)
})
