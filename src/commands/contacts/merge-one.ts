import { mayArrive } from '../../api/limits.ts'
import type { MergeResult } from '../../api/schemas.ts'
import { SvcError } from '../../errors.ts'
import type { Context } from '../../cli/verb.ts'

/** Asks, merges once, never again: what is unknown is said with both ids and the time to look. Throws exit 7, 9. */
export async function mergeOne(
  context: Context,
  { source, target }: { source: string; target: string },
): Promise<MergeResult> {
  const { protectedIds } = await context.permit({ operation: 'contacts.merge', ids: 1 })
  const { contacts } = await context.api()
  const { name, baseUrl, apiKey } = (await context.configuration()).profile()
  const { keyEnding } = await import('../../config/profile.ts')
  const list = (await protectedIds?.())?.(source)
  if (list !== undefined) throw new SvcError('policy', `${source} is on the list ${list}; nothing was sent`)
  const { host } = new URL(baseUrl)
  const key = `key ${keyEnding(apiKey)}`
  const where = name === undefined ? `${host} (${key})` : `"${name}" (${host}, ${key})`
  await context.confirm({
    kind: 'yes-no',
    message: `Merge the contact ${source} into ${target} on ${where}? This cannot be undone.`,
  })
  try {
    return await contacts.merge(source, target)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(
      `the merge of ${source} into ${target} may have been made, and was not sent again;\n` +
        `${mayArrive(context.host)}: check both contacts after that, before you try again`,
    )
  }
}
