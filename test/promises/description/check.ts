/** Compares an answer with a shape, and says in words what is wrong. Knows nothing of the program. */
import { resources } from './resources.ts'

/** `is`: exactly this. Otherwise the name of a shape (see resources.ts), an object of shapes, or a list of one shape. */
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

/** Every difference, with the path to it; empty when the value has the shape. No field beyond it is allowed. */
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
