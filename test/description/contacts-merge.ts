/** Operation 6. */
import type { DescribedCase, Variant } from './case.ts'

export const cases: readonly DescribedCase[] = [
  [
    'one into another',
    'Operation 6, result',
    'POST /v1/contacts/{otherContact}/merge',
    { data: { mergedContactId: 'id', contact: 'Contact' } },
    { targetContactId: '{contact}' },
  ],
  [
    'a source that does not exist',
    'Errors: not shown',
    'POST /v1/contacts/{unknown}/merge',
    { status: '4xx' },
    { targetContactId: '{contact}' },
  ],
  [
    'a target that does not exist',
    'Errors: not shown',
    'POST /v1/contacts/{contact}/merge',
    { status: '4xx' },
    { targetContactId: '{unknown}' },
  ],
  [
    'a target that is no id',
    'Operation 6, body',
    'POST /v1/contacts/{contact}/merge',
    { status: 400, code: 40001 },
    { targetContactId: 'x' },
  ],
  ['no target', 'Operation 6, body', 'POST /v1/contacts/{contact}/merge', { status: 400, code: 40001 }, {}],
]

const source = '64c00000000000000000000a'
const target = '64c00000000000000000000b'
const contact = {
  id: target,
  firstName: 'Anna',
  lastName: 'Miller',
  identities: {
    phone: ['+15550100', '+15550101'],
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
  },
  createdAt: '2026-01-05T10:00:00.000Z',
  updatedAt: '2026-03-01T10:00:00.000Z',
}
const path = `/v1/contacts/${source}/merge`
const answer = (status: number, data: unknown) => ({ method: 'POST', path, status, body: { data } }) as const

export const variants: readonly Variant[] = [
  {
    name: 'mergedContactId is the source',
    open: 'nothing',
    answers: [answer(200, { mergedContactId: source, contact })],
  },
  {
    name: 'mergedContactId is the target',
    open: 'Operation 6: which of the two is meant',
    answers: [answer(200, { mergedContactId: target, contact })],
  },
  {
    name: 'ids in upper case, 201',
    open: 'Resources: upper or lower case; success status codes',
    answers: [
      answer(201, { mergedContactId: source.toUpperCase(), contact: { ...contact, id: target.toUpperCase() } }),
    ],
  },
  {
    name: 'refused with 404',
    open: 'Errors: not shown',
    answers: [{ method: 'POST', path, status: 404, body: { code: 40402, message: 'Contact not found' } }],
  },
  {
    name: 'refused with 409',
    open: 'Errors: not shown',
    answers: [{ method: 'POST', path, status: 409, body: { code: 40902, message: 'Contacts cannot be merged' } }],
  },
]
