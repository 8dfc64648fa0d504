/**
 * svc against a service that is all that the description allows: each operation's answer in every way that is left open. What is expected is
 * computed from the answers, by nothing of the program.
 */
import { describe, expect, test } from 'vitest'
import { createWorld } from '../svc.ts'
import { differences, type Shape } from './check.ts'
import { idOf, made, mapped } from './made.ts'
import { apiKey, apiSecret, startService, type Answer, type Asked } from './service.ts'

const { svc } = createWorld({ SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret })
type Data = Readonly<Record<string, unknown>>

const [one, two, three] = [idOf(1), idOf(2), idOf(3)]
const pagination = {
  is: { page: 1, limit: 100, total: 1, totalPages: 1, hasNext: false, hasPrev: false },
}
const chunk: Shape = { ticket: 'Ticket', messages: ['Message'] }
const history = { data: made({ ticket: 'Ticket', messages: { is: [] } }) }
/** What svc may read beside: the lists before it creates one, a ticket before it is assigned, the employees to say more of a refusal. */
const beside: Readonly<Record<string, unknown>> = {
  'GET /v1/lists': {
    data: { lists: [], pagination: { ...pagination.is, total: 0, totalPages: 0 } },
  },
  [`GET /v1/tickets/${one}/history`]: history,
  'GET /v1/employees': { data: [] },
}

/** What came of a command, whose every request must have been signed; of other requests than its own the service knows what is beside. */
async function play(
  line: string | readonly string[],
  request: string,
  answerTo: (asked: Asked) => Answer,
) {
  const service = await startService((asked) =>
    asked.request === request ? answerTo(asked) : { status: 200, body: beside[asked.request] },
  )
  const result = await svc(line, { env: { SVC_BASE_URL: service.baseUrl }, fast: true })
  service.close()
  expect(service.asked.filter((asked) => !asked.signed)).toEqual([])
  return { ...result, own: service.asked.filter((asked) => asked.request === request) }
}

interface Operation {
  readonly line: string
  readonly request: string
  readonly data: Shape
  /** What is printed of it. */
  readonly shown?: (data: Data) => unknown
  /** What must be sent, in JSON; undefined: no body at all. */
  readonly body?: unknown
}

// Which of the two is meant is not said.
const merges = [one, two].map((id) => ({
  ...{
    line: `contacts merge ${one} --into ${two} --yes`,
    request: `POST /v1/contacts/${one}/merge`,
  },
  data: { mergedContactId: { is: id }, contact: 'Contact' },
  body: { targetContactId: two },
}))
const membersOf = { list: 'ContactList', members: ['ListMember'], pagination } as const
const operations: readonly Operation[] = [
  {
    ...{
      line: 'lists list',
      request: 'GET /v1/lists',
      data: { lists: ['ContactList'], pagination },
    },
    shown: ({ lists }) => lists,
  },
  {
    ...{
      line: 'lists create --name Spring --description Mailing',
      request: 'POST /v1/lists',
      data: 'ContactList',
    },
    body: { name: 'Spring', description: 'Mailing' },
  },
  {
    line: `lists get ${one}`,
    request: `GET /v1/lists/${one}`,
    data: membersOf,
    shown: ({ list }) => list,
  },
  {
    line: `lists members ${one}`,
    request: `GET /v1/lists/${one}`,
    data: membersOf,
    shown: ({ members }) => members,
  },
  {
    ...{
      line: `lists update ${one} --name Autumn`,
      request: `PATCH /v1/lists/${one}`,
      data: 'ContactList',
    },
    body: { name: 'Autumn' },
  },
  ...merges,
  {
    ...{ line: `tickets history ${one}`, request: `GET /v1/tickets/${one}/history`, data: chunk },
    shown: ({ ticket, messages }) => ({ ticket, messages }),
  },
  {
    ...{ line: `tickets get ${one}`, request: `GET /v1/tickets/${one}/history`, data: chunk },
    shown: ({ ticket }) => ticket,
  },
  {
    ...{ line: `tickets assign ${one} --to ${two}`, request: `PATCH /v1/tickets/${one}/assignee` },
    data: { ticketId: 'id', chatId: 'id?', previousAssigneeId: 'id?', newAssigneeId: { is: two } },
    body: { newAssigneeId: two },
  },
  { line: 'employees list', request: 'GET /v1/employees', data: ['Employee'] },
]

const named = ['status', 'kind', 'direction', 'access']
const letter = 'nothing'
/** What the description leaves open, with an answer that makes use of it. */
const freedoms: Readonly<Record<string, (data: Shape) => { status?: number; data: unknown }>> = {
  [letter]: (data) => ({ data: made(data) }),
  'a status of 201': (data) => ({ status: 201, data: made(data) }),
  'a status of 202': (data) => ({ status: 202, data: made(data) }),
  'what is not said to be there is absent': (data) => ({ data: made(data, () => undefined) }),
  'what is not said to be there is null': (data) => ({ data: made(data, () => null) }),
  'null within what is there': (data) => ({
    data: made(data, (value) => (Array.isArray(value) || typeof value === 'string' ? null : value)),
  }),
  'ids in upper case': (data) => ({
    data: mapped(made(data), {
      text: (text) => (/^[0-9a-f]{24}$/.test(text) ? text.toUpperCase() : text),
    }),
  }),
  'fields that are not described': (data) => ({
    data: mapped(made(data), { object: (object) => ({ ...object, more: { color: ['red'] } }) }),
  }),
  'states and kinds that are not named': (data) => ({
    data: mapped(made(data), {
      text: (text, field) => (named.includes(field) ? 'hologram' : text),
    }),
  }),
}

describe.each(operations)(
  '$line',
  ({ line, request, data: shape, shown = (data) => data, body }) => {
    test.each(Object.entries(freedoms))('open: %s', async (freedom, answer) => {
      const { status = 200, data } = answer(shape)
      expect(freedom === letter ? differences(data, shape) : []).toEqual([])
      const { code, stdout, own } = await play(`${line} --json`, request, () => ({
        status,
        body: { data, took: 3 },
      }))
      expect([code, JSON.parse(stdout)]).toEqual([0, shown(data as Data)])
      // API: Endpoints, requests with a body use this type; what is signed without one is nothing.
      const sent = [
        body === undefined ? undefined : 'application/json',
        body === undefined ? '' : JSON.stringify(body),
      ]
      expect(own.map((asked) => [asked.contentType, asked.body])).toEqual([sent])
    })

    test.each([400, 403, 404, 409, 410, 422])('an error of its own: %i', async (status) => {
      const error = { code: status * 100 + 99, message: 'Not like this' }
      const { code, stderr } = await play(`${line} --json`, request, () => ({
        status,
        body: error,
      }))
      const [last = ''] = stderr.trimEnd().split('\n').slice(-1)
      const told = (JSON.parse(last) as { error: Data }).error
      expect([code, told]).toMatchObject([status === 403 ? 5 : 6, { httpStatus: status, ...error }])
      expect(told['hint']).toMatch(/./)
    })
  },
)

/** 25 messages, the newest first, with ids that are the same as numbers. */
const all = Array.from({ length: 25 }, (_, place) => ({
  id: String(9_007_199_254_740_993_025n - BigInt(place)),
}))
const at = (place: number): string => all[place]?.id ?? ''

/** Chunks: the cursor that asks for it, the first message and the one behind the last, the next cursor. */
type Chunk = readonly [asked: string | undefined, from: number, to: number, next?: string | null]
test.each<[open: string, first: Chunk, ...others: Chunk[]]>([
  [
    'the cursor is the first message of the next chunk',
    [undefined, 0, 20, at(20)],
    [at(20), 20, 25],
  ],
  ['the cursor is the last message of this chunk', [undefined, 0, 20, at(19)], [at(19), 20, 25]],
  ['chunks overlap by one message', [undefined, 0, 20, at(19)], [at(19), 19, 25]],
  [
    'the last chunk is empty',
    [undefined, 0, 20, at(19)],
    [at(19), 20, 25, at(24)],
    [at(24), 25, 25],
  ],
  [
    'fewer than 20, no number, null at the end',
    [undefined, 0, 15, 'a+/= ?&'],
    ['a+/= ?&', 15, 25, null],
  ],
])('a history, whole and in pieces: %s', async (_, ...chunks) => {
  const read = async (options: string[]) => {
    const answerTo = ({ query }: Asked): Answer => {
      const found = chunks.find(([asked]) => asked === query['chunkLastMessageId'])
      if (found === undefined)
        return { status: 400, body: { code: 40001, message: 'no such cursor' } }
      const [, from, to, next] = found
      const messages = all.slice(from, to)
      const body = {
        data: { ticket: { id: one, status: 'active' }, messages, nextChunkStartMessageId: next },
      }
      return { status: 200, body }
    }
    const words = ['tickets', 'history', one, '--json', ...options]
    const { code, stdout } = await play(words, `GET /v1/tickets/${one}/history`, answerTo)
    expect(code).toBe(0)
    return JSON.parse(stdout) as { messages: { id: string }[]; nextChunkStartMessageId?: string }
  }
  expect((await read([])).messages).toEqual(all)
  const first = await read(['--limit', '20'])
  const rest = await read(['--cursor', first.nextChunkStartMessageId ?? ''])
  expect(new Set([...first.messages, ...rest.messages].map(({ id }) => id)).size).toBe(25)
  expect(rest).not.toHaveProperty('nextChunkStartMessageId')
})

test('1,000 employees, as many as are ever returned', async () => {
  const data = Array.from({ length: 1000 }, (_, n) => ({
    ...(made('Employee') as object),
    id: idOf(n),
  }))
  const { stdout } = await play('employees list -o ids', 'GET /v1/employees', () => ({
    status: 200,
    body: { data },
  }))
  expect(stdout.trimEnd().split('\n')).toEqual(data.map(({ id }) => id))
})

const refused = { code: 40401, message: 'Not like this' }
describe('a bulk result', () => {
  test.each<[status: number, body: unknown, code: number, result: object]>([
    [200, { data: { added: 2, skipped: 0, failed: 0 } }, 0, { added: 2 }],
    [200, { data: { added: 1, skipped: 1, failed: 0 } }, 0, { added: 1, skipped: 1 }],
    [201, { data: { added: 0, skipped: 0, failed: 2, errors: [] } }, 3, { missing: 2 }],
    // Before any success the list is wrong, and so the run stops.
    [400, refused, 6, { error: 2 }],
    [404, refused, 6, { error: 2 }],
  ])('of adding contacts: %i %j', async (status, body, code, result) => {
    const line = `lists add-contacts ${three} ${one} ${two} --json`
    const played = await play(line, `POST /v1/lists/${three}/contacts`, () => ({ status, body }))
    expect(played.own.map((asked) => asked.body)).toEqual([
      JSON.stringify({ contactIds: [one, two] }),
    ])
    const none = { added: 0, skipped: 0, missing: 0, unknown: 0, error: 0 }
    expect(JSON.parse(played.stdout)).toMatchObject({
      result: { ...none, ...result },
      exitCode: code,
    })
    expect(played.code).toBe(code)
  })

  const [upperOne, upperTwo, upperThree] = ['aa', 'bb', 'cc'].map(
    (end) => `64C${'0'.repeat(19)}${end.toUpperCase()}`,
  )
  const ids = [upperOne, upperTwo, upperThree].map((id = '') => id.toLowerCase())
  test.each<
    [
      status: number,
      body: unknown,
      code: number,
      result: object,
      notFound: number[],
      blocked: number[],
    ]
  >([
    [
      202,
      { data: { deletedCount: 3, notFoundIds: [], blockedIds: [], more: ids } },
      0,
      { deleted: 3 },
      [],
      [],
    ],
    [
      200,
      { data: { deletedCount: 1, notFoundIds: [ids[1]], blockedIds: [ids[2]] } },
      3,
      { deleted: 1 },
      [1],
      [2],
    ],
    [
      200,
      { data: { deletedCount: 0, notFoundIds: [upperThree, upperOne], blockedIds: [upperTwo] } },
      3,
      {},
      [0, 2],
      [1],
    ],
    // A refusal of this batch alone; 400 and 404 would stop the run.
    [422, refused, 3, { error: 3 }, [], []],
  ])('of deleting contacts: %i %j', async (status, body, code, result, notFound, blocked) => {
    const line = `contacts delete ${ids.join(' ')} --yes --json`
    const played = await play(line, 'POST /v1/contacts/bulk-delete', () => ({ status, body }))
    expect(played.own.map((asked) => asked.body)).toEqual([JSON.stringify({ contactIds: ids })])
    const counts = {
      deleted: 0,
      notFound: notFound.length,
      blocked: blocked.length,
      error: 0,
      unknown: 0,
    }
    // As they were sent, whatever the letter case of the answer.
    const [notFoundIds, blockedIds] = [notFound, blocked].map((places) =>
      places.map((place) => ids[place]),
    )
    expect(JSON.parse(played.stdout)).toMatchObject({
      result: { ...counts, ...result },
      notFoundIds,
      blockedIds,
    })
    expect(played.code).toBe(code)
  })
})
