/** Which headings, and keys of JSON, say what is below them. Pure. */
import { usageError } from '../errors.ts'
import { trimBlanks } from './id.ts'
import { shorten } from '../output/text/safe.ts'

/** A heading without what a person does not see or mean: outer blanks, quotes, a colon behind it, invisible characters. */
export function bareHeading(name: string): string {
  const visible = trimBlanks(
    name.replace(/[\p{Cf}\ufe00-\ufe0f\u034f\u115f\u1160\u2800\u3164\uffa0]/gu, ''),
  )
  const bare = visible.replace(/^"(.*)"$/s, '$1').replace(/[:\uff1a]$/, '')
  return trimBlanks(bare).replaceAll('\u00a0', ' ')
}

export function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase()
}

/** Whether a person sees and means the same. */
export function isSameHeading(name: string, other: string): boolean {
  return isSame(bareHeading(name), bareHeading(other))
}

const idHeading = /^(?:(?:contact|ticket|employee|source|target)[ _]?)?id$/i

/**
 * Whether a heading says that ids are below it: `id`, `contactId`, `contact_id`, `Contact ID`, `contact.id`, and `CONTACT`, as svc writes it
 * (in other files `Contact` is rather a name). `isTickets`: `ticket` too.
 */
export function isIdHeading(name: string, isTickets = false): boolean {
  const heading = bareHeading(name)
  return (
    idHeading.test(heading) ||
    isContactId(heading) ||
    heading === 'CONTACT' ||
    (isTickets && isSame(heading, 'ticket'))
  )
}

function isContactId(name: string): boolean {
  return isSameHeading(name, 'contact.id')
}

/** The names that say that ids are below them; of `id` and `contact.id` the latter alone. */
export function idPlaces(names: readonly string[], isTickets = false): number[] {
  return names.flatMap((name, index) =>
    isIdHeading(name, isTickets) && !isMembershipId(name, names) ? [index] : [],
  )
}

/** Whether the ids below it are those of memberships: `id` beside `contact.id`, as members of a list have both. */
function isMembershipId(name: string, names: readonly string[]): boolean {
  const heading = bareHeading(name)
  return /^membership ?id$/i.test(heading) || (isSame(heading, 'id') && names.some(isContactId))
}

/** Throws exit 2 when a column is asked for that has ids of memberships: a deletion would find none of them. */
export function refuseMembershipId(input: string, name: string, names: readonly string[]): void {
  if (!isMembershipId(name, names)) return
  throw usageError(
    `"${shorten(name)}" of ${input} has ids of memberships, which no command takes`,
    'the ids of the contacts are in --column contact.id',
  )
}

/** Two of the headings that are found, in words. */
export function idHeadings(isTickets: boolean): string {
  return isTickets ? '"ticket" or "ticketId"' : '"id" or "contactId"'
}

export type Side = 'source' | 'target' | 'ticket' | 'employee'

/** Whether a heading, or a key of JSON, names one side of a pair: `source`, `sourceId`, `source_id`, `Source ID`. */
export function isSideHeading(name: string, side: Side): boolean {
  return new RegExp(`^${side}(?:[ _]?id)?$`, 'i').test(bareHeading(name))
}
