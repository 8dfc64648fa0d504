import { defineVerb } from '../../cli/verb.ts'
import { schemaOf } from '../view-of.ts'
import { oneContactListView } from '../../views/contact-list.ts'

export const verb = defineVerb({
  description:
    'Create a contact list. svc first looks for a list of the same name, because lists cannot be deleted, and commands refuse a name that two lists share.',
  examples: [
    'svc lists create --name "Spring campaign"',
    'svc lists create --name VIP --if-not-exists --json',
  ],
  options: {
    name: {
      value: 'name',
      takes: 'text',
      summary: '1 to 100 characters',
      isRequired: true,
    },
    description: { value: 'text', takes: 'text', summary: 'at most 1,000 characters' },
    ifNotExists: {
      summary: 'if a list with exactly this name exists, show it instead',
      conflicts: ['allowDuplicateName'],
    },
    allowDuplicateName: { summary: 'create it even if a list has this name' },
    dryRun: { summary: 'check and show what would be created' },
  },
  effect: 'lists.create',
  shows: { ...oneContactListView, schema: schemaOf('WrittenList') },
  run: async (context, _args, options) => {
    const { createList } = await import('./creation.ts')
    return createList(context, options)
  },
})
