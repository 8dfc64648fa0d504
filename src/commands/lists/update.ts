import { limits } from '../../api/operations.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { withHintIfLost, usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { one } from '../../output/result.ts'
import { textOfLength } from '../../values.ts'
import { dryRunOf, listArgument, resolveList } from '../../cli/lists.ts'
import { oneContactListView } from '../../views/resources.ts'

export const verb = defineVerb({
  examples: [
    'svc lists update VIP --description "Regular customers"',
    'svc lists update VIP --description ""',
  ],
  arguments: [listArgument],
  options: {
    name: {
      value: 'name',
      takes: 'text',
      summary: '1 to 100 characters',
      parse: textOfLength(limits.listName),
    },
    description: {
      value: 'text',
      takes: 'text',
      summary: 'at most 1,000 characters; "" clears it',
      parse: textOfLength(limits.listDescription),
    },
    dryRun: { summary: 'find the list, and show what would be sent' },
  },
  effect: 'lists.update',
  shows: { ...oneContactListView, schema: schemaOf('WrittenList') },
  run: async (context, [typed], { name, description, dryRun }) => {
    const body = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    }
    if (Object.keys(body).length === 0)
      throw usageError('nothing to change: give --name or --description')
    if (dryRun !== true) await context.permit({ operation: 'lists.update', ids: 1 })
    const { id } = await resolveList(context, typed, 'change')
    if (dryRun === true)
      return dryRunOf(context, `update the list ${id}`, 'lists.update', {
        listId: id,
        body,
      })
    await context.confirmProtected(`Update the list ${id}`)
    const { lists } = await context.api()
    const look = say`the list may or may not have been changed; see what it is now:\n  ${svc`lists get ${id}`}`
    return one(await withHintIfLost(() => lists.update(id, body), look))
  },
})
