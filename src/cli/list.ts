/** The list that a verb of lists is about. */
import { findList, listChoices, parseReference } from '../api/names.ts'
import { usageError } from '../errors.ts'
import type { Context } from './context.ts'

export const listArgument = {
  name: 'list',
  takes: 'list',
  summary: 'list id or name; asked for on a terminal',
} as const

/**
 * The list as it was typed, or chosen where none was. Of one that was typed as an id only the id is known. Throws exit 2 when there is no
 * list, and for one that cannot be, and exit 6 for a change of a list that is only nearly called so.
 */
export async function resolveList(
  context: Context,
  typed: string | undefined,
  use: 'read' | 'change' = 'read',
) {
  const choices = async () => listChoices(await context.api())
  const list = typed ?? (await context.questions.choose('Which list?', choices))
  if (list === undefined) throw usageError('the argument <list> is missing')
  parseReference(list, 'list')
  const note = use === 'read' ? { note: context.note } : {}
  return findList(await context.api(), list, { ...context.acceptNear, ...note })
}
