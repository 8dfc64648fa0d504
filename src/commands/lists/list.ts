import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { contactListView } from '../../views/resources.ts'
import { limitOption } from '../../cli/global-options.ts'

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
  shows: { ...contactListView, schema: schemaOf('Lists') },
  run: async (context, _args, { search }) => {
    if (search === '') throw usageError('--search needs at least one character')
    const { lists } = await context.api()
    return rows(lists.all({ search, limit: context.print.rowLimit }), {
      what: 'lists',
      empty: 'no lists',
    })
  },
})
