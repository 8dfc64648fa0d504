/** Answers that are made of the description's tables, in each way that it leaves open. */
import { isList, type Shape } from './check.ts'
import { resources } from './resources.ts'

export const idOf = (n: number): string => `64b${n.toString(16).padStart(21, '0')}`

const examples: Readonly<Record<string, unknown>> = {
  id: idOf(1),
  time: '2026-02-01T10:00:00.000Z',
  text: 'a text',
  name: 'VIP',
  digits: '9007199254740993025',
  count: 1,
  positive: 1,
  boolean: false,
  anything: 3,
}

/** Changes of a field that the description does not promise, so that svc may not rely on it. */
type Field = (value: unknown) => unknown

/** Where the description has no column for it, an answer has its id, and a member its contact. */
function isCertain(resource: string, field: string, shape: Shape): boolean {
  const isSaid = ['', 'ContactList', 'Pagination'].includes(resource)
  return isSaid
    ? typeof shape !== 'string' || !shape.endsWith('?')
    : field === 'contact' || (field === 'id' && resource !== 'Attachment')
}

/** An answer of this shape; `uncertain` says what stands for the others, undefined for nothing. */
export function made(shape: Shape, uncertain: Field = (value) => value, resource = ''): unknown {
  if (typeof shape === 'string') {
    const name = shape.replace('?', '').replace(/^Attachments$/, 'Attachment')
    const value =
      resources[name] === undefined ? examples[name] : made(resources[name], uncertain, name)
    return shape.startsWith('Attachments') ? [value] : value
  }
  if (isList(shape)) return [made(shape[0], uncertain)]
  if ('is' in shape) return shape.is
  const fields = Object.entries(shape).map(([field, inner]) => {
    const value = made(inner, uncertain)
    return [field, isCertain(resource, field, inner) ? value : uncertain(value)] as const
  })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** The value with every text and every object in it changed. */
export function mapped(
  value: unknown,
  change: { text?: (text: string, field: string) => string; object?: (object: object) => object },
  field = '',
): unknown {
  if (typeof value === 'string') return change.text?.(value, field) ?? value
  if (Array.isArray(value)) return value.map((each) => mapped(each, change, field))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, each]) => [name, mapped(each, change, name)])
  const object = Object.fromEntries(members) as object
  return change.object?.(object) ?? object
}
