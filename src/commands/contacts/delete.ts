import { parseCount } from '../../values.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { outcomeView } from '../../resources/bulk.ts'
import { bulkOptions } from '../../cli/options.ts'
import { peopleOf, whoOption } from '../directory.ts'

export const deleteContacts: Verb = (contacts, run) =>
  whoOption(
    bulkOptions(
      defineCommand(contacts, 'delete', 'delete contacts, from ids or id files; cannot be undone', [
        'svc contacts delete --file ids.txt --dry-run',
        'svc contacts delete --file ids.txt --expect 12 --once cleanup-2026-03-01 --yes',
        'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
      ]),
      'contacts.delete',
    ),
  )
    .description(
      'Delete contacts, from ids or id files. This cannot be undone. The service does not delete contacts with chats; they are reported as blocked.',
    )
    .argument('[id...]', 'contact ids; - for standard input')
    .optionsGroup('Safety (svc help bulk):')
    .option('--max-delete <n>', 'refuse to start if more than n would be deleted', (text) =>
      parseCount(text, '--max-delete'),
    )
    .action(
      run({ ...outcomeView, schema: schemaOf('Summary') }, async (context, ids, options) => {
        const { bulk } = context
        const { maxDelete } = (await context.configuration()).settings
        const limited = { maxDelete: maxDelete.value, ...options }
        return bulk.execute(await bulk.plan('contacts.delete', ids, limited), peopleOf(context, options))
      }),
    )
