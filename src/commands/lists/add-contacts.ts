import { sendBulk } from '../../cli/bulk.ts'
import { bulkOptions, idsArgument } from '../../cli/inputs.ts'
import { listArgument } from '../../cli/lists.ts'
import { defineVerb } from '../../cli/verb.ts'

export const verb = defineVerb({
  description:
    'Add contacts to a list, from ids or id files. Adding a contact that is already on the list changes nothing. If a request names contacts that do not exist, svc finds them by sending it again in halves, which adds again a contact that somebody has just taken off the list.',
  examples: [
    'svc lists add-contacts VIP --file ids.txt',
    'svc lists add-contacts VIP --file ids.txt --once vip-2026-03-01 --yes',
    'svc lists add-contacts VIP --file export.csv --annotate out.csv',
  ],
  arguments: [listArgument, idsArgument],
  options: bulkOptions('lists.add-contacts'),
  effect: 'lists.add-contacts',
  ids: 'id',
  run: (context, [list, ids], options) =>
    sendBulk(context, { operation: 'lists.add-contacts', ids, parties: { list }, options }),
})
