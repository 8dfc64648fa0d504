/** `svc api` against the sandbox over real HTTP. */
import { createServer, type Server } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createSandboxWorld, typing } from '../svc.ts'

const { svc, sandbox, as, folder, requestsOf } = await createSandboxWorld()
const json = (text: string): unknown => JSON.parse(text)

describe('the request', () => {
  test.each<[string, string, string, string]>([
    ['/v1/lists', 'GET', '/v1/lists', ''],
    ['lists', 'GET', '/v1/lists', ''],
    ['v1/lists', 'GET', '/v1/lists', ''],
    ['lists?limit=2 --query page=3', 'GET', '/v1/lists?limit=2&page=3', ''],
    ['lists/x -X delete', 'DELETE', '/v1/lists/x', ''],
    ['/v1/lists --query limit=2 --query page=3', 'GET', '/v1/lists?limit=2&page=3', ''],
    ['/v1/lists?limit=2 --query "search=a b&c"', 'GET', '/v1/lists?limit=2&search=a+b%26c', ''],
    ['/v1/lists?search=a?b', 'GET', '/v1/lists?search=a?b', ''],
    ['/v1/lists --query search==', 'GET', '/v1/lists?search=%3D', ''],
    ['/v1/lists -f name=Spring', 'POST', '/v1/lists', '{"name":"Spring"}'],
    ['/v1/lists -f name=5 -f description=true', 'POST', '/v1/lists', '{"name":5,"description":true}'],
    [
      '/v1/lists --field "name=\\"5\\"" -f a=[1,{}] -f b= -f c=null -f d=a=b',
      'POST',
      '/v1/lists',
      '{"name":"5","a":[1,{}],"b":"","c":null,"d":"a=b"}',
    ],
    [
      '/v1/lists -f n=9007199254740993001 -f __proto__=1',
      'POST',
      '/v1/lists',
      '{"n":9007199254740993001,"__proto__":1}',
    ],
    ['/v1/lists -X get', 'GET', '/v1/lists', ''],
    ['/v1/lists -X POST', 'POST', '/v1/lists', ''],
    ['/v1/lists/x -X PATCH -f name=y', 'PATCH', '/v1/lists/x', '{"name":"y"}'],
    ['/v1/lists/x -X DELETE', 'DELETE', '/v1/lists/x', ''],
    [`/v1/lists --body '{"name": 1.50}'`, 'POST', '/v1/lists', '{"name": 1.50}'],
    ['/v1/lists --body -x', 'POST', '/v1/lists', '-x'],
    ['/v1/lists/x -X put -f a=1', 'PUT', '/v1/lists/x', '{"a":1}'],
    ['/v1/lists/..a/b..', 'GET', '/v1/lists/..a/b..', ''],
    ['/v1/lists/%20', 'GET', '/v1/lists/%20', ''],
  ])('%s', async (words, method, url, body) => {
    const { requests } = await requestsOf(`api ${words}`)
    expect(requests.map((request) => [request.method, request.url, request.body])).toEqual([[method, url, body]])
  })

  test('a body goes out byte by byte, from a file or standard input', async () => {
    const body = '{ "name" : "Früh ling",\n "description":"" }\n'
    const file = join(folder, 'body.json')
    writeFileSync(file, body)
    const fromFile = await requestsOf(['api', '/v1/lists', '--body-file', file])
    expect([fromFile.result.code, fromFile.requests[0]?.method, fromFile.requests[0]?.body]).toEqual([0, 'POST', body])
    const piped = await requestsOf('api /v1/lists --body-file -', { stdin: body })
    expect([piped.result.code, piped.requests[0]?.method, piped.requests[0]?.body]).toEqual([0, 'POST', body])
    expect(json(piped.result.stdout)).toMatchObject({ data: { name: 'Früh ling' } })
  })

  test('an empty body is a body all the same', async () => {
    const { requests } = await requestsOf('api /v1/lists --body-file -')
    expect(requests.map(({ method, body }) => [method, body])).toEqual([['POST', '']])
  })

  test.each([
    ['v1', '"v1" is not below /v1/'],
    ['v2/lists', '"v2/lists" is not below /v1/'],
    ['../admin', '"../admin" is not below /v1/'],
    ['lists/../../admin', '"lists/../../admin" leaves /v1/'],
    ['api.example.com:80/v1/lists', '"api.example.com:80/v1/lists" is not below /v1/'],
    ['/lists', '"/lists" is not below /v1/'],
    ['/v1', '"/v1" is not below /v1/'],
    ['/v10/lists', '"/v10/lists" is not below /v1/'],
    ['/v2/lists', '"/v2/lists" is not below /v1/'],
    ['/_sandbox/info', '"/_sandbox/info" is not below /v1/'],
    ['http://127.0.0.1/v1/lists', '"http://127.0.0.1/v1/lists" is not below /v1/'],
    ['//127.0.0.1/v1/', '"//127.0.0.1/v1/" is not below /v1/'],
    ['/v1/../admin', '"/v1/../admin" leaves /v1/'],
    ['/v1/./lists', '"/v1/./lists" leaves /v1/'],
    ['/v1/..', '"/v1/.." leaves /v1/'],
    ['/v1/..?x=1', '"/v1/..?x=1" leaves /v1/'],
    ['/v1/%2e%2e/admin', '"/v1/%2e%2e/admin" leaves /v1/'],
    ['/v1/..%2fadmin', '"/v1/..%2fadmin" leaves /v1/'],
    ['/v1/..%5cadmin', '"/v1/..%5cadmin" leaves /v1/'],
    ['/v1/%252e%252e/admin', '"/v1/%252e%252e/admin" leaves /v1/'],
    ['/v1/..%252fadmin', '"/v1/..%252fadmin" leaves /v1/'],
    ['"/v1/a b"', '"/v1/a b" has characters that a path cannot have'],
    ['/v1/ä', '"/v1/ä" has characters that a path cannot have'],
    ['/v1/lists#x', '"/v1/lists#x" has characters that a path cannot have'],
    ["'/v1/a\\b'", '"/v1/a\\b" has characters that a path cannot have'],
    ["'/v1/a\r\nX: y'", '"/v1/a\r\nX: y" has characters that a path cannot have'],
    ['/v1/lists --query limit', '--query takes name=value, not "limit"'],
    ['/v1/lists --query =2', '--query takes name=value, not "=2"'],
    ['/v1/lists -f name', '--field takes name=value, not "name"'],
    ['/v1/lists -f a=1 -f a=2', '--field a appears twice'],
    ['/v1/lists -f a=1 --body-file -', '--body-file and --field exclude each other'],
    ['/v1/lists -X GET -f a=1', 'a GET has no body'],
    ['/v1/lists -X GET --body-file -', 'a GET has no body'],
    ['/v1/lists -X HEAD', '-X takes GET, POST, PATCH, PUT or DELETE, not "HEAD"'],
    ['/v1/lists -o csv', 'this command has no format "csv"'],
    ['/v1/lists --fields a', 'this command has no fields to choose from'],
    ['/v1/lists -i -o json', '-i has no JSON form: leave out --json and -o'],
    [
      '/v1/lists --body-file /does/not/exist',
      'cannot read the body from "/does/not/exist": there is no such file or folder',
    ],
  ])('%s is refused with exit 2 and no request', async (words, message) => {
    const { result, requests } = await requestsOf(`api ${words} --error-format json`)
    expect([result.code, result.stdout, requests]).toEqual([2, '', []])
    expect(json(result.stderr)).toMatchObject({ error: { category: 'usage', message } })
  })

  test('a body from a terminal is not waited for', async () => {
    expect((await svc('api /v1/lists --body-file -', { isTerminal: { stdin: true } })).code).toBe(2)
  })
})

describe('the answer', () => {
  test('JSON, indented, or on one line with ndjson', async () => {
    const { code, stdout, stderr } = await svc('api /v1/lists --query limit=1')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^\{\n {2}"data": \{\n {4}"lists": \[/)
    expect((await svc('api /v1/lists --query limit=1 --json')).stdout).toBe(stdout)
    const line = (await svc('api /v1/lists --query limit=1 -o ndjson')).stdout
    expect(line).toMatch(/^\{"data":\{"lists":\[[^\n]*\n$/)
    expect(json(line)).toEqual(json(stdout))
  })

  test('a format that comes from the environment and is lacking is left aside', async () => {
    const plain = (await svc('api /v1/lists --query limit=1')).stdout
    expect((await svc('api /v1/lists --query limit=1', { env: { SVC_OUTPUT: 'csv' } })).stdout).toBe(plain)
    expect((await svc('api /v1/lists --query limit=1', { env: { SVC_OUTPUT: 'ndjson' } })).stdout).not.toBe(plain)
  })

  test('-i: the status, the headers, and the body as it came', async () => {
    const { code, stdout } = await svc('api /v1/lists --query limit=1 -i')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^HTTP 200\nx-request-id: sandbox-\d+\ncontent-type: application\/json; charset=utf-8\n(?:[a-z-]+: [^\n]*\n)+\n\{"data":\{"lists":\[/,
    )
    expect((await svc('api /v1/lists -f name=Made -i')).stdout).toMatch(/^HTTP 201\n/)
  })

  test.each([
    ['/v1/nothing', {}, 6, { category: 'rejected', httpStatus: 404, code: 40400 }],
    ['/v1/lists -f name=', {}, 6, { category: 'rejected', httpStatus: 400, code: 40001 }],
    ['/v1/lists -X DELETE', {}, 6, { category: 'rejected', httpStatus: 405 }],
    ['/v1/lists -f name=x', as('read'), 5, { category: 'forbidden', httpStatus: 403, code: 40361 }],
    ['/v1/lists', as('no-plan'), 5, { category: 'forbidden', httpStatus: 403, code: 40351 }],
    [
      '/v1/lists',
      { SVC_API_SECRET: 'sk_another_secret_that_is_long_enough' },
      4,
      { category: 'auth', httpStatus: 401, code: 40121 },
    ],
  ])('api %s: a refusal is an error as everywhere', async (words, env, code, error) => {
    const result = await svc(`api ${words} --json`, { env })
    expect([result.code, result.stdout]).toEqual([code, ''])
    expect(json(result.stderr)).toMatchObject({
      type: 'error',
      time: expect.any(String) as string,
      error: { ...error, exitCode: code, hint: expect.any(String) as string },
    })
  })

  test('a method that a path does not take is said to be just that', async () => {
    const { stderr } = await svc('api lists -X DELETE')
    expect(stderr).toMatch(/^error: .*HTTP 405.*\n {2}this path does not take DELETE, only GET and POST\n$/)
  })

  test('errors are text unless JSON was asked for', async () => {
    expect((await svc('api /v1/nothing')).stderr).toMatch(
      /^error: There is no such endpoint \(HTTP 404, code 40400\)\n/,
    )
    expect((await svc('api /v1/nothing', { env: { SVC_OUTPUT: 'json' } })).stderr).toMatch(/^\{"type":"error"/)
  })

  test('GET is sent again after a lost answer, everything else is not', async () => {
    sandbox.setFaults('lists.list:1-2=drop-before')
    const read = await requestsOf('api /v1/lists', { fast: true })
    expect([read.result.code, read.requests.length]).toEqual([0, 3])
    sandbox.setFaults('lists.create=drop-after-apply')
    const write = await requestsOf('api /v1/lists -f name=Lost --json', { fast: true })
    sandbox.setFaults()
    expect([write.result.code, write.result.stdout, write.requests.length]).toEqual([7, '', 1])
    expect(json(write.result.stderr)).toMatchObject({
      error: {
        category: 'unavailable',
        hint: 'svc did not send it again; check what happened before you try again, for example:\n  svc api /v1/lists',
      },
    })
  })

  test('a protected profile asks before everything but GET', async () => {
    const [key] = sandbox.keys
    const config = join(folder, 'config.json')
    const prod = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret, protected: true }
    writeFileSync(config, JSON.stringify({ current: 'prod', profiles: { prod } }), { mode: 0o600 })
    const env = { SVC_CONFIG: config, SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined }
    expect((await svc('api /v1/lists', { env })).code).toBe(0)
    const { result, requests } = await requestsOf('api /v1/lists -f name=x', { env })
    expect([result.code, requests]).toEqual([9, []])
    const terminal = typing('y')
    expect((await svc('api /v1/lists -f name=x', { env, terminal: terminal.terminal })).code).toBe(0)
    expect(terminal.shown()).toContain('Send POST /v1/lists on the protected profile "prod"?')
  })
})

describe('--paginate', () => {
  interface Lists {
    data: { lists: { id: string }[]; pagination: { total: number; hasNext: boolean } }
  }

  test('all pages are one document, of the shape of one answer', async () => {
    const { result, requests } = await requestsOf('api lists --paginate --query limit=100')
    const { data } = json(result.stdout) as Lists
    expect([result.code, result.stderr, requests.length]).toEqual([0, '', Math.ceil(data.pagination.total / 100)])
    expect(requests.length).toBeGreaterThan(1)
    expect([data.lists.length, data.pagination.hasNext]).toEqual([data.pagination.total, false])
    expect(data.lists.map(({ id }) => id)).toEqual(
      (json((await svc('lists list --json')).stdout) as { id: string }[]).map(({ id }) => id),
    )
  })

  test('all chunks of a history too', async () => {
    const ticket = sandbox.examples.tickets.hostile
    const { stdout } = await svc(`api tickets/${ticket}/history --paginate`)
    const { data } = json(stdout) as { data: { messages: unknown[]; nextChunkStartMessageId?: string | null } }
    const { messages } = json((await svc(`tickets history ${ticket} --json`)).stdout) as { messages: unknown[] }
    expect([data.messages.length, data.nextChunkStartMessageId ?? null]).toEqual([messages.length, null])
    expect(messages.length).toBeGreaterThan(20)
  })

  test('a question mark in the query is on every page', async () => {
    const { requests } = await requestsOf('api lists?other=a?b&limit=100 --paginate')
    const queries = requests.map(({ url }) => Object.fromEntries(new URL(url, sandbox.baseUrl).searchParams))
    expect(queries.slice(0, 2)).toEqual([
      { other: 'a?b', limit: '100' },
      { other: 'a?b', limit: '100', page: '2' },
    ])
  })

  test('a page that fails leaves an open document', async () => {
    sandbox.setFaults('lists.list:2+=500')
    const { code, stdout } = await svc('api lists --paginate --query limit=10', { fast: true })
    sandbox.setFaults()
    expect([code, stdout]).toEqual([7, '{\n'])
  })

  test.each(['-i', '-X POST', '-f a=1'])('not with %s', async (words) => {
    const { result, requests } = await requestsOf(`api lists --paginate ${words}`)
    expect([result.code, result.stdout, requests]).toEqual([2, '', []])
    expect(result.stderr).toContain('--paginate reads pages: it takes no body, no other method and no -i')
  })
})

describe('an answer that is no JSON', () => {
  const answers: Readonly<Record<string, [string, string]>> = {
    '/v1/text': ['text/plain', 'plain \u001b[31mtext\u202e'],
    '/v1/empty': ['text/plain', ''],
    '/v1/number': ['application/json', '5'],
    '/v1/digits': [
      'application/json',
      '{"n":9007199254740993001,"1":[1.50,-0,1E+2],"s":"#5 $ \\" \\\\","ü":"\\u0301\\ud83d"}',
    ],
    '/v1/circle': ['application/json', '{"data":{"messages":[{"id":1}],"nextChunkStartMessageId":"a"}}'],
    '/v1/circle?chunkLastMessageId=a': [
      'application/json',
      '{"data":{"messages":[{"id":2}],"nextChunkStartMessageId":"a"}}',
    ],
    '/v1/lists': [
      'application/json',
      '{"data":{"tags":["a"],"lists":[{"id":"1"}],"pagination":{"page":1,"hasNext":true}}}',
    ],
    '/v1/lists?page=2': [
      'application/json',
      '{"data":{"tags":["b"],"lists":[{"id":"2"}],"pagination":{"page":2,"hasNext":false}}}',
    ],
    '/v1/others': ['application/json', '{"data":{"tags":["a"],"others":[1],"pagination":{"page":1,"hasNext":true}}}'],
    '/v1/one': ['application/json', '{"data":{"tags":["a"],"others":[1,1],"pagination":{"page":1,"hasNext":false}}}'],
    '/v1/lost': ['application/json', '{"data":{"others":[1],"pagination":{"page":1,"hasNext":true}}}'],
    '/v1/lost?page=2': ['application/json', '{"data":null}'],
    '/v1/unsafe': ['application/json', '{"a":"\u009b\u202e","__proto__":{"b":1}}'],
  }
  const server: Server = createServer((request, response) => {
    const [type, body] = answers[request.url ?? ''] ?? ['text/plain', 'none']
    response.setHeader('content-type', type)
    response.end(body)
  })
  const listening = new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`)
    })
  })
  afterAll(() => server.close())

  test.each([
    ['/v1/text', '', 'plain \\u{1b}[31mtext\\u{202e}\n'],
    ['/v1/text', '--json', '"plain \\u001b[31mtext\\u202e"\n'],
    ['/v1/empty', '', ''],
    ['/v1/empty', '--json', 'null\n'],
    ['/v1/number', '', '5\n'],
    ['/v1/number', '--paginate', '5\n'],
    ['/v1/unsafe', '-o ndjson', '{"a":"\\u009b\\u202e","__proto__":{"b":1}}\n'],
  ])('%s %s', async (path, options, stdout) => {
    expect(await svc(`api ${path} ${options}`, { env: { SVC_BASE_URL: await listening } })).toEqual({
      code: 0,
      stdout,
      stderr: '',
    })
  })

  test('numbers keep their digits, names of members their order', async () => {
    const env = { SVC_BASE_URL: await listening }
    const { stdout, stderr } = await svc('api digits -o ndjson', { env })
    expect(stdout).toBe('{"n":9007199254740993001,"1":[1.50,-0,1E+2],"s":"#5 $ \\" \\\\","ü":"\\u0301\ufffd"}\n')
    expect(stderr).toContain('became U+FFFD')
  })

  test('--paginate joins the rows of the operation, whatever other arrays stand beside them', async () => {
    const { stdout } = await svc('api lists --paginate -o ndjson', { env: { SVC_BASE_URL: await listening } })
    expect(json(stdout)).toMatchObject({ data: { tags: ['b'], lists: [{ id: '1' }, { id: '2' }] } })
  })

  test('--paginate of another path: one array is the page, of several nobody knows which', async () => {
    const env = { SVC_BASE_URL: await listening }
    expect(await svc('api others --paginate', { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'cannot tell which array of the answer is the page: "tags", "others"\n',
      ) as string,
    })
    expect((await svc('api one --paginate -o ndjson', { env })).stdout).toBe(`${answers['/v1/one']?.[1]}\n`)
    expect(await svc('api lost --paginate', { env })).toMatchObject({ code: 7, stdout: '{\n' })
  })

  test('a cursor that leads in circles ends --paginate with exit 7', async () => {
    const env = { SVC_BASE_URL: await listening }
    const { code, stdout, stderr } = await svc('api circle --paginate', { env })
    expect([code, stdout]).toEqual([7, '{\n'])
    expect(stderr).toContain('the service led to a page that was already read')
    expect((await svc('api text --paginate', { env })).stderr).toContain('the answer is no JSON, so it has no pages')
  })
})
