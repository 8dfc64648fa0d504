/**
 * Why a row of a table is not `one`, in words for the person who decides: the column WHY of `svc contacts
 * match --annotate`, and `why` of its JSON. Pure. `svc help spreadsheets` lists the sentences.
 */
import { fullName } from '../../api/names.ts'
import { firstOf, groupDigits, joinOr } from '../../words.ts'
import { valueFit, valuesOf, type ReadValues, type IdentityValue } from './identity.ts'
import type { KnownValue, MatchedRow } from './match.ts'
import { e164Of, writeNumber } from './phone.ts'

/** Values and names of a sentence; the others are in the table. */
const mostNamed = 5

export function whyOf(row: MatchedRow, readValues: ReadValues): string {
  const { verdict, unknown } = row.match
  if (verdict === 'one' || verdict === 'no') return ''
  const doubts = unknown.flatMap(({ doubt }) => doubt ?? [])
  const words = [
    ...verdictWords(row, readValues),
    ...row.unreadable,
    ...doubts,
    ...row.remarks,
  ]
  return words.length === 0 ? 'nothing to look for' : [...new Set(words)].join('; ')
}

function verdictWords({ name, match }: MatchedRow, readValues: ReadValues): string[] {
  const { verdict, contacts, known, unknown } = match
  const [contact] = contacts
  switch (verdict) {
    case 'differs':
      return [`names differ: ${name}, ${contact === undefined ? '' : fullName(contact)}`]
    case 'variant': {
      const stored =
        contact === undefined ? [] : valuesOf(contact, readValues, new Set(['phone']))
      return known.map((value) => variantWords(value, stored))
    }
    case 'several':
      return [severalWords(contacts.length, namesOf(known).slice(0, mostNamed))]
    case 'conflict':
      return known.slice(0, mostNamed).map(ownerWords)
    case 'one':
    case 'no':
      return []
    case 'none':
    case 'unreadable':
    case 'empty': {
      const compared = unknown.filter(({ doubt }) => doubt === undefined)
      return compared.length === 0 ? [] : [`nobody has ${nameSome(compared)}`]
    }
  }
}

/** A number that is only written like one that the contact has. `stored`: the numbers of the contact. */
function variantWords(value: KnownValue, stored: readonly IdentityValue[]): string {
  const number = show(value)
  const like = stored.find((other) => valueFit(value, other) === value.fit)
  const other = like === undefined ? number : show(like)
  return number === other
    ? `the country of ${number} is not known`
    : `${number} could be ${other}`
}

function ownerWords(value: KnownValue): string {
  const { people } = value
  const [owner] = people
  if (owner === undefined || people.size > 1)
    return severalWords(people.size, [show(value)])
  return `${fullName(owner) || owner.id} fits ${show(value)}`
}

function severalWords(count: number, values: readonly string[]): string {
  return `${groupDigits(count)} contacts fit ${values.join(' and ')}`
}

function show({ text, phone }: IdentityValue): string {
  if (phone === undefined) return text.slice(text.indexOf(' ') + 1)
  const e164 = e164Of(phone)
  const number = e164 === undefined ? `…${phone.digits}` : writeNumber(e164)
  return phone.extension === undefined ? number : `${number} ext. ${phone.extension}`
}

function namesOf(values: readonly IdentityValue[]): string[] {
  return [...new Set(values.map(show))]
}

function nameSome(values: readonly IdentityValue[]): string {
  const names = namesOf(values)
  return names.length > mostNamed ? firstOf(names, mostNamed).join(', ') : joinOr(names)
}
