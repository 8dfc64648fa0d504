/** Operation 5. */
import type { DescribedCase, Variant } from './case.ts'

const refused = { status: 400, code: 40001 } as const
const add = { method: 'POST', path: '/v1/lists/{emptyList}/contacts' } as const
const counts = (added: number, skipped: number, failed: number) => ({
  data: { added: { is: added }, skipped: { is: skipped }, failed: { is: failed } },
})
const made = (count: number) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(24, '0'))

export const cases: readonly DescribedCase[] = [
  {
    ...add,
    name: 'one that exists',
    rule: 'Operation 5, added',
    body: { contactIds: ['{contact}'] },
    answer: counts(1, 0, 0),
  },
  {
    ...add,
    name: 'one that is there, one that is new, one that does not exist',
    rule: 'Operation 5, result',
    body: { contactIds: ['{contact}', '{otherContact}', '{unknown}'] },
    answer: counts(1, 1, 1),
  },
  {
    ...add,
    name: 'a contact with chats can be a member',
    rule: 'Operation 5',
    body: { contactIds: ['{contactWithChats}'] },
    answer: counts(1, 0, 0),
  },
  {
    ...add,
    name: '100 ids',
    rule: 'Limits, contactIds',
    body: { contactIds: made(100) },
    answer: counts(0, 0, 100),
  },
  { ...add, name: '101 ids', rule: 'Limits, contactIds', body: { contactIds: made(101) }, answer: refused },
  { ...add, name: 'no ids', rule: 'Limits, contactIds', body: { contactIds: [] }, answer: refused },
  { ...add, name: 'contactIds left out', rule: 'Operation 5, required', body: {}, answer: refused },
  { ...add, name: 'an id that is none', rule: 'Operation 5, body', body: { contactIds: ['x'] }, answer: refused },
  {
    name: 'to a list that does not exist',
    rule: 'Errors: not shown',
    method: 'POST',
    path: '/v1/lists/{unknown}/contacts',
    body: { contactIds: ['{contact}'] },
    answer: { status: '4xx' },
  },
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
