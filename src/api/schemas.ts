/**
 * The schemas of all resources and results in the service's description (version 1.0.0), and the types inferred from them.
 *
 * The schemas check what svc relies on: ids, counts and shapes. Most texts may be missing or null, because the description does not
 * rule that out. Fields that the description does not name are kept, and no value is changed. Requests have no schemas:
 * svc checks their values when it reads options, arguments and files.
 */
import * as v from 'valibot'
import { idPattern } from '../identifiers.ts'
import { identityKeys, type OperationName } from './operations.ts'

const Id = v.pipe(v.string(), v.regex(idPattern))

const OptionalText = v.nullish(v.string())

const Count = v.pipe(v.number(), v.integer(), v.minValue(0))

// Resources

export const ContactList = v.looseObject({
  id: Id,
  // Required, because lists are found by name.
  name: v.string(),
  description: OptionalText,
  contactsCount: Count,
  createdAt: OptionalText,
  updatedAt: OptionalText,
})
export type ContactList = v.InferOutput<typeof ContactList>

export const Pagination = v.looseObject({
  total: Count,
  hasNext: v.boolean(),
})
export type Pagination = v.InferOutput<typeof Pagination>

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
export type Contact = v.InferOutput<typeof Contact>

export const ListMember = v.looseObject({
  /** The id of the membership. The contact has its own. */
  id: Id,
  contact: Contact,
  createdAt: OptionalText,
})
export type ListMember = v.InferOutput<typeof ListMember>

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
export type Employee = v.InferOutput<typeof Employee>

export const Ticket = v.looseObject({
  id: Id,
  chatId: OptionalText,
  status: OptionalText,
  assigneeId: OptionalText,
  startedAt: OptionalText,
  attribution: v.nullish(v.looseObject({ ad_id: OptionalText })),
})
export type Ticket = v.InferOutput<typeof Ticket>

export const Attachment = v.looseObject({
  id: OptionalText,
  kind: OptionalText,
  fileName: OptionalText,
  mimeType: OptionalText,
})
export type Attachment = v.InferOutput<typeof Attachment>

export const TicketMessage = v.looseObject({
  /** The id of a message may have any form. */
  id: v.string(),
  sentAt: OptionalText,
  fromId: OptionalText,
  direction: OptionalText,
  text: OptionalText,
  subject: OptionalText,
  attachments: v.nullish(v.array(Attachment)),
})
export type TicketMessage = v.InferOutput<typeof TicketMessage>

// Results: the values of `data` in answers

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
export type MergeResult = v.InferOutput<typeof MergeResult>
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
export type HistoryChunk = v.InferOutput<typeof HistoryChunk>
export const AssignResult = v.looseObject({
  ticketId: Id,
  chatId: OptionalText,
  previousAssigneeId: OptionalText,
  newAssigneeId: Id,
})
export type AssignResult = v.InferOutput<typeof AssignResult>

/** The schemas of results by operation. */
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

/** The type of the result of an operation. */
export type OperationResult<N extends OperationName> = v.InferOutput<(typeof results)[N]>
