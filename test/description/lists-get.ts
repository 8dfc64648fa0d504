/** Operation 3. */
import type { DescribedCase, Variant } from './case.ts'

const paged = (pagination: Record<string, unknown>) => ({
  list: 'ContactList' as const,
  members: ['ListMember'] as const,
  pagination: Object.fromEntries(Object.entries(pagination).map(([name, value]) => [name, { is: value }])),
})
const refused = { status: 400, code: 40001 } as const

export const cases: readonly DescribedCase[] = [
  [
    'a list and its first 20 members',
    'Operation 3',
    'GET /v1/lists/{list}',
    { data: paged({ page: 1, limit: 20, total: 280, totalPages: 14, hasNext: true, hasPrev: false }) },
  ],
  [
    'the last page of 100',
    'Limits, limit',
    'GET /v1/lists/{list}?page=3&limit=100',
    { data: paged({ page: 3, limit: 100, total: 280, totalPages: 3, hasNext: false, hasPrev: true }) },
  ],
  [
    'a list without members',
    'Pagination, totalPages: minimum 0',
    'GET /v1/lists/{emptyList}',
    { data: paged({ page: 1, limit: 20, total: 0, totalPages: 0, hasNext: false, hasPrev: false }) },
  ],
  ['limit 101', 'Limits, limit', 'GET /v1/lists/{list}?limit=101', refused],
  ['page 0', 'Limits, page', 'GET /v1/lists/{list}?page=0', refused],
  ['a list that does not exist', 'Errors: not shown', 'GET /v1/lists/{unknown}', { status: '4xx' }],
  [
    'an id of 23 digits',
    'Endpoints, {id} path segments are ids',
    'GET /v1/lists/64b00000000000000000001',
    { status: '4xx' },
  ],
]

const none = {
  phone: [],
  email: [],
  messengerA_phone: [],
  messengerA_user_id: [],
  messengerA_parent_user_id: [],
  messengerB_user_id: [],
  messengerB_username: [],
  messengerB_phone: [],
  messengerC_user_id: [],
  messengerC_username: [],
  messengerC_phone: [],
  socialA_user_id: [],
  socialB_user_id: [],
  socialC_user_id: [],
  socialC_username: [],
}
const list = {
  id: '64b000000000000000000001',
  name: 'VIP',
  description: '',
  contactsCount: 1,
  createdAt: '2026-02-01T10:00:00.000Z',
  updatedAt: '2026-02-02T10:00:00.000Z',
}
const contact = {
  id: '64c000000000000000000001',
  firstName: 'Anna',
  lastName: 'Miller',
  identities: { ...none, phone: ['+15550100'], email: ['anna@example.com', 'a.miller@example.com'] },
  createdAt: '2026-01-05T10:00:00.000Z',
  updatedAt: '2026-01-06T10:00:00.000Z',
}
const member = { id: '64d000000000000000000001', contact, createdAt: '2026-02-02T10:00:00.000Z' }
const pagination = { page: 1, limit: 100, total: 1, totalPages: 1, hasNext: false, hasPrev: false }
const path = `/v1/lists/${list.id}`
const answer = (data: unknown) => ({ method: 'GET', path, status: 200, body: { data } }) as const
const error = (status: number, code: number) =>
  ({
    method: 'GET',
    path: '/v1/lists/000000000000000000000000',
    status,
    body: { code, message: 'No such list' },
  }) as const

export const variants: readonly Variant[] = [
  { name: 'to the letter', open: 'nothing', answers: [answer({ list, members: [member], pagination })] },
  {
    name: 'a contact with only an id',
    open: 'Contact: not said which fields may be absent',
    answers: [answer({ list, members: [{ id: member.id, contact: { id: contact.id } }], pagination })],
  },
  {
    name: 'null for names, identities and times',
    open: 'Contact: not said whether null may stand',
    answers: [
      answer({
        list: { ...list, description: null },
        members: [
          {
            ...member,
            createdAt: null,
            contact: {
              ...contact,
              firstName: null,
              lastName: null,
              identities: null,
              createdAt: null,
              updatedAt: null,
            },
          },
        ],
        pagination,
      }),
    ],
  },
  {
    name: 'identities of a kind that is not described, null for one that is',
    open: 'Contact: fixed set of keys, but versions add',
    answers: [
      answer({
        list,
        members: [
          { ...member, contact: { ...contact, identities: { ...none, phone: null, messengerD_user_id: ['9'] } } },
        ],
        pagination,
      }),
    ],
  },
  { name: 'an unknown list is 404', open: 'Errors: for unknown ids not shown', answers: [error(404, 40401)] },
  { name: 'an unknown list is 400', open: 'Errors: for unknown ids not shown', answers: [error(400, 40001)] },
  { name: 'an unknown list is 410', open: 'Errors: for unknown ids not shown', answers: [error(410, 41000)] },
]
