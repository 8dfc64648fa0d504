import { contactColumns, readContacts, sourceOptions } from '../../cli/lists.ts'
import { defineVerb, countryOption, limitOption } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
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
        'an email address, four digits or more of a phone number, or words of a name',
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
  effect: 'reads',
  columns: contactColumns,
  ids: 'id',
  act: async (context, [words], options) => {
    const { contactFinder } = await import('../../people/search.ts')
    const { settings } = await context.configuration()
    const text = words.join(' ')
    const kind = kindOfWords(text)
    const sought = text === '' ? options : { ...options, [kind]: [...options[kind], text] }
    const find = contactFinder(sought, settings.country)
    const people = await readContacts(context, options)
    const { exactly: exact, nearly: near, notes: unread } = find(people.all)
    const { format } = context.print
    // Other formats go to the next command, which must not take somebody who fits only nearly.
    const found = format === 'table' ? [...exact, ...near] : exact
    const notes = [...people.extentNotes(found.length > 0), ...unread]
    if (near.length > 0) notes.unshift(nearNote(near.length, format === 'table'))
    return rows(found, {
      what: 'contacts',
      empty: 'no contact found',
      notes,
    })
  },
})

function kindOfWords(text: string) {
  if (text.includes('@')) return 'email'
  return (text.match(/\p{Nd}/gu)?.length ?? 0) < 4 ? 'name' : 'phone'
}

/** Says that contacts fit only nearly: those at the end of a table, or those that other formats leave out. */
function nearNote(nearCount: number, areShown: boolean) {
  const place = areShown ? 'at the end of the table' : 'and a table shows them: -o table'
  return `${pluralize(nearCount, 'contact fits', 'contacts fit')} only nearly, ${place}`
}
