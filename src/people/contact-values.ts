/** The values of contacts: read once for a search, and as an index. */
import { identityKeys, type IdentityKey } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import { fold, pluralize } from '../words.ts'
import {
  type Country,
  phoneValue,
  readAddresses,
  readPhones,
  wholeValue,
  type ReadCell,
  type Value,
} from './identities.ts'

/** The kinds of values that can be unreadable. Those of messengers are taken as they are. */
export type ValueKind = 'phone' | 'email'

/** Contacts whose values are read. `country` is assumed for numbers without `+` or `00`. */
export class ContactValues {
  readonly #contacts: readonly FoundContact[]
  readonly #country: Country | undefined
  /** How many contacts have a value that cannot be read. */
  readonly #unread = { phone: 0, email: 0 }

  constructor(contacts: readonly FoundContact[], country: Country | undefined) {
    this.#contacts = contacts
    this.#country = country
  }

  /** Yields each contact with its values. */
  *[Symbol.iterator](): Generator<{ contact: FoundContact; values: readonly Value[] }> {
    for (const contact of this.#contacts) yield { contact, values: this.#valuesOf(contact) }
  }

  #valuesOf({ identities }: FoundContact) {
    const unread = new Set<ValueKind>()
    const values = identityKeys.flatMap((identity) =>
      (identities?.[identity] ?? []).flatMap((text) => {
        const { values: found, problem } = readOwn(identity, text, this.#country)
        if (problem === undefined) return found
        unread.add(identity === 'email' ? 'email' : 'phone')
        // A value that is found in an odd text fits nearly at most.
        return found.map((value) => ({ ...value, key: undefined }))
      }),
    )
    for (const kind of unread) this.#unread[kind] += 1
    return values
  }

  /** Returns the contacts that have a value, by the wanted keys and near keys of their values. Without `wanted`, by all their keys. */
  index(wanted?: ReadonlySet<string>): ReadonlyMap<string, readonly FoundContact[]> {
    const index = new Map<string, FoundContact[]>()
    for (const { contact, values } of this) {
      const keys =
        wanted === undefined
          ? values.flatMap(({ key }) => key ?? [])
          : keysOf(values).filter((key) => wanted.has(key))
      for (const key of keys) {
        const owners = index.get(key)
        // Most values have one owner. An array that starts with one item takes less memory than an empty one that grows.
        if (owners === undefined) index.set(key, [contact])
        else if (owners.at(-1) !== contact) owners.push(contact)
      }
    }
    return index
  }

  /** Returns a note for each of these kinds of which contacts have a value that could not be read, and so was not compared. */
  unreadNotes(kinds: readonly ValueKind[]) {
    return kinds.flatMap((kind) => {
      const count = this.#unread[kind]
      if (count === 0) return []
      const who = pluralize(count, 'contact has', 'contacts have')
      const what = kind === 'phone' ? 'a phone number' : 'an email address'
      const advice =
        kind === 'phone' && this.#country === undefined ? ': add --country' : ''
      return [`${who} ${what} that cannot be read${advice}`]
    })
  }
}

/**
 * A number that surely is E.164, as most are that the service has. A 0 among its digits 2 to 4 may be a national prefix, which the
 * library removes.
 */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{7,14}$/

/** Reads a value of a contact. */
function readOwn(
  identity: IdentityKey,
  text: string,
  country: Country | undefined,
): ReadCell {
  if (identity === 'email') return readAddresses(text)
  // Messengers have phone numbers too: `messengerA_phone`.
  const isPhone = identity.endsWith('phone')
  if (isPhone && !e164AsWritten.test(text)) return readPhones(text, country)
  const name = fold(text).replace(/^@/, '')
  const value = isPhone ? phoneValue(text) : wholeValue(name, `${identity} ${name}`)
  return { values: name === '' ? [] : [value], problem: undefined }
}

/** Returns the keys and near keys of values. */
export function keysOf(values: readonly Value[]) {
  return values.flatMap(({ key, nearKey }) => [key ?? nearKey, nearKey])
}
