import { fileOption, idsArgument, inputOptions, readContactIds } from '../../cli/inputs.ts'
import {
  inOption,
  peopleSource,
  seekContacts,
  soughtColumns,
  type SoughtContact,
} from '../../cli/lists.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exitCodes } from '../../errors.ts'
import { rows } from '../../output/result.ts'

export const verb = defineVerb({
  description:
    'Show contacts by id, with their lists: a row for each id, in the order of the input. The service cannot look up a contact ' +
    'by its id, so svc reads the members of all contact lists, or of those of --in. If an id is on none ' +
    'of these lists, FOUND says no and the exit code is 3. Such a contact can still exist.',
  examples: [
    'svc contacts get 64007f0bd5aad2927b00036f --in VIP',
    'svc lists members VIP -o ids | svc contacts get - -o csv',
  ],
  arguments: [idsArgument],
  options: { ...fileOption, ...inputOptions, ...inOption },
  effect: 'reads',
  columns: soughtColumns,
  ids: 'id',
  run: async (context, [words], options) => {
    const ids = await readContactIds(context, { ...options, words })
    if (ids.length === 0) return rows<SoughtContact>([], { empty: 'the input has no ids' })
    const source = await peopleSource(context, options)
    const { contacts, people, areAllFound } = await seekContacts(source, ids)
    const found = contacts.filter((contact) => contact.found)
    const notes = people.extentNotes(areAllFound)
    const exitCode = areAllFound ? exitCodes.done : exitCodes.incomplete
    const { format } = context.print
    return rows(format === 'ids' ? found : contacts, { ending: { notes, exitCode } })
  },
})
