/** What the answer to a delete says about each id of its request. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/contacts/delete.ts'
import type { Outcome } from '../../../src/runs/engine.ts'
import { idOf } from '../../support/inputs.ts'
import { table } from '../../support/table.ts'

const [one, two] = [idOf(1), idOf(2)]
const named: Record<string, string> = { one, two, ONE: one.toUpperCase(), nine: idOf(9) }
const idsIn = (words: string) => words.split(' ').flatMap((word) => named[word] ?? [])

it.each(
  table(`
  2  |         |         |         | done done
  1  | two     |         |         | done not-found
  1  | two     |         | unknown | done gone
  0  | one two |         | unknown | not-found gone
  1  |         | ONE     |         | blocked done
  0  | two     | one     |         | blocked not-found
  1  |         |         |         | problem
  3  |         |         |         | problem
  2  | two     |         |         | problem
  1  | nine    |         |         | problem
  0  | one ONE |         |         | problem
  0  | one     | one     |         | problem`),
)(
  'deleted %s, not found "%s", blocked "%s", before "%s": %s',
  (deletedCount, absent = '', blocked = '', before, told) => {
    const batch = {
      ids: [one, two],
      target: '',
      expected: undefined,
      outcomesBefore: ['not-attempted', before || 'not-attempted'] as Outcome[],
    }
    const sense = operation.senseOf(batch, {
      deletedCount: Number(deletedCount),
      notFoundIds: idsIn(absent),
      blockedIds: idsIn(blocked),
    })
    const outcomes =
      'problem' in sense ? 'problem' : [sense.outcomes, sense.outcomes].flat().slice(0, 2).join(' ')
    expect(outcomes).toBe(told)
  },
)
