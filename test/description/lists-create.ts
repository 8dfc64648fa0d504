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
const create = 'POST /v1/lists'

export const cases: readonly DescribedCase[] = [
  [
    'a name and a description',
    'Operation 2, body',
    create,
    { data: created('Spring', 'Mailing') },
    { name: 'Spring', description: 'Mailing' },
  ],
  [
    'a name of 100 and a description of 1000 characters',
    'Limits, list name and description',
    create,
    { data: created('n'.repeat(100), 'd'.repeat(1000)) },
    { name: 'n'.repeat(100), description: 'd'.repeat(1000) },
  ],
  [
    'a name of 1 and an empty description',
    'Limits, list name and description',
    create,
    { data: created('n', '') },
    { name: 'n', description: '' },
  ],
  ['a name of 101 characters', 'Limits, list name', create, refused, { name: 'n'.repeat(101), description: '' }],
  ['an empty name', 'Limits, list name', create, refused, { name: '', description: '' }],
  [
    'a description of 1001 characters',
    'Limits, list description',
    create,
    refused,
    { name: 'n', description: 'd'.repeat(1001) },
  ],
  ['a name that is a number', 'ContactList, name', create, refused, { name: 5, description: '' }],
]

const list = {
  id: '64b000000000000000000003',
  name: 'Spring',
  description: 'Mailing',
  contactsCount: 0,
  createdAt: '2026-03-01T10:00:00.000Z',
  updatedAt: '2026-03-01T10:00:00.000Z',
}
const answer = (status: number, data: unknown) =>
  ({ method: 'POST', path: '/v1/lists', status, body: { data } }) as const

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
    answers: [
      {
        method: 'POST',
        path: '/v1/lists',
        status: 409,
        body: { code: 40901, message: 'A list with this name exists' },
      },
    ],
  },
  {
    name: 'refused with 422',
    open: 'Errors: specific error responses',
    answers: [
      {
        method: 'POST',
        path: '/v1/lists',
        status: 422,
        body: { code: 42201, message: 'description must not be empty' },
      },
    ],
  },
]
