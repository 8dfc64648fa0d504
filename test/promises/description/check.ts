/**
 * Compares an answer with a shape, and says in words what is wrong. Knows nothing of the program.
 */
/**
 * `is`: exactly this. Otherwise the name of a shape, an object of shapes, or a list of one shape.
 */
export type Shape =
  string | { readonly is: unknown } | { readonly [field: string]: Shape } | readonly [Shape]

const integer = (value: unknown, from: number) => Number.isInteger(value) && Number(value) >= from

const simple: Readonly<Record<string, (value: unknown) => boolean>> = {
  // API: Resources, 24 hexadecimal characters.
  id: (value) => typeof value === 'string' && /^[0-9a-fA-F]{24}$/.test(value),
  // API: Resources, ISO 8601, millisecond precision, UTC.
  time: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  text: (value) => typeof value === 'string',
  name: (value) => typeof value === 'string' && /^.{1,100}$/su.test(value),
  digits: (value) => typeof value === 'string' && /^\d+$/.test(value),
  count: (value) => integer(value, 0),
  positive: (value) => integer(value, 1),
  boolean: (value) => typeof value === 'boolean',
  anything: () => true,
}

/**
 * The description's tables: the fields of every resource. A `?` at the end: the field may be absent
 * or null. `[x]` is a list of x.
 */
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

const resources: Readonly<Record<string, Readonly<Record<string, Shape>>>> = Object.fromEntries(
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', ...fields] = line.trim().split(/\s+/)
      const pairs = fields.map((field) => field.split(':'))
      return [name, Object.fromEntries(pairs.map(([key = '', shape]) => [key, shapeOf(shape)]))]
    }),
)

/**
 * Every difference, with the path to it; empty when the value has the shape. No field beyond it is
 * allowed.
 */
export function differences(value: unknown, shape: Shape, path = 'data'): string[] {
  if (typeof shape === 'string') return named(value, shape, path)
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${path} is no array`]
    return value.flatMap((item, index) => differences(item, shape[0], `${path}[${index}]`))
  }
  if ('is' in shape && Object.keys(shape).length === 1) {
    return JSON.stringify(value) === JSON.stringify(shape.is)
      ? []
      : [`${path} is ${JSON.stringify(value)}, not ${JSON.stringify(shape.is)}`]
  }
  return members(value, shape as Readonly<Record<string, Shape>>, path)
}

export function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

function named(value: unknown, name: string, path: string): string[] {
  // A field that may be absent, or null where there is nothing.
  if (name.endsWith('?')) return value === null ? [] : named(value, name.slice(0, -1), path)
  if (name === 'Attachments') return differences(value, ['Attachment'], path)
  const resource = resources[name]
  if (resource !== undefined) return members(value, resource, path)
  const test = simple[name]
  if (test === undefined) throw new Error(`no shape is called ${name}`)
  return test(value) ? [] : [`${path} is ${JSON.stringify(value)}, no ${name}`]
}

function members(value: unknown, shape: Readonly<Record<string, Shape>>, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path} is no object`]
  const found: string[] = []
  for (const [field, inner] of Object.entries(shape)) {
    const optional = typeof inner === 'string' && inner.endsWith('?')
    if (!Object.hasOwn(value, field)) {
      if (!optional) found.push(`${path}.${field} is missing`)
      continue
    }
    const [, own] = Object.entries(value).find(([name]) => name === field) ?? []
    found.push(...differences(own, inner, `${path}.${field}`))
  }
  for (const field of Object.keys(value))
    if (!Object.hasOwn(shape, field)) found.push(`${path}.${field} is not described`)
  return found
}
