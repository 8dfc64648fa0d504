/** Somebody else who changes lists while svc reads them, which no request of the API can do. */
import type { Company } from '../../src/features/sandbox/company.ts'

/** A change of a contact's memberships. Ids in lower case. */
export interface Move {
  readonly contact: string
  /** The list that it leaves. */
  readonly from?: string
  /** The list that it joins, as its newest member. */
  readonly to?: string
}

/** Unknown lists and contacts are left out. */
export function move(company: Company, { contact, from = '', to = '' }: Move, now: number): void {
  const found = company.contacts.find(contact)
  if (found === undefined) return
  const source = company.lists.get(from)
  const target = company.lists.get(to)
  if (source !== undefined) {
    source.members.delete(found.id)
    source.updatedAt = new Date(now).toISOString()
  }
  if (target !== undefined && !target.members.has(found.id)) {
    company.join(target, found.id, now)
    target.updatedAt = new Date(now).toISOString()
  }
}
