/** Somebody else who changes lists while svc reads them, which no request of the API can do. */
import type { Company } from '../../src/sandbox/company.ts'

/** A change of a contact's memberships. Ids in lower case. */
export interface Move {
  readonly contact: string
  /** The list that it leaves. */
  readonly from?: string
  /** The list that it joins, as its newest member. */
  readonly to?: string
}

/** Unknown lists and contacts are left out. */
export function move(
  { contacts, lists }: Company,
  { contact, from = '', to = '' }: Move,
  now: number,
): void {
  const position = contacts.find(contact)
  if (position === undefined) return
  const source = lists.find(from)
  const target = lists.find(to)
  if (source !== undefined) {
    source.members.delete(position)
    source.updatedAt = new Date(now).toISOString()
  }
  if (target !== undefined && !target.members.has(position)) {
    lists.join(target, position, now)
    target.updatedAt = new Date(now).toISOString()
  }
}
