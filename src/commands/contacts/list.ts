import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { limitOption } from '../../cli/global-options.ts'
import type { DirectorySource } from '../../directory/reading.ts'
import { rows, type Ending } from '../../output/result.ts'
import { foundContactView, type FoundContact } from '../../views/found-contact.ts'
import { directorySource, inOption } from '../directory.ts'

export const list = defineVerb({
  description:
    'List contacts, each once, with the lists that it is on. svc reads the members of all contact lists; a contact that is on\n' +
    'no list is not known.',
  examples: ['svc contacts list --in VIP', 'svc contacts list --out contacts.xlsx'],
  options: {
    ...inOption,
    ...limitOption,
  },
  effect: 'reads',
  shows: { ...foundContactView, schema: schemaOf('FoundContacts') },
  run: async (context, _args, options) => {
    const source = await directorySource(context, options)
    return rows(contactsOf(source, context.print.rowLimit), {
      what: 'contacts',
      empty: 'no contacts',
    })
  },
})

async function* contactsOf(
  source: DirectorySource,
  most: number,
): AsyncGenerator<FoundContact, Ending> {
  const { readContacts } = await import('../../directory/people.ts')
  const { people, read } = await readContacts(source, () => true)
  try {
    const shown = Math.min(most, people.size)
    for (let index = 0; index < shown; index += 1) yield people.at(index)
    return {
      shown,
      total: people.size,
      missing: shown < people.size ? 'limit' : undefined,
      notes: read.notes(),
    }
  } finally {
    people.close()
  }
}
