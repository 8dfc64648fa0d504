/** The contacts by their values, which are read once for a search. */
import { identityKeys, type IdentityKey } from '../api/operations.ts'
import type { FoundContact } from '../api/people.ts'
import { fold, pluralize } from '../words.ts'
import {
  type Country,
  isNear,
  phoneValue,
  readAddresses,
  readPhones,
  wholeValue,
  type Reading,
} from './identities.ts'

/** The kinds of values. Messengers have phone numbers too: `messengerA_phone`. */
type ValueKind = 'phone' | 'email' | 'messenger'

function kindOf(identity: IdentityKey): ValueKind {
  if (identity === 'email') return 'email'
  return identity.endsWith('phone') ? 'phone' : 'messenger'
}

/**
 * Reads the values of some kinds. Returns the contacts by those of their keys that are wanted, and notes that count the contacts
 * with a value that could not be read, and so was not compared. `country` is assumed for numbers without `+` or `00`.
 */
export function indexContacts(
  contacts: readonly FoundContact[],
  kinds: readonly ValueKind[],
  country: Country | undefined,
  isWanted: (key: string) => boolean,
) {
  const owners = new Map<string, FoundContact[]>()
  const unread = { phone: new Set(), email: new Set(), messenger: new Set() }

  function add(key: string, contact: FoundContact) {
    const present = owners.get(key)
    // Most values have one owner. An array that starts with one item takes less memory than an empty one that grows.
    if (present === undefined) owners.set(key, [contact])
    else if (present.at(-1) !== contact) present.push(contact)
  }

  function addValues(contact: FoundContact, identity: IdentityKey) {
    for (const text of contact.identities?.[identity] ?? []) {
      const { values, problem } = readOwn(identity, text, country)
      if (problem !== undefined) unread[kindOf(identity)].add(contact)
      // A value that is found in an odd text fits nearly at most.
      for (const key of values.flatMap(({ keys }) => keys))
        if (isWanted(key) && (problem === undefined || isNear(key))) add(key, contact)
    }
  }

  const identities = identityKeys.filter((identity) => kinds.includes(kindOf(identity)))
  for (const contact of contacts)
    for (const identity of identities) addValues(contact, identity)

  const whoHas = ({ size }: Set<unknown>) => pluralize(size, 'contact has', 'contacts have')
  const advice = country === undefined ? ': add --country' : ''
  const notes: string[] = []
  if (unread.phone.size > 0)
    notes.push(`${whoHas(unread.phone)} a phone number that cannot be read${advice}`)
  if (unread.email.size > 0)
    notes.push(`${whoHas(unread.email)} an email address that cannot be read`)
  return { owners: owners as ReadonlyMap<string, readonly FoundContact[]>, notes }
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
): Reading {
  const kind = kindOf(identity)
  if (kind === 'email') return readAddresses(text)
  if (kind === 'phone')
    return e164AsWritten.test(text)
      ? { values: [phoneValue(text)] }
      : readPhones(text, country)
  const name = fold(text).replace(/^@/, '')
  return { values: name === '' ? [] : [wholeValue(name, `${identity} ${name}`)] }
}
