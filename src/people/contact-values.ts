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
  type CellReading,
  type Value,
} from './identities.ts'

/** The kinds of values. Messengers have phone numbers too: `messengerA_phone`. */
export type ValueKind = 'phone' | 'email' | 'messenger'

function kindOf(identity: IdentityKey): ValueKind {
  if (identity === 'email') return 'email'
  return identity.endsWith('phone') ? 'phone' : 'messenger'
}

/** The values of some kinds that contacts have. `country` is assumed for numbers without `+` or `00`. */
export class ContactValues {
  readonly #contacts: readonly FoundContact[]
  readonly #country: Country | undefined
  readonly #identities: readonly IdentityKey[]
  /** How many contacts have a value that cannot be read. */
  readonly #unread = { phone: 0, email: 0, messenger: 0 }

  constructor(
    contacts: readonly FoundContact[],
    kinds: readonly ValueKind[],
    country: Country | undefined,
  ) {
    this.#contacts = contacts
    this.#country = country
    this.#identities = identityKeys.filter((identity) => kinds.includes(kindOf(identity)))
  }

  /** Yields each contact with its values. */
  *[Symbol.iterator](): Generator<{ contact: FoundContact; values: readonly Value[] }> {
    for (const contact of this.#contacts) yield { contact, values: this.#valuesOf(contact) }
  }

  #valuesOf({ identities }: FoundContact) {
    const values: Value[] = []
    const unread = new Set<ValueKind>()
    for (const identity of this.#identities)
      for (const text of identities?.[identity] ?? []) {
        const { values: found, problem } = readOwn(identity, text, this.#country)
        if (problem !== undefined) unread.add(kindOf(identity))
        // A value that is found in an odd text fits nearly at most.
        for (const value of found)
          values.push(problem === undefined ? value : { ...value, key: undefined })
      }
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

  /** Returns notes on the contacts that have a value that could not be read, and so was not compared. */
  unreadNotes() {
    const { phone, email } = this.#unread
    const whoHas = (count: number) => pluralize(count, 'contact has', 'contacts have')
    const advice = this.#country === undefined ? ': add --country' : ''
    const notes: string[] = []
    if (phone > 0)
      notes.push(`${whoHas(phone)} a phone number that cannot be read${advice}`)
    if (email > 0) notes.push(`${whoHas(email)} an email address that cannot be read`)
    return notes
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
): CellReading {
  const kind = kindOf(identity)
  if (kind === 'email') return readAddresses(text)
  if (kind === 'phone' && !e164AsWritten.test(text)) return readPhones(text, country)
  if (kind === 'phone') return { values: [phoneValue(text)], problem: undefined }
  const name = fold(text).replace(/^@/, '')
  const values = name === '' ? [] : [wholeValue(name, `${identity} ${name}`)]
  return { values, problem: undefined }
}

/** Returns the keys and near keys of values. */
export function keysOf(values: readonly Value[]) {
  return values.flatMap(({ key, nearKey }) => [key ?? nearKey, nearKey])
}
