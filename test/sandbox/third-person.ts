/** Somebody else who changes lists while svc reads them, which no request of the API can do. */
import type { Company } from '../../src/sandbox/company.ts'
import { mix, pick } from '../../src/sandbox/ids.ts'

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
    lists.leave(source, position)
    source.updatedAt = new Date(now).toISOString()
  }
  if (target !== undefined && !target.members.has(position)) {
    lists.join(target, position, now)
    target.updatedAt = new Date(now).toISOString()
  }
}

const ways = ['leave', 'join', 'move', 'come to the front'] as const

/** The n-th change of a list: a contact leaves it, joins it, moves to another one, or comes to its front. The same seed gives the same. */
export function chooseMove(
  { contacts, lists }: Company,
  listId: string,
  seed: number,
  n: number,
): Move {
  const random = (use: number): number => mix(seed, 71, n, use)
  const list = lists.find(listId)
  if (list === undefined) throw new Error(`there is no list ${listId}`)
  const way = pick(ways, random(1))
  const members = [...list.members.keys()]
  if (way === 'join' || members.length === 0) {
    const outsiders = Array.from({ length: contacts.size }, (_, position) => position).filter(
      (position) => contacts.has(position) && !list.members.has(position),
    )
    return { contact: contacts.idAt(pick(outsiders, random(2))), to: list.id }
  }
  const contact = contacts.idAt(pick(members, random(2)))
  if (way === 'leave') return { contact, from: list.id }
  const target = way === 'move' ? pick(lists.all(), random(3)) : list
  return { contact, from: list.id, to: target.id }
}
