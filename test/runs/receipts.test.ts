/** What became of each id, and the kinds of errors. If red, a receipt has another reason or time than the record. */
import { expect, it } from 'vitest'
import { Items } from '../../src/input/items.ts'
import { errorsOf, receiptsOf, withStatus } from '../../src/runs/receipts.ts'
import { State } from '../../src/runs/state.ts'
import type { LineOf, NewLine } from '../../src/runs/lines.ts'
import { idOf } from '../support/inputs.ts'
import { beginningOf, linesOf, robin, stateAfter, stateOf } from '../support/records.ts'

const result = (members: Omit<LineOf<'res'>, 't' | 'at' | 'b'>, from = 0, to = 2): NewLine => ({
  t: 'res',
  b: [from, to],
  ...members,
})
const after = (...lines: NewLine[]) => stateAfter([...beginningOf('contacts.delete'), ...lines])

it('every id has a receipt in the order of the input, with its reason and time', () => {
  const state = after(
    ...linesOf('try done@0-1'),
    result({ o: 'error', st: 400, code: 40001, m: 'no', seen: 'closed' }, 1),
  )
  const at = (second: number) => new Date(1000 * second).toISOString()
  const target = undefined
  expect([...receiptsOf(state)]).toEqual([
    { id: idOf(1), line: 1, target, outcome: 'done', reason: '', at: at(4) },
    { id: idOf(2), line: 2, target, outcome: 'error', reason: 'no; closed (HTTP 400)', at: at(5) },
  ])
  expect([...receiptsOf(state, ['error'])].map(({ id }) => id)).toEqual([idOf(2)])
})

it('without a result, the outcome is the reason; without an attempt, there is no time', () => {
  const rows = [...receiptsOf(stateOf('contacts.delete', 'try@0-1'))]
  expect(rows.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['unknown', 'no answer or record shows what became of it'],
    ['not-attempted', 'nothing was sent, or it was turned away for now'],
  ])
  expect(rows.map(({ at }) => at)).toEqual([new Date(3000).toISOString(), null])
})

it('the target is that of the item, or that of the run; an argument has no line', () => {
  const [own] = receiptsOf(stateOf('contacts.merge', ''))
  const [common] = receiptsOf(stateOf('lists.add-contacts', '', { target: robin }))
  expect([own?.target, common?.target]).toEqual([idOf(9), robin.id])
  const state = new State(Items.of([{ id: idOf(1), line: 0 }]))
  for (const line of beginningOf('contacts.delete').slice(0, 2)) state.apply({ ...line, at: 0 })
  expect([...receiptsOf(state)][0]?.line).toBeNull()
})

it('a status is added to a message that does not have it', () => {
  const shown = [withStatus('no', 400), withStatus('HTTP 400', 400), withStatus('no', null)]
  expect([...shown, withStatus('no')]).toEqual(['no (HTTP 400)', 'HTTP 400', 'no', 'no'])
})

it('ids that failed in the same way are counted together; those never tried are no errors', () => {
  const same = after(...linesOf('try'), result({ o: 'error', st: 400, m: 'no' }))
  expect(errorsOf(same)).toEqual([
    { outcome: 'error', httpStatus: 400, code: null, message: 'no', count: 2 },
  ])
  const rows = errorsOf(after(...linesOf('try@0-1')))
  expect(rows).toEqual([
    {
      outcome: 'unknown',
      httpStatus: null,
      code: null,
      message: 'no answer was recorded',
      count: 1,
    },
  ])
  const nameless = after(...linesOf('try'), result({ o: 'not-attempted', due: true, st: 429 }))
  expect(errorsOf(nameless)[0]).toMatchObject({ message: 'HTTP 429', outcome: 'not-attempted' })
  expect(errorsOf(stateOf('contacts.delete', 'try done'))).toEqual([])
  expect(errorsOf(stateOf('contacts.delete', 'try not-found,blocked'))).toEqual([])
})

it('at most a hundred kinds of errors are told', () => {
  const count = 102
  const results = Array.from({ length: count }, (_, at) =>
    result({ o: 'error', m: `no ${at}` }, at, at + 1),
  )
  const state = stateAfter([...beginningOf('contacts.delete', { count }), ...results])
  expect(errorsOf(state).map(({ message }) => message)).toEqual(
    Array.from({ length: 100 }, (_, at) => `no ${at}`),
  )
})
