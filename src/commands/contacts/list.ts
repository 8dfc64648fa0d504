import { rowLimit } from '../../cli/options.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import type { People } from '../../directory/people.ts'
import type { DirectoryRead, DirectorySource } from '../../directory/reading.ts'
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
        const most = rowLimit(context.print, limit)
        const listed = withPeople(source, (people, read) => firstOf(people, read, most))
        return rows(listed, { what: 'contacts', empty: 'no contacts' })
      }),
    )

/** Reads everybody, and forgets them when `use` is over. */
async function* withPeople<T, R>(
  source: DirectorySource,
  use: (people: People, read: DirectoryRead) => AsyncGenerator<T, R> | Generator<T, R>,
): AsyncGenerator<T, R> {
  const [{ People }, { readDirectory }] = await Promise.all([
    import('../../directory/people.ts'),
    import('../../directory/reading.ts'),
  ])
  const people = new People()
  try {
    const read = await readDirectory(source, (contact, on) => people.add(contact, on))
    return yield* use(people, read)
  } finally {
    people.close()
  }
}

function* firstOf(people: People, read: DirectoryRead, most: number): Generator<FoundContact, Ending> {
  const shown = Math.min(most, people.size)
  for (let index = 0; index < shown; index += 1) yield people.at(index)
  return { shown, total: people.size, missing: shown < people.size ? 'limit' : undefined, notes: read.notes() }
}
