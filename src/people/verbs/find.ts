import {
  peopleSource,
  contactColumns,
  inOption,
  changesWhileReading,
} from '../../cli/lists.ts'
import { defineVerb, countryOption, limitOption } from '../../cli/verb.ts'
import { firstRows } from '../../output/result.ts'
import type { Sought } from '../find.ts'

export const verb = defineVerb({
  description:
    'Find contacts by phone, email or name. The service has no search for contacts, so svc reads the members of ' +
    'all contact lists; a contact that is on no list cannot be found. If you give a phone number and a name, a contact must ' +
    'fit both; if you give two phone numbers, one of them is enough. Phone numbers are compared with their country: add --country for numbers without + or 00. ' +
    'If nobody has exactly the number, those with the same last eight digits are shown, with a note; -o ids leaves them out.',
  notes: changesWhileReading,
  examples: [
    'svc contacts find anna miller',
    'svc contacts find --phone "0171 2345678" --country DE',
    'svc contacts find --email contact25@example.com --json',
  ],
  arguments: [
    {
      name: 'words',
      summary: 'an email address, a phone number, or words of a name',
      isVariadic: true,
    },
  ],
  options: {
    phone: {
      value: 'number',
      summary: 'a phone number, in any notation',
      isRepeatable: true,
    },
    email: { value: 'address', summary: 'the whole email address', isRepeatable: true },
    name: {
      value: 'text',
      takes: 'text',
      summary: 'words of the name: "anna miller"',
      isRepeatable: true,
    },
    ...inOption,
    ...countryOption,
    ...limitOption,
  },
  effect: 'reads',
  columns: contactColumns,
  ids: 'id',
  run: async (context, [words], options) => {
    const { findContacts } = await import('../find.ts')
    const { settings } = await context.configuration()
    const source = await peopleSource(context, options)
    const text = words.join(' ')
    const kind = kindOfWords(text)
    const sought = text === '' ? options : { ...options, [kind]: [...options[kind], text] }
    const { found, isNear, notes } = await findContacts(source, sought, settings.country)
    const { format, rowLimit } = context.print
    // Ids go to the next command, which must not take somebody whose number is only similar.
    const shown = isNear && format === 'ids' ? [] : found
    return firstRows(shown, rowLimit, {
      what: 'contacts',
      empty: 'no contact found',
      ending: { notes },
    })
  },
})

function kindOfWords(text: string): keyof Sought {
  if (text.includes('@')) return 'email'
  const digits = text.replace(/\P{Nd}/gu, '').length
  const letters = text.replace(/\P{L}/gu, '').length
  return digits > letters ? 'phone' : 'name'
}
