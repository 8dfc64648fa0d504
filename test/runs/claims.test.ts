/** What the lines about a request allow svc to claim, and whether it is due: docs/reliability.md. */
import { describe, expect, it } from 'vitest'
import type { Head, NewLine, Range } from '../../src/runs/lines.ts'
import { table } from '../table.ts'
import { ada, head, idOf, linesOf, list, logWith, robin, type Step } from './lines.ts'

function play(lines: readonly NewLine[], steps: readonly Step[], b: Range) {
  const { queue } = logWith(...lines, ...linesOf(steps, b))
  const claims = queue?.requests.flatMap((request) => queue.outcomesOf(request)).join(' ')
  return { claims, isDue: (queue?.dueRequests().length ?? 0) > 0 }
}

/** Rows of steps, claims and whether something is due; steps that are not words of their own are in `steps`. */
function claims(
  operation: Head['operation'],
  steps: Readonly<Record<string, Step>>,
  rows: string,
  { count = 1, others, ...more }: Partial<Head> & { others?: string[] } = {},
) {
  it.each(table(rows))(`${operation}: %s: %s`, (_, words = '', claimed, due) => {
    const played = words
      .split(' ')
      .filter(Boolean)
      .map((word) => steps[word] ?? (/^\d+$/.test(word) ? Number(word) : (word as Step)))
    const lines = head(operation, count, more, others)
    expect(play(lines, played, [0, count])).toEqual({ claims: claimed, isDue: due === 'due' })
  })
}

const deleted = (deletedCount: number, notFoundIds: string[] = [], blockedIds: string[] = []) => ({
  deletedCount,
  notFoundIds,
  blockedIds,
})
const [one, two] = [idOf(1), idOf(2)]
const deletes = {
  both: deleted(2),
  one: deleted(1),
  absent: deleted(1, [two]),
  none: deleted(0, [one, two]),
  blocked: deleted(1, [], [one.toUpperCase()]),
  foreign: deleted(1, [idOf(9)]),
  twice: deleted(0, [one, one]),
  negative: deleted(-1, [one, two], []),
}
claims(
  'contacts.delete',
  deletes,
  `
  nothing was sent                                   |                   | not-attempted not-attempted | due
  it never left                                      | try never         | not-attempted not-attempted | due
  an attempt left no line                            | skip try 429      | unknown unknown             | due
  an attempt left no result                          | try try 429       | unknown unknown             | due
  an answer has no attempt                           | skip absent       | done gone                   |
  it was turned away for now                         | try 429           | not-attempted not-attempted | due
  the key was refused                                | try 401           | not-attempted not-attempted | due
  it was refused                                     | try 400           | error error                 |
  it was answered                                    | try both          | done done                   |
  one was not found                                  | try absent        | done not-found              |
  one is blocked, in the other letter case           | try blocked       | blocked done                |
  its process died                                   | try               | unknown unknown             | due
  its answer was lost                                | try lost          | unknown unknown             | due
  what is absent after a doubt is gone               | try lost try absent | done gone                 |
  a refusal after a doubt settles nothing            | try lost try 400  | unknown unknown             |
  a doubt is not over when it never leaves again     | try lost try never | unknown unknown            | due
  an answer does not add up                          | try one           | unknown unknown             | due
  an answer names another id                         | try foreign       | unknown unknown             | due
  an answer names an id twice                        | try twice         | unknown unknown             | due
  an answer has negative counts                      | try negative      | unknown unknown             | due
  a second answer without sense settles it           | try odd try odd   | unknown unknown             |
  nonsense, then an answer                           | try odd try both  | done done                   |
  the first answer that adds up counts               | try both try none | done done                   |`,
  { count: 2 },
)

const added = (sum: number, skipped: number, failed: number) => ({ added: sum, skipped, failed })
claims(
  'lists.add-contacts',
  { all: added(1, 1, 0), none: added(0, 0, 2), some: added(1, 0, 1), short: added(1, 0, 0) },
  `
  all are there                         | try all   | done done           |
  none exists                           | try none  | not-found not-found |
  some do not exist, so halves are due  | try some  | unknown unknown     | due
  its answer was lost                   | try lost  | unknown unknown     | due
  an answer does not add up             | try short | unknown unknown     | due
  it was refused                        | try 404   | error error         |`,
  { count: 2, target: list },
)

describe('halves of an add', () => {
  const lines = head('lists.add-contacts', 4, { target: list })
  const first = linesOf(['try', added(2, 1, 1)], [0, 4])
  const half = (steps: Step[], b: Range) => linesOf(steps, b)

  it('are known by answers of their own, and the counts are added up', () => {
    const rest = [
      ...half(['try', added(0, 2, 0)], [0, 2]),
      ...half(['try', added(1, 0, 1)], [2, 4]),
      ...half(['try', added(0, 1, 0)], [2, 3]),
      ...half(['try', added(0, 0, 1)], [3, 4]),
    ]
    const { queue } = logWith(...lines, ...first, ...rest)
    expect(queue?.requests.flatMap((request) => queue.outcomesOf(request))).toEqual([
      'done',
      'done',
      'done',
      'not-found',
    ])
    expect([queue?.added, queue?.dueRequests()]).toEqual([3, []])
  })

  it('stay unknown when they are refused, or never answered', () => {
    const rest = [...half(['try', 400], [0, 2]), ...half(['try', 'never'], [2, 4])]
    const { queue } = logWith(...lines, ...first, ...rest)
    expect(queue?.requests.flatMap((request) => queue.outcomesOf(request))).toEqual(
      Array(4).fill('unknown'),
    )
    expect(queue?.dueRequests().map(({ range }) => range)).toEqual([[2, 4]])
  })
})

const target = idOf(0x99)
const merged = (mergedContactId: string, id: string) => ({ mergedContactId, contact: { id } })
claims(
  'contacts.merge',
  { both: merged(one, target), reversed: merged(target, one), twice: merged(one, one) },
  `
  it never left                                  | try never    | not-attempted | due
  it was refused                                 | try 404      | error         |
  it was answered                                | try both     | done          |
  the answer names them the other way round      | try reversed | done          |
  an answer that names one twice makes no sense  | try twice    | unknown       |
  its answer was lost                            | try lost     | unknown       |
  its process died                               | try          | unknown       |`,
  { others: [target] },
)

const assigned = { ticketId: one, previousAssigneeId: ada.id, newAssigneeId: robin.id }
/** What a reading finds, and what an answer says. */
const readings = {
  ...{ byAda: { read: ada.id }, byRobin: { read: robin.id }, byOther: { read: idOf(7) } },
  ...{ byNobody: { read: null }, refused: { read: 404 } },
  ...{ yes: assigned, other: { ...assigned, newAssigneeId: ada.id } },
}
claims(
  'tickets.assign',
  readings,
  `
  it already has the assignee                                  | byRobin                | done          |
  it was read                                                  | byAda                  | not-attempted | due
  its reading was refused                                      | refused                | not-attempted | due
  it was answered                                              | byAda try yes          | done          |
  the answer is about another assignee                         | byAda try other        | unknown       | due
  its answer was lost                                          | byAda try lost         | unknown       | due
  after a lost answer it has the assignee                      | byAda try lost byRobin | done          |
  after a lost answer nothing has changed                      | byAda try lost byAda   | unknown       | due
  after a lost answer somebody else has it                     | byAda try lost byOther | unknown       |
  after a lost answer its reading is refused                   | byAda try lost refused | unknown       |
  sent without a reading, its answer lost, it is with somebody | refused try lost byAda | unknown       |
  it was refused                                               | byAda try 400          | error         |`,
  { target: robin },
)
claims(
  'tickets.assign',
  readings,
  `
  under a condition it is with somebody else    | byOther  | kept          |
  under a condition nobody has it               | byNobody | kept          |
  under a condition its reading was refused     | refused  | error         |
  under a condition it is with the right one    | byAda    | not-attempted | due`,
  { target: robin, ifAssignee: ada },
)

describe('after damage', () => {
  it('what no answer has settled is in doubt, and nothing is due', () => {
    const { queue } = logWith(
      ...head('contacts.delete', 150),
      ...linesOf(['try', deleted(100)], [0, 100]),
      { t: 'run', ...(head('contacts.delete', 1)[0] as object) } as NewLine,
    )
    expect(queue?.requests.map((request) => queue.outcomesOf(request)[0])).toEqual([
      'done',
      'unknown',
    ])
    expect(queue?.dueRequests()).toEqual([])
  })

  it('answers behind it count', () => {
    const { queue } = logWith(
      ...head('contacts.delete', 2),
      ...head('contacts.delete', 2),
      ...linesOf(['try', deleted(1, [two])], [0, 2]),
    )
    expect(queue?.requests.flatMap((request) => queue.outcomesOf(request))).toEqual([
      'done',
      'gone',
    ])
  })
})
