/** What the counts and ids of an answer say about each id of a delete. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/contacts/delete.ts'
import type { RunWithBatches, Sender } from '../../../src/runs/engine.ts'
import { idOf } from '../../support/inputs.ts'
import { perform } from '../../support/operation-service.ts'
import { hintText } from '../../support/shown-text.ts'
import { table } from '../../support/table.ts'

const [one, two] = [idOf(1), idOf(2)]
const named: Record<string, string> = { one, two, ONE: one.toUpperCase(), nine: idOf(9) }
const idsIn = (words: string) => words.split(' ').flatMap((word) => named[word] ?? [])

it.each(
  table(`
  2  |         |         |      | done done
  1  | two     |         |      | done not-found
  1  | two     |         | unanswered | done gone
  0  | one two |         | unanswered | gone gone
  1  |         | ONE     |      | blocked done
  0  | two     | one     |      | blocked not-found
  1  |         |         |      | unanswered unanswered
  3  |         |         |      | unanswered unanswered
  2  | two     |         |      | unanswered unanswered
  1  | nine    |         |      | unanswered unanswered
  2  | nine    |         |      | unanswered unanswered
  0  | one ONE |         |      | unanswered unanswered
  0  | one     | one     |      | unanswered unanswered`),
)('deleted %s, not found "%s", blocked "%s" %s: %s', async (...row) => {
  const [deletedCount, absent = '', blocked = '', before, told] = row
  const data = {
    deletedCount: Number(deletedCount),
    notFoundIds: idsIn(absent),
    blockedIds: idsIn(blocked),
  }
  const items = [one, two].map((id) => ({ id, line: 0 }))
  const end = before === 'no-answer' ? ({ data, wasUnanswered: true } as const) : { data }
  const { outcomes, sent } = await perform(operation, { items }, [end])
  expect(sent[0]?.body).toEqual({ contactIds: [one, two] })
  expect(outcomes).toBe(told)
})

it('Ctrl-C while an attempt waits for its transaction sends nothing', async () => {
  const items = [one, two].map((id) => ({ id, line: 0 }))
  const atTick = (sender: Sender) => sender.stopFor('interrupt')
  const { outcomes } = await perform(operation, { items }, [], [], { atTick })
  expect(outcomes).toBe('not-sent not-sent')
})

it.each<[Record<string, number>, string | undefined]>([
  [{ done: 3 }, undefined],
  [{ done: 3, unanswered: 1 }, undefined],
  [{ done: 3, gone: 2 }, 'between 3 and 5 contacts were deleted by this run'],
  [
    { done: 3, gone: 2, unanswered: 1, unknown: 1 },
    'between 3 and 7 contacts were deleted by this run',
  ],
  [{ gone: 1 }, 'this run may have deleted the contact'],
  [
    { done: 1, 'not-found': 1 },
    'the id that was not found may belong to a deleted contact, or to a list',
  ],
  [{ 'not-found': 3 }, undefined],
])('with %j it says: %s', (counts, words) => {
  const unique = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const run = { counts, batches: [], job: { input: { unique } } }
  const whole = run as unknown as RunWithBatches
  const said = [operation.sentenceOf?.(whole), ...(operation.notes?.(whole) ?? [])]
  expect(said.map((each) => hintText(each ?? '')).join('\n')).toMatch(words ?? /^\n?$/)
})
