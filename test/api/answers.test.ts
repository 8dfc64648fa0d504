/** Answers about another list or ticket than the one that was asked for are no answers. */
import { expect, test } from 'vitest'
import type { RequestInput } from '../../src/api/api.ts'
import type { OperationName } from '../../src/api/operations.ts'
import { ids, openClient } from '../support/loopback.ts'

const { one, two } = ids
const list = (id: string, name = 'VIP') => ({ id, name, contactsCount: 0 })
const members = { members: [], pagination: { total: 0, hasNext: false } }

const readList = { ids: { listId: one } }
const create = { body: { name: ' VIP', description: '' } }
const rename = { ...readList, body: { name: 'Caf\u00e9' } }
const describe = { ...readList, body: { description: 'x' } }

const otherId = 'is about a different id'
const otherName = 'is about a list with a different name'

test.each<[OperationName, RequestInput, data: object, problem?: string]>([
  ['lists.get', readList, { list: list(one), ...members }],
  ['lists.get', readList, { list: list(one.toUpperCase()), ...members }],
  ['lists.get', readList, { list: list(two), ...members }, otherId],
  // The id of the whole is not the id of the list.
  ['lists.get', readList, { id: one, list: list(two), ...members }, otherId],
  ['lists.get', readList, { id: two, list: list(one), ...members }],
  ['tickets.history', { ids: { ticketId: one } }, { ticket: { id: one }, messages: [] }],
  ['tickets.history', { ids: { ticketId: one } }, { ticket: { id: two }, messages: [] }, otherId],
  ['lists.create', create, list(one)],
  ['lists.create', create, list(one, 'vip')],
  ['lists.create', create, list(one, 'V I P'), otherName],
  ['lists.create', create, list(one, ''), otherName],
  ['lists.update', rename, list(one, 'Cafe\u0301')],
  ['lists.update', rename, list(one, 'Cafe'), otherName],
  ['lists.update', rename, list(two, 'Caf\u00e9'), otherId],
  ['lists.update', describe, list(one, 'Any')],
  ['lists.update', describe, list(two, 'Any'), otherId],
])('%s with %j, answered with %j: %s', async (name, input, data, problem) => {
  const body = Buffer.from(JSON.stringify({ data }))
  const send = async () => ({ kind: 'response', status: 200, headers: {}, body }) as const
  const client = openClient('https://api.example.com', {
    openTransport: () => ({ send, close: () => undefined }),
  })
  const ended = await client.call(name, input).catch((error: unknown) => error)
  const message = expect.stringContaining(problem ?? '') as string
  expect(ended).toMatchObject(problem === undefined ? data : { exitCode: 1, message })
})
