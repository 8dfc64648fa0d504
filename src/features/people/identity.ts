/**
 * Values of contacts (phone numbers, addresses, messenger values) in the form in which they are compared,
 * and those that stand in a cell of a table.
 */
import { identityKeys } from '../../api/operations.ts'
import type { Contact } from '../../api/schemas.ts'
import type { Context } from '../../cli/context.ts'
import { fold, visibleText } from '../../words.ts'
import { kindOf, type IdentityKey, type Kind } from './kinds.ts'
import {
  phoneFit,
  phoneReader,
  phoneText,
  type Country,
  type Phone,
  type PhoneFit,
  type ReadPhones,
} from './phone.ts'

export interface Identity {
  readonly key: IdentityKey
  readonly text: string
  /** The country of a phone number that does not say it. */
  readonly country?: Country | undefined
}

/** A value as it is compared: of two that are exactly the same the text is the same. */
export interface IdentityValue {
  readonly kind: Kind
  /** `email anna@example.org`, `phone +491712345678 ext. 5`; of a number whose country is not known `phone …` with its digits. */
  readonly text: string
  readonly phone?: Phone | undefined
}

export type ReadValues = (identity: Identity) => IdentityValue[]

/** Values without letter case, usernames without their @ sign, and phone numbers as they are read. None where nothing can be read. */
export function valueReader(readPhones: ReadPhones): ReadValues {
  return ({ key, text, country }) => {
    const kind = kindOf(key)
    if (kind === 'phone') {
      const phones = readPhones(text, country)
      return phones.map((phone) => ({ kind, text: phoneText(phone), phone }))
    }
    const folded = fold(text)
    const plain = kind === 'email' ? folded : folded.replace(/^@/, '')
    return plain === '' ? [] : [{ kind, text: `${key} ${plain}` }]
  }
}

/** The reader of a command, which reads phone numbers as they are written in `--country`. Throws exit 2 for a country that does not exist. */
export async function readerOf(context: Context): Promise<ReadValues> {
  const { settings } = await context.configuration()
  return valueReader(phoneReader(settings.country.value))
}

/** The values of a contact, of some kinds. */
export function valuesOf(
  { identities }: Contact,
  readValues: ReadValues,
  wanted: ReadonlySet<Kind>,
): IdentityValue[] {
  const keys = identityKeys.filter((key) => wanted.has(kindOf(key)))
  return keys.flatMap((key) => {
    const texts = identities?.[key] ?? []
    return texts.flatMap((text) => readValues({ key, text }))
  })
}

/** How two values fit; undefined where they do not. */
export function valueFit(one: IdentityValue, other: IdentityValue): PhoneFit | undefined {
  if (one.phone !== undefined && other.phone !== undefined)
    return phoneFit(one.phone, other.phone)
  return one.text === other.text ? 'exact' : undefined
}

const empty = new Set(['', '-', '–', '?', 'n/a', 'none', 'unknown'])

/** Whether a cell says in words or signs that it has nothing; `'-` is how svc's own csv writes a `-`, which could begin a formula. */
export function isEmptyCell(text: string): boolean {
  return empty.has(fold(text).replace(/^'/, ''))
}

/** The email addresses of a cell, with any text around them, or its messenger values. `phone.ts` finds phone numbers. */
export function textsIn(key: IdentityKey, text: string): string[] {
  if (kindOf(key) === 'phone') return [text]
  if (key !== 'email') {
    const values = text.split(/;|[\r\n]+/)
    return values.filter((value) => value.trim() !== '')
  }
  const words = visibleText(text).split(/[\s;,|<>()"]+/)
  // An address can stand behind `mailto:`, and before the end of a sentence.
  const plain = words.map((word) => word.replace(/^mailto:/i, '').replace(/[.:]+$/, ''))
  return plain.filter((word) => /^[^@]+@[^@.]+(?:\.[^@.]+)+$/.test(word))
}
