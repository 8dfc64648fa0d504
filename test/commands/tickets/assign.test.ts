/** An assignment reads, decides, sends, and reads again after a request that was not answered. */
import { describe, expect, it } from 'vitest'
import { assignRules } from '../../../src/api/operations.ts'
import { operation } from '../../../src/commands/tickets/assign.ts'
import type { Batch, Outcome, RunWithBatches } from '../../../src/runs/engine.ts'
import { joinPresent } from '../../../src/wording.ts'
import { idOf } from '../../support/inputs.ts'
import { perform, throttled, type End } from '../../support/operation-service.ts'
import { table } from '../../support/table.ts'

const [ticket, ada, robin, sam] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const item = { id: ticket, target: robin, line: 0 }

const heldBy = (assigneeId: string | null, status: string | null = 'active'): End => ({
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
const ends: Readonly<Record<string, End>> = {
  Ada: heldBy(ada),
  ROBIN: heldBy(robin.toUpperCase()),
  Sam: heldBy(sam),
  nobody: heldBy(null),
  closed: heldBy(ada, 'closed'),
  'no status': heldBy(ada, null),
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
  new     | 404        | Ada to Robin       | done
  if Ada  | 404        |                    | refused      | svc could not read the ticket: no; - nobody
  if Ada  | Ada        | Ada to Robin       | done         | ADA ROBIN
  if Ada  | Ada        | 429, Ada to Robin  | done         | ADA ROBIN
  new     | Ada        | 429, 429, Ada to Robin | done     | ADA ROBIN
  if Ada  | Ada, Sam   | 429, 429, 429      | kept
  if Ada  | Ada        | Sam to Robin       | done         | according to the answer, ${sam} had it before; SAM ROBIN
  if Ada  | Ada        | nobody to Robin    | done         | according to the answer, nobody had it before; nobody ROBIN
  new     | 404        | 400                | refused      | no; - nobody
  new     | no status  | 400                | refused      | no; - nobody
  new     | Ada        | Robin to Robin     | done         | according to the answer, ${robin} had it before; ROBIN ROBIN
  new     | Ada        | another ticket     | no-answer    | the answer is about a different ticket or employee; nobody nobody
  new     | Ada        | Ada to Sam         | no-answer
  new     | closed     | 400                | refused      | no; the ticket is closed; - nobody
  new     | nobody     | 400                | refused      | no; nobody has it; - nobody
  new     | Ada        | 429                | not-sent     | no; - nobody
  new     | Ada        | 401                | not-sent     | no; - nobody
  new     | Ada, ROBIN | no-answer          | done         | no answer says so, but the ticket now has this assignee; nobody ROBIN
  new     | Ada, Ada   | no-answer, no-answer | no-answer
  new     | Ada, Ada   | no-answer, Ada to Robin | done    | ADA ROBIN
  new     | Ada        | no-answer          | no-answer
  if Ada  | Ada, Sam   | no-answer          | kept
  new     | Ada, Sam   | no-answer          | kept         | ${sam} has the ticket; nobody nobody
  new     | Ada, Ada   | no-answer, 400     | refused      | no; nobody nobody
  new     | Ada, Ada   | no-answer, 429     | no-answer    | reset; nobody nobody
  new     | Ada, Ada   | no-answer, 401     | no-answer    | reset; nobody nobody
  unanswered | Ada        | 400                | refused   | no; nobody nobody
  unanswered | Ada        | Ada to Robin       | done
  unanswered | Sam        |                    | kept
  unanswered | 404        |                    | no-answer
  new        | 401        |                    | not-sent  | no; - nobody
  unanswered | 401        |                    | no-answer | nobody nobody
  new        | Ada, 401   | no-answer          | no-answer | reset; nobody nobody
  unanswered, if Sam   | Ada        | Ada to Robin | done
  unanswered, not read | ROBIN      |              | done | no answer says so, but the ticket now has this assignee; nobody ROBIN
  unanswered, not read | Ada        |              | kept
  unanswered, not read | nobody     |              | kept`),
)('%s, read as "%s", sent: "%s": %s', async (before = '', read, sends, told, more) => {
  const endsOf = (text: string | undefined) =>
    cellsOf(text).map((each) => ends[each] ?? (Number(each) || (each as End)))
  const clock = { now: 1_700_000_000_000, monotonic: 0 }
  const { ended, outcomes, sent } = await perform(
    operation,
    batches[before] ?? {},
    endsOf(sends),
    endsOf(read),
    { clock },
  )
  expect(outcomes).toBe(told)
  const [result] = ended
  const { former = '', assignee = '' } = (result && operation.assigneesOf?.(result)) ?? {}
  const said = joinPresent([result?.message, `${nameOf(former)} ${nameOf(assignee)}`], '; ')
  expect(said).toBe(more ?? said)
  for (const { body } of sent) expect(body).toEqual({ newAssigneeId: robin })
})

describe('a look is good for 5 s, asked at the first byte', () => {
  const ifAda = batches['if Ada'] ?? {}

  /** By how much each clock jumps between the look and the first byte, and the outcome. */
  it.each<[string, monotonic: number, now: number, told: string]>([
    ['its process was suspended', 5001, 5001, 'kept'],
    ['the machine slept, which only one clock shows', 0, 5001, 'kept'],
    ['the wall clock was set back', 5001, -60_000, 'kept'],
    ['connecting takes 5 s', 5000, 5000, 'done'],
  ])('%s', async (_, monotonic, now, told) => {
    const clock = { monotonic: 0, now: 1_700_000_000_000 }
    let connections = 0
    const atConnect = () => {
      connections += 1
      if (connections > 1) return
      clock.monotonic += monotonic
      clock.now += now
    }
    const sends = told === 'done' ? [answer(ada)] : []
    const reads = told === 'done' ? [heldBy(ada)] : [heldBy(ada), heldBy(sam)]
    const { outcomes } = await perform(operation, ifAda, sends, reads, { clock, atConnect })
    expect(outcomes).toBe(told)
  })

  it('without a condition, too: a colleague who took it meanwhile is seen', async () => {
    const clock = { monotonic: 0, now: 1_700_000_000_000 }
    const atConnect = () => void (clock.monotonic += connections++ === 0 ? 5001 : 0)
    let connections = 0
    const { ended } = await perform(
      operation,
      { items: [item] },
      [answer(sam)],
      [heldBy(ada), heldBy(sam)],
      { clock, atConnect },
    )
    expect(ended[0]?.details).toEqual({ before: sam, after: robin })
  })

  it('the look and the change of a ticket that was throttled are as far apart as asked', async () => {
    const sends = [throttled, throttled, throttled, answer(ada)]
    const { sent } = await perform(operation, ifAda, sends, [heldBy(ada), heldBy(ada)])
    const [first = 0, ...more] = sent.map(({ at }) => at)
    // On the same look at 0, 2 and 4 s; then a new one, and a distance behind it.
    expect(more.map((at) => at - first)).toEqual([2000, 4000, expect.any(Number)])
    expect((more[2] ?? 0) - first).toBeGreaterThanOrEqual(8000)
  })

  it('Ctrl-C comes with its answer: nothing is sent', async () => {
    const atRead = (_: number, stop: () => void) => stop()
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

const batch = (n: number, outcome: Outcome, details?: object, lost = false): Batch => ({
  n,
  items: [{ id: idOf(n), line: n }],
  outcomes: [outcome],
  lost,
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
  [batch(2, 'done', { before: ada }), '-', false],
  [batch(2, 'done', { before: ada }, true), '', false],
  [batch(2, 'done'), '-', false],
  [batch(2, 'done', { before: ada, after: robin }, true), ada, true],
  [batch(3, 'no-answer', { before: ada }), '', false],
  [batch(3, 'kept', { before: ada }, true), '', false],
  [batch(4, 'kept', { before: ada }), '-', false],
  [batch(4, 'refused'), '-', false],
  [batch(4, 'refused', {}, true), '', false],
  [batch(4, 'not-sent', { before: ada }), '-', false],
])('the former assignee is one of a confirmed change: %j', (one, former, isConfirmed) => {
  expect(operation.assigneesOf?.(one).former).toBe(former)
  const notes = JSON.stringify(operation.notes?.(runOf(one)))
  expect(notes.includes('--to-column FORMER')).toBe(isConfirmed)
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
