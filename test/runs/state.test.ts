/** What the lines of a record say of its ids: their outcomes, and which are due. */
import { expect, it } from 'vitest'
import type { Head, NewLine } from '../../src/runs/lines.ts'
import { State } from '../../src/runs/state.ts'
import { idOf } from '../support/inputs.ts'
import { table } from '../support/table.ts'
import { ada, beginningOf, linesOf, stateAfter, stateOf } from '../support/records.ts'

const open = { t: 'open', pid: 2, host: 'desk', after: 1 } as const

it.each(
  table(`
  nothing was sent                   | contacts.delete |                                   | not-attempted not-attempted | 2
  its process died                   | contacts.delete | try                               | unknown unknown             | 2
  a merge whose process died         | contacts.merge  | try@0-1                           | unknown not-attempted       | 1
  an answer                          | contacts.delete | try done                          | done done                   | 0
  an outcome for each                | contacts.delete | try done,not-found                | done not-found              | 0
  a refusal                          | contacts.delete | try error                         | error error                 | 0
  a lost answer                      | contacts.delete | try unknown!                      | unknown unknown             | 2
  a merge whose answer was lost      | contacts.merge  | try@0-1 unknown@0-1               | unknown not-attempted       | 1
  it was turned away for now         | contacts.delete | try not-attempted!                | not-attempted not-attempted | 2
  the last word counts               | contacts.delete | try unknown! try gone,done        | gone done                   | 0
  an attempt after an answer         | contacts.delete | try done try                      | unknown unknown             | 2
  a late result of the part before   | contacts.delete | try try done                      | done done                   | 0
  halves                             | lists.add-contacts | try unknown! try@0-1 done@0-1  | done unknown                | 1
  closed                             | contacts.delete | try@0-1 done@0-1 closed           | done not-attempted          | 0
  closed, and a late result          | contacts.delete | closed done@0-1                   | done not-attempted          | 0
  closed, and an attempt behind that | contacts.delete | closed try@0-1                    | unknown not-attempted       | 2
  a merge that is closed             | contacts.merge  | try@0-1 closed                    | unknown not-attempted       | 0`),
)('%s: %s: %s', (_, operation, words = '', outcomes, due) => {
  const state = stateOf(operation as Head['operation'], words)
  const told = [...state.items.ids.keys()].map((at) => state.outcomeOf(at))
  expect([told.join(' '), String(state.due)]).toEqual([outcomes, due])
  const sum = Object.values(state.counts).reduce((total, count) => total + count, 0)
  expect(sum).toBe(2)
})

it('after damage nothing is due, and what has no final result is unknown', () => {
  const state = stateOf('contacts.delete', 'try@0-1 done@0-1 try@1-2 not-attempted!@1-2')
  state.damage = 'line 9 is damaged'
  expect([state.due, state.isDue(1), state.isOpen(1), state.counts]).toEqual([
    ...[0, false, false],
    { done: 1, unknown: 1 },
  ])
})

it('what is due is cut into requests, which do not reach over what is not', () => {
  const lines = [...beginningOf('contacts.delete', { count: 9 }), ...linesOf('try@3-4 done@3-4')]
  expect(stateAfter(lines).dueRanges(4)).toEqual([
    ...[[0, 3], [4, 8], [8, 9]], // prettier-ignore
  ])
})

it('answers count what they added, unless one was lost', () => {
  const added = (words: string, ...counts: { added?: number }[]) => {
    const results = linesOf(words).map((line) =>
      line.t === 'res' && counts.length > 0 ? { ...line, ...counts.shift() } : line,
    )
    const state = stateAfter([...beginningOf('lists.add-contacts'), ...results])
    return [state.added, state.hasLostAnswer]
  }
  expect(added('try unknown! try@0-1 done@0-1', { added: 1 }, { added: 1 })).toEqual([2, false])
  expect(added('try unknown! try done', {}, { added: 1 })).toEqual([1, true])
  expect(added('try try done', { added: 2 })).toEqual([2, true])
})

it('who had a ticket before its last attempt, if that was read', () => {
  const after = (before?: string | null) => {
    const attempt = { t: 'try', b: [0, 1], assigneeBefore: before } as NewLine
    const lines = [{ t: 'try', b: [0, 1], assigneeBefore: idOf(7) } as NewLine, attempt]
    return stateAfter([...beginningOf('tickets.assign'), ...lines]).assigneeBefore(0)
  }
  expect([after(ada.id), after(null), after()]).toEqual([ada.id, null, undefined])
})

it('a later part begins without an end, and a run knows the file that it wrote', () => {
  const wrote = { t: 'end', outcomes: {}, due: 0, receipts: '/x.csv' } as const
  const state = stateAfter([...beginningOf('contacts.delete'), wrote, open])
  expect([state.end, [...state.receiptsFiles], state.opened?.pid]).toEqual([
    undefined,
    ['/x.csv'],
    2,
  ])
})

it.each<[string, NewLine[]]>([
  ['a second head', [...beginningOf('contacts.delete').slice(1, 2)]],
  ['more ids than the head counts', [{ t: 'ids', ids: [[idOf(3), 3]] }]],
  ['an item that is not there', [{ t: 'try', b: [1, 3] }]],
])('a line that cannot stand there: %s', (_, [line]) => {
  const state = stateOf('contacts.delete', '')
  expect(line === undefined || state.apply({ ...line, at: 9 })).toBe(false)
})

it('a head of another schema is none', () => {
  const [, head] = beginningOf('contacts.delete', { schema: 'svc.run/7' as never })
  expect(head && new State().apply({ ...head, at: 9 })).toBe(false)
})

it('no line stands before the head is whole', () => {
  const [begun, head] = beginningOf('contacts.delete')
  const lines = [begun, head].flatMap((line) => line ?? [])
  for (const line of [...linesOf('try end'), ...linesOf('done')])
    expect(stateAfter(lines).apply({ ...line, at: 9 })).toBe(false)
  expect(stateAfter(lines).hasAllIds).toBe(false)
})
