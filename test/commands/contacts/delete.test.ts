/** What the counts and ids of an answer say about each id of a delete. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/contacts/delete.ts'
import { SvcError } from '../../../src/errors.ts'
import type { Outcome, Sender } from '../../../src/runs/engine.ts'
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
  1  | two     |         | no-answer | done not-found
  0  | one two |         | no-answer | not-found not-found
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
  const atTick = (sender: Sender) => sender.stopFor(new SvcError('unfinished', 'Ctrl-C'))
  const { outcomes } = await perform(operation, { items }, [], [], { atTick })
  expect(outcomes).toBe('not-sent not-sent')
})

it.each<[string, true | undefined, string]>([
  ['done done', true, ''],
  ['done not-found', undefined, ''],
  ['done not-found', true, '1 contact was not found on a retry; this run may have deleted it'],
])('of %s, retried %s, it says: "%s"', (words, isRetry, said) => {
  const outcomes = words.split(' ') as Outcome[]
  const batch = { n: 0, items: [], at: 1, outcomes, details: { isRetry } }
  const run = { batches: [batch] } as unknown as Parameters<NonNullable<typeof operation.notes>>[0]
  expect((operation.notes?.(run) ?? []).map(hintText).join()).toBe(said)
})
