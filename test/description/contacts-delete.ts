/** Operation 7. */
import type { DescribedCase, Variant } from './case.ts'

const remove = 'POST /v1/contacts/bulk-delete'
const refused = { status: 400, code: 40001 } as const
const made = (count: number) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(24, '0'))

export const cases: readonly DescribedCase[] = [
  [
    'one with chats is blocked, one that does not exist is not found',
    'Operation 7, result',
    remove,
    {
      data: { deletedCount: { is: 0 }, notFoundIds: { is: ['{unknown}'] }, blockedIds: { is: ['{contactWithChats}'] } },
    },
    { contactIds: ['{contactWithChats}', '{unknown}'] },
  ],
  [
    'one without chats is deleted',
    'Operation 7, result',
    remove,
    { data: { deletedCount: { is: 1 }, notFoundIds: { is: [] }, blockedIds: { is: [] } } },
    { contactIds: ['{contact}'] },
  ],
  [
    'and then it does not exist',
    'Operation 7, notFoundIds',
    remove,
    { data: { deletedCount: { is: 0 }, notFoundIds: { is: ['{contact}'] }, blockedIds: { is: [] } } },
    { contactIds: ['{contact}'] },
  ],
  [
    '100 ids',
    'Limits, contactIds',
    remove,
    { data: { deletedCount: { is: 0 }, notFoundIds: { is: made(100) }, blockedIds: { is: [] } } },
    { contactIds: made(100) },
  ],
  ['101 ids', 'Limits, contactIds', remove, refused, { contactIds: made(101) }],
  ['no ids', 'Limits, contactIds', remove, refused, { contactIds: [] }],
  ['contactIds left out', 'Operation 7, required', remove, refused, {}],
  ['an id of 25 digits', 'Resources', remove, refused, { contactIds: ['0'.repeat(25)] }],
]

const [a, b, c] = ['64c00000000000000000000a', '64c00000000000000000000b', '64c00000000000000000000c']
const answer = (status: number, data: unknown) =>
  ({ method: 'POST', path: '/v1/contacts/bulk-delete', status, body: { data } }) as const

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
    answers: [
      { method: 'POST', path: '/v1/contacts/bulk-delete', status: 422, body: { code: 42200, message: 'Try fewer' } },
    ],
  },
]
