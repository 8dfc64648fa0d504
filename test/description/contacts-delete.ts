/** Operation 7. */
import type { DescribedCase, Variant } from './case.ts'

const remove = { method: 'POST', path: '/v1/contacts/bulk-delete' } as const
const refused = { status: 400, code: 40001 } as const
const made = (count: number) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(24, '0'))

export const cases: readonly DescribedCase[] = [
  {
    ...remove,
    name: 'one with chats is blocked, one that does not exist is not found',
    rule: 'Operation 7, result',
    body: { contactIds: ['{contactWithChats}', '{unknown}'] },
    answer: {
      data: { deletedCount: { is: 0 }, notFoundIds: { is: ['{unknown}'] }, blockedIds: { is: ['{contactWithChats}'] } },
    },
  },
  {
    ...remove,
    name: 'one without chats is deleted',
    rule: 'Operation 7, result',
    body: { contactIds: ['{contact}'] },
    answer: { data: { deletedCount: { is: 1 }, notFoundIds: { is: [] }, blockedIds: { is: [] } } },
  },
  {
    ...remove,
    name: 'and then it does not exist',
    rule: 'Operation 7, notFoundIds',
    body: { contactIds: ['{contact}'] },
    answer: { data: { deletedCount: { is: 0 }, notFoundIds: { is: ['{contact}'] }, blockedIds: { is: [] } } },
  },
  {
    ...remove,
    name: '100 ids',
    rule: 'Limits, contactIds',
    body: { contactIds: made(100) },
    answer: { data: { deletedCount: { is: 0 }, notFoundIds: { is: made(100) }, blockedIds: { is: [] } } },
  },
  { ...remove, name: '101 ids', rule: 'Limits, contactIds', body: { contactIds: made(101) }, answer: refused },
  { ...remove, name: 'no ids', rule: 'Limits, contactIds', body: { contactIds: [] }, answer: refused },
  { ...remove, name: 'contactIds left out', rule: 'Operation 7, required', body: {}, answer: refused },
  { ...remove, name: 'an id of 25 digits', rule: 'Resources', body: { contactIds: ['0'.repeat(25)] }, answer: refused },
]

const [a, b, c] = ['64c00000000000000000000a', '64c00000000000000000000b', '64c00000000000000000000c']
const answer = (status: number, data: unknown) => ({ ...remove, status, body: { data } }) as const

/** Each is the answer to a request with the ids 64c…0a, 64c…0b and 64c…0c, in this order. */
export const variants: readonly Variant[] = [
  {
    name: 'all deleted',
    open: 'nothing',
    answers: [answer(200, { deletedCount: 3, notFoundIds: [], blockedIds: [] })],
  },
  {
    name: 'one of each',
    open: 'nothing',
    answers: [answer(200, { deletedCount: 1, notFoundIds: [b], blockedIds: [c] })],
  },
  {
    name: 'one of each, in upper case, in another order',
    open: 'Resources: upper or lower case; the order of ids',
    answers: [
      answer(200, {
        deletedCount: 0,
        notFoundIds: [c?.toUpperCase(), a?.toUpperCase()],
        blockedIds: [b?.toUpperCase()],
      }),
    ],
  },
  {
    name: '202 and more fields',
    open: 'Endpoints: success status codes',
    answers: [answer(202, { deletedCount: 3, notFoundIds: [], blockedIds: [], deletedIds: [a, b, c] })],
  },
  {
    name: 'refused with 422',
    open: 'Errors: not shown',
    answers: [{ ...remove, status: 422, body: { code: 42200, message: 'Try fewer' } }],
  },
]
