import { findSameName, listCalled } from '../../api/by-name.ts'
import { limits, arrivalNotice } from '../../api/operations.ts'
import { listColumns, readLists, sendChange } from '../../cli/lists.ts'
import { defineVerb } from '../../cli/verb.ts'
import { SvcError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import { safe } from '../../safe-text.ts'
import { lengthParser } from '../../values.ts'
import { shellWord } from '../../words.ts'

export const verb = defineVerb({
  summary: 'create a contact list',
  description:
    'Create a contact list. svc first looks for a list with this name, or one that looks the same, because lists cannot be ' +
    'deleted, and commands refuse a name that two lists share. The change is not recorded as a run.',
  examples: [
    'svc lists create --name "Spring campaign"',
    'svc lists create --name VIP --if-not-exists --json',
  ],
  options: {
    name: {
      value: 'name',
      summary: '1 to 100 characters',
      parse: lengthParser(limits.listName),
      isRequired: true,
    },
    description: {
      value: 'text',
      summary: 'at most 1,000 characters',
      parse: lengthParser(limits.listDescription),
    },
    ifNotExists: { summary: 'if a list with this name exists, show it instead' },
  },
  columns: listColumns,
  ids: 'id',
  act: async (context, _args, { name, description = '', ifNotExists }) => {
    await context.permit({ operation: 'lists.create', ids: 1 })
    // If the lists cannot be read, the error says that nothing was created.
    const all = await readLists(context, 'created')
    const existing = findSameName(all, name)
    if (existing !== undefined && ifNotExists === true) {
      // `existing` is only the first of this name. `listCalled` throws if there are several.
      const list = listCalled(all, name, context.note)
      context.note(`a list called "${safe(list.name)}" already exists; nothing was created`)
      return one(list)
    }
    if (existing !== undefined)
      throw new SvcError(
        'rejected',
        `a list called "${existing.name}" already exists (${existing.id}); nothing was created`,
        { hint: 'to use that list, add --if-not-exists' },
      )
    await context.confirmChange(() => `Create the list "${name}"`)
    const { lists } = await context.api()
    const hintIfLost = () =>
      `${arrivalNotice(context.host.now())}; look for the list before you try again:\n  svc lists list --search ${shellWord(name)}`
    const send = () => lists.create({ name, description })
    return one(await sendChange(context, send, hintIfLost))
  },
})
