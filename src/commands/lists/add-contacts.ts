import { defineCommand } from '../../cli/command.ts'
import { schemaOf } from '../../cli/verb.ts'
import { outcomeView } from '../../views/bulk.ts'
import { bulkOptions, whoOption } from '../../cli/bulk-options.ts'
import { peopleOf } from '../directory.ts'

export const addContacts = defineCommand({
  path: 'lists add-contacts',
  summary: 'add contacts to a list, from ids or id files',
  description:
    'Add contacts to a list, from ids or id files. Adding a contact that is already in the list changes nothing.',
  examples: [
    'svc lists add-contacts VIP --file ids.txt',
    'svc lists add-contacts VIP --file ids.txt --once vip-2026-03-01 --yes',
    'svc lists add-contacts VIP --file export.csv --isolate --annotate out.xlsx',
  ],
  arguments: [
    { name: 'list', summary: 'list id or name; asked for on a terminal' },
    { name: 'id', summary: 'contact ids; - for standard input', isVariadic: true },
  ],
  options: {
    ...bulkOptions('lists.add-contacts'),
    ...whoOption,
    isolate: {
      summary: 'find out which contacts of a batch do not exist, by sending halves of it again',
    },
  },
  effect: 'lists.add-contacts',
  shows: { ...outcomeView, schema: schemaOf('Summary') },
  run: async (context, typed, ids, options) => {
    const { api, bulk } = context
    const [{ foundList, typedList }, { parseReference }] = await Promise.all([
      import('./choose.ts'),
      import('../../api/names.ts'),
    ])
    if (typed !== undefined) parseReference(typed, 'list')
    const job = await bulk.jobOfIds('lists.add-contacts', ids, options)
    // After the ids were checked: nobody chooses a list in vain.
    const list = await typedList(context, typed).catch(async (error: unknown) => {
      await job.rejects?.discard()
      throw error
    })
    const reference = parseReference(list, 'list')
    const find = async () => {
      if (!('id' in reference)) return foundList(context, list, 'change')
      // An id needs no reading: a dry run over ids alone works without a profile. Reviewers of a plan see the name.
      const { id } = reference
      return {
        id,
        name: options.plan === undefined ? undefined : (await (await api()).lists.get(id)).name,
      }
    }
    const members = async function* (id: string) {
      yield* (await api()).lists.members(id, { limit: Infinity })
    }
    return bulk.start({
      job,
      target: { find, members, typed: { list }, ...peopleOf(context, options) },
    })
  },
})
