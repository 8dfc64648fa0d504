/** Operation 9. */
import type { DescribedCase, Variant } from './case.ts'

const fails = { status: '4xx' } as const
const assign = (ticket: string) => `PATCH /v1/tickets/${ticket}/assignee`
const to = (newAssigneeId: string) => ({ newAssigneeId })

export const cases: readonly DescribedCase[] = [
  ['who it is already', 'Operation 9: differs', assign('{ticket}'), fails, to('{assignee}')],
  ['who is not active', 'Operation 9: is active', assign('{ticket}'), fails, to('{employeeInactive}')],
  [
    'who has no access to the channel',
    'Operation 9: has access',
    assign('{ticket}'),
    fails,
    to('{employeeWithoutChannel}'),
  ],
  ['who is no employee', 'Operation 9: of the company', assign('{ticket}'), fails, to('{unknown}')],
  ['a ticket that is not active', 'States, rule 2', assign('{closedTicket}'), fails, to('{employee}')],
  ['a new ticket', 'States, rule 2', assign('{newTicket}'), fails, to('{employee}')],
  ['a ticket without an assignee', 'States, rule 2', assign('{unassignedTicket}'), fails, to('{employee}')],
  ['a ticket that is not the current one', 'States, rule 2', assign('{notCurrentTicket}'), fails, to('{employee}')],
  ['no id', 'Operation 9, body', assign('{ticket}'), { status: 400, code: 40001 }, to('x')],
  ['nobody', 'Operation 9, required', assign('{ticket}'), { status: 400, code: 40001 }, {}],
  [
    'a person',
    'Operation 9, result',
    assign('{ticket}'),
    {
      data: {
        ticketId: { is: '{ticket}' },
        chatId: 'id',
        previousAssigneeId: { is: '{assignee}' },
        newAssigneeId: { is: '{employee}' },
      },
    },
    to('{employee}'),
  ],
  [
    'an AI employee',
    'Operation 9, result',
    assign('{ticket}'),
    {
      data: {
        ticketId: { is: '{ticket}' },
        chatId: 'id',
        previousAssigneeId: { is: '{employee}' },
        newAssigneeId: { is: '{aiEmployee}' },
      },
    },
    to('{aiEmployee}'),
  ],
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
