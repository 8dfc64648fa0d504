/** Counts of an add: contacts that do not exist are found by halves, each a batch of its own. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/lists/add-contacts.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, type End } from '../../support/operation-service.ts'
import { hintText } from '../../support/shown-text.ts'
import { table } from '../../support/table.ts'

const items = [1, 2, 3, 4].map((n) => ({ id: idOf(n), target: idOf(9), line: 0 }))
/** Added, skipped and failed of an answer. */
function endOf(text: string): End {
  if (!text.includes(' ')) return Number(text) || (text as End)
  const [added, skipped, failed] = text.split(' ').map(Number)
  return { data: { added, skipped, failed } }
}

/** The answers in their order; the outcomes; what is said of how many are new. */
it.each(
  table(`
  all are new                  | 4 0 0                                 | done done done done           | 4 of the 4 contacts are new on the list
  some were there              | 1 3 0                                 | done done done done           | 1 of the 4 contacts are new on the list
  nobody exists                | 0 0 4                                 | not-found not-found not-found not-found
  the third does not exist     | 3 0 1; 0 2 0; 0 1 1; 0 0 1; 0 1 0     | done done not-found done
  one was not answered before  | no-answer; 1 3 0                      | done done done done
  a half is not answered       | 3 0 1; no-answer; 0 2 0; 0 1 1; 0 0 1; 0 1 0 | done done not-found done
  a half is not sent           | 3 0 1; 401                            | no-answer no-answer no-answer no-answer
  a half is refused            | 3 0 1; 0 2 0; 400                     | done done refused refused
  the first request is refused | 400                                   | refused refused refused refused
  refused behind a lost answer | no-answer; 400                        | refused refused refused refused
  the answer does not add up   | 2 1 0                                 | no-answer no-answer no-answer no-answer`),
)('%s', async (_, sends = '', told, said = '') => {
  const { outcomes, run } = await perform(operation, { items }, sends.split('; ').map(endOf))
  expect(outcomes).toBe(told)
  expect((operation.notes?.(run as never) ?? []).map(hintText).join()).toBe(said)
})

it('halves are not lost, and say why they are sent again; a lost answer is kept by both', async () => {
  const halved = await perform(operation, { items }, ['3 0 1', '401'].map(endOf))
  expect(halved.ended.map(({ lost }) => lost)).toEqual([false, false])
  expect(halved.ended[1]?.message).toBe('1 of these 4 contacts do not exist; svc asks again which')
  const lost = await perform(operation, { items }, ['no-answer', '3 0 1', '401'].map(endOf))
  expect(lost.ended.map((each) => each.lost)).toEqual([true, true])
})
