/** Ids: whether a text is one, as it is typed, pasted or found in an address. */
import { usageError } from './errors.ts'
import { quote } from './words.ts'

/** Every id of the service: 24 hexadecimal digits (API: Resources). */
export const idPattern = /^[0-9a-fA-F]{24}$/

/** Whether two values are the same id, in either letter case. They may be anything, as the members of an answer may. */
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

/** An id as questions show it beside a name: `6400…0128`. */
export function shortId(id: string): string {
  return `${id.slice(0, 4)}…${id.slice(-4)}`
}

/**
 * Reads an id. Drops the spaces and quotes that a pasted one may have around it, and keeps its letter case. Throws a usage error
 * for any other text; `name` is what the error calls the id.
 */
export function parseId(text: string, name: string): string {
  const bare = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
  if (idPattern.test(bare)) return bare
  const isHexadecimal = /^[0-9a-fA-F]+$/.test(text)
  const mistake = isHexadecimal
    ? `; ${quote(text)} has ${text.length}`
    : `, not ${quote(text)}`
  throw usageError(`${name} must be 24 hexadecimal digits${mistake}`)
}

/** Reads a ticket's id, typed alone or as the only id in a pasted address. Keeps its letter case. */
export function parseTicket(text: string): string {
  const found = idInAddress(text)
  if (found === undefined) return parseId(text, 'the ticket')
  if (found.reason !== undefined) throw usageError(found.reason)
  return found.id
}

/** An id that was looked for, or the reason why there is none. */
export type IdFinding =
  { id: string; reason?: undefined } | { id?: undefined; reason: string }

/** The beginning of an address, with or without its scheme. */
const addressStart =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]+)?\/)/i

/** Finds the only id in the address of a ticket. Returns undefined if the text is not an address. */
export function idInAddress(text: string): IdFinding | undefined {
  const address = text.trim()
  if (!addressStart.test(address)) return undefined
  // `%2F64…`: the `2F` of an escape could pass for digits of the id.
  const withoutEscapes = address.replaceAll(/%[0-9a-f]{2}/gi, '/')
  const ids = withoutEscapes.match(/(?<![0-9a-z])[0-9a-f]{24}(?![0-9a-z])/gi) ?? []
  const distinct = new Map(ids.map((id) => [id.toLowerCase(), id]))
  const [id] = distinct.values()
  if (id === undefined)
    return { reason: 'the address has no ticket id in it: 24 hexadecimal digits' }
  if (distinct.size === 1) return { id }
  return {
    reason: `the address has ${distinct.size} ids in it: give only the ticket's id`,
  }
}
