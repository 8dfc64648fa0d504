/** What the lines about a request allow svc to claim, and whether it is due: docs/reliability.md. */
import { describe, expect, it } from 'vitest'
import type { Head, NewLine, Range } from '../../src/runs/lines.ts'
import { ada, head, idOf, list, logWith, robin } from './lines.ts'

type Step = 'try' | 'never' | 'lost' | 'odd' | number | { read: string | null | number } | object

/** The lines of a request from steps: an attempt, its end, a status that refuses, a reading, or the data of an answer. */
function linesOf(steps: readonly Step[], b: Range): NewLine[] {
  let a = 0
  return steps.map((step): NewLine => {
    if (step === 'try') {
      a += 1
      return { t: 'try', b, a }
    }
    if (step === 'never') return { t: 'res', b, a, k: 'never-sent', m: 'refused' }
    if (step === 'lost') return { t: 'res', b, a, k: 'ambiguous', m: 'reset' }
    if (step === 'odd') return { t: 'res', b, a, k: 'ambiguous', st: 200, m: 'nonsense', odd: true }
    if (typeof step === 'number') return { t: 'res', b, a, k: 'refused', st: step, m: 'no' }
    if (typeof step === 'object' && 'read' in step)
      return typeof step.read === 'number'
        ? { t: 'read', b, st: step.read }
        : { t: 'read', b, id: step.read }
    return { t: 'res', b, a, k: 'answered', st: 200, d: step }
  })
}

interface Case {
  steps: Step[]
  claims: string
  isDue: boolean
}

function play(lines: readonly NewLine[], steps: readonly Step[], b: Range) {
  const { queue } = logWith(...lines, ...linesOf(steps, b))
  const claims = queue?.requests.flatMap((request) => queue.judge(request)).join(' ')
  return { claims, isDue: (queue?.due().length ?? 0) > 0 }
}

function table(
  operation: Head['operation'],
  count: number,
  cases: Record<string, Case>,
  more: Partial<Head> = {},
  others?: readonly string[],
) {
  it.each(Object.entries(cases))(`${operation}: %s`, (_, { steps, claims, isDue }) => {
    const lines = head(operation, count, more, others)
    expect(play(lines, steps, [0, count])).toEqual({ claims, isDue })
  })
}

const deleted = (deletedCount: number, notFoundIds: string[] = [], blockedIds: string[] = []) => ({
  deletedCount,
  notFoundIds,
  blockedIds,
})
const [one, two] = [idOf(1), idOf(2)]

table('contacts.delete', 2, {
  'nothing was sent': { steps: [], claims: 'not-attempted not-attempted', isDue: true },
  'it never left': { steps: ['try', 'never'], claims: 'not-attempted not-attempted', isDue: true },
  'it was turned away for now': {
    steps: ['try', 429],
    claims: 'not-attempted not-attempted',
    isDue: true,
  },
  'the key was refused': {
    steps: ['try', 401],
    claims: 'not-attempted not-attempted',
    isDue: true,
  },
  'it was refused': { steps: ['try', 400], claims: 'error error', isDue: false },
  'it was answered': { steps: ['try', deleted(2)], claims: 'done done', isDue: false },
  'one was not found': {
    steps: ['try', deleted(1, [two])],
    claims: 'done not-found',
    isDue: false,
  },
  'one is blocked, in the other letter case': {
    steps: ['try', deleted(1, [], [one.toUpperCase()])],
    claims: 'blocked done',
    isDue: false,
  },
  'its process died': { steps: ['try'], claims: 'unknown unknown', isDue: true },
  'its answer was lost': { steps: ['try', 'lost'], claims: 'unknown unknown', isDue: true },
  'what is absent after a doubt is gone': {
    steps: ['try', 'lost', 'try', deleted(1, [two])],
    claims: 'done gone',
    isDue: false,
  },
  'a refusal after a doubt settles nothing': {
    steps: ['try', 'lost', 'try', 400],
    claims: 'unknown unknown',
    isDue: false,
  },
  'a doubt is not over when it never leaves again': {
    steps: ['try', 'lost', 'try', 'never'],
    claims: 'unknown unknown',
    isDue: true,
  },
  'an answer does not add up': {
    steps: ['try', deleted(1)],
    claims: 'unknown unknown',
    isDue: true,
  },
  'an answer names another id': {
    steps: ['try', deleted(1, [idOf(9)])],
    claims: 'unknown unknown',
    isDue: true,
  },
  'an answer names an id twice': {
    steps: ['try', deleted(0, [one, one])],
    claims: 'unknown unknown',
    isDue: true,
  },
  'an answer has negative counts': {
    steps: ['try', deleted(-1, [one, two], [])],
    claims: 'unknown unknown',
    isDue: true,
  },
  'a second answer without sense settles it': {
    steps: ['try', 'odd', 'try', 'odd'],
    claims: 'unknown unknown',
    isDue: false,
  },
  'nonsense, then an answer': {
    steps: ['try', 'odd', 'try', deleted(2)],
    claims: 'done done',
    isDue: false,
  },
  'the first answer that adds up counts': {
    steps: ['try', deleted(2), 'try', deleted(0, [one, two])],
    claims: 'done done',
    isDue: false,
  },
})

const added = (sum: number, skipped: number, failed: number) => ({ added: sum, skipped, failed })

table(
  'lists.add-contacts',
  2,
  {
    'all are there': { steps: ['try', added(1, 1, 0)], claims: 'done done', isDue: false },
    'none exists': { steps: ['try', added(0, 0, 2)], claims: 'not-found not-found', isDue: false },
    'some do not exist, so halves are due': {
      steps: ['try', added(1, 0, 1)],
      claims: 'unknown unknown',
      isDue: true,
    },
    'its answer was lost': { steps: ['try', 'lost'], claims: 'unknown unknown', isDue: true },
    'an answer does not add up': {
      steps: ['try', added(1, 0, 0)],
      claims: 'unknown unknown',
      isDue: true,
    },
    'it was refused': { steps: ['try', 404], claims: 'error error', isDue: false },
  },
  { target: list },
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
    expect(queue?.requests.flatMap((request) => queue.judge(request))).toEqual([
      'done',
      'done',
      'done',
      'not-found',
    ])
    expect([queue?.added, queue?.due()]).toEqual([3, []])
  })

  it('stay unknown when they are refused, or never answered', () => {
    const rest = [...half(['try', 400], [0, 2]), ...half(['try', 'never'], [2, 4])]
    const { queue } = logWith(...lines, ...first, ...rest)
    expect(queue?.requests.flatMap((request) => queue.judge(request))).toEqual(
      Array(4).fill('unknown'),
    )
    expect(queue?.due().map(({ range }) => range)).toEqual([[2, 4]])
  })
})

const target = idOf(0x99)
const merged = (mergedContactId: string, id: string) => ({ mergedContactId, contact: { id } })

table(
  'contacts.merge',
  1,
  {
    'it never left': { steps: ['try', 'never'], claims: 'not-attempted', isDue: true },
    'it was refused': { steps: ['try', 404], claims: 'error', isDue: false },
    'it was answered': { steps: ['try', merged(one, target)], claims: 'done', isDue: false },
    'the answer names them the other way round': {
      steps: ['try', merged(target, one)],
      claims: 'done',
      isDue: false,
    },
    'an answer that names one twice makes no sense': {
      steps: ['try', merged(one, one)],
      claims: 'unknown',
      isDue: false,
    },
    'its answer was lost': { steps: ['try', 'lost'], claims: 'unknown', isDue: false },
    'its process died': { steps: ['try'], claims: 'unknown', isDue: false },
  },
  {},
  [target],
)

const assigned = { ticketId: one, previousAssigneeId: ada.id, newAssigneeId: robin.id }
const read = (who: string | null | number) => ({ read: who })
const assigns: Record<string, Case> = {
  'it already has the assignee': { steps: [read(robin.id)], claims: 'done', isDue: false },
  'it was read': { steps: [read(ada.id)], claims: 'not-attempted', isDue: true },
  'its reading was refused': { steps: [read(404)], claims: 'not-attempted', isDue: true },
  'it was answered': { steps: [read(ada.id), 'try', assigned], claims: 'done', isDue: false },
  'the answer is about another assignee': {
    steps: [read(ada.id), 'try', { ...assigned, newAssigneeId: ada.id }],
    claims: 'unknown',
    isDue: true,
  },
  'its answer was lost': { steps: [read(ada.id), 'try', 'lost'], claims: 'unknown', isDue: true },
  'after a lost answer it has the assignee': {
    steps: [read(ada.id), 'try', 'lost', read(robin.id)],
    claims: 'done',
    isDue: false,
  },
  'after a lost answer nothing has changed': {
    steps: [read(ada.id), 'try', 'lost', read(ada.id)],
    claims: 'unknown',
    isDue: true,
  },
  'after a lost answer somebody else has it': {
    steps: [read(ada.id), 'try', 'lost', read(idOf(7))],
    claims: 'unknown',
    isDue: false,
  },
  'after a lost answer its reading is refused': {
    steps: [read(ada.id), 'try', 'lost', read(404)],
    claims: 'unknown',
    isDue: false,
  },
  'sent without a reading, its answer lost, it is with somebody': {
    steps: [read(404), 'try', 'lost', read(ada.id)],
    claims: 'unknown',
    isDue: false,
  },
  'it was refused': { steps: [read(ada.id), 'try', 400], claims: 'error', isDue: false },
}
table('tickets.assign', 1, assigns, { target: robin })
table(
  'tickets.assign',
  1,
  {
    'under a condition it is with somebody else': {
      steps: [read(idOf(7))],
      claims: 'kept',
      isDue: false,
    },
    'under a condition nobody has it': { steps: [read(null)], claims: 'kept', isDue: false },
    'under a condition its reading was refused': {
      steps: [read(404)],
      claims: 'error',
      isDue: false,
    },
    'under a condition it is with the right one': {
      steps: [read(ada.id)],
      claims: 'not-attempted',
      isDue: true,
    },
  },
  { target: robin, ifAssignee: ada },
)

describe('after damage', () => {
  it('what no answer has settled is in doubt, and nothing is due', () => {
    const { queue } = logWith(
      ...head('contacts.delete', 150),
      ...linesOf(['try', deleted(100)], [0, 100]),
      { t: 'run', ...(head('contacts.delete', 1)[0] as object) } as NewLine,
    )
    expect(queue?.requests.map((request) => queue.judge(request)[0])).toEqual(['done', 'unknown'])
    expect(queue?.due()).toEqual([])
  })

  it('answers behind it count', () => {
    const { queue } = logWith(
      ...head('contacts.delete', 2),
      ...head('contacts.delete', 2),
      ...linesOf(['try', deleted(1, [two])], [0, 2]),
    )
    expect(queue?.requests.flatMap((request) => queue.judge(request))).toEqual(['done', 'gone'])
  })
})
