/** What the answer to a delete says about each id of its request: its counts must add up, and name disjoint ids of it. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/contacts/delete.ts'
import { idOf } from '../../support/inputs.ts'
import { perform } from '../../support/operation-service.ts'
import { table } from '../../support/table.ts'

const [one, two] = [idOf(1), idOf(2)]
const named: Record<string, string> = { one, two, ONE: one.toUpperCase(), nine: idOf(9) }
const idsIn = (words: string) => words.split(' ').flatMap((word) => named[word] ?? [])

it.each(
  table(`
  2  |         |         |      | done done
  1  | two     |         |      | done not-found
  1  | two     |         | lost | done gone
  0  | one two |         | lost | gone gone
  1  |         | ONE     |      | blocked done
  0  | two     | one     |      | blocked not-found
  1  |         |         |      | unknown, due
  3  |         |         |      | unknown, due
  2  | two     |         |      | unknown, due
  1  | nine    |         |      | unknown, due
  2  | nine    |         |      | unknown, due
  0  | one ONE |         |      | unknown, due
  0  | one     | one     |      | unknown, due`),
)('deleted %s, not found "%s", blocked "%s" %s: %s', async (...row) => {
  const [deletedCount, absent = '', blocked = '', lost, told] = row
  const data = {
    deletedCount: Number(deletedCount),
    notFoundIds: idsIn(absent),
    blockedIds: idsIn(blocked),
  }
  const items = [one, two].map((id) => ({ id, line: 0 }))
  const end = lost === 'lost' ? ({ data, wasLost: true } as const) : { data }
  const { result, sent } = await perform(operation, { items }, [end])
  expect(sent[0]?.body).toEqual({ contactIds: [one, two] })
  expect([result.outcomes].flat().join(' ') + (result.due === true ? ', due' : '')).toBe(told)
})

it('says how many were deleted where an answer was lost', () => {
  expect(operation.remarks?.({ done: 3, gone: 2, unknown: 1 }, [])).toEqual([
    'this run deleted between 3 and 6 contacts: an answer was lost',
  ])
  expect(operation.remarks?.({ done: 3, unknown: 1 }, [])).toEqual([])
})

it('names earlier runs for contacts that were not found, and only then', () => {
  const [text] = operation.advice?.({ 'not-found': 1 }, []) ?? []
  expect(text).toContain('svc runs list')
  expect(operation.advice?.({ done: 1 }, [])).toEqual([])
})
