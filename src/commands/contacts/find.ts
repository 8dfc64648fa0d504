import { contactColumns, readContacts, sourceOptions } from '../../cli/contacts.ts'
import { defineVerb, countryOption, limitOption } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { idPattern } from '../../identifiers.ts'
import { rows } from '../../output/result.ts'
import type { Sought } from '../../people/search.ts'
import { pluralize } from '../../words.ts'

export const verb = defineVerb({
  summary: 'find contacts by phone, email or name',
  description:
    'Find contacts by phone, email or name. The service has no search for contacts, so svc reads the members of ' +
    'all contact lists; a contact that is on no list cannot be found. If you give a phone number and a name, a contact must ' +
    'fit both; if you give two phone numbers, one of them is enough. Phone numbers are compared with their country: add --country for numbers without + or 00. ' +
    'A table also shows the contacts that fit nearly: the number ends with the typed digits, or words of the name begin with the typed ones. ' +
    'Other formats have only those that fit exactly.',
  notes: `If a list changes while svc reads it, svc reads it again, up to four times;
then the exit code is 7. At the end, lists that grew meanwhile are read again.`,
  examples: [
    'svc contacts find anna miller',
    'svc contacts find --phone "0171 2345678" --country DE',
    'svc contacts find --email contact25@example.com --json',
  ],
  arguments: [
    {
      name: 'words',
      summary:
        'an email address, a phone number or its last digits (four or more), or words of a name',
      isVariadic: true,
    },
  ],
  options: {
    phone: {
      value: 'number',
      summary: 'a phone number, or the end of one',
      isRepeatable: true,
    },
    email: { value: 'address', summary: 'the whole email address', isRepeatable: true },
    name: {
      value: 'text',
      summary: 'words of the name: "anna miller"',
      isRepeatable: true,
    },
    ...sourceOptions,
    ...countryOption,
    ...limitOption,
  },
  isRead: true,
  columns: contactColumns,
  ids: 'id',
  act: async (context, [words], options) => {
    const { contactFinder } = await import('../../people/search.ts')
    const { settings } = await context.configuration()
    const sought = addWords(words.join(' '), options)
    const find = contactFinder(sought, settings.country)
    const people = await readContacts(context, options)
    const { exactly, nearly, notes } = find(people.all)
    // Other formats go to the next command, which must not take somebody who fits only nearly.
    const isTable = context.print.format === 'table'
    const shown = isTable ? [...exactly, ...nearly] : exactly
    return rows(shown, {
      what: 'contacts',
      empty: 'no contact found',
      notes: [
        ...nearNotes(nearly.length, isTable),
        ...people.extentNotes(shown.length > 0),
        ...notes,
      ],
    })
  },
})

/** Adds typed words to the texts of the options: an address has an @, and a number has four digits or more. */
function addWords(words: string, { phone, email, name }: Sought): Sought {
  if (words === '') return { phone, email, name }
  if (idPattern.test(words))
    throw usageError(
      `"${words}" is an id`,
      `to show the contact:\n  svc contacts get ${words}`,
    )
  const digitCount = words.match(/\p{Nd}/gu)?.length ?? 0
  if (words.includes('@')) return { phone, email: [...email, words], name }
  if (digitCount >= 4) return { phone: [...phone, words], email, name }
  return { phone, email, name: [...name, words] }
}

/** Returns a note about contacts that fit only nearly: a table shows them at its end, and other formats leave them out. */
function nearNotes(count: number, areShown: boolean) {
  if (count === 0) return []
  const who = pluralize(count, 'contact fits only nearly', 'contacts fit only nearly')
  return [
    areShown ? `${who}: at the end of the table` : `${who}: to see them, add -o table`,
  ]
}
