/** Changing a list's name or description, and what a dry run of that shows. */
import { SvcError, usageError } from '../../errors.ts'
import { record } from '../../output/result.ts'
import type { Context } from '../../cli/verb.ts'
import { dryRunOf } from '../dry-run.ts'
import { foundList } from './choose.ts'
import { checkName, readDescription, type TextOptions } from './text.ts'

export async function updateList(
  context: Context,
  typed: string | undefined,
  options: TextOptions & { readonly dryRun?: true },
) {
  const description = await readDescription(context, options)
  const changes = {
    ...(options.name === undefined ? {} : { name: checkName(options.name) }),
    ...(description === undefined ? {} : { description }),
  }
  if (Object.keys(changes).length === 0)
    throw usageError('nothing to change: give --name, --description or --description-file')
  if (options.dryRun !== true) await context.permit({ operation: 'lists.update', ids: 1 })
  const found = await foundList(context, typed, 'change')
  const { id } = found
  if (options.dryRun === true) return planUpdate(context, found, changes)
  await context.confirmProtected(`Update the list ${id}`)
  try {
    return record(await (await context.api()).lists.update(id, changes))
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(`the list may or may not have been changed; see what it is now:\n  svc lists get ${id}`)
  }
}

type Changes = Readonly<Partial<Record<'name' | 'description', string>>>

/** By a read only. A key that may not read loses the old values and nothing else. */
async function planUpdate(context: Context, { id, list }: Awaited<ReturnType<typeof foundList>>, changes: Changes) {
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
  return dryRunOf(context, `update the list ${id}`, 'lists.update', {
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
