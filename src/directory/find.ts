/** What a contact is looked for by, all of which has to fit; and the contacts that fit, each once, with the lists that they are on. */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { usageError } from '../errors.ts'
import { shorten } from '../ids/id.ts'
import type { FoundContact } from '../resources/found-contact.ts'
import { folded, foldedUsername, identitiesOf, type Kind } from './identity.ts'
import { nameTest } from './names.ts'
import { leastDigits, phoneFit, type Phone, type PhoneFit, type ReadPhones } from './phone.ts'
import { counted, extent, readDirectory, type DirectorySource } from './reading.ts'

export type Sought = Readonly<Partial<Record<'phone' | 'email' | 'name' | 'messenger', string>>>

type Criteria = ReturnType<typeof criteriaOf>

/** Throws exit 2 when nothing is given, or when something is empty. */
export function criteriaOf(sought: Sought, readPhones: ReadPhones) {
  const tests = [
    textTest('--email', sought.email, 'email', folded),
    textTest('--messenger', sought.messenger, 'messenger', foldedUsername),
    nameOf(sought.name),
  ].filter((test) => test !== undefined)
  const phone = sought.phone === undefined ? undefined : onlyPhone(sought.phone, readPhones)
  if (tests.length === 0 && phone === undefined)
    throw usageError('nothing to look for: give --phone, --email, --name or --messenger')
  return {
    /** `variant`: only by a phone number that a person has to look at. */
    fitOf: (contact: Contact): PhoneFit =>
      !tests.every((test) => test(contact))
        ? 'none'
        : phone === undefined
          ? 'exact'
          : bestFit(phone, contact, readPhones),
    /** How incomplete values were compared, for when no contact is found. */
    hints: [
      ...(phone !== undefined && phone.readings.length === 0
        ? [
            `a phone number without its country is compared by its last digits, ${leastDigits} at least; ` +
              'write it whole (+49 …), or name the country: --country DE',
          ]
        : []),
      ...(sought.name === undefined
        ? []
        : ['a name fits when each word you type is a whole word of it, in any letter case and without accents']),
    ],
  }
}

type Test = (contact: Contact) => boolean

function textTest(option: string, typed: string | undefined, kind: Kind, fold: (text: string) => string) {
  if (typed === undefined) return undefined
  const wanted = fold(typed)
  if (wanted === '') throw usageError(`${option} is empty`)
  return (contact: Contact) => identitiesOf(contact).some((found) => found.kind === kind && fold(found.text) === wanted)
}

function nameOf(typed: string | undefined): Test | undefined {
  if (typed === undefined) return undefined
  if (folded(typed) === '') throw usageError('--name is empty')
  const fits = nameTest(typed)
  return (contact) => fits(fullName(contact))
}

function bestFit(wanted: Phone, contact: Contact, readPhones: ReadPhones): PhoneFit {
  const texts = identitiesOf(contact).flatMap(({ kind, text }) => (kind === 'phone' ? [text] : []))
  const fits = texts.flatMap(readPhones).map((stored) => phoneFit(wanted, stored))
  return fits.includes('exact') ? 'exact' : fits.includes('variant') ? 'variant' : 'none'
}

/** Throws exit 2 for a text that is no phone number, or several. */
function onlyPhone(typed: string, readPhones: ReadPhones): Phone {
  const [phone, ...others] = readPhones(typed)
  if (phone !== undefined && others.length === 0) return phone
  if (phone !== undefined) throw usageError(`--phone has ${others.length + 1} numbers: give one`)
  const hasDigits = /\p{Nd}/u.test(typed)
  const why = !hasDigits ? ': it has no digits' : !/[1-9]/.test(typed) ? ': its digits are all zeros' : ''
  const hint = 'write it whole, as in --phone "+49 171 2345678"'
  throw usageError(`--phone: "${shorten(typed)}" is not a phone number${why}`, hint)
}

const variantWords = 'variant of the phone number, which may be another number: check'

/** `first`: one contact is enough; one that fits exactly comes before a variant. */
export async function* findContacts(source: DirectorySource, { fitOf, hints }: Criteria, first: boolean) {
  /** By id in lower case, each with how it fits. */
  const found = new Map<string, { readonly contact: FoundContact; readonly fit: PhoneFit }>()
  let hasExact = false
  const isEnough = (): boolean => first && hasExact
  const reading = readDirectory({ ...source, isEnough }, (contact, { id, name }) => {
    const key = contact.id.toLowerCase()
    const known = found.get(key)
    const fit = known?.fit ?? fitOf(contact)
    if (fit === 'none') return
    hasExact ||= fit === 'exact'
    const lists = [...(known?.contact.lists ?? []), { id, name }]
    found.set(key, { contact: { ...(known?.contact ?? contact), lists }, fit })
  })
  const [ended] = await Promise.allSettled([reading])
  const all = [...found.values()]
  const shown = first ? [all.find(({ fit }) => fit === 'exact') ?? all[0]].filter((one) => one !== undefined) : all
  // What was found before a failure comes first; the error says that it may not be all.
  yield* shown.map(({ contact }) => contact)
  if (ended.status === 'rejected') throw ended.reason
  const variants = shown.flatMap(({ contact, fit }) => (fit === 'variant' ? [contact.id] : []))
  const which = variants.length > 5 ? '' : ` ${variants.join(', ')}`
  return {
    notes: [
      ...(variants.length > 0 ? [`${counted(variants.length, 'contact')} found by a ${variantWords}${which}`] : []),
      ...(shown.length === 0 ? hints : []),
      ...(first && shown.length > 0
        ? [`stopped at the first contact found, after ${extent(ended.value)}`]
        : ended.value.notes()),
    ],
  }
}
