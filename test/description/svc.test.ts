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

const [one, two] = [idOf(1), idOf(2)]
const pagination = {
  is: { page: 1, limit: 100, total: 1, totalPages: 1, hasNext: false, hasPrev: false },
}
const chunk: Shape = { ticket: 'Ticket', messages: ['Message'] }
const history = { data: made({ ticket: 'Ticket', messages: { is: [] } }) }
/** Further reads that svc may make: lists before a create, a ticket before an assign, employees to explain a refusal. */
const beside: Readonly<Record<string, unknown>> = {
  'GET /v1/lists': {
    data: { lists: [], pagination: { ...pagination.is, total: 0, totalPages: 0 } },
  },
  [`GET /v1/tickets/${one}/history`]: history,
  'GET /v1/employees': { data: [] },
}

/** The result of a command. Each of its requests must have been signed, and each further request is one of the reads above. */
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
  /** The printed result. */
  readonly shown?: (data: Data) => unknown
  /** The body that must be sent, as JSON; undefined for none. */
  readonly body?: unknown
}

/** The summary of a run of one that is done. */
const ofRun = (): unknown => expect.objectContaining({ outcomes: { done: 1 }, due: 0, exitCode: 0 })
const membersOf = { list: 'ContactList', members: ['ListMember'], pagination } as const
const operations: readonly Operation[] = [
  {
    line: 'lists list',
    request: 'GET /v1/lists',
    data: { lists: ['ContactList'], pagination },
    shown: ({ lists }) => lists,
  },
  {
    line: 'lists create --name Spring --description Mailing',
    request: 'POST /v1/lists',
    data: 'ContactList',
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
    line: `lists update ${one} --name Autumn`,
    request: `PATCH /v1/lists/${one}`,
    data: 'ContactList',
    body: { name: 'Autumn' },
  },
  // Which of the two the answer names as merged is not said. The contact of an answer that is made here is the first.
  ...[
    { source: one, target: two },
    { source: two, target: one },
  ].map(({ source, target }) => ({
    line: `contacts merge ${source} --into ${target} --yes`,
    request: `POST /v1/contacts/${source}/merge`,
    data: { mergedContactId: { is: two }, contact: 'Contact' },
    shown: ofRun,
    body: { targetContactId: target },
  })),
  {
    line: `tickets history ${one}`,
    request: `GET /v1/tickets/${one}/history`,
    data: chunk,
    shown: ({ ticket, messages }) => ({ ticket, messages }),
  },
  {
    line: `tickets get ${one}`,
    request: `GET /v1/tickets/${one}/history`,
    data: chunk,
    shown: ({ ticket }) => ticket,
  },
  {
    line: `tickets assign ${one} --to ${two}`,
    request: `PATCH /v1/tickets/${one}/assignee`,
    data: { ticketId: 'id', chatId: 'id?', previousAssigneeId: 'id?', newAssigneeId: { is: two } },
    shown: ofRun,
    body: { newAssigneeId: two },
  },
  { line: 'employees list', request: 'GET /v1/employees', data: ['Employee'] },
]

const named = ['status', 'kind', 'direction', 'access']
const letter = 'nothing'
/** Points that the description leaves open, each with an answer that uses it. */
const freedoms: Readonly<Record<string, (data: Shape) => { status?: number; data: unknown }>> = {
  [letter]: (data) => ({ data: made(data) }),
  'a status of 201': (data) => ({ status: 201, data: made(data) }),
  'what is not said to be there is absent': (data) => ({ data: made(data, () => undefined) }),
  'what is not said to be there is null': (data) => ({ data: made(data, () => null) }),
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
      const sent = body === undefined ? [body, ''] : ['application/json', JSON.stringify(body)]
      expect(own.map((asked) => [asked.contentType, asked.body])).toEqual([sent])
    })
  },
)
