/** Operation 9. */
import type { DescribedCase, Variant } from './case.ts'

const fails = { status: '4xx' } as const
const assign = { method: 'PATCH', path: '/v1/tickets/{ticket}/assignee' } as const
const to = (id: string) => ({ body: { newAssigneeId: id } })

export const cases: readonly DescribedCase[] = [
  { ...assign, ...to('{assignee}'), name: 'who it is already', rule: 'Operation 9: differs', answer: fails },
  { ...assign, ...to('{employeeInactive}'), name: 'who is not active', rule: 'Operation 9: is active', answer: fails },
  {
    ...assign,
    ...to('{employeeWithoutChannel}'),
    name: 'who has no access to the channel',
    rule: 'Operation 9: has access',
    answer: fails,
  },
  { ...assign, ...to('{unknown}'), name: 'who is no employee', rule: 'Operation 9: of the company', answer: fails },
  {
    ...assign,
    ...to('{employee}'),
    path: '/v1/tickets/{closedTicket}/assignee',
    name: 'a ticket that is not active',
    rule: 'States, rule 2',
    answer: fails,
  },
  {
    ...assign,
    ...to('{employee}'),
    path: '/v1/tickets/{newTicket}/assignee',
    name: 'a new ticket',
    rule: 'States, rule 2',
    answer: fails,
  },
  {
    ...assign,
    ...to('{employee}'),
    path: '/v1/tickets/{unassignedTicket}/assignee',
    name: 'a ticket without an assignee',
    rule: 'States, rule 2',
    answer: fails,
  },
  {
    ...assign,
    ...to('{employee}'),
    path: '/v1/tickets/{notCurrentTicket}/assignee',
    name: 'a ticket that is not the current one',
    rule: 'States, rule 2',
    answer: fails,
  },
  { ...assign, ...to('x'), name: 'no id', rule: 'Operation 9, body', answer: { status: 400, code: 40001 } },
  { ...assign, body: {}, name: 'nobody', rule: 'Operation 9, required', answer: { status: 400, code: 40001 } },
  {
    ...assign,
    ...to('{employee}'),
    name: 'a person',
    rule: 'Operation 9, result',
    answer: {
      data: {
        ticketId: { is: '{ticket}' },
        chatId: 'id',
        previousAssigneeId: { is: '{assignee}' },
        newAssigneeId: { is: '{employee}' },
      },
    },
  },
  {
    ...assign,
    ...to('{aiEmployee}'),
    name: 'an AI employee',
    rule: 'Operation 9, result',
    answer: {
      data: {
        ticketId: { is: '{ticket}' },
        chatId: 'id',
        previousAssigneeId: { is: '{employee}' },
        newAssigneeId: { is: '{aiEmployee}' },
      },
    },
  },
]

const ticketId = '64e00000000000000000000e'
const result = {
  ticketId,
  chatId: '64f00000000000000000000f',
  previousAssigneeId: '64a00000000000000000000a',
  newAssigneeId: '64a00000000000000000000b',
}
const path = `/v1/tickets/${ticketId}/assignee`
/** What svc may read before it sends: the ticket with its old assignee. */
const before = {
  method: 'GET',
  path: `/v1/tickets/${ticketId}/history`,
  status: 200,
  body: {
    data: {
      ticket: {
        id: ticketId,
        chatId: result.chatId,
        status: 'active',
        assigneeId: result.previousAssigneeId,
        startedAt: '2026-03-01T08:00:00.000Z',
        attribution: {},
      },
      messages: [],
    },
  },
} as const
const answer = (status: number, body: unknown) => ({ method: 'PATCH', path, status, body }) as const

export const variants: readonly Variant[] = [
  { name: 'to the letter', open: 'nothing', answers: [before, answer(200, { data: result })] },
  {
    name: 'ids in upper case, more fields',
    open: 'Resources: upper or lower case',
    answers: [
      before,
      answer(200, {
        data: {
          ticketId: ticketId.toUpperCase(),
          chatId: result.chatId.toUpperCase(),
          previousAssigneeId: result.previousAssigneeId.toUpperCase(),
          newAssigneeId: result.newAssigneeId.toUpperCase(),
          changedAt: '2026-03-01T10:00:00.000Z',
        },
      }),
    ],
  },
  {
    name: 'the previous assignee is null',
    open: 'Bulk results: nothing is said of null',
    answers: [before, answer(200, { data: { ...result, previousAssigneeId: null, chatId: null } })],
  },
  ...[400, 404, 409, 422].map((status) => ({
    name: `refused with ${status}`,
    open: 'Errors: failed assignee rules are not shown',
    answers: [before, answer(status, { code: status * 100 + 9, message: 'Assignee rule failed' })],
  })),
  {
    name: 'the history cannot be read',
    open: 'Operation 8, rule 5: provider and plan',
    answers: [
      { ...before, status: 403, body: { code: 40399, message: 'History is not available' } },
      answer(200, { data: result }),
    ],
  },
]
