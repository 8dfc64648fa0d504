import { describe, expect, test } from 'vitest'
import type { View } from '../../src/output/result.ts'
import { outcomeView, receiptView } from '../../src/resources/bulk.ts'
import { contactListView } from '../../src/resources/contact-list.ts'
import { fullName } from '../../src/api/names.ts'
import { employeeView } from '../../src/resources/employee.ts'
import { listMemberView } from '../../src/resources/list-member.ts'
import { messageView } from '../../src/resources/message.ts'
import { runView } from '../../src/resources/run.ts'

type AnyView = Pick<View<never>, 'columns'>

const titles = (view: AnyView): string => view.columns.map(({ title }) => title).join(' ')

test.each([
  [contactListView, 'ID NAME CONTACTS UPDATED DESCRIPTION'],
  [listMemberView, 'CONTACT NAME PHONE EMAIL JOINED'],
  [employeeView, 'ID NAME KIND POSITION ACCESS STATUS CHANNELS'],
  [messageView, 'SENT DIRECTION FROM TEXT ATTACHMENTS'],
  [runView, 'RUN NAME STARTED OPERATION TARGET STATUS IDS DONE LEFT REASON'],
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
