/** The ids of the service: what is one, how it is found in a text, and why a text has none. */
import { usageError } from './errors.ts'
import { quote } from './words.ts'

/** An id of the service has 24 hexadecimal digits (API description: Resources). */
export const idPattern = /^[0-9a-fA-F]{24}$/

/** Whether a value is a text that is an id, without anything around it. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

/** Whether two values are texts that differ at most in letter case, as two forms of an id do. */
export function isSameId(one: unknown, other: unknown) {
  return (
    typeof one === 'string' &&
    typeof other === 'string' &&
    one.toLowerCase() === other.toLowerCase()
  )
}

/** The error for a text that must be an id. */
export function notAnIdError(text: string) {
  return usageError(`"${text}" is not an id: ids have 24 hexadecimal digits`)
}

/** The result of a search for an id: the id, or the reason why there is none. */
export type IdFinding =
  { id: string; reason?: undefined } | { id?: undefined; reason: string }

/** An id that is no rounded number of 24 digits. */
const soundId = /^(?!\d{15}0{9}$)[0-9a-f]{24}$/i

/** A number that a spreadsheet rounded to 15 digits. Zeros or an exponent replace the other digits. */
const roundedPattern = /^\d{15}0+$|^[+-]?\d{1,15}(?:[.,]\d+)?e[+-]?\d{1,3}$/i

/** An id between separators, in a text that has more than this id. */
const idAmongOthers = /(?<![^\s,;|])[0-9a-f]{24}(?![^\s,;|])/i

/** Finds the id in a text, which may have spaces and quotes around it. Keeps its letter case. A damaged id is never repaired. */
export function findId(text: string): IdFinding {
  // Most texts are bare ids, and an input can have a million of them.
  if (soundId.test(text)) return { id: text }
  const id = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
  if (soundId.test(id)) return { id }
  if (id === '') return { reason: 'empty' }
  if (roundedPattern.test(id))
    return { reason: 'rounded by a spreadsheet; export the ids again, as text' }
  if (/^[0-9a-f]+$/i.test(id))
    return { reason: `${id.length} hexadecimal digits; an id has 24` }
  if (idAmongOthers.test(id))
    return {
      reason: 'more than just an id; put each id on its own line, or name its --column',
    }
  const [wrong = ''] = /[^0-9a-f]/iu.exec(id) ?? []
  return { reason: `contains "${wrong}", not a hexadecimal digit` }
}

/** The beginning of an address: `https://`, or a host with a dot in it and a slash. */
const addressStart =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]+)?\/)/i

/** Finds a ticket's id in a text: the id alone, or an address that contains it. */
export function findTicket(text: string): IdFinding {
  const address = text.trim()
  if (!addressStart.test(address)) return findId(text)
  // In `%2F64…`, the digits `2F` of the escape would look like a part of the id.
  const withoutEscapes = address.replaceAll(/%[0-9a-f]{2}/gi, '/')
  const ids = withoutEscapes.match(/(?<![0-9a-z])[0-9a-f]{24}(?![0-9a-z])/gi) ?? []
  const [id, ...others] = new Map(ids.map((each) => [each.toLowerCase(), each])).values()
  if (id === undefined)
    return { reason: 'the address has no ticket id in it: 24 hexadecimal digits' }
  if (others.length === 0) return { id }
  const count = others.length + 1
  return { reason: `the address has ${count} ids in it: give only the ticket's id` }
}

/** Makes a parser of texts in which `find` finds an id. */
const idParser = (find: typeof findId) => (text: string, name: string) => {
  const { id, reason } = find(text)
  if (id !== undefined) return id
  throw usageError(`${name} is not an id: ${quote(text)}: ${reason}`)
}

export const parseId = idParser(findId)
export const parseTicket = idParser(findTicket)
