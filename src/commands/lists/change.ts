/**
 * Changing a list's name or description for `lists update`, which loads this file when it runs, and what a dry run of that shows. Names and
 * descriptions are checked here for `lists create` too.
 */
import { say, svc } from '../../message.ts'
import { usageError } from '../../errors.ts'
import { one } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { dryRunOf, sendOnce } from '../one-change.ts'
import { resolveList } from './resolve.ts'
import { codePoints, limits } from '../../api/operations.ts'
import { groupDigits } from '../../words.ts'

type ListTexts = Readonly<Partial<Record<'name' | 'description', string>>>

export async function updateList(
  context: Context,
  typed: string | undefined,
  { name, description, dryRun }: ListTexts & { readonly dryRun?: true },
) {
  const changes: ListTexts = {
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(description === undefined ? {} : { description: checkDescription(description) }),
  }
  if (Object.keys(changes).length === 0)
    throw usageError('nothing to change: give --name or --description')
  if (dryRun !== true) await context.permit({ operation: 'lists.update', ids: 1 })
  const found = await resolveList(context, typed, 'change')
  const { id } = found
  if (dryRun === true) return planUpdate(context, found, changes)
  await context.confirmProtected(`Update the list ${id}`)
  const { lists } = await context.api()
  const look = say`the list may or may not have been changed; see what it is now:\n  ${svc`lists get ${id}`}`
  return one(await sendOnce(() => lists.update(id, changes), look))
}

/** The dry run, by a read only. */
async function planUpdate(
  context: Context,
  { id, list }: Awaited<ReturnType<typeof resolveList>>,
  changes: ListTexts,
) {
  const now = list ?? (await (await context.api()).lists.get(id))
  const fields = (['name', 'description'] as const).filter(
    (what) => changes[what] !== undefined,
  )
  const before = Object.fromEntries(fields.map((what) => [what, now[what] ?? '']))
  const words = fields.map((what) => {
    return {
      what,
      before: JSON.stringify(before[what]),
      after: JSON.stringify(changes[what]),
    }
  })
  return dryRunOf(context, `update the list ${id}`, 'lists.update', {
    listId: id,
    before,
    body: changes,
    changes: words,
  })
}

/** Throws exit 2 on a name that the service would refuse. */
export function checkName(name: string): string {
  if (name === '') throw usageError('--name must not be empty')
  return checkLength('name', name, limits.listName.max)
}

/** Throws exit 2 on a description that the service would refuse. */
export function checkDescription(description: string): string {
  return checkLength('description', description, limits.listDescription.max)
}

function checkLength(what: string, text: string, max: number): string {
  const length = codePoints(text)
  if (length <= max) return text
  const [many, most] = [groupDigits(length), groupDigits(max)]
  throw usageError(`the ${what} has ${many} characters; at most ${most} are allowed`)
}
