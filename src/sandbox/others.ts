/** A third person, who changes lists while they are read: before every n-th request a contact leaves a list, joins it, or moves. */
import type { Company } from './company.ts'
import { mix, pick } from './ids.ts'
import type { StoredList } from './lists.ts'
import type { Move } from './record.ts'

const ways = ['leave', 'join', 'move', 'come to the front'] as const

/**
 * The change before the n-th request: of the list that the request names, or of any. The same seed, number and lists give the same
 * change. Undefined: there is nobody who could leave or join.
 */
export function chooseMove(
  company: Company,
  listId: string | undefined,
  seed: number,
  n: number,
): Move | undefined {
  const random = (what: number): number => mix(seed, 71, n, what)
  const { contacts, lists } = company
  const all = lists.all()
  if (all.length === 0) return undefined
  const list = lists.find(listId ?? '') ?? pick(all, random(0))
  const way = pick(ways, random(1))
  const members = [...list.members.keys()]
  if (way === 'join' || members.length === 0) {
    const outsider = outsiderOf(company, list, random(2))
    return outsider === undefined ? undefined : { contact: contacts.idAt(outsider), to: list.id }
  }
  const contact = contacts.idAt(pick(members, random(2)))
  if (way === 'leave') return { contact, from: list.id }
  const target = way === 'move' ? pick(all, random(3)) : list
  return { contact, from: list.id, to: target.id }
}

/** The position of a contact that is not on the list: the first one from `start` on, around the end. */
function outsiderOf(
  { contacts }: Company,
  { members }: StoredList,
  start: number,
): number | undefined {
  const { size } = contacts
  for (let step = 0; step < size; step += 1) {
    const position = (start + step) % size
    if (contacts.has(position) && !members.has(position)) return position
  }
  return undefined
}
