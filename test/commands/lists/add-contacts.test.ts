/** What the counts of an add say: those that do not exist are found by halves. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/lists/add-contacts.ts'
import { idOf } from '../../support/inputs.ts'
import { table } from '../../support/table.ts'

it.each(
  table(`
  1  | 1 | 0 | done, added 1
  0  | 2 | 0 | done, added 0
  0  | 0 | 2 | not-found, added 0
  1  | 0 | 1 | unknown, due, added 1
  1  | 0 | 0 | problem
  2  | 1 | 0 | problem`),
)('added %s, skipped %s, failed %s: %s', (...row) => {
  const [added, skipped, failed] = row.map(Number) as [number, number, number]
  const batch = {
    ids: [idOf(1), idOf(2)],
    target: idOf(3),
    expected: undefined,
    outcomesBefore: [],
  }
  const sense = operation.senseOf(batch, { added, skipped, failed })
  const due = 'due' in sense ? ', due' : ''
  const told =
    'problem' in sense ? 'problem' : `${String(sense.outcomes)}${due}, added ${sense.added}`
  expect(told).toBe(row[3])
})
