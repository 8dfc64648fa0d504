import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { one } from '../../output/result.ts'
import { listArgument, resolveList } from '../../cli/lists.ts'
import { oneContactListView } from '../../views/resources.ts'

export const verb = defineVerb({
  description: 'Show one contact list. For its members: svc lists members.',
  examples: ['svc lists get VIP', 'svc lists get "Campaign 292" --json'],
  arguments: [listArgument],
  effect: 'reads',
  shows: { ...oneContactListView, schema: schemaOf('ContactList') },
  run: async (context, [typed]) => {
    const { id, list } = await resolveList(context, typed)
    return one(list ?? (await (await context.api()).lists.get(id)))
  },
})
