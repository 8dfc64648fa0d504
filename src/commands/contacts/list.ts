import { rowLimit } from '../../cli/options.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import type { DirectorySource } from '../../directory/reading.ts'
import { rows, type Ending } from '../../output/result.ts'
import { foundContactView, type FoundContact } from '../../resources/found-contact.ts'
import { parseLimit } from '../../values.ts'
import { directorySource, inOption } from '../directory.ts'

export const list: Verb = (contacts, run) =>
  inOption(
    defineCommand(contacts, 'list', 'list contacts, each once, with the lists that it is on', [
      'svc contacts list --in VIP',
      'svc contacts list --out contacts.xlsx',
    ]),
  )
    .description(
      'List contacts, each once, with the lists that it is on. svc reads the members of all contact lists; a contact that is on\n' +
        'no list is not known.',
    )
    .option('--limit <n|all>', 'the maximum number of rows (default: 50 for table, all for other formats)', parseLimit)
    .action(
      run({ ...foundContactView, schema: schemaOf('FoundContacts') }, async (context, { limit, ...options }) => {
        const source = await directorySource(context, options)
        return rows(contactsOf(source, rowLimit(context.print, limit)), { what: 'contacts', empty: 'no contacts' })
      }),
    )

async function* contactsOf(source: DirectorySource, most: number): AsyncGenerator<FoundContact, Ending> {
  const { readContacts } = await import('../../directory/people.ts')
  const { people, read } = await readContacts(source, () => true)
  try {
    const shown = Math.min(most, people.size)
    for (let index = 0; index < shown; index += 1) yield people.at(index)
    return { shown, total: people.size, missing: shown < people.size ? 'limit' : undefined, notes: read.notes() }
  } finally {
    people.close()
  }
}
