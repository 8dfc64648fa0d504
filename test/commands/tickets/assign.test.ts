/** An assign reads, decides, sends, and reads again after a request that was not answered. */
import { describe, expect, it } from 'vitest'
import { assignRules } from '../../../src/api/operations.ts'
import { operation } from '../../../src/commands/tickets/assign.ts'
import { SvcError } from '../../../src/errors.ts'
import type { Batch, Outcome, LookEnd, RunWithBatches, Sender } from '../../../src/runs/engine.ts'
import { joinPresent } from '../../../src/wording.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, type End, type LostReading } from '../../support/operation-service.ts'
import { table } from '../../support/table.ts'

const [ticket, ada, robin, sam] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const item = { id: ticket, target: robin, line: 0 }

const heldBy = (assigneeId: string | null, status: string | null = 'active'): LookEnd<unknown> => ({
  end: 'answered',
  data: { ticket: { id: ticket, chatId: ticket, status, assigneeId }, messages: [] },
})
const answer = (from: string | null, to = robin, id = ticket): End => ({
  data: { ticketId: id, chatId: id, previousAssigneeId: from, newAssigneeId: to },
})

const batches: Readonly<Record<string, Partial<Batch>>> = {
  new: { items: [item] },
  'if Ada': { items: [{ ...item, expected: ada }] },
  // Ada had it before.
  unanswered: { items: [item], outcomes: ['no-answer'], details: { before: ada } },
  'unanswered, if Sam': {
    items: [{ ...item, expected: sam }],
    outcomes: ['no-answer'],
    details: { before: ada },
  },
  'unanswered, not read': { items: [item], outcomes: ['no-answer'] },
}
const readings: Readonly<Record<string, LookEnd<unknown> | LostReading>> = {
  Ada: heldBy(ada),
  ROBIN: heldBy(robin.toUpperCase()),
  Sam: heldBy(sam),
  nobody: heldBy(null),
  closed: heldBy(ada, 'closed'),
  'no status': heldBy(ada, null),
  'no ticket': { end: 'refused', status: 404, message: 'no such ticket' },
  'no answer': { end: 'no-answer', message: 'no way' },
}
const ends: Readonly<Record<string, End>> = {
  'Ada to Robin': answer(ada),
  'Sam to Robin': answer(sam),
  'nobody to Robin': answer(null),
  'Robin to Robin': answer(robin),
  'Ada to Sam': answer(ada, sam),
  'another ticket': answer(ada, robin, sam),
}
/** An id of the receipts as a name; empty is nobody. */
const nameOf = (id: string) =>
  new Map([
    ['', 'nobody'],
    [ada, 'ADA'],
    [robin, 'ROBIN'],
    [sam, 'SAM'],
  ]).get(id) ?? id
const cellsOf = (text = '') => text.split(', ').filter((each) => each !== '')

/** The ticket before; its readings; how requests end; its outcome, and its reason and sides. */
it.each(
  table(`
  new     | Ada        | Ada to Robin       | done
  new     | ROBIN      |                    | done         | no change was needed: the ticket already had the new assignee; - ROBIN
  if Ada  | Sam        |                    | kept         | ${sam} has the ticket; - nobody
  if Ada  | nobody     |                    | kept         | nobody has the ticket; - nobody
  new     | no ticket  | Ada to Robin       | done
  if Ada  | no ticket  |                    | refused      | svc could not read the ticket: no such ticket; - nobody
  if Ada  | Ada        | Ada to Robin       | done         | ADA ROBIN
  if Ada  | Ada, Sam   | not-sent-again     | kept
  if Ada  | Ada        | Sam to Robin       | done         | according to the answer, ${sam} had it before; SAM ROBIN
  if Ada  | Ada        | nobody to Robin    | done         | according to the answer, nobody had it before; nobody ROBIN
  new     | no ticket  | refused            | refused      | no; - nobody
  new     | no status  | refused            | refused      | no; - nobody
  new     | Ada        | Robin to Robin     | done         | according to the answer, ${robin} had it before; ROBIN ROBIN
  new     | Ada        | another ticket     | no-answer    | the answer is about a different ticket or employee; nobody nobody
  new     | Ada        | Ada to Sam         | no-answer
  new     | closed     | refused            | refused      | no; the ticket is closed; - nobody
  new     | nobody     | refused            | refused      | no; nobody has it; - nobody
  new     | Ada        | not-sent           | not-sent     | - nobody
  new     | Ada, ROBIN | no-answer-again   | done         | the request got no answer, but the ticket now has this assignee; nobody ROBIN
  new     | Ada, Ada   | no-answer-again    | no-answer
  new     | Ada        | no-answer          | no-answer
  if Ada  | Ada, Sam   | no-answer-again   | kept
  new     | Ada, Sam   | no-answer-again   | kept         | a request got no answer, and ${sam} has the ticket now; nobody nobody
  new     | Ada, ROBIN | refused-again      | done
  unanswered | Ada, Ada | refused-again      | no-answer
  unanswered | Ada        | Ada to Robin       | done
  unanswered | Sam        |                    | kept
  unanswered | no ticket  |                    | no-answer
  new        | no answer  |                    | not-sent   | no way; - nobody
  unanswered | no answer  |                    | no-answer | nobody nobody
  new        | Ada, no answer | no-answer-again | no-answer | reset; nobody nobody
  unanswered, if Sam   | Ada        | Ada to Robin | done
  unanswered, not read | ROBIN      |              | done | the request got no answer, but the ticket now has this assignee; nobody ROBIN
  unanswered, not read | Ada        |              | kept
  unanswered, not read | nobody     |              | kept`),
)('%s, read as "%s", sent: "%s": %s', async (before = '', read, sends, told, more) => {
  const ofSends = cellsOf(sends).map((each) => ends[each] ?? (each as End))
  const ofReads = cellsOf(read).flatMap((each) => readings[each] ?? [])
  const { ended, outcomes, sent } = await perform(
    operation,
    batches[before] ?? {},
    ofSends,
    ofReads,
  )
  expect(outcomes).toBe(told)
  const [result] = ended
  const { former = '', assignee = '' } = (result && operation.assigneesOf?.(result)) ?? {}
  const said = joinPresent([result?.message, `${nameOf(former)} ${nameOf(assignee)}`], '; ')
  expect(said).toBe(more ?? said)
  for (const { body } of sent) expect(body).toEqual({ newAssigneeId: robin })
})

describe('a look counts only directly before its attempt', () => {
  const ifAda = batches['if Ada'] ?? {}
  const taken = [heldBy(ada), heldBy(sam)]

  const tooLate = 'svc could not read the ticket and change it within 5 s'
  /** By how much each clock jumps during so many looks, and the outcome with its message. */
  it.each<[string, monotonic: number, now: number, looks: number, told: string, message?: string]>([
    ['its process was suspended', 5001, 5001, 1, 'kept'],
    ['the machine slept, which only one clock shows', 0, 5001, 1, 'kept'],
    ['the wall clock was set back', 5001, -60_000, 1, 'kept'],
    ['a look takes 5 s', 5000, 5000, 1, 'done'],
    ['each look takes too long', 5001, 5001, 10, 'not-sent', tooLate],
  ])('%s', async (_, monotonic, now, looks, told, message) => {
    const clock = { monotonic: 0, now: 1_700_000_000_000 }
    const atRead = (count: number) => {
      if (count > looks) return
      clock.monotonic += monotonic
      clock.now += now
    }
    const host = { monotonic: () => clock.monotonic, now: () => clock.now }
    const reads = told === 'kept' ? taken : Array.from({ length: looks }, () => heldBy(ada))
    const sends = told === 'done' ? [answer(ada)] : []
    const { outcomes, ended } = await perform(operation, ifAda, sends, reads, { host, atRead })
    const [result] = ended
    expect([outcomes, result?.message]).toEqual([told, message ?? result?.message])
  })

  it('connecting takes more than 5 s: nothing leaves', async () => {
    const clock = { time: 0 }
    const host = { monotonic: () => clock.time }
    const atConnect = () => void (clock.time += 5001)
    const { outcomes } = await perform(operation, ifAda, [answer(ada)], [heldBy(ada)], {
      host,
      atConnect,
    })
    expect(outcomes).toBe('not-sent')
  })

  it('the service asked for a pause: svc looks again behind it', async () => {
    const pauses = [true, false]
    const isHeld = () => pauses.shift() === true
    const { outcomes } = await perform(operation, ifAda, [], taken, { isHeld })
    expect(outcomes).toBe('kept')
  })

  it('Ctrl-C comes with its answer: nothing is sent', async () => {
    const atRead = (_: number, sender: Sender) =>
      sender.stopFor(new SvcError('unfinished', 'Ctrl-C'))
    const { outcomes } = await perform(operation, ifAda, [], [heldBy(ada)], { atRead })
    expect(outcomes).toBe('not-sent')
  })
})

it('an answer confirms who had the ticket before, and who has it now', async () => {
  const { ended, sent } = await perform(operation, { items: [item] }, [answer(ada)], [heldBy(ada)])
  // What is recorded with the attempt, and with its answer.
  expect(sent[0]?.details).toEqual({ before: ada })
  expect(ended[0]?.details).toEqual({ before: ada, after: robin })
})

const batch = (n: number, outcome: Outcome, details?: object): Batch => ({
  n,
  items: [{ id: idOf(n), line: n }],
  outcomes: [outcome],
  at: 1,
  details,
})

const runOf = (...all: Batch[]) =>
  ({
    name: 'a',
    due: 0,
    job: { input: { unique: all.length } },
    batches: all,
  }) as unknown as RunWithBatches

it.each<[Batch, former: string, isConfirmed: boolean]>([
  [batch(1, 'done', { before: ada, after: robin }), ada, true],
  [batch(2, 'done', { before: ada }), '', false],
  [batch(2, 'done'), '', false],
  [batch(2, 'done', { hadAssignee: true }), '-', false],
  [batch(3, 'no-answer', { before: ada }), '', false],
  [batch(3, 'kept', { before: ada, isLost: true }), '', false],
  [batch(4, 'kept', { before: ada }), '-', false],
  [batch(4, 'refused'), '-', false],
  [batch(4, 'not-sent', { before: ada }), '-', false],
])('the former assignee is one of a confirmed change: %j', (one, former, isConfirmed) => {
  expect(operation.assigneesOf?.(one).former).toBe(former)
  const notes = JSON.stringify(operation.notes?.(runOf(one)))
  expect(notes.includes('--to-column FORMER')).toBe(isConfirmed)
})

it('names the tickets that are assigned, but not as was expected', () => {
  const unsure = { ...batch(2, 'done', { before: sam }), message: 'Sam had it before' }
  const said = [`check 1 ticket:\n  ${idOf(2)}: Sam had it before`]
  expect(operation.notes?.(runOf(batch(1, 'done'), unsure))).toEqual(said)
})

it.each<[told: number, Batch]>([
  [1, { ...batch(1, 'refused'), status: 400 }],
  [0, { ...batch(1, 'refused'), status: 404 }],
  [0, { ...batch(1, 'refused', { before: ada, status: 'closed' }), status: 400 }],
  [0, { ...batch(1, 'no-answer'), status: 400 }],
])('the rules of the service are told %i times for %j', (told, refused) => {
  const rules = operation.notes?.(runOf(batch(2, 'done'), refused)) ?? []
  expect(rules.filter((hint) => hint === assignRules)).toHaveLength(told)
  expect(rules).toHaveLength(told)
})
