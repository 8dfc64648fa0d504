import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'

export const create: Verb = (lists, run) =>
  defineCommand(lists, 'create', 'create a contact list', [
    'svc lists create --name "Spring campaign"',
    'svc lists create --name VIP --if-not-exists --json',
  ])
    .description(
      'Create a contact list. svc first looks for a list of the same name: lists cannot be deleted, and commands refuse a name that two lists share.',
    )
    .option('--name <name>', '1 to 100 characters (required)')
    .option('--description <text>', 'at most 1,000 characters')
    .option('--description-file <path>', 'read the description from a file, or - for standard input')
    .option('--if-not-exists', 'if a list with exactly this name exists, show it instead')
    .option('--allow-duplicate-name', 'do not look for a list of the same name')
    .option('--dry-run', 'check and show what would be created')
    .action(
      run({ ...oneContactListView, schema: schemaOf('WrittenList') }, async (context, options) => {
        const { created } = await import('./created.ts')
        return created(context, options)
      }),
    )
