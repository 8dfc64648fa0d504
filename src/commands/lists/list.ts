import { limitOption, defineVerb } from '../../cli/verb.ts'
import { id, number, rows, text, time, wide } from '../../output/result.ts'
import { lengthParser } from '../../values.ts'

export const verb = defineVerb({
  summary: 'list contact lists, newest first',
  examples: [
    'svc lists list',
    'svc lists list --search VIP',
    'svc lists list -o csv --fields id,name,contactsCount',
  ],
  options: {
    ...limitOption,
    search: {
      value: 'text',
      parse: lengthParser({ min: 1, max: 1000 }),
      summary: 'only lists that the service finds for this text',
    },
  },
  isRead: true,
  columns: {
    ID: id('id'),
    NAME: text('name'),
    CONTACTS: number('contactsCount'),
    UPDATED: time('updatedAt'),
    DESCRIPTION: wide(text('description')),
  },
  ids: 'id',
  act: async ({ api, print }, _args, { search }) => {
    const { lists } = await api()
    const found = await lists.all({ search, limit: print.rowLimit })
    return rows(found.rows, { what: 'lists', total: found.total })
  },
})
