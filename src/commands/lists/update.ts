import { findSameName } from '../../api/by-name.ts'
import { limits } from '../../api/operations.ts'
import {
  listArgument,
  listColumns,
  readLists,
  resolveList,
  sendChange,
} from '../../cli/lists.ts'
import { defineVerb } from '../../cli/verb.ts'
import { SvcError, usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import { shorten } from '../../safe-text.ts'
import { isSameId } from '../../identifiers.ts'
import { lengthParser } from '../../values.ts'

export const verb = defineVerb({
  summary: 'change the name or description of a contact list',
  description:
    'Change the name or the description of a contact list. It is not recorded as a run.',
  examples: [
    'svc lists update VIP --description "Regular customers"',
    'svc lists update VIP --description ""',
  ],
  arguments: [listArgument],
  options: {
    name: {
      value: 'name',
      summary: '1 to 100 characters',
      parse: lengthParser(limits.listName),
    },
    description: {
      value: 'text',
      summary: 'at most 1,000 characters; "" clears it',
      parse: lengthParser(limits.listDescription),
    },
  },
  columns: listColumns,
  ids: 'id',
  act: async (context, [typed], { name, description }) => {
    if (name === undefined && description === undefined)
      throw usageError('nothing to change: give --name or --description')
    await context.permit({ operation: 'lists.update', ids: 1 })
    const { id, name: presentName } = await resolveList(context, typed, 'change')
    const { lists } = await context.api()
    // If the lists cannot be read, the error says that nothing was changed.
    const all = name === undefined ? [] : await readLists(context, 'changed')
    const others = all.filter((list) => !isSameId(list.id, id))
    const other = findSameName(others, name ?? '')
    if (other !== undefined)
      throw new SvcError(
        'rejected',
        `a list called "${other.name}" already exists (${other.id}); nothing was changed`,
        { hint: 'choose another name' },
      )
    const changes: string[] = []
    if (name !== undefined) changes.push(`the name to "${name}"`)
    if (description !== undefined)
      changes.push(`the description to "${shorten(description)}"`)
    const question = async () => {
      const shown = presentName ?? (await lists.get(id)).name
      return `Change ${changes.join(' and ')} of "${shown}" (${id})`
    }
    await context.confirmChange(question)
    const hintIfLost = () =>
      `the list may or may not have been changed; see what it is now:\n  svc lists get ${id}`
    const send = () => lists.update(id, { name, description })
    return one(await sendChange(context, send, hintIfLost))
  },
})
