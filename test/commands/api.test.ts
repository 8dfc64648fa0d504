/** `svc api` against the sandbox over real HTTP. */
import { describe, expect, test } from 'vitest'
import { answering, http } from '../http/loopback.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, requestsOf } = await createSandboxWorld()
const json = (text: string): unknown => JSON.parse(text)

describe('--paginate', () => {
  interface Lists {
    data: { lists: { id: string }[]; pagination: { total: number; hasNext: boolean } }
  }

  test('all pages are one document, of the shape of one answer', async () => {
    const { result, requests } = await requestsOf('api lists --paginate --query limit=100')
    const { data } = json(result.stdout) as Lists
    expect([result.code, result.stderr, requests.length]).toEqual([
      0,
      '',
      Math.ceil(data.pagination.total / 100),
    ])
    expect(requests.length).toBeGreaterThan(1)
    expect([data.lists.length, data.pagination.hasNext]).toEqual([data.pagination.total, false])
    expect(data.lists.map(({ id }) => id)).toEqual(
      (json((await svc('lists list --json')).stdout) as { id: string }[]).map(({ id }) => id),
    )
  })

  test('from a page that is named on, to the last one, with the query on each', async () => {
    const { result, sent } = await requestsOf(
      'api lists?other=a?b&limit=100 --paginate --query page=2',
    )
    const all = json((await svc('lists list --json')).stdout) as { id: string }[]
    const { data } = json(result.stdout) as Lists
    expect([result.code, data.lists.map(({ id }) => id)]).toEqual([
      0,
      all.slice(100).map(({ id }) => id),
    ])
    expect(sent).toEqual([
      'GET /v1/lists?other=a?b&limit=100&page=2',
      'GET /v1/lists?other=a%3Fb&limit=100&page=3',
    ])
  })

  test('all chunks of a history too', async () => {
    const ticket = sandbox.examples.tickets.hostile
    const { stdout } = await svc(`api tickets/${ticket}/history --paginate`)
    const { data } = json(stdout) as {
      data: { messages: unknown[]; nextChunkStartMessageId?: string | null }
    }
    const { messages } = json((await svc(`tickets history ${ticket} --json`)).stdout) as {
      messages: unknown[]
    }
    expect([data.messages.length, data.nextChunkStartMessageId ?? null]).toEqual([
      messages.length,
      null,
    ])
    expect(messages.length).toBeGreaterThan(20)
  })
})

test.each([
  ['GET', '', 4],
  ['POST', '-f name=x', 1],
  ['PUT', '-f name=x', 1],
  ['PATCH', '-f name=x', 1],
  ['DELETE', '', 1],
])('a lost %s %s: sent %i times', async (method, field, times) => {
  sandbox.setFaults('*=drop-before')
  const sent = sandbox.requests.length
  const line = `api lists/${sandbox.examples.list} -X ${method} ${field} --retries 3`
  const { code } = await svc(line, { fast: true })
  sandbox.setFaults()
  const requests = sandbox.requests.slice(sent)
  expect([code, requests.map((request) => request.method)]).toEqual([
    7,
    Array.from({ length: times }, () => method),
  ])
})

test.each([
  ['204', '204 No Content', '', 0],
  ['205', '205 Reset Content', 'connection: close\r\n', 0],
  ['200 that announces it', '200 OK', 'content-length: 0\r\n', 0],
  ['200 that ends there', '200 OK', 'connection: close\r\n', 7],
  ['206 that ends there', '206 Partial Content', 'connection: close\r\n', 7],
])('of a %s no JSON need come, and only where none was promised', async (_, status, more, code) => {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${more}\r\n`
  const { baseUrl } = await answering((socket) => void socket.end(head))
  const found = await svc('api things/1 -X DELETE', { env: { SVC_BASE_URL: baseUrl } })
  expect([found.code, found.stdout]).toEqual([code, ''])
})

test('an operation of ours is never answered by nothing, 204 or not', async () => {
  const { baseUrl } = await answering((socket) => void socket.end('HTTP/1.1 204 x\r\n\r\n'))
  const line = `lists update ${sandbox.examples.list} --name Other`
  const { code, stderr } = await svc(line, { env: { SVC_BASE_URL: baseUrl }, fast: true })
  expect([code, stderr]).toEqual([7, expect.stringContaining('the answer is empty') as string])
})

test('a field that is a number of JSON goes out as it was typed, below nothing too; any other is a text', async () => {
  const fields = ['-1.50', '-0', '-1e-7', '-.5', '+1', '-', '01'].map((n, at) => `-f n${at}=${n}`)
  const { requests } = await requestsOf(`api lists ${fields.join(' ')}`)
  expect(requests.map(({ body }) => body)).toEqual([
    '{"n0":-1.50,"n1":-0,"n2":-1e-7,"n3":"-.5","n4":"+1","n5":"-","n6":"01"}',
  ])
})

describe('an answer that is no JSON', () => {
  const answers: Readonly<Record<string, string>> = {
    '/v1/text': 'plain \u001b[31mtext\u202e',
    '/v1/empty': '',
    '/v1/number': '5',
    '/v1/digits':
      '{"n":9007199254740993001,"1":[1.50,-0,1E+2],"s":"#5 $ \\" \\\\","ü":"\\u0301\\ud83d"}',
    '/v1/circle': '{"data":{"messages":[{"id":1}],"nextChunkStartMessageId":"a"}}',
    '/v1/circle?chunkLastMessageId=a':
      '{"data":{"messages":[{"id":2}],"nextChunkStartMessageId":"a"}}',
    '/v1/lists':
      '{"data":{"tags":["a"],"lists":[{"id":"1"}],"pagination":{"page":1,"hasNext":true}}}',
    '/v1/lists?page=2':
      '{"data":{"tags":["b"],"lists":[{"id":"2"}],"pagination":{"page":2,"hasNext":false}}}',
    '/v1/others': '{"data":{"tags":["a"],"others":[1],"pagination":{"page":1,"hasNext":true}}}',
    '/v1/one': '{"data":{"tags":["a"],"others":[1,1],"pagination":{"page":1,"hasNext":false}}}',
    '/v1/lost': '{"data":{"others":[1],"pagination":{"page":1,"hasNext":true}}}',
    '/v1/endless': '{"data":{"others":[1],"pagination":{"page":1,"hasNext":true}}}',
    '/v1/endless?page=2': '{"data":{"others":[1],"pagination":{"page":2,"hasNext":true}}}',
    '/v1/lost?page=2': '{"data":null}',
    '/v1/unsafe': '{"a":"\u009b\u202e","__proto__":{"b":1}}',
  }
  const listening = answering((socket, request) => {
    const path = /^GET (\S+)/.exec(request)?.[1] ?? ''
    const type = /text|empty/.test(path) ? 'text/plain' : 'application/json'
    socket.write(http(200, answers[path] ?? 'none', { 'content-type': type }))
  }).then(({ baseUrl }) => baseUrl)

  test.each([
    ['/v1/text', '', 'plain \\u{1b}[31mtext\\u{202e}\n'],
    ['/v1/text', '--json', '"plain \\u001b[31mtext\\u202e"\n'],
    ['/v1/empty', '', ''],
    ['/v1/empty', '--json', 'null\n'],
    ['/v1/number', '', '5\n'],
    ['/v1/number', '--paginate', '5\n'],
    ['/v1/unsafe', '-o ndjson', '{"a":"\\u009b\\u202e","__proto__":{"b":1}}\n'],
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
    const { stdout, stderr } = await svc('api digits -o ndjson', { env })
    expect(stdout).toBe(
      '{"n":9007199254740993001,"1":[1.50,-0,1E+2],"s":"#5 $ \\" \\\\","ü":"\\u0301\ufffd"}\n',
    )
    expect(stderr).toContain('became U+FFFD')
  })

  test('--paginate joins the rows of the operation, whatever other arrays stand beside them', async () => {
    const { stdout } = await svc('api lists --paginate -o ndjson', {
      env: { SVC_BASE_URL: await listening },
    })
    expect(json(stdout)).toMatchObject({ data: { tags: ['b'], lists: [{ id: '1' }, { id: '2' }] } })
  })

  test('--paginate of another path: one array has the rows, of several nobody knows which', async () => {
    const env = { SVC_BASE_URL: await listening }
    expect(await svc('api others --paginate', { env })).toMatchObject({
      code: 7,
      stdout: '{\n',
      stderr: expect.stringContaining(
        'a page has no array, or several arrays, so svc does not know which ones are its rows',
      ) as string,
    })
    expect((await svc('api one --paginate -o ndjson', { env })).stdout).toBe(
      `${answers['/v1/one']}\n`,
    )
    expect(await svc('api lost --paginate', { env })).toMatchObject({ code: 7, stdout: '{\n' })
  })

  test('endless pages end --paginate with exit 7', async () => {
    const env = { SVC_BASE_URL: await listening }
    const { code, stderr } = await svc('api endless --paginate', { env })
    expect([code, stderr]).toEqual([7, expect.stringContaining('the rows of the page before')])
  })

  test('a cursor that leads in circles ends --paginate with exit 7', async () => {
    const env = { SVC_BASE_URL: await listening }
    const { code, stdout, stderr } = await svc('api circle --paginate', { env })
    expect([code, stdout]).toEqual([7, '{\n'])
    expect(stderr).toContain('the service led to a page that was already read')
    expect((await svc('api text --paginate', { env })).stderr).toContain(
      'the answer is not JSON, so it has no pages',
    )
  })
})
