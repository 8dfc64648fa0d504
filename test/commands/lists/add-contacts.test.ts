/** What the counts of an add say: contacts that do not exist are found by halves, within the same batch. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/lists/add-contacts.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, type End } from '../../support/operation-service.ts'

const items = [1, 2, 3, 4].map((n) => ({ id: idOf(n), target: idOf(9), line: 0 }))
const counts = (added: number, skipped: number, failed: number): End => ({
  data: { added, skipped, failed },
})
const done4 = ['done', 'done', 'done', 'done']

it.each<[string, End[], object]>([
  ['all are new', [counts(4, 0, 0)], { outcomes: done4, noted: { added: 4, isLeast: false } }],
  ['some were there', [counts(1, 3, 0)], { outcomes: done4, noted: { added: 1, isLeast: false } }],
  [
    'nobody exists',
    [counts(0, 0, 4)],
    { outcomes: Array(4).fill('not-found'), noted: { added: 0, isLeast: false } },
  ],
  [
    'the third does not exist',
    [counts(3, 0, 1), counts(0, 2, 0), counts(0, 1, 1), counts(0, 0, 1), counts(0, 1, 0)],
    { outcomes: ['done', 'done', 'not-found', 'done'], noted: { added: 3, isLeast: false } },
  ],
  [
    'an answer was lost before',
    [{ data: { added: 1, skipped: 3, failed: 0 }, wasLost: true }],
    { outcomes: done4, noted: { added: 1, isLeast: true } },
  ],
  [
    'a half is lost: all of the batch is sent again',
    [counts(3, 0, 1), 'lost'],
    { outcomes: 'unknown', due: true, message: 'reset', noted: { added: 3, isLeast: false } },
  ],
  [
    'a half is refused: what became of it is unknown',
    [counts(3, 0, 1), counts(0, 2, 0), 'refused'],
    { outcomes: ['done', 'done', 'unknown', 'unknown'], noted: { added: 3, isLeast: false } },
  ],
  ['the first request is refused', ['refused'], { outcomes: 'error', due: false, status: 400 }],
  ['the answer does not add up', [counts(2, 1, 0)], { outcomes: 'unknown', due: true }],
])('%s', async (_, sends, told) => {
  const { result } = await perform(operation, { items }, sends)
  expect(result).toMatchObject(told)
})

it.each([
  [[3, 1], false, ['3 of 4 were added, the others were there already']],
  [[0, 4], false, ['0 of 4 were added, the others were there already']],
  [[1, 3], true, ['at least 1 of 4 were added']],
  [[4, 0], false, []],
])('says how many of %s were added, at least: %s', ([added = 0], isLeast, told) => {
  const batch = { n: 0, items, outcomes: ['done'] as const, isDue: false }
  expect(operation.remarks?.({ done: 4 }, [{ ...batch, noted: { added, isLeast } }])).toEqual(told)
})
