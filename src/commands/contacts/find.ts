import { parseReference } from '../../api/names.ts'
import { rows } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { foundContactView } from '../../resources/found-contact.ts'
import { collect, examples } from '../../cli/options.ts'
import { noteNear } from '../near-names.ts'
import { criteriaOf } from './criteria.ts'
import { Search } from './search.ts'

export const find: Verb = (contacts, run) =>
  contacts
    .command('find')
    .summary('find contacts by phone, email, name or messenger')
    .description(
      'Find contacts by phone, email, name or messenger. The service has no search for contacts, so svc reads the members of\n' +
        'all contact lists; a contact that is on no list cannot be found. A contact has to fit every option that is given.',
    )
    .option('--phone <number>', 'a phone number, however it is written: only its digits count')
    .option('--email <address>', 'the whole email address')
    .option('--name <text>', 'the whole name: "First Last"')
    .option('--messenger <id>', 'a user id or username of a messenger or social network')
    .option('--in <list>', 'search only this list, by id or name; repeatable', collect, [] as string[])
    .option('--first', 'stop at the first contact found')
    .addHelpText(
      'after',
      examples(
        'svc contacts find --phone "+1 (555) 100-0025"',
        'svc contacts find --email contact25@example.com --in VIP --json',
        'svc contacts find --name "Anna Miller" -o ids',
      ),
    )
    .action(
      run(
        { ...foundContactView, schema: async () => (await import('../schemas.ts')).FoundContacts },
        async (context, options) => {
          const fitOf = criteriaOf(options)
          for (const list of options.in) parseReference(list, 'list')
          const choice = {
            fitOf,
            accept: noteNear(context),
            within: options.in,
            first: options.first === true,
            interrupted: context.warn,
          }
          const search = new Search(await context.api(), choice)
          return rows(search.contacts(), { what: 'contacts', empty: 'no contact found' })
        },
      ),
    )
