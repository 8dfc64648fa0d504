import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'
import { limitOption } from '../../cli/global-options.ts'
import { foundContactView } from '../../views/found-contact.ts'
import { directorySource, inOption, phonesOf, unseenChanges } from '../directory.ts'

export const find = defineVerb({
  description:
    'Find contacts by phone, email, name or messenger. The service has no search for contacts, so svc reads the members of\n' +
    'all contact lists; a contact that is on no list cannot be found. A contact has to match every option that is given.\n' +
    'Phone numbers are compared with their country: give numbers without + or 00 with --country.',
  notes: unseenChanges,
  examples: [
    'svc contacts find --phone "0171 2345678" --country DE',
    'svc contacts find --email contact25@example.com --json',
    'svc contacts find --name "anna miller" -o ids',
  ],
  options: {
    phone: { value: 'number', takes: 'word', summary: 'a phone number, however it is written' },
    email: { value: 'address', takes: 'word', summary: 'the whole email address' },
    name: { value: 'text', takes: 'text', summary: 'words of the name: "anna miller"' },
    messenger: {
      value: 'id',
      takes: 'word',
      summary: 'a user id or username of a messenger or social network',
    },
    ...inOption,
    ...limitOption,
  },
  effect: 'reads',
  shows: { ...foundContactView, schema: schemaOf('FoundContacts') },
  run: async (context, _args, options) => {
    const [readPhones, { criteriaOf, findContacts }] = await Promise.all([
      options.phone === undefined ? () => [] : phonesOf(context),
      import('../../directory/find.ts'),
    ])
    const criteria = criteriaOf(options, readPhones)
    const source = await directorySource(context, options)
    const found = findContacts(source, criteria, context.print.rowLimit)
    return rows(found, { what: 'contacts', empty: 'no contact found' })
  },
})
