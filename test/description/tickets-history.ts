/** Operation 8. */
import type { DescribedCase, Variant } from './case.ts'

const chunk = { ticket: 'Ticket', messages: ['Message'], nextChunkStartMessageId: 'digits?' } as const

export const cases: readonly DescribedCase[] = [
  [
    'the first chunk',
    'Operation 8, result',
    'GET /v1/tickets/{ticket}/history',
    { data: { ticket: 'Ticket', messages: ['Message'], nextChunkStartMessageId: 'digits' } },
  ],
  [
    'a ticket that is not current can be read',
    'Operation 8, rule 3',
    'GET /v1/tickets/{notCurrentTicket}/history',
    { data: chunk },
  ],
  ['a new ticket has no history yet', 'Operation 8, rule 4', 'GET /v1/tickets/{newTicket}/history', { status: '4xx' }],
  [
    'an old ticket on a limited plan',
    'Operation 8, rule 6',
    'GET /v1/tickets/{oldTicket}/history',
    { status: 403 },
    undefined,
    'limited-history',
  ],
  ['an old ticket on another plan', 'Operation 8, rule 6', 'GET /v1/tickets/{oldTicket}/history', { data: chunk }],
  [
    'a ticket that is not old on a limited plan',
    'Operation 8, rule 6',
    'GET /v1/tickets/{ticket}/history',
    { data: chunk },
    undefined,
    'limited-history',
  ],
  [
    'an empty cursor',
    'Operation 8, chunkLastMessageId: minimum length 1',
    'GET /v1/tickets/{ticket}/history?chunkLastMessageId=',
    { status: 400, code: 40001 },
  ],
  ['a ticket that does not exist', 'Errors: not shown', 'GET /v1/tickets/{unknown}/history', { status: '4xx' }],
]

const ticket = {
  id: '64e000000000000000000001',
  chatId: '64f000000000000000000001',
  status: 'active',
  assigneeId: '64a000000000000000000001',
  startedAt: '2026-03-01T08:00:00.000Z',
  attribution: { ad_id: '120210000000000001' },
}
/** 25 messages, the newest first: numbers 25 to 1, a minute apart, with ids that are the same as numbers. */
const all = Array.from({ length: 25 }, (_, place) => {
  const number = 25 - place
  return {
    id: String(9_007_199_254_740_993_000n + BigInt(number)),
    sentAt: `2026-03-01T09:${String(number).padStart(2, '0')}:00.000Z`,
    fromId: number % 2 === 0 ? ticket.assigneeId : '4915550100',
    direction: number % 2 === 0 ? 'outgoing' : 'incoming',
    text: `message ${number}`,
  }
})
const idAt = (place: number): string => all[place]?.id ?? ''
const path = `/v1/tickets/${ticket.id}/history`
const answer = (cursor: string | null, data: unknown) =>
  ({ method: 'GET', path, query: { chunkLastMessageId: cursor }, status: 200, body: { data } }) as const
const error = (status: number, code: number, message: string) =>
  ({ method: 'GET', path, status, body: { code, message } }) as const
const single = (more: Record<string, unknown>, first: Record<string, unknown> = {}) => [
  answer(null, { ticket: { ...ticket, ...more }, messages: [{ ...all[0], ...first }] }),
]

export const variants: readonly Variant[] = [
  {
    name: 'the cursor is the first message of the next chunk',
    open: 'Operation 8: inclusive or exclusive',
    answers: [
      answer(null, { ticket, messages: all.slice(0, 20), nextChunkStartMessageId: idAt(20) }),
      answer(idAt(20), { ticket, messages: all.slice(20) }),
    ],
  },
  {
    name: 'the cursor is the last message of this chunk',
    open: 'Operation 8: inclusive or exclusive',
    answers: [
      answer(null, { ticket, messages: all.slice(0, 20), nextChunkStartMessageId: idAt(19) }),
      answer(idAt(19), { ticket, messages: all.slice(20) }),
    ],
  },
  {
    name: 'chunks overlap by one message',
    open: 'Operation 8: inclusive or exclusive',
    answers: [
      answer(null, { ticket, messages: all.slice(0, 20), nextChunkStartMessageId: idAt(19) }),
      answer(idAt(19), { ticket, messages: all.slice(19) }),
    ],
  },
  {
    name: 'the last chunk is empty',
    open: 'Operation 8: whether a cursor may lead to nothing',
    answers: [
      answer(null, { ticket, messages: all.slice(0, 20), nextChunkStartMessageId: idAt(19) }),
      answer(idAt(19), { ticket, messages: all.slice(20), nextChunkStartMessageId: idAt(24) }),
      answer(idAt(24), { ticket, messages: [] }),
    ],
  },
  {
    name: 'chunks of fewer than 20, a cursor that is no number, null at the end',
    open: 'Operation 8: at most 20; the cursor is a string',
    answers: [
      answer(null, { ticket, messages: all.slice(0, 15), nextChunkStartMessageId: 'abc+/= ?&' }),
      answer('abc+/= ?&', { ticket, messages: all.slice(15), nextChunkStartMessageId: null }),
    ],
  },
  { name: 'no messages', open: 'nothing', answers: [answer(null, { ticket, messages: [] })] },
  {
    name: 'every optional field of a message',
    open: 'nothing',
    answers: single(
      {},
      {
        subject: 'Order 4711',
        mediaGroupId: '13800000000000001',
        version: 3,
        attachments: [
          {
            id: '64c000000000000000000009',
            kind: 'image',
            fileName: 'photo.jpg',
            mimeType: 'image/jpeg',
            size: 12345,
            source: 'socialA',
          },
        ],
      },
    ),
  },
  {
    name: 'a null assignee and attribution',
    open: 'Ticket: nothing is said of null',
    answers: single({ assigneeId: null, attribution: null }),
  },
  {
    name: 'a ticket of id and status alone',
    open: 'Ticket: nothing is said of absent fields',
    answers: [answer(null, { ticket: { id: ticket.id, status: 'active' }, messages: [{ id: '1' }] })],
  },
  {
    name: 'a state, a direction and a kind that are not named',
    open: 'Full list of ticket states: not shown',
    answers: single(
      { status: 'snoozed', id: ticket.id.toUpperCase() },
      { direction: 'internal', attachments: [{ kind: 'hologram' }], version: { major: 1 }, reactions: ['👍'] },
    ),
  },
  { name: 'a new ticket, 400', open: 'Errors: not shown', answers: [error(400, 40001, 'Validation error')] },
  { name: 'a new ticket, 409', open: 'Errors: not shown', answers: [error(409, 40903, 'The ticket is new')] },
  {
    name: 'an old ticket, 403 with a code of its own',
    open: 'Errors: the code is not shown',
    answers: [error(403, 40399, 'Upgrade')],
  },
  { name: 'an unknown ticket, 404', open: 'Errors: not shown', answers: [error(404, 40403, 'Ticket not found')] },
]
