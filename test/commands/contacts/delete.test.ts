/** What the counts and ids of an answer say about each id of a delete. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/contacts/delete.ts'
import type { Outcome } from '../../../src/runs/engine.ts'
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
  1  | two     |         | lost | done not-found
  0  | one two |         | lost | not-found not-found
  1  |         | ONE     |      | blocked done
  0  | two     | one     |      | blocked not-found
  1  |         |         |      | no-answer no-answer
  3  |         |         |      | no-answer no-answer
  2  | two     |         |      | no-answer no-answer
  1  | nine    |         |      | no-answer no-answer
  2  | nine    |         |      | no-answer no-answer
  0  | one ONE |         |      | no-answer no-answer
  0  | one     | one     |      | no-answer no-answer`),
)('deleted %s, not found "%s", blocked "%s" %s: %s', async (...row) => {
  const [deletedCount, absent = '', blocked = '', lost, told] = row
  const data = {
    deletedCount: Number(deletedCount),
    notFoundIds: idsIn(absent),
    blockedIds: idsIn(blocked),
  }
  const items = [one, two].map((id) => ({ id, line: 0 }))
  const before = lost === 'lost' ? (['no-answer'] as const) : []
  const { outcomes, sent } = await perform(operation, { items }, [...before, { data }])
  expect(sent[0]?.body).toEqual({ contactIds: [one, two] })
  expect(outcomes).toBe(told)
})

it('Ctrl-C while an attempt waits for its transaction sends nothing', async () => {
  const items = [one, two].map((id) => ({ id, line: 0 }))
  const atTick = (stop: () => void) => stop()
  const { outcomes } = await perform(operation, { items }, [], [], { atTick })
  expect(outcomes).toBe('not-sent not-sent')
})

/** The outcomes of two batches, of which the first lost an answer or not. */
it.each<[string, string, boolean, string]>([
  ['done done', '', true, ''],
  ['done not-found', 'done', false, ''],
  ['done not-found', 'done', true, 'between 2 and 3 contacts were deleted by this run'],
  ['not-found', 'no-answer', true, 'between 0 and 2 contacts were deleted by this run'],
  ['refused', 'not-found', true, 'between 0 and 1 contacts were deleted by this run'],
  ['no-answer', 'not-found', true, ''],
  ['not-found', '', true, 'this run may have deleted it'],
])('of %s; %s, lost: %s, it says: "%s"', (first, second, lost, said) => {
  const outcomesOf = (words: string) => words.split(' ').filter((each) => each) as Outcome[]
  const batches = [first, second].map((words, n) => {
    return { n, items: [], at: 1, outcomes: outcomesOf(words), lost: lost && n === 0 }
  })
  const all = batches.flatMap(({ outcomes }) => outcomes)
  const countOf = (word: Outcome) => all.filter((each) => each === word).length
  const run = {
    batches,
    counts: { done: countOf('done'), 'no-answer': countOf('no-answer') },
    job: { input: { unique: all.length } },
  } as unknown as Parameters<NonNullable<typeof operation.notes>>[0]
  expect((operation.notes?.(run) ?? []).map(hintText).join()).toBe(said)
})
