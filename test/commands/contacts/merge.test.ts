/** A merge is done if its answer names both contacts, in either place: the description does not say which one is where. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/contacts/merge.ts'
import { idOf } from '../../support/inputs.ts'
import { table } from '../../support/table.ts'

it.each(
  table(`
  1 | 2 | done
  2 | 1 | done
  1 | 1 | problem
  1 | 3 | problem
  3 | 2 | problem`),
)('1 into 2, and the answer names %s and %s: %s', (merged, kept, told) => {
  const batch = {
    ids: [idOf(1)],
    target: idOf(2).toUpperCase(),
    expected: undefined,
    outcomesBefore: [],
  }
  const contact = { id: idOf(Number(kept)) }
  const sense = operation.senseOf(batch, { mergedContactId: idOf(Number(merged)), contact })
  expect('problem' in sense ? 'problem' : sense.outcomes).toBe(told)
})
