import { findList } from '../../api/names.ts'
import { SvcError, usageError } from '../../errors.ts'
import { record, type Document } from '../../output/result.ts'
import { defineCommand, schemaOf, type Context, type Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'
import { askNear } from '../near-names.ts'
import { planned } from '../planned.ts'
import { typedList } from './choose.ts'
import { checkName, readDescription } from './text.ts'

export const update: Verb = (lists, run) =>
  defineCommand(lists, 'update', 'change the name or description of a contact list', [
    'svc lists update VIP --description "Regular customers"',
    'svc lists update VIP --description ""',
  ])
    .argument('[list]', 'list id or name; asked for on a terminal')
    .option('--name <name>', '1 to 100 characters')
    .option('--description <text>', 'at most 1,000 characters; "" clears it')
    .option('--description-file <path>', 'read the description from a file, or - for standard input')
    .option('--dry-run', 'read the list, and show what would change')
    .action(
      run({ ...oneContactListView, schema: schemaOf('WrittenList') }, async (context, typed, options, command) => {
        const description = await readDescription(context, options)
        const changes = {
          ...(options.name === undefined ? {} : { name: checkName(options.name) }),
          ...(description === undefined ? {} : { description }),
        }
        if (Object.keys(changes).length === 0)
          throw usageError('nothing to change: give --name, --description or --description-file')
        if (options.dryRun !== true) await context.permit({ operation: 'lists.update', ids: 1 })
        const list = await typedList(context, typed)
        const api = await context.api()
        const found = await findList(api, list, askNear(context, command))
        const { id } = found
        if (options.dryRun === true) return planUpdate(context, found, changes)
        await context.confirmProtected(`Update the list ${id}`)
        try {
          return record(await api.lists.update(id, changes))
        } catch (error) {
          if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
          throw error.withHint(`the list may or may not have been changed; see what it is now:\n  svc lists get ${id}`)
        }
      }),
    )

type Changes = Readonly<Partial<Record<'name' | 'description', string>>>

/** By a read only. A key that may not read loses the old values and nothing else. */
async function planUpdate(
  context: Context,
  { id, list }: Awaited<ReturnType<typeof findList>>,
  changes: Changes,
): Promise<Document<never>> {
  const { lists } = await context.api()
  const unreadable = (error: unknown): undefined => {
    if (!(error instanceof SvcError) || error.category !== 'forbidden') throw error
    context.note(`the list could not be read, so what it is now is unknown: ${error.message}`)
  }
  const now = list ?? (await lists.get(id).catch(unreadable))
  const fields = (['name', 'description'] as const).flatMap((what) => {
    const after = changes[what]
    return after === undefined ? [] : [{ what, before: now === undefined ? undefined : (now[what] ?? ''), after }]
  })
  const before = Object.fromEntries(fields.map(({ what, before }) => [what, before ?? null]))
  const quotedText = (text: string | undefined) => (text === undefined ? undefined : JSON.stringify(text))
  return planned(context, `update the list ${id}`, 'lists.update', {
    listId: id,
    ...(now === undefined ? {} : { before }),
    body: changes,
    changes: fields.map(({ what, before, after }) => ({
      what,
      before: quotedText(before),
      after: JSON.stringify(after),
    })),
  })
}
