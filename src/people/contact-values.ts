/** Reads the values of contacts, by which they are found, and counts the contacts with a value that cannot be read. */
import { identityKeys, type IdentityKey } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import { fold, pluralize } from '../words.ts'
import { readAddresses } from './addresses.ts'
import type { Country } from './countries.ts'
import { phoneValue, readPhones } from './phones.ts'
import type { Reading, Value } from './reading.ts'

type ValueKind = Value['kind']

export class ContactReader {
  readonly #identities: readonly IdentityKey[]
  readonly #country: Country | undefined
  /** How many contacts have a value that cannot be read, and so is not compared. */
  readonly #unreadCounts = { phone: 0, email: 0, messenger: 0 }

  /** Reads values of some kinds. `country` is assumed for numbers without `+` or `00`. */
  constructor(kinds: readonly ValueKind[], country: Country | undefined) {
    this.#identities = identityKeys.filter((identity) => kinds.includes(kindOf(identity)))
    this.#country = country
  }

  /** Returns the values of a contact. Those in a text that was not understood as a whole can only fit nearly. */
  read({ identities }: FoundContact) {
    const values: Value[] = []
    const unread = new Set<ValueKind>()
    for (const identity of this.#identities)
      for (const text of identities?.[identity] ?? []) {
        const { values: found, problem } = readText(text, identity, this.#country)
        if (problem === undefined) values.push(...found)
        else {
          unread.add(kindOf(identity))
          values.push(...found.map(withoutExact))
        }
      }
    for (const kind of unread) this.#unreadCounts[kind] += 1
    return values
  }

  /** Returns notes that count the contacts with an unread value. */
  notes() {
    const { phone, email } = this.#unreadCounts
    const whoHas = (count: number) => pluralize(count, 'contact has', 'contacts have')
    const advice = this.#country === undefined ? ': add --country' : ''
    const notes: string[] = []
    if (phone > 0)
      notes.push(`${whoHas(phone)} a phone number that cannot be read${advice}`)
    if (email > 0) notes.push(`${whoHas(email)} an email address that cannot be read`)
    return notes
  }
}

/** Returns the kind of an identity. Messengers have phone numbers, too: `messengerA_phone`. */
function kindOf(identity: IdentityKey): ValueKind {
  if (identity === 'email') return 'email'
  return identity.endsWith('phone') ? 'phone' : 'messenger'
}

/**
 * A number that surely is E.164, as most are that the service has. A 0 among its digits 2 to 4 may be a national prefix, which the
 * library removes.
 */
const e164AsWritten = /^\+(?!\d{1,3}0)[1-9]\d{7,14}$/

function readText(
  text: string,
  identity: IdentityKey,
  country: Country | undefined,
): Reading {
  switch (kindOf(identity)) {
    case 'email':
      return readAddresses(text)
    case 'phone':
      return e164AsWritten.test(text)
        ? { values: [phoneValue(text)] }
        : readPhones(text, country)
    case 'messenger':
      return readMessenger(text, identity)
  }
}

function readMessenger(text: string, identity: IdentityKey): Reading {
  const name = fold(text).replace(/^@/, '')
  const exact = `${identity} ${name}`
  const value = { kind: 'messenger', shown: name, exact, near: exact } as const
  return { values: name === '' ? [] : [value] }
}

function withoutExact(value: Value): Value {
  return { ...value, exact: undefined }
}
