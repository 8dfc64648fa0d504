/**
 * The schemas of every resource and result in the service's description (version 1.0.0), from which their types are inferred.
 *
 * They check what svc relies on: ids, counts and shapes. A text may be absent or null, because the description does not rule
 * that out. Fields that the description does not name are kept, and no schema transforms its value. Requests are not checked
 * here but where their values are typed or read.
 */
import * as v from 'valibot'
import { idPattern } from '../values.ts'
import { identityKeys, type OperationName } from './operations.ts'

const Id = v.pipe(v.string(), v.regex(idPattern))

const OptionalText = v.nullish(v.string())

const Count = v.pipe(v.number(), v.integer(), v.minValue(0))

// Resources

export const ContactList = v.looseObject({
  id: Id,
  name: v.string(),
  description: OptionalText,
  contactsCount: Count,
  createdAt: OptionalText,
  updatedAt: OptionalText,
})

export const Pagination = v.looseObject({
  total: Count,
  hasNext: v.boolean(),
})

export const Identities = v.looseObject(
  v.entriesFromList(identityKeys, v.nullish(v.array(v.string()))),
)

export const Contact = v.looseObject({
  id: Id,
  firstName: OptionalText,
  lastName: OptionalText,
  identities: v.nullish(Identities),
  createdAt: OptionalText,
  updatedAt: OptionalText,
})

export const ListMember = v.looseObject({
  id: Id,
  contact: Contact,
  createdAt: OptionalText,
})

export const Employee = v.looseObject({
  id: Id,
  firstName: OptionalText,
  lastName: OptionalText,
  channels: v.nullish(v.array(v.string())),
  kind: OptionalText,
  position: OptionalText,
  access: OptionalText,
  status: OptionalText,
  createdAt: OptionalText,
})

export const Ticket = v.looseObject({
  id: Id,
  chatId: OptionalText,
  status: OptionalText,
  assigneeId: OptionalText,
  startedAt: OptionalText,
  attribution: v.nullish(v.looseObject({ ad_id: OptionalText })),
})

export const Attachment = v.looseObject({
  id: OptionalText,
  kind: OptionalText,
  fileName: OptionalText,
  mimeType: OptionalText,
  size: v.nullish(v.number()),
  source: OptionalText,
})

export const TicketMessage = v.looseObject({
  id: v.string(),
  sentAt: OptionalText,
  fromId: OptionalText,
  direction: OptionalText,
  text: OptionalText,
  subject: OptionalText,
  attachments: v.nullish(v.array(Attachment)),
  mediaGroupId: OptionalText,
  version: v.optional(v.unknown()),
})

// Results: the value of `data` in an answer

const ListPage = v.looseObject({
  lists: v.array(ContactList),
  pagination: Pagination,
})
const MemberPage = v.looseObject({
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
  nextChunkStartMessageId: OptionalText,
})
export const AssignResult = v.looseObject({
  ticketId: Id,
  chatId: OptionalText,
  previousAssigneeId: OptionalText,
  newAssigneeId: Id,
})

/** The schema of `data`, by operation. */
export const results = {
  'lists.list': ListPage,
  'lists.create': ContactList,
  'lists.get': MemberPage,
  'lists.update': ContactList,
  'lists.add-contacts': AddResult,
  'contacts.merge': MergeResult,
  'contacts.delete': DeleteResult,
  'tickets.history': HistoryChunk,
  'tickets.assign': AssignResult,
  'employees.list': v.array(Employee),
} satisfies Record<OperationName, v.GenericSchema>

/** What an operation returns. */
export type OperationResult<N extends OperationName> = v.InferOutput<(typeof results)[N]>

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
