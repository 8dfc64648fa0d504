/** What a contact is looked for by, all of which has to fit; and the contacts that fit, each once, with the lists that they are on. */
import { fullName } from '../api/names.ts'
import type { Contact } from '../api/schemas.ts'
import { usageError } from '../errors.ts'
import type { FoundContact } from '../resources/found-contact.ts'
import { folded, foldedUsername, identitiesOf, nameWords, type Kind } from './identity.ts'
import { leastDigits, phoneFit, type Phone, type PhoneFit, type ReadPhone } from './phone.ts'
import { counted, extent, readDirectory, type DirectorySource } from './reading.ts'

export type Sought = Readonly<Partial<Record<'phone' | 'email' | 'name' | 'messenger', string>>>

type Criteria = ReturnType<typeof criteriaOf>

/** Throws exit 2 when nothing is given, or when something is empty. */
export function criteriaOf(sought: Sought, readPhone: ReadPhone) {
  const tests = [
    textTest('--email', sought.email, 'email', folded),
    textTest('--messenger', sought.messenger, 'messenger', foldedUsername),
    nameTest(sought.name),
  ].filter((test) => test !== undefined)
  const phone = sought.phone === undefined ? undefined : readPhone(sought.phone)
  if (sought.phone !== undefined && phone === undefined) throw usageError('--phone has no digits')
  if (tests.length === 0 && phone === undefined)
    throw usageError('nothing to look for: give --phone, --email, --name or --messenger')
  return {
    /** `variant`: only by a phone number that a person has to look at. */
    fitOf: (contact: Contact): PhoneFit =>
      !tests.every((test) => test(contact))
        ? 'none'
        : phone === undefined
          ? 'exact'
          : bestFit(phone, contact, readPhone),
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

function nameTest(typed: string | undefined): Test | undefined {
  if (typed === undefined) return undefined
  const [whole, wanted] = [folded(typed), [...nameWords(typed)]]
  if (whole === '') throw usageError('--name is empty')
  // A name may have neither letters nor digits: emoji.
  if (wanted.length === 0) return (contact) => folded(fullName(contact)) === whole
  return (contact) => {
    const words = nameWords(fullName(contact))
    return wanted.every((word) => words.has(word))
  }
}

function bestFit(wanted: Phone, contact: Contact, readPhone: ReadPhone): PhoneFit {
  let best: PhoneFit = 'none'
  for (const { kind, text } of identitiesOf(contact)) {
    const stored = kind === 'phone' ? readPhone(text) : undefined
    const fit = stored === undefined ? 'none' : phoneFit(wanted, stored)
    if (fit === 'exact') return fit
    if (fit === 'variant') best = fit
  }
  return best
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
