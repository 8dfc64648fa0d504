import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../view-of.ts'
import { oneContactListView } from '../../views/contact-list.ts'

export const verb = defineVerb({
  examples: [
    'svc lists update VIP --description "Regular customers"',
    'svc lists update VIP --description ""',
  ],
  arguments: [
    { name: 'list', takes: 'list', summary: 'list id or name; asked for on a terminal' },
  ],
  options: {
    name: { value: 'name', takes: 'text', summary: '1 to 100 characters' },
    description: {
      value: 'text',
      takes: 'text',
      summary: 'at most 1,000 characters; "" clears it',
    },
    dryRun: { summary: 'read the list, and show what would change' },
  },
  effect: 'lists.update',
  shows: { ...oneContactListView, schema: schemaOf('WrittenList') },
  run: async (context, [typed], options) => {
    const { updateList } = await import('./change.ts')
    return updateList(context, typed, options)
  },
})
