import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'

export const update: Verb = (lists, run) =>
  defineCommand(lists, 'update', 'change the name or description of a contact list', [
    'svc lists update VIP --description "Regular customers"',
    'svc lists update VIP --description ""',
  ])
    .argument('[list]', 'list id or name; asked for on a terminal')
    .option('--name <name>', '1 to 100 characters')
    .option('--description <text>', 'at most 1,000 characters; "" clears it')
    .option('--description-file <path>', 'read the description from a file, or - for standard input')
    .option('--dry-run', 'read the list, and show what would change')
    .action(
      run({ ...oneContactListView, schema: schemaOf('WrittenList') }, async (context, typed, options, command) => {
        const { updated } = await import('./updated.ts')
        return updated(context, typed, options, command)
      }),
    )
