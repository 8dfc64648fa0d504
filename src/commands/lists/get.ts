import { listArgument, listColumns, resolveList } from '../../cli/lists.ts'
import { defineVerb } from '../../cli/verb.ts'
import { one } from '../../output/result.ts'

export const verb = defineVerb({
  summary: 'show one contact list',
  description: 'Show one contact list. For its members: svc lists members.',
  examples: ['svc lists get VIP', 'svc lists get "Campaign 292" --json'],
  arguments: [listArgument],
  isRead: true,
  columns: listColumns,
  ids: 'id',
  act: async (context, [typed]) => {
    const { id, list } = await resolveList(context, typed)
    // A list that was found by its name is here already.
    if (list !== undefined) return one(list)
    const { lists } = await context.api()
    return one(await lists.get(id))
  },
})
