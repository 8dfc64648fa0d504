/** An assign reads the ticket, decides, sends, and reads again after a lost answer. */
import { expect, it } from 'vitest'
import { operation } from '../../../src/commands/tickets/assign.ts'
import type { Batch, ReadResult } from '../../../src/runs/engine.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, type End } from '../../support/operation-service.ts'

const [ticket, ada, robin, sam] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
/** The ticket as a reading shows it: who has it. */
const heldBy = (assigneeId: string | null, status = 'active'): ReadResult<unknown> => ({
  kind: 'answered',
  data: { ticket: { id: ticket, chatId: ticket, status, assigneeId }, messages: [] },
})
const refused: ReadResult<unknown> = { kind: 'refused', status: 404, message: 'no such ticket' }
const answer = (from: string | null, to = robin, id = ticket): End => ({
  data: { ticketId: id, chatId: id, previousAssigneeId: from, newAssigneeId: to },
})
const item = { id: ticket, target: robin, line: 0 }
const fresh: Partial<Batch> = { items: [item] }
const onlyOfAda: Partial<Batch> = { items: [{ ...item, expected: ada }] }
/** A ticket of which an answer was lost, when Ada had it. */
const lost: Partial<Batch> = { items: [item], outcomes: ['unknown'], noted: { before: ada } }

it.each<[string, Partial<Batch>, ReadResult<unknown>[], End[], object]>([
  [
    'it is changed',
    fresh,
    [heldBy(ada)],
    [answer(ada)],
    { outcomes: 'done', noted: { before: ada, after: robin } },
  ],
  ['it is there already', fresh, [heldBy(robin.toUpperCase())], [], { outcomes: 'done' }],
  ['somebody else than expected has it', onlyOfAda, [heldBy(sam)], [], { outcomes: 'kept' }],
  ['nobody has it, as not expected', onlyOfAda, [heldBy(null)], [], { outcomes: 'kept' }],
  ['it cannot be read', fresh, [refused], [answer(ada)], { outcomes: 'done' }],
  [
    'it cannot be read, and somebody is expected',
    onlyOfAda,
    [refused],
    [],
    { outcomes: 'error', status: 404 },
  ],
  [
    'it was taken in between',
    onlyOfAda,
    [heldBy(ada)],
    [answer(sam)],
    { outcomes: 'done', noted: { isFinal: true } },
  ],
  [
    'the answer names the new one twice',
    fresh,
    [heldBy(ada)],
    [answer(robin)],
    { outcomes: 'done', noted: { isFinal: true } },
  ],
  [
    'the answer is about another ticket',
    fresh,
    [heldBy(ada)],
    [answer(ada, robin, sam)],
    { outcomes: 'unknown', due: true },
  ],
  [
    'the answer is about another employee',
    fresh,
    [heldBy(ada)],
    [answer(ada, sam)],
    { outcomes: 'unknown', due: true },
  ],
  [
    'it is refused, closed',
    fresh,
    [heldBy(ada, 'closed')],
    ['refused'],
    { outcomes: 'error', message: 'no; the ticket is closed' },
  ],
  [
    'it is refused, nobody has it',
    fresh,
    [heldBy(null)],
    ['refused'],
    { outcomes: 'error', message: 'no; nobody has it' },
  ],
  [
    'it is turned away',
    fresh,
    [heldBy(ada)],
    ['turned-away'],
    { outcomes: 'not-attempted', due: true },
  ],
  ['lost, and changed', fresh, [heldBy(ada), heldBy(robin)], ['lost'], { outcomes: 'done' }],
  [
    'lost, and as before',
    fresh,
    [heldBy(ada), heldBy(ada)],
    ['lost'],
    { outcomes: 'unknown', due: true },
  ],
  [
    'lost, and another has it',
    fresh,
    [heldBy(ada), heldBy(sam)],
    ['lost'],
    { outcomes: 'unknown', message: `an answer was lost, and ${sam} has the ticket` },
  ],
  [
    'the answer is lost, and the next one refuses, because it was changed',
    fresh,
    [heldBy(ada), heldBy(robin)],
    ['refused-after-loss'],
    { outcomes: 'done' },
  ],
  ['after a lost answer it has its assignee', lost, [heldBy(robin)], [], { outcomes: 'done' }],
  ['after a lost answer it is as before', lost, [heldBy(ada)], [answer(ada)], { outcomes: 'done' }],
  ['after a lost answer somebody else has it', lost, [heldBy(sam)], [], { outcomes: 'unknown' }],
  ['after a lost answer it cannot be read', lost, [refused], [], { outcomes: 'unknown' }],
])('%s', async (_, batch, reads, sends, told) => {
  const { result, sent } = await perform(operation, batch, sends, reads)
  expect(result).toMatchObject(told)
  for (const { body } of sent) expect(body).toEqual({ newAssigneeId: robin })
})

it('records with an attempt who has the ticket', async () => {
  const { sent } = await perform(operation, fresh, [answer(ada)], [heldBy(ada)])
  expect(sent[0]?.noted).toEqual({ before: ada })
})

it('gives back what an answer confirmed, and names the rest', () => {
  const batch = (n: number, outcome: 'done' | 'unknown' | 'error', noted?: object): Batch => ({
    n,
    items: [{ id: idOf(n), line: n }],
    outcomes: [outcome],
    isDue: false,
    noted,
  })
  const notes: string[] = []
  const undo = operation.undo?.(
    [
      batch(1, 'done', { before: ada, after: robin }),
      batch(2, 'done'),
      batch(3, 'unknown', { before: ada }),
      batch(4, 'error'),
      batch(5, 'done', { before: ada, after: robin, isFinal: true }),
    ],
    (text) => notes.push(text),
  )
  expect(Array.from(undo?.items ?? [])).toEqual([
    { id: idOf(1), line: 1, target: ada, expected: robin },
  ])
  expect(undo?.input).toMatchObject({ unique: 1, leftOut: 3 })
  expect(notes).toEqual([expect.stringMatching(/^3 tickets are left out/)])
})
