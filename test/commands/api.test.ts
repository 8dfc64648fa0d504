/** Where `svc api` sends something: only below the path of the base URL, and only GET. */
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { answering, envFor, http } from '../support/loopback.ts'
import { createWorld } from '../support/svc.ts'
import { table } from '../support/table.ts'

const server = await answering((socket) => socket.write(http(200, '{"data":[1]}')))
const baseUrl = `${server.baseUrl}/prefix`
const { svc } = createWorld(envFor(baseUrl))
const { host, origin } = new URL(baseUrl)

/** Words of the error, and paths that have it. */
const refused = table(String.raw`
  is empty       |
  is a whole URL | http://evil.example/v1/lists | HTTPS:/evil.example | javascript:alert(1) | C:/Program%20Files/Git/v1/lists
  contains "//"  | //evil.example/v1/lists | /v1//lists | /v1/lists//
  backslash      | \\evil.example\v1 | /\evil.example | /v1/lists?search=\
  "."            | .. | . | ../admin | /.. | /v1/./lists | /v1/..?page=1 | /v1/..;/admin | /v1/..;x=1
  "."            | /%2E%2E/admin | /.%2e/admin | /v1/..%2fadmin | /v1%2f..%2fadmin | /v1/%2e%2e%5cadmin
  contains a "#" | /v1/lists#fragment | #`)
refused.push(
  ['space', '/v1/lists page', ' /v1/lists', '/v1/lists\u00a0', '/v1/lists\r\nX-Injected: 1'],
  ['control', '/v1/\u0000', '/v1/\u0085', '/v1/\u202elists', '/v1/\ud83d'],
  ['percent-encode', '/v1/caf\u00e9', '/v1/\uff0e\uff0e/admin', '\u2044\u2044evil.example'],
)

test.each(refused)('%s: exit 2, and nothing is sent', async (words = '', ...paths) => {
  const before = server.requests.length
  for (const path of paths) {
    const { code, stdout, stderr } = await svc(['api', path])
    expect([path, code, stdout]).toEqual([path, 2, ''])
    expect(stderr).toContain(words)
  }
  expect(server.requests.length).toBe(before)
})

const sent = `/ ? v1/lists /v1/lists?search=a//b/../c /v1/lists?url=http://evil.example/
  /v1/lists?search=caf%C3%A9 @evil.example/v1 :80/v1 /v1/... /%252e%252e/admin
  /v1/%0d%0aX-Injected:%201 /v1/%2f%2fevil.example /v1/{id}|\`$(id)\`'<>^ /v1/${'a'.repeat(10_000)}`

test.each(sent.split(/\s+/))('%j is a GET below the base URL', async (path) => {
  const before = server.requests.length
  expect(await svc(['api', path])).toEqual({ code: 0, stdout: '{"data":[1]}\n', stderr: '' })
  expect(server.requests.length).toBe(before + 1)
  const [first = '', ...headers] = (server.requests[before] ?? '').split('\r\n')
  const whole = `/prefix${path.startsWith('/') ? '' : '/'}${path}`
  expect(first).toBe(`GET ${whole} HTTP/1.1`)
  expect(headers.filter((header) => /^(?:host|x-injected):/i.test(header))).toEqual([
    `host: ${host}`,
  ])
  // However the service reads the path, it stays below that of the base URL.
  const url = new URL(whole, origin)
  expect([url.origin, url.pathname.startsWith('/prefix/')]).toEqual([origin, true])
  expect(posix.normalize(decodeURIComponent(url.pathname))).toMatch(/^\/prefix\//)
})

test.each([
  [
    'as it came, and no control character of it',
    '{"big":12345678901234567890, "tiny":1e-400,\r\n\t"b":"\u009b31m\u202e","b":2}',
    '{"big":12345678901234567890, "tiny":1e-400, \n "b":"\\u009b31m\\u202e","b":2}\n',
  ],
  ['without the secret', '{"echo":"a-secret-of-this-test"}', '{"echo":"[hidden]"}\n'],
])('prints the JSON %s', async (_, body, printed) => {
  const other = await answering((socket) => socket.write(http(200, body)))
  expect((await createWorld(envFor(other.baseUrl)).svc('api v1/x')).stdout).toBe(printed)
})
