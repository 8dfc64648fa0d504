import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import { contactListView } from '../../views/resources.ts'
import { paging, pagingOptions } from '../../cli/global-options.ts'

export const verb = defineVerb({
  examples: [
    'svc lists list',
    'svc lists list --search VIP',
    'svc lists list -o csv --fields id,name,contactsCount',
  ],
  options: {
    ...pagingOptions,
    search: {
      value: 'text',
      takes: 'text',
      summary: 'only lists that the service finds for this text',
    },
  },
  effect: 'reads',
  shows: { ...contactListView, schema: schemaOf('Lists') },
  run: async (context, _args, options) => {
    if (options.search === '') throw usageError('--search needs at least one character')
    const { lists } = await context.api()
    return rows(lists.all(paging(context.print, options), options.search), {
      what: 'lists',
      empty: 'no lists',
    })
  },
})
