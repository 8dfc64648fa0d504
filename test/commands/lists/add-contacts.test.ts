/** Counts of an add: contacts that do not exist are found by halves, each a batch of its own. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/lists/add-contacts.ts'
import type { RunWithBatches } from '../../../src/runs/engine.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, type End } from '../../support/operation-service.ts'
import { hintText } from '../../support/shown-text.ts'
import { table } from '../../support/table.ts'

const items = [1, 2, 3, 4].map((n) => ({ id: idOf(n), target: idOf(9), line: 0 }))
/** Added, skipped and failed of an answer; `!`: an earlier request was not answered. */
function endOf(text: string): End {
  if (!/\d/.test(text)) return text as End
  const [added, skipped, failed] = text.replace('!', '').split(' ').map(Number)
  const data = { added, skipped, failed }
  return text.startsWith('!') ? { data, wasUnanswered: true } : { data }
}

it.each(
  table(`
  all are new                  | 4 0 0                                 | done done done done           | 4
  some were there              | 1 3 0                                 | done done done done           | 1
  nobody exists                | 0 0 4                                 | not-found not-found not-found not-found | 0
  the third does not exist     | 3 0 1; 0 2 0; 0 1 1; 0 0 1; 0 1 0     | done done not-found done      | 3
  one was not answered before  | !1 3 0                                | done done done done           | 1, or more
  a half is not answered       | 3 0 1; no-answer; 0 1 1; 0 0 1; 0 1 0 | no-answer no-answer not-found done | 3
  a half is not sent           | 3 0 1; not-sent; 0 2 0                | no-answer no-answer done done | 3
  a half is refused            | 3 0 1; 0 2 0; refused                 | done done no-answer no-answer     | 3
  the first request is refused | refused                               | refused refused refused refused | none
  the answer does not add up   | 2 1 0                                 | no-answer no-answer no-answer no-answer | none`),
)('%s', async (_, sends = '', told, added = '') => {
  const { outcomes, ended } = await perform(operation, { items }, sends.split('; ').map(endOf))
  expect(outcomes).toBe(told)
  const counted = ended.flatMap(
    (batch) => (batch.details ?? []) as { added: number; isLeast: boolean },
  )
  const sum = counted.reduce((total, each) => total + each.added, 0)
  const isLeast = counted.some((each) => each.isLeast)
  expect(counted.length === 0 ? 'none' : `${sum}${isLeast ? ', or more' : ''}`).toBe(added)
})

it.each([
  ['added 3', '3 contacts were new on the list'],
  ['added 0', '0 contacts were new on the list'],
  ['added 1', '1 contact was new on the list'],
  ['added 1 at least', 'at least 1 contact was new on the list'],
  ['added 1 at least, added 2', 'at least 3 contacts were new on the list'],
  // Those that were added may be in the half that is not known.
  ['added 3, no-answer', 'at least 3 contacts were new on the list'],
  ['no-answer', ''],
  ['added 2, not-sent', '2 contacts were new on the list'],
  ['added 3, split', '3 contacts were new on the list'],
])('with %s it says: "%s"', (answers, told) => {
  const batches = answers.split(', ').map((each) => {
    const [, added] = /added (\d)/.exec(each) ?? []
    const details = { added: Number(added), isLeast: each.includes('at least') }
    const batch = { n: 0, at: 1, items }
    if (each === 'split')
      return { ...batch, outcomes: ['no-answer'], details: { added: 0, isLeast: false } }
    return added === undefined
      ? { ...batch, outcomes: [each] }
      : { ...batch, outcomes: ['done'] as const, details }
  })
  const run = { batches, job: { input: { unique: 4 } } } as unknown as RunWithBatches<never>
  expect((operation.notes?.(run) ?? []).map(hintText).join()).toBe(told)
})

it('what an answer has counted is recorded before its halves are sent, and counted once', async () => {
  const sends = ['3 0 1', '1 1 0', 'refused'].map(endOf)
  const { ended, sent } = await perform(operation, { items }, sends)
  const counted = { added: 3, isLeast: false }
  expect(sent.map(({ details }) => details)).toEqual([
    undefined,
    counted,
    { added: 0, isLeast: false },
  ])
  expect(ended.map(({ details }) => details)).toEqual([counted, { added: 0, isLeast: false }])
  expect(ended[1]).toMatchObject({ status: 400, message: 'no' })
})

it('a batch that was counted before is not counted again', async () => {
  const details = { added: 2, isLeast: false }
  const { ended } = await perform(operation, { items, details }, [endOf('!1 3 0')])
  expect(ended[0]?.details).toEqual(details)
})
