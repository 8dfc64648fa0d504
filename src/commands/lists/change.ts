/** Changing a list's name or description, and what a dry run of that shows. */
import { say, svc } from '../../message.ts'
import { SvcError, usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
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
    return one(await (await context.api()).lists.update(id, changes))
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(
      say`the list may or may not have been changed; see what it is now:\n  ${svc`lists get ${id}`}`,
    )
  }
}

type Changes = Readonly<Partial<Record<'name' | 'description', string>>>

/** The dry run, by a read only. */
async function planUpdate(
  context: Context,
  { id, list }: Awaited<ReturnType<typeof foundList>>,
  changes: Changes,
) {
  const now = list ?? (await (await context.api()).lists.get(id))
  const fields = (['name', 'description'] as const).filter((what) => changes[what] !== undefined)
  const before = Object.fromEntries(fields.map((what) => [what, now[what] ?? '']))
  const words = fields.map((what) => {
    return { what, before: JSON.stringify(before[what]), after: JSON.stringify(changes[what]) }
  })
  return dryRunOf(context, `update the list ${id}`, 'lists.update', {
    listId: id,
    before,
    body: changes,
    changes: words,
  })
}
