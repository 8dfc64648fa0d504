import { defineBulkVerb } from '../../cli/bulk-command.ts'

export const verb = defineBulkVerb({
  operation: 'lists.add-contacts',
  description:
    'Add contacts to a list, from ids or id files. Adding a contact that is already on the list changes nothing.',
  examples: [
    'svc lists add-contacts VIP --file ids.txt',
    'svc lists add-contacts VIP --file ids.txt --once vip-2026-03-01 --yes',
    'svc lists add-contacts VIP --file export.csv --annotate out.xlsx',
  ],
})
