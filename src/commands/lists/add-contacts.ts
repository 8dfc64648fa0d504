import { defineBulkCommand } from '../../cli/bulk-command.ts'

export const addContacts = defineBulkCommand({
  path: 'lists add-contacts',
  operation: 'lists.add-contacts',
  summary: 'add contacts to a list, from ids or id files',
  description:
    'Add contacts to a list, from ids or id files. Adding a contact that is already in the list changes nothing.',
  examples: [
    'svc lists add-contacts VIP --file ids.txt',
    'svc lists add-contacts VIP --file ids.txt --once vip-2026-03-01 --yes',
    'svc lists add-contacts VIP --file export.csv --isolate --annotate out.xlsx',
  ],
})
