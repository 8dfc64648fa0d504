import { sendBulk } from '../../cli/bulk-command.ts'
import { bulkOptions, receiptIds, safetyHeading } from '../../cli/bulk-verb.ts'
import { defineVerb } from '../../cli/verb.ts'
import { parseCount } from '../../values.ts'
import { idsArgument } from '../../cli/id-input.ts'

export const verb = defineVerb({
  description:
    'Delete contacts, from ids or id files. This cannot be undone. The service does not delete contacts with chats; they are reported as blocked.',
  examples: [
    'svc contacts delete --file ids.txt --dry-run',
    'svc contacts delete --file ids.txt --expect 12 --once cleanup-2026-03-01 --yes',
  ],
  arguments: [idsArgument],
  options: {
    ...bulkOptions('contacts.delete'),
    maxDelete: {
      value: 'n',
      summary: 'refuse to delete more than n contacts',
      parse: parseCount,
      group: safetyHeading,
    },
  },
  effect: 'contacts.delete',
  ids: receiptIds,
  run: (context, [ids], options) =>
    sendBulk(context, { operation: 'contacts.delete', ids, options }),
})
