/** Operation 4. */
import type { DescribedCase, Variant } from './case.ts'

const refused = { status: 400, code: 40001 } as const
const update = 'PATCH /v1/lists/{emptyList}'
const updated = (name: string, description: string) =>
  ({
    id: 'id',
    name: { is: name },
    description: { is: description },
    contactsCount: 'count',
    createdAt: 'time?',
    updatedAt: 'time?',
  }) as const

export const cases: readonly DescribedCase[] = [
  [
    'both fields',
    'Operation 4, body',
    update,
    { data: updated('Autumn', 'Two') },
    { name: 'Autumn', description: 'Two' },
  ],
  [
    'the name alone leaves the description',
    'Operation 4, body',
    update,
    { data: updated('Winter', 'Two') },
    { name: 'Winter' },
  ],
  [
    'the description alone leaves the name',
    'Operation 4, body',
    update,
    { data: updated('Winter', '') },
    { description: '' },
  ],
  ['a name of 101', 'Limits, list name', update, refused, { name: 'n'.repeat(101) }],
  ['an empty name', 'Limits, list name', update, refused, { name: '' }],
  ['a description of 1001', 'Limits, list description', update, refused, { description: 'd'.repeat(1001) }],
  ['a list that does not exist', 'Errors: not shown', 'PATCH /v1/lists/{unknown}', { status: '4xx' }, { name: 'x' }],
]

const list = {
  id: '64b000000000000000000001',
  name: 'Autumn',
  description: 'Two',
  contactsCount: 2,
  createdAt: '2026-02-01T10:00:00.000Z',
  updatedAt: '2026-03-01T10:00:00.000Z',
}
const answer = (status: number, body: unknown) =>
  ({ method: 'PATCH', path: `/v1/lists/${list.id}`, status, body }) as const

export const variants: readonly Variant[] = [
  { name: 'to the letter', open: 'nothing', answers: [answer(200, { data: list })] },
  { name: 'accepted with 202', open: 'Endpoints: success status codes', answers: [answer(202, { data: list })] },
  {
    name: 'the id in upper case and more fields',
    open: 'Resources: upper or lower case',
    answers: [answer(200, { data: { ...list, id: list.id.toUpperCase(), version: 2 }, meta: {} })],
  },
  {
    name: 'unknown list, 400',
    open: 'Errors: not shown',
    answers: [answer(400, { code: 40001, message: 'Validation error' })],
  },
]
