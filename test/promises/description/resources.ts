/**
 * The description's tables: the fields of every resource. A `?` at the end: the field may be absent or null. `[x]` is a list of x;
 * `Attachments` is a list of Attachment. `check.ts` knows the other shapes.
 */
import type { Shape } from './check.ts'

const identities = `phone email messengerA_phone messengerA_user_id messengerA_parent_user_id messengerB_user_id messengerB_username
  messengerB_phone messengerC_user_id messengerC_username messengerC_phone socialA_user_id socialB_user_id socialC_user_id socialC_username`

/** A resource in each line: its fields, each with its shape where that is not a text. */
const lines = `
  ContactList id:id name:name description:text? contactsCount:count createdAt:time? updatedAt:time?
  Pagination page:positive limit:positive total:count totalPages:count hasNext:boolean hasPrev:boolean
  Contact id:id firstName lastName identities:Identities createdAt:time updatedAt:time
  ListMember id:id contact:Contact createdAt:time
  Employee id:id firstName lastName channels:[id] kind position access status createdAt:time
  Ticket id:id chatId:id status assigneeId:id? startedAt:time attribution:Attribution?
  Attribution ad_id:text?
  Message id:digits sentAt:time fromId direction text subject:text? attachments:Attachments? mediaGroupId:text? version:anything?
  Attachment id:id kind fileName mimeType size:count source:text?
  Identities ${identities
    .split(/\s+/)
    .map((field) => `${field}:[text]`)
    .join(' ')}`

const shapeOf = (text = 'text'): Shape => (text.startsWith('[') ? [text.slice(1, -1)] : text)

export const resources: Readonly<Record<string, Readonly<Record<string, Shape>>>> =
  Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', ...fields] = line.trim().split(/\s+/)
        const pairs = fields.map((field) => field.split(':'))
        return [name, Object.fromEntries(pairs.map(([key = '', shape]) => [key, shapeOf(shape)]))]
      }),
  )
