import { contactColumns, inOption, readContacts } from '../../cli/contacts.ts'
import { defineVerb, limitOption } from '../../cli/verb.ts'
import { rows } from '../../output/result.ts'

export const verb = defineVerb({
  summary: 'list each contact once, with its lists',
  description:
    'List each contact once, with its lists. svc reads the members of all contact lists (or those of --in), so it does not know a contact that ' +
    'is on no list.',
  examples: ['svc contacts list --in VIP', 'svc contacts list --out people.ndjson'],
  options: { ...inOption, ...limitOption },
  isRead: true,
  columns: contactColumns,
  ids: 'id',
  act: async (context, _args, options) => {
    const { all, extentNotes } = await readContacts(context, options)
    return rows(all, { what: 'contacts', notes: extentNotes(all.length > 0) })
  },
})
