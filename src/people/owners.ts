/** Finds the contacts that have the values of a person, and those among them that have the most of these values. Pure. */
import type { FoundContact } from '../api/people.ts'
import type { ContactReader } from './contact-values.ts'
import type { Value } from './reading.ts'

/** The contacts that have a value exactly. If nobody does, those that have it nearly. */
export interface Owners {
  value: Value
  contacts: ReadonlySet<FoundContact>
  areNear: boolean
}

type ContactsByForm = Map<string, Set<FoundContact>>

/** Reads contacts for some values. Returns a function that finds the owners of one of these; undefined if nobody has it, even nearly. */
export function findOwnersIn(
  contacts: readonly FoundContact[],
  reader: ContactReader,
  wanted: readonly Value[],
) {
  // The forms of all contacts would take much memory.
  const exact: ContactsByForm = new Map()
  const near: ContactsByForm = new Map()
  for (const value of wanted) {
    if (value.exact !== undefined) exact.set(value.exact, new Set())
    near.set(value.near, new Set())
  }
  for (const contact of contacts)
    for (const value of reader.read(contact)) {
      exact.get(value.exact ?? '')?.add(contact)
      near.get(value.near)?.add(contact)
    }
  return (value: Value): Owners | undefined => {
    const exactly = exact.get(value.exact ?? '')
    if (exactly !== undefined && exactly.size > 0)
      return { value, contacts: exactly, areNear: false }
    const nearly = near.get(value.near)
    if (nearly === undefined || nearly.size === 0) return undefined
    return { value, contacts: nearly, areNear: true }
  }
}

/** If thousands share a value, only this many of them can be candidates. */
const maxCandidates = 1000

/** Returns the contacts that have the most of the values, and those that have any, the best first. */
export function rankOwners(owned: readonly Owners[]) {
  // Those with a rare value come first.
  const byRarity = owned.toSorted((one, other) => one.contacts.size - other.contacts.size)
  const all = [...new Set(byRarity.flatMap(({ contacts }) => [...contacts]))]
  const counts = all.map(
    (contact) => owned.filter(({ contacts }) => contacts.has(contact)).length,
  )
  const most = counts.reduce((one, other) => Math.max(one, other), 0)
  const best = all.filter((_, index) => counts[index] === most)
  const candidates = [...new Set([...best, ...all])].slice(0, maxCandidates)
  return { best, candidates }
}
