import type { DescribedCase } from './case.ts'

const get = 'GET /v1/lists'
const remove = 'POST /v1/contacts/bulk-delete'
const assign = 'PATCH /v1/tickets/{ticket}/assignee'
const lists = { data: { lists: ['ContactList'], pagination: 'Pagination' } } as const
const rejected = { status: 401, code: 40121 } as const
const readOnly = { status: 403, code: 40361 } as const
const rule = (n: number) => `Authentication, rule ${n}`

export const cases: readonly DescribedCase[] = [
  ['a wrong signature is rejected', rule(2), get, rejected, undefined, 'wrong'],
  ['a request without the headers is rejected', rule(2), get, rejected, undefined, 'nothing'],
  ['a timestamp six minutes old is rejected', rule(1), get, rejected, undefined, 'stale'],
  ['a timestamp six minutes ahead is rejected', rule(1), get, rejected, undefined, 'early'],
  [
    'a timestamp of four minutes and a half is taken',
    'Limits, timestamp window',
    get,
    lists,
    undefined,
    'nearly stale',
  ],
  ['a read key reads', rule(3), get, lists, undefined, 'read'],
  ['a read key creates no list', rule(3), 'POST /v1/lists', readOnly, { name: 'x', description: '' }, 'read'],
  ['a read key deletes no contact', rule(3), remove, readOnly, { contactIds: ['{contact}'] }, 'read'],
  ['a read key changes no assignee', rule(3), assign, readOnly, { newAssigneeId: '{employee}' }, 'read'],
  ['a plan without the API is rejected', rule(4), get, { status: 403, code: 40351 }, undefined, 'no-plan'],
]
