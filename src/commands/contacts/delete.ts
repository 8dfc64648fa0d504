import { sendBulk } from '../../cli/bulk.ts'
import { bulkOptions, idsArgument } from '../../cli/inputs.ts'
import { defineVerb } from '../../cli/verb.ts'

export const verb = defineVerb({
  description:
    'Delete contacts, from ids or id files. This cannot be undone. The service does not delete contacts with chats; they are reported as blocked.',
  examples: [
    'svc contacts delete --file ids.txt --dry-run',
    'svc contacts delete --file ids.txt --expect 12 --once cleanup-2026-03-01 --yes',
  ],
  arguments: [idsArgument],
  options: bulkOptions('contacts.delete'),
  effect: 'contacts.delete',
  ids: 'id',
  run: (context, [ids], options) =>
    sendBulk(context, { operation: 'contacts.delete', ids, parties: {}, options }),
})
