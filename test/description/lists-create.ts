/** Operation 2. */
import type { DescribedCase, Variant } from './case.ts'

const created = (name: string, description: string) =>
  ({
    id: 'id',
    name: { is: name },
    description: { is: description },
    contactsCount: { is: 0 },
    createdAt: 'time?',
    updatedAt: 'time?',
  }) as const
const refused = { status: 400, code: 40001 } as const
const create = { method: 'POST', path: '/v1/lists' } as const

export const cases: readonly DescribedCase[] = [
  {
    ...create,
    name: 'a name and a description',
    rule: 'Operation 2, body',
    body: { name: 'Spring', description: 'Mailing' },
    answer: { data: created('Spring', 'Mailing') },
  },
  {
    ...create,
    name: 'a name of 100 and a description of 1000 characters',
    rule: 'Limits, list name and description',
    body: { name: 'n'.repeat(100), description: 'd'.repeat(1000) },
    answer: { data: created('n'.repeat(100), 'd'.repeat(1000)) },
  },
  {
    ...create,
    name: 'a name of 1 and an empty description',
    rule: 'Limits, list name and description',
    body: { name: 'n', description: '' },
    answer: { data: created('n', '') },
  },
  {
    ...create,
    name: 'a name of 101 characters',
    rule: 'Limits, list name',
    body: { name: 'n'.repeat(101), description: '' },
    answer: refused,
  },
  { ...create, name: 'an empty name', rule: 'Limits, list name', body: { name: '', description: '' }, answer: refused },
  {
    ...create,
    name: 'a description of 1001 characters',
    rule: 'Limits, list description',
    body: { name: 'n', description: 'd'.repeat(1001) },
    answer: refused,
  },
  {
    ...create,
    name: 'a name that is a number',
    rule: 'ContactList, name',
    body: { name: 5, description: '' },
    answer: refused,
  },
]

const list = {
  id: '64b000000000000000000003',
  name: 'Spring',
  description: 'Mailing',
  contactsCount: 0,
  createdAt: '2026-03-01T10:00:00.000Z',
  updatedAt: '2026-03-01T10:00:00.000Z',
}
const answer = (status: number, data: unknown) => ({ ...create, status, body: { data } }) as const

export const variants: readonly Variant[] = [
  { name: 'to the letter, 200', open: 'Endpoints: success status codes', answers: [answer(200, list)] },
  { name: 'to the letter, 201', open: 'Endpoints: success status codes', answers: [answer(201, list)] },
  { name: 'to the letter, 202', open: 'Endpoints: success status codes', answers: [answer(202, list)] },
  {
    name: 'without description and times',
    open: 'ContactList, required',
    answers: [answer(201, { id: list.id, name: list.name, contactsCount: 0 })],
  },
  {
    name: 'null for description and times',
    open: 'ContactList, required',
    answers: [answer(201, { ...list, description: null, createdAt: null, updatedAt: null })],
  },
  {
    name: 'refused with 409',
    open: 'Errors: specific error responses',
    answers: [{ ...create, status: 409, body: { code: 40901, message: 'A list with this name exists' } }],
  },
  {
    name: 'refused with 422',
    open: 'Errors: specific error responses',
    answers: [{ ...create, status: 422, body: { code: 42201, message: 'description must not be empty' } }],
  },
]
