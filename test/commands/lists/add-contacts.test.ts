/** What the counts of an add say: contacts that do not exist are found by halves, within the same batch. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/lists/add-contacts.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, type End } from '../../support/operation-service.ts'
import { table } from '../../support/table.ts'

const items = [1, 2, 3, 4].map((n) => ({ id: idOf(n), target: idOf(9), line: 0 }))
/** `1 3 0`: added, skipped and failed of an answer; an `!` in front: an earlier one was lost. */
function endOf(text: string): End {
  if (!/\d/.test(text)) return text as End
  const [added, skipped, failed] = text.replace('!', '').split(' ').map(Number)
  const data = { added, skipped, failed }
  return text.startsWith('!') ? { data, wasLost: true } : { data }
}

it.each(
  table(`
  all are new                  | 4 0 0                                 | done done done done           | 4
  some were there              | 1 3 0                                 | done done done done           | 1
  nobody exists                | 0 0 4                                 | not-found not-found not-found not-found | 0
  the third does not exist     | 3 0 1; 0 2 0; 0 1 1; 0 0 1; 0 1 0     | done done not-found done      | 3
  an answer was lost before    | !1 3 0                                | done done done done           | 1, or more
  a half is lost: all is due   | 3 0 1; lost                           | unknown, due                  | 3
  a half is refused            | 3 0 1; 0 2 0; refused                 | done done unknown unknown     | 3
  the first request is refused | refused                               | error                         | 0
  the answer does not add up   | 2 1 0                                 | unknown, due                  | 0, or more`),
)('%s', async (_, sends = '', told, noted = '') => {
  const { result } = await perform(operation, { items }, sends.split('; ').map(endOf))
  expect([result.outcomes].flat().join(' ') + (result.due === true ? ', due' : '')).toBe(told)
  expect(result.noted).toEqual({
    added: Number.parseInt(noted, 10),
    isLeast: noted.endsWith(', or more'),
  })
})

it.each([
  [4, 'added 3', ['3 of 4 were added, the others were there already']],
  [4, 'added 0', ['0 of 4 were added, the others were there already']],
  [4, 'added 1 at least', ['at least 1 of 4 were added']],
  [4, 'added 1 at least, added 2', ['at least 3 of 4 were added']],
  [4, 'added 1, lost', ['at least 1 of 4 were added']],
  [4, 'added 4', []],
  [0, 'added 0', []],
])('of %i that are on the list, %s: %j', (done, answers, told) => {
  const batches = answers.split(', ').map((each) => {
    const [, added] = /added (\d)/.exec(each) ?? []
    const noted = { added: Number(added), isLeast: each.includes('at least') }
    const batch = { n: 0, items, isDue: false }
    return added === undefined
      ? { ...batch, outcomes: ['unknown'] as const }
      : { ...batch, outcomes: ['done'] as const, noted }
  })
  expect(operation.remarks?.({ done }, batches)).toEqual(told)
})
