import { svc } from '../../message.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exit, usageError } from '../../errors.ts'
import type { DirectorySource } from '../../directory/people.ts'
import type { IdTable } from '../../input/id-table.ts'
import { rows, type Ending } from '../../output/result.ts'
import type { FoundContact } from '../../views/found-contact.ts'
import { directorySource, foundContactsView, inOption } from '../directory.ts'
import { fileOption, inputOptions } from '../../cli/input-options.ts'
import { readTable } from '../id-reading.ts'
import { firstOf } from '../../words.ts'

export const verb = defineVerb({
  description:
    'Show contacts by their ids, with the lists that they are on, in the order of the input. The service cannot look up\n' +
    'a contact by its id, so svc reads the members of all contact lists. If an id is on none of them, the exit code is 3.',
  examples: [
    'svc contacts get 64007f0bd5aad2927b00036f --in VIP',
    'svc lists members VIP -o ids | svc contacts get - -o csv',
  ],
  arguments: [
    {
      name: 'id',
      takes: 'contact',
      summary: 'contact ids; - for standard input',
      isVariadic: true,
    },
  ],
  options: {
    ...fileOption,
    ...inputOptions,
    ...inOption,
  },
  effect: 'reads',
  shows: foundContactsView,
  run: async (context, [words], options) => {
    if (words.length + options.file.length === 0)
      throw usageError('name contact ids, or a file of them with --file', [
        svc`contacts get <id...>`,
      ])
    const ids = await readTable(context, { words, files: options.file }, options)
    if (ids.size === 0) throw usageError('the input has no ids')
    const source = await directorySource(context, options)
    return rows(contactsOf(source, ids), { what: 'contacts', empty: 'no contact found' })
  },
})

/** In the order of the ids; those that are on no list are named in a note. */
async function* contactsOf(
  source: DirectorySource,
  ids: IdTable,
): AsyncGenerator<FoundContact, Ending> {
  const { readPeople } = await import('../../directory/people.ts')
  const people = await readPeople(source, ({ id }) => ids.has(id))
  const missing: string[] = []
  for (const id of ids) {
    const contact = people.find(id)
    if (contact === undefined) missing.push(id)
    else yield contact
  }
  if (missing.length === 0) return { notes: people.notes }
  const note = `on none of the lists that were read: ${firstOf(missing).join(', ')}`
  return { notes: [note, ...people.notes], exitCode: exit.incomplete }
}
