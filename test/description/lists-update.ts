/** Operation 4. */
import type { DescribedCase, Variant } from './case.ts'

const refused = { status: 400, code: 40001 } as const
const update = { method: 'PATCH', path: '/v1/lists/{emptyList}' } as const
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
  {
    ...update,
    name: 'both fields',
    rule: 'Operation 4, body',
    body: { name: 'Autumn', description: 'Two' },
    answer: { data: updated('Autumn', 'Two') },
  },
  {
    ...update,
    name: 'the name alone leaves the description',
    rule: 'Operation 4, body',
    body: { name: 'Winter' },
    answer: { data: updated('Winter', 'Two') },
  },
  {
    ...update,
    name: 'the description alone leaves the name',
    rule: 'Operation 4, body',
    body: { description: '' },
    answer: { data: updated('Winter', '') },
  },
  { ...update, name: 'a name of 101', rule: 'Limits, list name', body: { name: 'n'.repeat(101) }, answer: refused },
  { ...update, name: 'an empty name', rule: 'Limits, list name', body: { name: '' }, answer: refused },
  {
    ...update,
    name: 'a description of 1001',
    rule: 'Limits, list description',
    body: { description: 'd'.repeat(1001) },
    answer: refused,
  },
  {
    name: 'a list that does not exist',
    rule: 'Errors: not shown',
    method: 'PATCH',
    path: '/v1/lists/{unknown}',
    body: { name: 'x' },
    answer: { status: '4xx' },
  },
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
