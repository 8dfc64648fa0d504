import { svc } from '../../message.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exit, usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { directorySource, foundContactsView, inOption } from '../directory.ts'
import { fileOption, inputOptions } from '../../cli/input-options.ts'
import { readTable } from '../id-reading.ts'
import type { FoundContact } from '../../api/people.ts'
import { firstOf } from '../../words.ts'

export const verb = defineVerb({
  description:
    'Show contacts by id, with their lists, in the order of the input. The service cannot look up\n' +
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
    if (ids.size === 0) return rows<FoundContact>([], { empty: 'the input has no ids' })
    const source = await directorySource(context, options)
    const { readPeople } = await import('../../api/people.ts')
    const people = await readPeople(source, ({ id }) => ids.has(id))
    const missing = [...ids].filter((id) => people.find(id) === undefined)
    const notes = [...people.notes]
    if (missing.length > 0)
      notes.unshift(`not on any list that was read: ${firstOf(missing).join(', ')}`)
    return rows(
      [...ids].flatMap((id) => people.find(id) ?? []),
      {
        what: 'contacts',
        empty: 'no contact found',
        ending: { notes, exitCode: missing.length > 0 ? exit.incomplete : exit.done },
      },
    )
  },
})
