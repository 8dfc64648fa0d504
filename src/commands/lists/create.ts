import type { Api } from '../../api/client.ts'
import { exactList } from '../../api/names.ts'
import { limits, mayArrive } from '../../api/operations.ts'
import type { ContactList } from '../../api/schemas.ts'
import type { Context } from '../../cli/context.ts'
import { dryRunOf } from '../../cli/lists.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { withHintIfLost, SvcError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { one } from '../../output/result.ts'
import { safe } from '../../safe-text.ts'
import { textOfLength } from '../../values.ts'
import { oneContactListView } from '../../views/resources.ts'

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
      parse: textOfLength(limits.listName),
      isRequired: true,
    },
    description: {
      value: 'text',
      takes: 'text',
      summary: 'at most 1,000 characters',
      parse: textOfLength(limits.listDescription),
    },
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
    const { name, description = '', ifNotExists, allowDuplicateName, dryRun } = options
    const body = { name, description }
    const preview = () =>
      dryRunOf(context, `create the list "${name}"`, 'lists.create', { body })
    if (dryRun === true && ifNotExists !== true) return preview()
    if (dryRun !== true) await context.permit({ operation: 'lists.create', ids: 1 })
    const api = await context.api()
    const before = await readFirst(context, api, ifNotExists)
    const existing = before.find((list) => list.name === name)
    if (existing !== undefined && ifNotExists === true) {
      context.note(`a list called "${name}" already exists; nothing was created`)
      return one(exactList(before, name))
    }
    if (dryRun === true) return preview()
    if (existing !== undefined && allowDuplicateName !== true) {
      throw new SvcError(
        'rejected',
        `a list called "${name}" already exists (${existing.id}); nothing was created`,
        {
          hint:
            'lists cannot be deleted, and commands refuse a name that two lists share; ' +
            'use --if-not-exists to use that list, or --allow-duplicate-name to create another one',
        },
      )
    }
    await context.confirmProtected(`Create the list "${name}"`)
    const look = say`${mayArrive(context.host.now())}; look for the list before you try again:\n  ${svc`lists list --search ${name}`}`
    return one(await withHintIfLost(() => api.lists.create(body), look))
  },
})

/** All lists. A service that refuses to show them is a note and none, unless the answer decides: reading is only a help. */
async function readFirst(
  context: Context,
  { lists }: Api,
  ifNotExists: true | undefined,
): Promise<ContactList[]> {
  const all: ContactList[] = []
  try {
    for await (const list of lists.all()) all.push(list)
    return all
  } catch (error) {
    if (!(error instanceof SvcError) || ifNotExists === true) throw error
    // Without an answer here, the answer to the request would probably be lost as well.
    if (error.category !== 'rejected' && error.category !== 'forbidden')
      throw error.with({
        hint: say`nothing was created, because svc reads the lists first\n${error.details.hint ?? ''}`,
      })
    context.note(
      `the lists could not be read first (${safe(error.message)}); creating the list anyway`,
    )
    return []
  }
}
