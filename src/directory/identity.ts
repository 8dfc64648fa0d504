/** How values of a contact are compared: each kind in its own way, phone numbers in `phone.ts`. */
import { identityKeys } from '../api/limits.ts'
import type { Contact } from '../api/schemas.ts'

export type IdentityKey = (typeof identityKeys)[number]
export const kinds = ['phone', 'email', 'messenger'] as const
export type Kind = (typeof kinds)[number]

const isPhone = (key: IdentityKey): boolean => key === 'phone' || key.endsWith('_phone')
export const kindOf = (key: IdentityKey): Kind => (isPhone(key) ? 'phone' : key === 'email' ? 'email' : 'messenger')

export interface Identity {
  readonly kind: Kind
  readonly key: IdentityKey
  readonly text: string
}

const withKinds = identityKeys.map((key) => [key, kindOf(key)] as const)
const noTexts: readonly string[] = []

/** Every identity of a contact, blank ones aside. In plain loops: a large company has millions. */
export function identitiesOf({ identities }: Contact): Identity[] {
  const found: Identity[] = []
  for (const [key, kind] of withKinds) {
    for (const text of identities?.[key] ?? noTexts) if (text.trim() !== '') found.push({ kind, key, text })
  }
  return found
}

/** ASCII without blanks and capitals, as most addresses are. */
const isFolded = /^[!-@[-~]*$/

/** Without letter case, outer and repeated blanks, and Unicode form. By way of upper case, where ß is SS and both small sigmas are one letter. */
export function folded(text: string): string {
  if (isFolded.test(text)) return text
  return text.normalize('NFC').trim().replace(/\s+/g, ' ').toUpperCase().toLowerCase()
}

/** A username as it is compared: many people write it with its @ sign. */
export function foldedUsername(text: string): string {
  return folded(text).replace(/^@/, '')
}

/** A value as it is compared, but for phone numbers. */
export function foldedValue(key: IdentityKey, text: string): string {
  return key === 'email' ? folded(text) : foldedUsername(text)
}

/** The words of a name without letter case and accents. */
export function nameWords(name: string): Set<string> {
  const plain = folded(name.normalize('NFD').replace(/\p{M}/gu, ''))
  return new Set(plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''))
}

/** Whether both names have words, and no word in common: the number may have changed hands. */
export function namesDiffer(one: string, other: string): boolean {
  const [words, others] = [nameWords(one), nameWords(other)]
  return words.size > 0 && others.size > 0 && ![...words].some((word) => others.has(word))
}
