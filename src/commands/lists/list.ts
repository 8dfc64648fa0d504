import { limitOption } from '../../cli/option-groups.ts'
import { defineVerb } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'

export const verb = defineVerb({
  examples: [
    'svc lists list',
    'svc lists list --search VIP',
    'svc lists list -o csv --fields id,name,contactsCount',
  ],
  options: {
    ...limitOption,
    search: {
      value: 'text',
      takes: 'text',
      summary: 'only lists that the service finds for this text',
    },
  },
  effect: 'reads',
  columns: {
    ID: 'id',
    NAME: 'name',
    CONTACTS: 'contactsCount',
    UPDATED: 'updatedAt',
    DESCRIPTION: 'description',
  },
  ids: 'id',
  run: async ({ api, print }, _args, { search }) => {
    if (search === '') throw usageError('--search needs at least one character')
    const { lists } = await api()
    const found = lists.all({ search, limit: print.rowLimit })
    return rows(found, { what: 'lists', empty: 'no lists' })
  },
})
