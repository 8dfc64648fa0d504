/** The hand-written service itself, and that its plain answers are the description's. */
import { createHmac } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { CannedAnswer, Shape, Variant } from './case.ts'
import { differences } from './check.ts'
import { variants as contactsDelete } from './contacts-delete.ts'
import { variants as contactsMerge } from './contacts-merge.ts'
import { variants as employeesList } from './employees-list.ts'
import { variants as listsAddContacts } from './lists-add-contacts.ts'
import { variants as listsCreate } from './lists-create.ts'
import { variants as listsGet } from './lists-get.ts'
import { variants as listsList } from './lists-list.ts'
import { variants as listsUpdate } from './lists-update.ts'
import { apiKey, apiSecret, startService, type Service } from './service.ts'
import { variants as ticketsAssign } from './tickets-assign.ts'
import { variants as ticketsHistory } from './tickets-history.ts'

let service: Service | undefined
afterEach(() => service?.close())

function headersFor(body: string, secret = apiSecret): Record<string, string> {
  const timestamp = String(Date.now())
  return {
    'X-Service-Key': apiKey,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
  }
}

const answers: CannedAnswer[] = [
  { method: 'GET', path: '/v1/lists', query: { page: '2' }, status: 200, body: { data: 2 } },
  { method: 'GET', path: '/v1/lists', query: { page: null }, status: 200, body: { data: 1 } },
  { method: 'POST', path: '/v1/lists', status: 201, headers: { 'retry-after': '1' }, body: 'as it is' },
]

test('answers what is written down and keeps what it was asked', async () => {
  service = await startService(answers)
  const get = async (path: string, headers = headersFor('')) => {
    const response = await fetch(`${service?.baseUrl ?? ''}${path}`, { headers })
    return [response.status, await response.json()]
  }
  expect(await get('/v1/lists')).toEqual([200, { data: 1 }])
  expect(await get('/v1/lists?page=2&limit=5')).toEqual([200, { data: 2 }])
  expect((await get('/v1/lists?page=3'))[0]).toBe(404)
  expect((await get('/v1/lists', headersFor('', 'wrong')))[0]).toBe(401)
  const posted = await fetch(`${service.baseUrl}/v1/lists`, { method: 'POST', body: 'ü', headers: headersFor('ü') })
  expect([posted.status, await posted.text(), posted.headers.get('retry-after')]).toEqual([201, 'as it is', '1'])
  expect(
    service.asked.map(({ method, query, body, signed, answered }) => [method, query, body, signed, answered]),
  ).toEqual([
    ['GET', {}, '', true, true],
    ['GET', { page: '2', limit: '5' }, '', true, true],
    ['GET', { page: '3' }, '', true, false],
    ['GET', {}, '', false, true],
    ['POST', {}, 'ü', true, true],
  ])
})

const results: [string, readonly Variant[], Shape][] = [
  ['lists.list', listsList, { lists: ['ContactList'], pagination: 'Pagination' }],
  ['lists.create', listsCreate, 'ContactList'],
  ['lists.get', listsGet, { list: 'ContactList', members: ['ListMember'], pagination: 'Pagination' }],
  ['lists.update', listsUpdate, 'ContactList'],
  ['lists.add-contacts', listsAddContacts, { added: 'count', skipped: 'count', failed: 'count' }],
  ['contacts.merge', contactsMerge, { mergedContactId: 'id', contact: 'Contact' }],
  ['contacts.delete', contactsDelete, { deletedCount: 'count', notFoundIds: ['id'], blockedIds: ['id'] }],
  ['tickets.history', ticketsHistory, { ticket: 'Ticket', messages: ['Message'], nextChunkStartMessageId: 'digits?' }],
  ['tickets.assign', ticketsAssign, { ticketId: 'id', chatId: 'id', previousAssigneeId: 'id', newAssigneeId: 'id' }],
  ['employees.list', employeesList, ['Employee']],
]

describe.each(results)('%s', (name, variants, shape) => {
  const method = {
    create: 'POST',
    update: 'PATCH',
    'add-contacts': 'POST',
    merge: 'POST',
    delete: 'POST',
    assign: 'PATCH',
  }[name.split('.')[1] ?? '']

  test.each(
    variants.filter((variant) => variant.open === 'nothing').map((variant) => [variant.name, variant] as const),
  )('is described: %s', (_, { answers: written }) => {
    for (const { body } of written.filter((answer) => answer.method === (method ?? 'GET'))) {
      expect(differences((body as { data: unknown }).data, shape)).toEqual([])
    }
  })

  test.each(variants.map((variant) => [variant.name, variant] as const))(
    'is an answer or an error: %s',
    (_, variant) => {
      const wrong = variant.answers.flatMap(({ status, body }) => {
        if (status >= 300) return differences(body, { code: 'positive', message: 'text' })
        return Object.keys(body as object).includes('data') ? [] : ['data is missing']
      })
      expect(wrong).toEqual([])
    },
  )
})

test('a wrong answer is seen', () => {
  const list = { id: '0'.repeat(24), name: 'x', contactsCount: 0 }
  expect(differences(list, 'ContactList')).toEqual([])
  expect(differences({ ...list, id: 'x' }, 'ContactList')).toEqual(['data.id is "x", no id'])
  expect(differences({ ...list, more: 1 }, 'ContactList')).toEqual(['data.more is not described'])
  expect(differences({ id: list.id, name: '' }, 'ContactList')).toEqual([
    'data.name is "", no name',
    'data.contactsCount is missing',
  ])
  expect(differences([list, 1], ['ContactList'])).toEqual(['data[1] is no object'])
})

test('nothing but the tests imports the program', () => {
  const here = new URL('.', import.meta.url)
  for (const name of readdirSync(here).filter((file) => !file.endsWith('.test.ts'))) {
    expect(readFileSync(new URL(name, here), 'utf8')).not.toMatch(/from '[^']*src\//)
  }
})
