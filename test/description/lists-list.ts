/** Operation 1. */
import type { DescribedCase, Variant } from './case.ts'

const page = (pagination: Record<string, unknown>) => ({
  lists: ['ContactList'] as const,
  pagination: Object.fromEntries(Object.entries(pagination).map(([name, value]) => [name, { is: value }])),
})

const refused = { status: 400, code: 40001 } as const

export const cases: readonly DescribedCase[] = [
  [
    'page 1 of 20 by default',
    'Operation 1, query parameters',
    'GET /v1/lists',
    { data: page({ page: 1, limit: 20, total: 300, totalPages: 15, hasNext: true, hasPrev: false }) },
  ],
  [
    'the last page of 100',
    'Limits, limit',
    'GET /v1/lists?page=3&limit=100',
    { data: page({ page: 3, limit: 100, total: 300, totalPages: 3, hasNext: false, hasPrev: true }) },
  ],
  [
    'a page of 1',
    'Limits, limit',
    'GET /v1/lists?limit=1',
    { data: page({ page: 1, limit: 1, total: 300, totalPages: 300, hasNext: true, hasPrev: false }) },
  ],
  [
    'a search of one character',
    'Limits, search',
    'GET /v1/lists?search=V',
    { data: { lists: ['ContactList'], pagination: 'Pagination' } },
  ],
  ['an empty search', 'Limits, search', 'GET /v1/lists?search=', refused],
  ['page 0', 'Limits, page', 'GET /v1/lists?page=0', refused],
  ['limit 0', 'Limits, limit', 'GET /v1/lists?limit=0', refused],
  ['limit 101', 'Limits, limit', 'GET /v1/lists?limit=101', refused],
  ['a page that is no integer', 'Limits, page', 'GET /v1/lists?page=1.5', refused],
]

const vip = {
  id: '64b000000000000000000001',
  name: 'VIP',
  description: 'Called back within the hour',
  contactsCount: 2,
  createdAt: '2026-02-01T10:00:00.000Z',
  updatedAt: '2026-02-02T10:00:00.000Z',
}
const news = {
  id: '64b000000000000000000002',
  name: 'News',
  description: '',
  contactsCount: 0,
  createdAt: '2026-01-01T10:00:00.000Z',
  updatedAt: '2026-01-01T10:00:00.000Z',
}
const one = { page: 1, limit: 100, total: 2, totalPages: 1, hasNext: false, hasPrev: false }
const answer = (data: unknown) => ({ method: 'GET', path: '/v1/lists', status: 200, body: { data } }) as const

export const variants: readonly Variant[] = [
  { name: 'to the letter', open: 'nothing', answers: [answer({ lists: [vip, news], pagination: one })] },
  {
    name: 'two pages',
    open: 'nothing',
    answers: [
      {
        ...answer({ lists: [news], pagination: { ...one, page: 2, limit: 1, totalPages: 2, hasPrev: true } }),
        query: { page: '2' },
      },
      answer({ lists: [vip], pagination: { ...one, limit: 1, totalPages: 2, hasNext: true } }),
    ],
  },
  {
    name: 'no lists',
    open: 'nothing',
    answers: [answer({ lists: [], pagination: { ...one, total: 0, totalPages: 0 } })],
  },
  {
    name: 'optional fields are absent',
    open: 'ContactList, required: description and times may be absent',
    answers: [
      answer({
        lists: [{ id: vip.id, name: vip.name, contactsCount: vip.contactsCount }],
        pagination: { ...one, total: 1 },
      }),
    ],
  },
  {
    name: 'optional fields are null',
    open: 'ContactList, required: not said whether null stands for absent',
    answers: [
      answer({
        lists: [{ ...vip, description: null, createdAt: null, updatedAt: null }],
        pagination: { ...one, total: 1 },
      }),
    ],
  },
  {
    name: 'more fields than described, ids in upper case',
    open: 'Versioning: what may be added within version 1; Resources: upper or lower case',
    answers: [
      answer({
        lists: [{ ...vip, id: '64B00000000000000000ABCD', color: 'red', owner: { id: 7 } }],
        pagination: { ...one, total: 1, cursor: 'x' },
        took: 3,
      }),
    ],
  },
]
