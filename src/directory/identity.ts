/**
 * Phone numbers, addresses and messenger values of a contact, the form in which they are compared (phone numbers in `phone.ts`), and those
 * that stand in a cell of a table. `value-index.ts` compares them for `find`, `match` and `duplicates`; `sought.ts` and `headings.ts` read cells.
 */
import { identityKeys } from '../api/operations.ts'
import type { Contact } from '../api/schemas.ts'
import { fold } from '../words.ts'
import { phoneText, type Country, type Phone, type ReadPhones } from './phone.ts'

export type IdentityKey = (typeof identityKeys)[number]
export const kinds = ['phone', 'email', 'messenger'] as const
export type Kind = (typeof kinds)[number]

const isPhone = (key: IdentityKey): boolean => key === 'phone' || key.endsWith('_phone')

export function kindOf(key: IdentityKey): Kind {
  if (isPhone(key)) return 'phone'
  return key === 'email' ? 'email' : 'messenger'
}

export const messengerKeys = identityKeys.filter((key) => kindOf(key) === 'messenger')

export interface Identity {
  readonly kind: Kind
  readonly key: IdentityKey
  readonly text: string
  /** The country of a phone number that does not say it. */
  readonly country?: Country | undefined
}

const withKinds = identityKeys.map((key) => [key, kindOf(key)] as const)
const noTexts: readonly string[] = []

/** Every identity of a contact, blank ones aside. In plain loops: a large company has millions. */
export function identitiesOf({ identities }: Contact): Identity[] {
  const found: Identity[] = []
  for (const [key, kind] of withKinds) {
    for (const text of identities?.[key] ?? noTexts) {
      if (text.trim() !== '') found.push({ kind, key, text })
    }
  }
  return found
}

/** A value as it is compared: of two that are exactly the same the text is the same. */
export interface Value {
  readonly kind: Kind
  /** `email anna@example.org`, `phone +491712345678 ext. 5`; of a number whose country is not known `phone 0171 …` with its digits. */
  readonly text: string
  readonly phone?: Phone | undefined
}

/** Its text is made when it is asked for: of most numbers nobody does. */
class PhoneValue implements Value {
  readonly kind = 'phone'
  readonly phone: Phone

  constructor(phone: Phone) {
    this.phone = phone
  }

  get text(): string {
    return phoneText(this.phone)
  }
}

export type ReadValues = (identity: Identity) => Value[]

/** Values without letter case, usernames without their @ sign, and phone numbers as they are read. None where nothing can be read. */
export function valueReader(readPhones: ReadPhones): ReadValues {
  return ({ kind, key, text, country }) => {
    if (kind === 'phone') {
      const phones = readPhones(text, country)
      return phones.map((phone) => new PhoneValue(phone))
    }
    const folded = fold(text)
    const plain = kind === 'email' ? folded : folded.replace(/^@/, '')
    return plain === '' ? [] : [{ kind, text: `${key} ${plain}` }]
  }
}

const empty = new Set(['', '-', '–', '?', 'n/a', 'none', 'unknown'])
/** The longest of them, behind a `'`. */
const longestEmpty = 8

/** Whether a cell says in words or signs that it has nothing; `'-` is how svc's own csv writes a `-`, which could begin a formula. */
export function isEmptyCell(text: string): boolean {
  const trimmed = text.trim()
  // Nearly every cell has something, and each is asked several times.
  if (trimmed.length > longestEmpty) return false
  return empty.has(trimmed.replace(/^'/, '').toLowerCase())
}

/** The addresses of a cell, whatever stands around them, or its messenger values; numbers are found where they are read. */
export function textsIn(key: IdentityKey, text: string): string[] {
  if (kindOf(key) === 'phone') return [text]
  if (key !== 'email') {
    const values = text.split(/;|[\r\n]+/)
    return values.filter((value) => value.trim() !== '')
  }
  const parts = text.split(/[\s;,|<>()"]+/)
  return parts.map(withoutSurroundings).filter(isAddress)
}

/** A word as an address may be among others: behind `mailto:`, and before the end of a sentence. */
function withoutSurroundings(word: string): string {
  return word.replace(/^mailto:/i, '').replace(/[.:]+$/, '')
}

function isAddress(word: string): boolean {
  return /^[^@]+@[^@]+$/.test(word)
}
