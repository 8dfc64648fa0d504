import { describe, expect, test } from 'vitest'
import * as contract from '../../src/api/schemas.ts'
import type { View } from '../../src/output/result.ts'
import { assignView } from '../../src/resources/assign.ts'
import { outcomeView, receiptView } from '../../src/resources/bulk.ts'
import { contactListView, oneContactListView } from '../../src/resources/contact-list.ts'
import { fullName } from '../../src/api/names.ts'
import { contactFields } from '../../src/resources/found-contact.ts'
import { employeeView } from '../../src/resources/employee.ts'
import { listMemberView } from '../../src/resources/list-member.ts'
import { mergeView } from '../../src/resources/merge.ts'
import { messageView } from '../../src/resources/message.ts'
import { runView } from '../../src/resources/run.ts'
import { ticketView } from '../../src/resources/ticket.ts'

/** Every path of a schema, parents before children, through arrays, options and checks. */
function pathsOf(schema: unknown, prefix = ''): string[] {
  const { type, entries, wrapped, item } = schema as {
    type: string
    entries?: Record<string, unknown>
    wrapped?: unknown
    item?: unknown
  }
  if (wrapped !== undefined) return pathsOf(wrapped, prefix)
  if (type === 'array') return pathsOf(item, prefix)
  return Object.entries(entries ?? {}).flatMap(([key, value]) => [prefix + key, ...pathsOf(value, `${prefix}${key}.`)])
}

type AnyView = Pick<View<never>, 'columns' | 'fields' | 'computed' | 'id'>

const resources: [string, unknown, AnyView][] = [
  ['ContactList', contract.ContactList, contactListView],
  ['ContactList', contract.ContactList, oneContactListView],
  ['ListMember', contract.ListMember, listMemberView],
  ['Employee', contract.Employee, employeeView],
  ['Ticket', contract.Ticket, ticketView],
  ['Message', contract.Message, messageView],
  ['MergeResult', contract.MergeResult, mergeView],
  ['AssignResult', contract.AssignResult, assignView],
]

test.each(resources)('--fields knows every field of %s, in the order of the contract', (_, schema, view) => {
  // Rows of several tickets say whose they are.
  const own = schema === contract.Message ? ['ticketId'] : []
  // The id of a membership, which no command takes, has a name that tells it from the contact's.
  const paths = pathsOf(schema).map((path) => (schema === contract.ListMember && path === 'id' ? 'membershipId' : path))
  expect(view.fields).toEqual([...own, ...paths])
})

test('the fields of a contact are those of the contract', () => {
  expect(contactFields).toEqual(pathsOf(contract.Contact))
})

test('the paths of a schema are found', () => {
  expect(pathsOf(contract.Message)).toContain('attachments.fileName')
  expect(pathsOf(contract.ListMember)).toContain('contact.identities.socialC_username')
})

const all: [string, AnyView][] = [
  ...resources.map(([name, , view]): [string, AnyView] => [name, view]),
  ['outcome', outcomeView],
  ['receipt', receiptView],
  ['run', runView],
]

test.each(all)('every column of %s shows a known or computed field', (_, view) => {
  for (const { field } of view.columns) {
    expect([...view.fields, ...Object.keys(view.computed ?? {})]).toContain(field)
  }
})

const titles = (view: AnyView): string => view.columns.map(({ title }) => title).join(' ')

test.each([
  [contactListView, 'ID NAME CONTACTS UPDATED DESCRIPTION'],
  [listMemberView, 'CONTACT NAME PHONE EMAIL JOINED'],
  [employeeView, 'ID NAME KIND POSITION ACCESS STATUS CHANNELS'],
  [messageView, 'SENT DIRECTION FROM TEXT ATTACHMENTS'],
  [runView, 'RUN NAME STARTED OPERATION TARGET STATUS IDS DONE LEFT'],
  [outcomeView, 'OUTCOME COUNT'],
  [receiptView, 'ID LINE OUTCOME BATCH ATTEMPTS CODE MESSAGE'],
] as [AnyView, string][])('the columns are those of the surface: %#', (view, words) => {
  expect(titles(view)).toBe(words)
})

test('the ids of members are their contacts', () => {
  const contact = { id: 'c'.repeat(24) }
  expect(listMemberView.id?.({ id: 'm'.repeat(24), contact })).toBe(contact.id)
})

describe('names', () => {
  test.each([
    [{ firstName: 'Anna', lastName: 'Berg' }, 'Anna Berg'],
    [{ firstName: ' Anna ', lastName: null }, ' Anna '],
    [{ lastName: 'Berg' }, 'Berg'],
    [{ firstName: '', lastName: ' ' }, ' '],
    [{}, ''],
  ])('of %j is %j', (person, name) => {
    expect(fullName(person)).toBe(name)
  })
})
