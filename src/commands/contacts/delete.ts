import { defineCommand } from '../../cli/command.ts'
import { optionOf } from '../../config/table.ts'
import { schemaOf } from '../../cli/verb.ts'
import { outcomeView } from '../../views/bulk.ts'
import { bulkOptions, safety, whoOption } from '../../cli/bulk-options.ts'
import { peopleOf } from '../directory.ts'

export const deleteContacts = defineCommand({
  path: 'contacts delete',
  summary: 'delete contacts, from ids or id files; cannot be undone',
  description:
    'Delete contacts, from ids or id files. This cannot be undone. The service does not delete contacts with chats; they are reported as blocked.',
  examples: [
    'svc contacts delete --file ids.txt --dry-run',
    'svc contacts delete --file ids.txt --expect 12 --once cleanup-2026-03-01 --yes',
    'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
  ],
  arguments: [{ name: 'id', summary: 'contact ids; - for standard input', isVariadic: true }],
  options: {
    ...bulkOptions('contacts.delete'),
    ...whoOption,
    maxDelete: optionOf('maxDelete', { group: safety }),
  },
  effect: 'contacts.delete',
  shows: { ...outcomeView, schema: schemaOf('Summary') },
  run: async (context, ids, options) => {
    const { bulk } = context
    const { maxDelete } = (await context.configuration()).settings
    const limited = { ...options, maxDelete: maxDelete.value }
    const job = await bulk.jobOfIds('contacts.delete', ids, limited)
    return bulk.start({ job, target: peopleOf(context, options) })
  },
})
