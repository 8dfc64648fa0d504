/**
 * The contract: every resource, request and result of the service's description (version 1.0.0), with every
 * limit, written once. Types are inferred from here.
 *
 * Requests are checked with all their constraints. Answers are checked for what svc relies on (ids, counts,
 * shapes); what the description leaves open (an absent or null assignee, time or description) is accepted,
 * and fields that it does not know are kept. No schema transforms: a checked value is the value itself, so
 * unknown fields survive.
 */
import * as v from 'valibot'
import { idPattern } from '../values.ts'
import { codePoints, identityKeys, limits, type OperationName } from './operations.ts'

const Id = v.pipe(v.string(), v.regex(idPattern, 'must be 24 hexadecimal digits'))

/** One check for the whole array, because a bulk run checks an array of a hundred ids for each batch. */
const areIds = (value: unknown) =>
  Array.isArray(value) && value.every((id) => typeof id === 'string' && idPattern.test(id))

const Text = v.nullish(v.string())
const Time = v.nullish(v.string())
/** The end of a sentence about a number or text that this field cannot have. */
const outOfRange = 'is out of range'

/** A whole number, not less than the least. */
const wholeFrom = (min: number) =>
  v.pipe(v.number(), v.integer(outOfRange), v.minValue(min, outOfRange))
const Count = wholeFrom(0)

const ListName = v.pipe(
  v.string(),
  v.check((name) => codePoints(name) >= limits.listName.min, 'must not be empty'),
  v.check(
    (name) => codePoints(name) <= limits.listName.max,
    `must be at most ${limits.listName.max} characters`,
  ),
)
const ListDescription = v.pipe(
  v.string(),
  v.check(
    (text) => codePoints(text) <= limits.listDescription.max,
    `must be at most ${limits.listDescription.max} characters`,
  ),
)
const Page = wholeFrom(1)
const PageSize = v.pipe(
  wholeFrom(limits.pageSize.min),
  v.maxValue(limits.pageSize.max, outOfRange),
)

// Resources

export const ContactList = v.looseObject({
  id: Id,
  name: v.string(),
  description: Text,
  contactsCount: Count,
  createdAt: Time,
  updatedAt: Time,
})

export const Pagination = v.looseObject({
  page: Page,
  limit: wholeFrom(1),
  total: Count,
  totalPages: Count,
  hasNext: v.boolean(),
  hasPrev: v.boolean(),
})

export const Identities = v.looseObject(
  v.entriesFromList(identityKeys, v.nullish(v.array(v.string()))),
)

export const Contact = v.looseObject({
  id: Id,
  firstName: Text,
  lastName: Text,
  identities: v.nullish(Identities),
  createdAt: Time,
  updatedAt: Time,
})

export const ListMember = v.looseObject({
  id: Id,
  contact: Contact,
  createdAt: Time,
})

export const Employee = v.looseObject({
  id: Id,
  firstName: Text,
  lastName: Text,
  channels: v.nullish(v.array(v.string())),
  kind: Text,
  position: Text,
  access: Text,
  status: Text,
  createdAt: Time,
})

export const Ticket = v.looseObject({
  id: Id,
  chatId: v.nullish(v.string()),
  status: Text,
  assigneeId: v.nullish(v.string()),
  startedAt: Time,
  attribution: v.nullish(v.looseObject({ ad_id: Text })),
})

export const Attachment = v.looseObject({
  id: Text,
  kind: Text,
  fileName: Text,
  mimeType: Text,
  size: v.nullish(v.number()),
  source: Text,
})

export const TicketMessage = v.looseObject({
  id: v.string(),
  sentAt: Time,
  fromId: Text,
  direction: Text,
  text: Text,
  subject: Text,
  attachments: v.nullish(v.array(Attachment)),
  mediaGroupId: Text,
  version: v.optional(v.unknown()),
})

// Results: the content of `data`

export const ListPage = v.looseObject({
  lists: v.array(ContactList),
  pagination: Pagination,
})
export const MemberPage = v.looseObject({
  list: ContactList,
  members: v.array(ListMember),
  pagination: Pagination,
})
export const AddResult = v.looseObject({ added: Count, skipped: Count, failed: Count })
export const MergeResult = v.looseObject({
  mergedContactId: Id,
  contact: Contact,
})
export const DeleteResult = v.looseObject({
  deletedCount: Count,
  notFoundIds: v.array(Id),
  blockedIds: v.array(Id),
})
export const HistoryChunk = v.looseObject({
  ticket: Ticket,
  messages: v.array(TicketMessage),
  nextChunkStartMessageId: Text,
})
export const AssignResult = v.looseObject({
  ticketId: Id,
  chatId: v.nullish(v.string()),
  previousAssigneeId: v.nullish(v.string()),
  newAssigneeId: Id,
})
export const EmployeeList = v.array(Employee)

// Requests: query parameters and bodies

const MembersQuery = v.strictObject({
  page: v.optional(Page),
  limit: v.optional(PageSize),
})
const ListsQuery = v.strictObject({
  ...MembersQuery.entries,
  search: v.optional(v.pipe(v.string(), v.minLength(1, 'must not be empty'))),
})
const HistoryQuery = v.strictObject({
  chunkLastMessageId: v.optional(v.pipe(v.string(), v.minLength(1, outOfRange))),
})
const CreateListBody = v.strictObject({
  name: ListName,
  description: v.optional(ListDescription),
})
const UpdateListBody = v.pipe(
  v.strictObject({
    name: v.optional(ListName),
    description: v.optional(ListDescription),
  }),
  v.check(
    (body) => body.name !== undefined || body.description !== undefined,
    'at least one field is required',
  ),
)
const ContactIdsBody = v.strictObject({
  contactIds: v.pipe(
    v.custom<string[]>(areIds, 'must be an array of ids'),
    v.minLength(limits.contactIds.min, outOfRange),
    v.maxLength(limits.contactIds.max, outOfRange),
  ),
})
const MergeBody = v.strictObject({ targetContactId: Id })
export const AssignBody = v.strictObject({ newAssigneeId: Id })

/** The shapes of an operation: the request's query and body, and the `data` of its answer. */
export interface Shapes {
  query?: v.GenericSchema
  body?: v.GenericSchema
  result: v.GenericSchema
}

export const shapes = {
  'lists.list': { query: ListsQuery, result: ListPage },
  'lists.create': { body: CreateListBody, result: ContactList },
  'lists.get': { query: MembersQuery, result: MemberPage },
  'lists.update': { body: UpdateListBody, result: ContactList },
  'lists.add-contacts': { body: ContactIdsBody, result: AddResult },
  'contacts.merge': { body: MergeBody, result: MergeResult },
  'contacts.delete': { body: ContactIdsBody, result: DeleteResult },
  'tickets.history': { query: HistoryQuery, result: HistoryChunk },
  'tickets.assign': { body: AssignBody, result: AssignResult },
  'employees.list': { result: EmployeeList },
} satisfies Record<OperationName, Shapes>

/** The checked result of an operation. */
export type OperationResult<N extends OperationName> = v.InferOutput<
  (typeof shapes)[N]['result']
>

export type ContactList = v.InferOutput<typeof ContactList>
export type Pagination = v.InferOutput<typeof Pagination>
export type Contact = v.InferOutput<typeof Contact>
export type ListMember = v.InferOutput<typeof ListMember>
export type Employee = v.InferOutput<typeof Employee>
export type Ticket = v.InferOutput<typeof Ticket>
export type Attachment = v.InferOutput<typeof Attachment>
export type TicketMessage = v.InferOutput<typeof TicketMessage>
export type MergeResult = v.InferOutput<typeof MergeResult>
export type HistoryChunk = v.InferOutput<typeof HistoryChunk>
export type AssignResult = v.InferOutput<typeof AssignResult>
