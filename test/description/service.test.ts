/** The plain answers of the hand-written service are the description's. */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Shape, Variant } from './case.ts'
import { differences } from './check.ts'
import { variants as contactsDelete } from './contacts-delete.ts'
import { variants as contactsMerge } from './contacts-merge.ts'
import { variants as employeesList } from './employees-list.ts'
import { variants as listsAddContacts } from './lists-add-contacts.ts'
import { variants as listsCreate } from './lists-create.ts'
import { variants as listsGet } from './lists-get.ts'
import { variants as listsList } from './lists-list.ts'
import { variants as listsUpdate } from './lists-update.ts'
import { variants as ticketsAssign } from './tickets-assign.ts'
import { variants as ticketsHistory } from './tickets-history.ts'

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

test('nothing but the tests imports the program', () => {
  const here = new URL('.', import.meta.url)
  for (const name of readdirSync(here).filter((file) => !file.endsWith('.test.ts'))) {
    expect(readFileSync(new URL(name, here), 'utf8')).not.toMatch(/from '[^']*src\//)
  }
})
