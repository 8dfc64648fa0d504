/** Operation 5. */
import type { DescribedCase, Variant } from './case.ts'

const refused = { status: 400, code: 40001 } as const
const add = 'POST /v1/lists/{emptyList}/contacts'
const counts = (added: number, skipped: number, failed: number) => ({
  data: { added: { is: added }, skipped: { is: skipped }, failed: { is: failed } },
})
const made = (count: number) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(24, '0'))

export const cases: readonly DescribedCase[] = [
  ['one that exists', 'Operation 5, added', add, counts(1, 0, 0), { contactIds: ['{contact}'] }],
  [
    'one that is there, one that is new, one that does not exist',
    'Operation 5, result',
    add,
    counts(1, 1, 1),
    { contactIds: ['{contact}', '{otherContact}', '{unknown}'] },
  ],
  ['a contact with chats can be a member', 'Operation 5', add, counts(1, 0, 0), { contactIds: ['{contactWithChats}'] }],
  ['100 ids', 'Limits, contactIds', add, counts(0, 0, 100), { contactIds: made(100) }],
  ['101 ids', 'Limits, contactIds', add, refused, { contactIds: made(101) }],
  ['no ids', 'Limits, contactIds', add, refused, { contactIds: [] }],
  ['contactIds left out', 'Operation 5, required', add, refused, {}],
  ['an id that is none', 'Operation 5, body', add, refused, { contactIds: ['x'] }],
  [
    'to a list that does not exist',
    'Errors: not shown',
    'POST /v1/lists/{unknown}/contacts',
    { status: '4xx' },
    { contactIds: ['{contact}'] },
  ],
]

const path = '/v1/lists/64b000000000000000000001/contacts'
const answer = (status: number, data: unknown) => ({ method: 'POST', path, status, body: { data } }) as const

/** Each is the answer to a request with two ids. */
export const variants: readonly Variant[] = [
  { name: 'both added', open: 'nothing', answers: [answer(200, { added: 2, skipped: 0, failed: 0 })] },
  { name: 'one added, one there', open: 'nothing', answers: [answer(200, { added: 1, skipped: 1, failed: 0 })] },
  { name: 'one added, one missing', open: 'nothing', answers: [answer(200, { added: 1, skipped: 0, failed: 1 })] },
  {
    name: '201 and more fields',
    open: 'Endpoints: success status codes',
    answers: [answer(201, { added: 2, skipped: 0, failed: 0, errors: [] })],
  },
  {
    name: 'unknown list, 400',
    open: 'Errors: not shown',
    answers: [{ method: 'POST', path, status: 400, body: { code: 40001, message: 'List not found' } }],
  },
  {
    name: 'unknown list, 404',
    open: 'Errors: not shown',
    answers: [{ method: 'POST', path, status: 404, body: { code: 40404, message: 'List not found' } }],
  },
]
