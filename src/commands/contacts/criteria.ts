/**
 * What a contact is looked for by. Texts are compared without letter case, outer blanks and Unicode form, phone numbers by
 * their digits.
 */
import { identityKeys } from '../../api/limits.ts'
import { fullName } from '../../api/names.ts'
import type { Contact } from '../../api/schemas.ts'
import { usageError } from '../../errors.ts'

export interface Sought {
  readonly phone?: string
  readonly email?: string
  readonly name?: string
  readonly messenger?: string
}

/** How a contact fits: not at all, as it was asked for, or only by the digits behind the 0 of a national phone number. */
export type Fit = 'none' | 'whole' | 'behind-zero'

type IdentityKey = (typeof identityKeys)[number]

const phoneKeys = identityKeys.filter((key) => key === 'phone' || key.endsWith('_phone'))
const messengerKeys = identityKeys.filter((key) => key !== 'email' && !phoneKeys.includes(key))

/** A function that says how a contact fits all that is given. Throws exit 2 when nothing is, or when something is empty. */
export function criteriaOf(sought: Sought): (contact: Contact) => Fit {
  const texts = [
    textTest('--email', sought.email, (contact) => identitiesOf(contact, ['email'])),
    textTest('--name', sought.name, (contact) => [fullName(contact)]),
    textTest('--messenger', sought.messenger, (contact) => identitiesOf(contact, messengerKeys), withoutAt),
  ].filter((test) => test !== undefined)
  const phone = phoneTest(sought.phone)
  if (texts.length === 0 && phone === undefined)
    throw usageError('nothing to look for: give --phone, --email, --name or --messenger')
  return (contact) => (texts.every((test) => test(contact)) ? (phone?.(contact) ?? 'whole') : 'none')
}

function textTest(
  option: string,
  typed: string | undefined,
  valuesOf: (contact: Contact) => readonly string[],
  strip = (text: string): string => text,
): ((contact: Contact) => boolean) | undefined {
  if (typed === undefined) return undefined
  const wanted = strip(folded(typed))
  if (wanted === '') throw usageError(`${option} is empty`)
  return (contact) => valuesOf(contact).some((value) => strip(folded(value)) === wanted)
}

function phoneTest(typed: string | undefined): ((contact: Contact) => Fit) | undefined {
  if (typed === undefined) return undefined
  const wanted = digitsOf(typed)
  if (wanted === '') throw usageError('--phone has no digits')
  return (contact) => {
    const fits = identitiesOf(contact, phoneKeys).map((number) => phoneFit(wanted, digitsOf(number)))
    return fits.find((fit) => fit === 'whole') ?? fits.find((fit) => fit === 'behind-zero') ?? 'none'
  }
}

function identitiesOf({ identities }: Contact, keys: readonly IdentityKey[]): string[] {
  return keys.flatMap((key) => identities?.[key] ?? [])
}

/** By way of upper case, where ß is SS and both small sigmas are one letter. */
function folded(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ').toUpperCase().toLowerCase()
}

/** Many people write a username with the sign that stands in front of it. */
function withoutAt(text: string): string {
  return text.replace(/^@/, '')
}

/** `+49 171 2345678` and `0049 171/2345678` are `491712345678`. */
function digitsOf(number: string): string {
  return number.normalize('NFKC').replace(/\D/g, '').replace(/^00/, '')
}

function phoneFit(typed: string, stored: string): Fit {
  if (typed === stored) return 'whole'
  return endsBehindZero(typed, stored) || endsBehindZero(stored, typed) ? 'behind-zero' : 'none'
}

/** A number within a country begins with one 0, which takes the place of the country's own digits. */
function endsBehindZero(national: string, other: string): boolean {
  return /^0[1-9]\d{7}/.test(national) && other.endsWith(national.slice(1))
}
