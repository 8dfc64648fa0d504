import type { FoundContact } from '../../api/people.ts'
import { fileOption, idsArgument, inputOptions, readContactIds } from '../../cli/inputs.ts'
import { contactColumns, readContacts, sourceOptions } from '../../cli/contacts.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exitCodes } from '../../errors.ts'
import { rows, text, type Columns } from '../../output/result.ts'

/** A contact that was asked for. If it is on no list, only its id is known. */
interface SoughtContact extends FoundContact {
  found: boolean
}

const columns: Columns<SoughtContact> = { ...contactColumns, FOUND: text('found') }

export const verb = defineVerb({
  summary: 'show contacts by id, with their lists',
  description:
    'Show contacts by id, with their lists: a row for each id, in the order of the input. The service cannot look up a contact ' +
    'by its id, so svc reads the members of all contact lists, or of those of --in. If an id is on none ' +
    'of these lists, FOUND says no and the exit code is 3. Such a contact can still exist.',
  examples: [
    'svc contacts get 64007f0bd5aad2927b00036f --in VIP',
    'svc lists members VIP -o ids | svc contacts get - --out members.xlsx',
  ],
  arguments: [idsArgument],
  options: { ...fileOption, ...inputOptions, ...sourceOptions },
  isRead: true,
  columns,
  ids: 'id',
  act: async (context, [words], options) => {
    const ids = await readContactIds(context, { ...options, words })
    if (ids.length === 0) return rows<SoughtContact>([], { empty: 'the input has no ids' })
    const people = await readContacts(context, options)
    const contacts = ids.map((id): SoughtContact => {
      const contact = people.find(id)
      return { ...(contact ?? { id, lists: [] }), found: contact !== undefined }
    })
    const found = contacts.filter((contact) => contact.found)
    const areAllFound = found.length === contacts.length
    return rows(context.print.format === 'ids' ? found : contacts, {
      notes: people.extentNotes(areAllFound),
      exitCode: areAllFound ? exitCodes.done : exitCodes.incomplete,
    })
  },
})
