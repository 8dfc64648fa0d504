/**
 * Nonsense answers, as a table: what the command line ends with, says, and how often it asked. Answers that are broken on the wire are in
 * http/transport.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { answering, http } from '../http/loopback.ts'
import { createWorld, type Result } from '../svc.ts'

const id = '0123456789abcdef01234567'
const list = { id, name: 'VIP', description: null, contactsCount: 3 }
const pagination = { page: 1, limit: 20, total: 1, totalPages: 1, hasNext: false, hasPrev: false }
const lists = (...rows: readonly unknown[]): unknown => ({ data: { lists: rows, pagination } })
const history = (more: object): unknown => ({ data: { ticket: { id, status: 'active' }, messages: [], ...more } })

interface Asked extends Result {
  readonly requests: readonly string[]
}

/** Runs a command against a service that always answers this. */
async function against(line: string, answer: Buffer | ((n: number) => Buffer)): Promise<Asked> {
  const server = await answering((socket, _request, n) => {
    socket.write(typeof answer === 'function' ? answer(n) : answer)
  })
  const world = createWorld({
    SVC_BASE_URL: server.baseUrl,
    SVC_API_KEY: 'pk_0123456789',
    SVC_API_SECRET: 'a-secret-of-this-test',
  })
  const result = await world.svc(line, { fast: true })
  return { ...result, requests: server.requests }
}

const as = (body: unknown): Buffer => http(200, JSON.stringify(body))

describe('answers that are not what was promised: exit 7, and no row of them on stdout', () => {
  const rows: readonly [string, string, Buffer, RegExp, number][] = [
    ['empty', 'employees list', http(200, ''), /the answer is empty/, 4],
    [
      'a web page',
      'employees list',
      http(200, '<!doctype html><html>', { 'content-type': 'text/html' }),
      /web page, not JSON[^]*base URL/,
      1,
    ],
    ['a web page that calls itself JSON', 'employees list', http(200, '<html>'), /web page/, 1],
    ['null', 'employees list', http(200, 'null'), /no "data"/, 4],
    ['data null', 'employees list', as({ data: null }), /the answer's data is not an array\n/, 4],
    ['data in a prototype', 'employees list', http(200, '{"__proto__":{"data":[]}}'), /no "data"/, 4],
    [
      'an object for a list',
      'employees list',
      as({ data: { employees: [] } }),
      /the answer's data is not an array\n/,
      4,
    ],
    ['a list for an object', 'lists list', as({ data: [] }), /the answer has no lists\n/, 4],
    ['a number for an id', 'lists list', as(lists({ ...list, id: 7 })), /the answer's lists\.0\.id is not text\n/, 4],
    [
      'an id of 23 digits',
      'lists list',
      as(lists({ ...list, id: id.slice(1) })),
      /the answer's lists\.0\.id must be 24 hexadecimal digits\n/,
      4,
    ],
    [
      'a number for a message id',
      `tickets history ${id}`,
      as(history({ messages: [{ id: 9_007_199_254_740_992 }] })),
      /the answer's messages\.0\.id is not text\n/,
      4,
    ],
    ['a negative count', 'lists list', as(lists({ ...list, contactsCount: -1 })), /contactsCount/, 4],
    ['no pagination', 'lists list', as({ data: { lists: [] } }), /pagination/, 4],
    [
      'another list',
      `lists get ${id}`,
      as({ data: { list: { ...list, id: 'f'.repeat(24) }, members: [], pagination } }),
      /another record than the one that was asked for/,
      4,
    ],
    [
      'another ticket',
      `tickets get ${id}`,
      as(history({ ticket: { id: 'f'.repeat(24), status: 'active' } })),
      /another record than the one that was asked for/,
      4,
    ],
  ]
  it.each(rows)('%s: %s', async (_what, line, answer, words, requests) => {
    const asked = await against(line, answer)
    // What shows one thing prints nothing; of rows the output says that it is incomplete.
    expect([asked.code, asked.stdout]).toEqual([
      7,
      expect.stringMatching(/ get /.test(line) ? /^$/ : /^# incomplete: .*\n$/),
    ])
    expect(asked.stderr).toMatch(words)
    // A history asks for the employees' names beside its first chunk.
    const isOf = (request: string): boolean => line.startsWith('employees') || !request.includes(' /v1/employees ')
    expect(asked.requests.filter(isOf)).toHaveLength(requests)
  })
})

describe('answers that are odd, but can be used', () => {
  it('unknown states, kinds and directions are passed on', async () => {
    const message = { id: '1', direction: 'sideways', text: 'x', attachments: [{ kind: 'hologram' }] }
    const asked = await against(
      `tickets history ${id} --json`,
      as(history({ ticket: { id, status: 'pondering' }, messages: [message] })),
    )
    expect(asked).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(asked.stdout)).toEqual({ ticket: { id, status: 'pondering' }, messages: [message] })
  })

  it('fields that are not known are kept, also one called __proto__, and pollute nothing', async () => {
    const body = `{"data":[{"id":"${id}","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"more":[1]}]}`
    const asked = await against('employees list --json', http(200, body))
    expect(asked.code).toBe(0)
    expect(asked.stdout.replace(/\s/g, '')).toContain('"__proto__":{"polluted":true}')
    expect(asked.stdout.replace(/\s/g, '')).toContain('"more":[1]')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('a service that leads in circles', () => {
  it('the next chunk begins where this one did', async () => {
    const chunk = as(history({ messages: [{ id: '5' }], nextChunkStartMessageId: '4' }))
    const asked = await against(`tickets history ${id} --limit all --json`, chunk)
    expect(asked.code).toBe(7)
    expect(asked.requests).toHaveLength(2)
    expect(JSON.parse(`${asked.stdout}]}`)).toMatchObject({ messages: [{ id: '5' }] })
    expect(JSON.parse(asked.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { exitCode: 7, cursor: '4', message: expect.stringContaining('already used') as string },
    })
  })

  it('an empty page that announces more', async () => {
    const asked = await against(
      'lists list --limit all --json',
      as({ data: { lists: [], pagination: { ...pagination, hasNext: true } } }),
    )
    expect(asked).toMatchObject({ code: 7, stdout: '[\n' })
    expect(asked.stderr).toContain('page 1 is empty although the service says there are more')
    expect(asked.requests).toHaveLength(1)
  })

  it('a page that comes again and again', async () => {
    const asked = await against(
      'lists list --limit all -o ids',
      as({ data: { lists: [list], pagination: { ...pagination, hasNext: true } } }),
    )
    expect(asked).toMatchObject({
      code: 7,
      stdout: expect.stringMatching(`^${id}\n# incomplete: page 2 repeats earlier rows.*\n$`) as string,
    })
    expect(asked.stderr).toContain('page 2 repeats earlier rows')
    expect(asked.requests).toHaveLength(2)
  })

  it('a total that is not reached is said', async () => {
    const asked = await against(
      'lists list --limit all -o ids',
      as({ data: { lists: [list], pagination: { ...pagination, total: 99 } } }),
    )
    expect(asked).toMatchObject({ code: 0, stdout: `${id}\n` })
    expect(asked.stderr).toMatch(/note: .*99/)
  })
})
