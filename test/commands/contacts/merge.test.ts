/** A merge is done if the target remains. `mergedContactId` may be either of the two. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/contacts/merge.ts'
import type { RunWithBatches } from '../../../src/runs/engine.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, type End } from '../../support/operation-service.ts'
import { hintText } from '../../support/shown-text.ts'
import { table } from '../../support/table.ts'

const items = [{ id: idOf(1), target: idOf(2).toUpperCase(), line: 0 }]
const answer = (merged: number, kept: number): End => ({
  data: { mergedContactId: idOf(merged), contact: { id: idOf(kept) } },
})

it.each(
  table(`
  1 | 2 | done
  2 | 2 | done
  2 | 1 | no-answer
  1 | 1 | no-answer
  1 | 3 | no-answer
  3 | 2 | no-answer`),
)('1 into 2, and the answer names %s and %s: %s', async (merged, kept, told) => {
  const { outcomes } = await perform(operation, { items }, [answer(Number(merged), Number(kept))])
  expect(outcomes).toBe(told)
})

it('leaves a merge that was not answered to the person', () => {
  const batch = { n: 0, at: 1, items, outcomes: ['no-answer'] as const }
  const done = { ...batch, outcomes: ['done'] as const }
  const said =
    operation.notes?.({
      open: 1,
      counts: { 'no-answer': 1, done: 1 },
      batches: [batch, done],
    } as unknown as RunWithBatches) ?? []
  const looks = `  svc contacts get ${idOf(1)} ${idOf(2).toUpperCase()}`
  expect(said.map(hintText)).toEqual([
    expect.stringMatching(RegExp(`for up to 11 minutes.*:\n${looks}$`)),
  ])
  expect(
    operation.notes?.({ counts: { done: 1 }, batches: [done] } as unknown as RunWithBatches),
  ).toEqual([])
})
