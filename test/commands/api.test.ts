/** `svc api` and answers that the sandbox never gives. All else is in test/transcripts/api.txt. */
import { describe, expect, test } from 'vitest'
import { answering, http } from '../http/loopback.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc } = await createSandboxWorld()

test.each([
  ['204', '204 No Content', '', 0],
  ['200 that announces it', '200 OK', 'content-length: 0\r\n', 0],
  ['200 that ends there', '200 OK', 'connection: close\r\n', 7],
  ['206 that ends there', '206 Partial Content', 'connection: close\r\n', 7],
])('of a %s no JSON need come, and only where none was promised', async (_, status, more, code) => {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${more}\r\n`
  const { baseUrl } = await answering((socket) => void socket.end(head))
  const found = await svc('api things/1 -X DELETE', { env: { SVC_BASE_URL: baseUrl } })
  expect([found.code, found.stdout]).toEqual([code, ''])
})

describe('an answer that is no JSON', () => {
  const answers: Readonly<Record<string, string>> = {
    '/v1/text': 'plain \u001b[31mtext\u202e',
    '/v1/empty': '',
    '/v1/number': '5',
    '/v1/digits':
      '{"n":9007199254740993001,"1":[1.50,-0,1E+2],"s":"#5 $ \\" \\\\","ü":"\\u0301\\ud83d"}',
    '/v1/unsafe': '{"a":"\u009b\u202e",\r\n\t"__proto__":{"b":1}}',
  }
  const listening = answering((socket, request) => {
    const path = /^GET (\S+)/.exec(request)?.[1] ?? ''
    const type = /text|empty/.test(path) ? 'text/plain' : 'application/json'
    socket.write(http(200, answers[path] ?? 'none', { 'content-type': type }))
  }).then(({ baseUrl }) => baseUrl)

  test.each([
    ['/v1/text', '', 'plain \\u{1b}[31mtext\\u{202e}\n'],
    ['/v1/empty', '', ''],
    ['/v1/number', '', '5\n'],
    ['/v1/unsafe', '', '{"a":"\\u009b\\u202e",\r\n\t"__proto__":{"b":1}}\n'],
  ])('%s %s', async (path, options, stdout) => {
    expect(await svc(`api ${path} ${options}`, { env: { SVC_BASE_URL: await listening } })).toEqual(
      {
        code: 0,
        stdout,
        stderr: '',
      },
    )
  })

  test('numbers keep their digits, names of members their order', async () => {
    const env = { SVC_BASE_URL: await listening }
    const { stdout } = await svc('api digits', { env })
    expect(stdout).toBe(
      '{"n":9007199254740993001,"1":[1.50,-0,1E+2],"s":"#5 $ \\" \\\\","ü":"\\u0301\\ud83d"}\n',
    )
  })
})
