/** Compares an answer with a shape of the description. Knows nothing of the program. */
import * as v from 'valibot'

/** `is`: exactly this. `[x]`: a list of x. A `?` at the end: absent or null, too. */
export type Shape = string | { readonly is: unknown } | Fields | readonly [Shape]
interface Fields {
  readonly [field: string]: Shape
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const simple: Readonly<Record<string, v.GenericSchema>> = {
  // API: Resources, 24 hexadecimal characters.
  id: v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{24}$/)),
  // API: Resources, ISO 8601, millisecond precision, UTC.
  time: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  text: v.string(),
  name: v.pipe(v.string(), v.regex(/^.{1,100}$/su)),
  digits: v.pipe(v.string(), v.digits()),
  count,
  positive: v.pipe(count, v.minValue(1)),
  boolean: v.boolean(),
  anything: v.unknown(),
}

/** The description's tables: a resource in each line, its fields with shapes (else text). */
const lines = `
  ContactList id:id name:name description:text? contactsCount:count createdAt:time? updatedAt:time?
  Pagination page:positive limit:positive total:count totalPages:count hasNext:boolean
    hasPrev:boolean
  Contact id:id firstName lastName identities:Identities createdAt:time updatedAt:time
  ListMember id:id contact:Contact createdAt:time
  Employee id:id firstName lastName channels:[id] kind position access status createdAt:time
  Ticket id:id chatId:id status assigneeId:id? startedAt:time attribution:Attribution?
  Attribution ad_id:text?
  Message id:digits sentAt:time fromId direction text subject:text? attachments:[Attachment]?
    mediaGroupId:text? version:anything?
  Attachment id:id kind fileName mimeType size:count source:text?`
const identities = `phone email messengerA_phone messengerA_user_id messengerA_parent_user_id
  messengerB_user_id messengerB_username messengerB_phone messengerC_user_id messengerC_username
  messengerC_phone socialA_user_id socialB_user_id socialC_user_id socialC_username`

const fieldsIn = (words: string, usual = 'text'): Fields =>
  Object.fromEntries(words.split(/\s+/).map((word) => [...word.split(':'), usual].slice(0, 2)))
const resources: Readonly<Record<string, Fields>> = {
  Identities: fieldsIn(identities, '[text]'),
  ...Object.fromEntries(
    lines.split(/\n {2}(?=\S)/).map((line) => {
      const [name = '', fields = ''] = line.trim().split(/ ([^]*)/)
      return [name, fieldsIn(fields)]
    }),
  ),
}

/** Every difference, with the path to it. No field beyond the shape is allowed. */
export function differences(value: unknown, shape: Shape): string[] {
  const { issues = [] } = v.safeParse(schemaOf(shape), value)
  return issues.map((issue) => `${v.getDotPath(issue) ?? ''}: ${issue.message}`)
}

function schemaOf(shape: Shape): v.GenericSchema {
  if (typeof shape === 'string') return schemaCalled(shape)
  if (Array.isArray(shape)) return v.array(schemaOf(shape[0] as Shape))
  if ('is' in shape) {
    const expected = JSON.stringify(shape.is)
    const isSame = (value: unknown) => JSON.stringify(value) === expected
    return v.pipe(v.unknown(), v.check(isSame, `not ${expected}`))
  }
  const members = Object.entries(shape).map(([field, inner]) => [field, schemaOf(inner)])
  return v.strictObject(Object.fromEntries(members) as v.ObjectEntries)
}

function schemaCalled(name: string): v.GenericSchema {
  if (name.endsWith('?')) return v.nullish(schemaCalled(name.slice(0, -1)))
  if (name.startsWith('[')) return v.array(schemaCalled(name.slice(1, -1)))
  const fields = resources[name]
  const found = simple[name] ?? (fields && schemaOf(fields))
  if (found === undefined) throw new Error(`no shape is called ${name}`)
  return found
}
