/** Contacts that fit what is sought, each once, with the lists that they are on. */
import type { Ending } from '../output/result.ts'
import type { FoundContact } from '../resources/found-contact.ts'
import type { Criteria } from './criteria.ts'
import type { PhoneFit } from './phone.ts'
import { counted, extent, readDirectory, type DirectorySource } from './reading.ts'

const variantWords = 'variant of the phone number, which may be another number: check'

/** `first`: one contact is enough; one that fits exactly comes before a variant. */
export async function* findContacts(
  source: DirectorySource,
  { fitOf, hints }: Criteria,
  first: boolean,
): AsyncGenerator<FoundContact, Ending> {
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
