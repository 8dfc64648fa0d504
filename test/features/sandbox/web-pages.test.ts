/**
 * No page in a browser can use the sandbox. Each request is written to a real socket as a browser sends it for a page of
 * another origin.
 */
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/watched.ts'
import { ask, sign, rw } from '../../sandbox/client.ts'

const sandbox = await startSandbox()

/** Sends these bytes and returns the whole answer. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(sandbox.port, '127.0.0.1')
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const [, head, length = '0', body = ''] =
        /^([^]*?content-length: (\d+)[^]*?\r\n\r\n)([^]*)$/i.exec(text) ?? []
      if (head === undefined || body.length < Number(length)) return
      socket.destroy()
      resolve(text)
    })
    socket.on('error', reject)
    socket.write(bytes, 'latin1')
  })
}

const evil = 'https://evil.example'

/** A request line and headers as a browser writes them; `{here}` is the sandbox's own host and port. */
function bytesOf(line: string, headers: Readonly<Record<string, string>>, body: string): string {
  const all: Record<string, string> = {
    Host: '{here}',
    'User-Agent': 'Mozilla/5.0',
    Accept: '*/*',
    ...headers,
  }
  if (body !== '') all['Content-Length'] = String(Buffer.byteLength(body))
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`.replaceAll(
    '{here}',
    `127.0.0.1:${sandbox.port}`,
  )
}

/** The credentials of a page: the keys are public, and a script in a page can sign. */
function signed(body: string): Record<string, string> {
  const timestamp = String(Date.now())
  return {
    'X-Service-Key': rw.apiKey,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': sign(rw.apiSecret, timestamp, body),
  }
}

const cross = { 'Sec-Fetch-Site': 'cross-site' }
const cors = { ...cross, Origin: evil, Referer: `${evil}/`, 'Sec-Fetch-Mode': 'cors' }
const noCors = { ...cross, 'Sec-Fetch-Mode': 'no-cors' }
const rebound = { Host: 'rebound.evil.example:4010', 'Sec-Fetch-Site': 'same-origin' }
const remove = '{"contactIds":["640000000000000000000000"]}'
const json = { 'Content-Type': 'application/json' }

const requests: [string, string, () => Readonly<Record<string, string>>, string?][] = [
  ['no-cors GET', 'GET /v1/lists', () => ({ ...noCors, ...signed('') })],
  [
    'signed change',
    'POST /v1/contacts/bulk-delete',
    () => ({ ...cors, ...json, ...signed(remove) }),
    remove,
  ],
  ['rebinding name', 'GET /v1/lists', () => ({ ...rebound, ...signed('') })],
  [
    'name that begins like this machine',
    'GET /v1/lists',
    () => ({ Host: '127.0.0.1.evil.example', ...signed('') }),
  ],
  [
    'name that ends like this machine',
    'GET /v1/lists',
    () => ({ Host: 'evil.localhost:4010', ...signed('') }),
  ],
  [
    'another page of this machine',
    'GET /v1/lists',
    () => ({ ...cors, Origin: 'http://localhost:3000', ...signed('') }),
  ],
]

test.each(requests)('%s', async (_, line, headers, body = '') => {
  const before = sandbox.record.entries.length
  const answer = await exchange(bytesOf(line, headers(), body))
  const [head = '', content = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 403 /)
  expect(head.toLowerCase()).not.toContain('access-control-')
  expect(JSON.parse(content)).toEqual({
    code: 40300,
    message: expect.stringMatching(/^No web page may use the sandbox/) as string,
  })
  expect(content).not.toContain('sk_sandbox')
  // Nothing came of it: nothing was carried out, and the record does not even know it.
  expect((await ask(sandbox.baseUrl, rw, { path: '/v1/lists' })).status).toBe(200)
  expect(sandbox.record.entries.length).toBe(before + 1)
})

describe('a client that is not a web page', () => {
  test.each(['LOCALHOST:{port}', '[::1]:{port}', '127.3.2.1'])('Host: %s', async (name) => {
    const headers = { Host: name.replace('{port}', String(sandbox.port)), ...signed('') }
    expect(await exchange(bytesOf('GET /v1/lists', headers, ''))).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('an address that a person typed into a browser', async () => {
    const headers = { 'Sec-Fetch-Site': 'none', ...signed('') }
    expect(await exchange(bytesOf('GET /v1/lists', headers, ''))).toMatch(/^HTTP\/1\.1 200 /)
  })
})
