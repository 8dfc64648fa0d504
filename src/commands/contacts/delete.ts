import { defineBulkVerb } from '../../cli/bulk-command.ts'

export const verb = defineBulkVerb({
  operation: 'contacts.delete',
  description:
    'Delete contacts, from ids or id files. This cannot be undone. The service does not delete contacts with chats; they are reported as blocked.',
  examples: [
    'svc contacts delete --file ids.txt --dry-run',
    'svc contacts delete --file ids.txt --expect 12 --once cleanup-2026-03-01 --yes',
    'svc contacts delete --file ids.txt --plan old.plan --reason "DSAR 4711"',
  ],
})
