import { listChoices, findList, parseReference } from '../../api/names.ts'
import { usageError } from '../../errors.ts'
import type { Context } from '../../cli/context.ts'
import { askNear, noteNear } from '../../cli/near-names.ts'

/** The list as it was typed, or as it was chosen: its id. Throws exit 2 when there is none, and for one that cannot be. */
export async function typedList(context: Context, typed: string | undefined): Promise<string> {
  const list =
    typed ?? (await context.choose('Which list?', async () => listChoices(await context.api())))
  if (list === undefined) throw usageError('the argument <list> is missing')
  parseReference(list, 'list')
  return list
}

/** That list on the service. A change asks before it takes a name that is nearly the same. */
export async function foundList(
  context: Context,
  typed: string | undefined,
  use: 'read' | 'change' = 'read',
) {
  const list = await typedList(context, typed)
  return findList(await context.api(), list, use === 'read' ? noteNear(context) : askNear(context))
}
