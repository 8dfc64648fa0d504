/** The members of lists that a policy keeps from being deleted, read until they can be relied on. */
import type { Api } from '../api/client.ts'
import { listsNamed, parseReference } from '../api/names.ts'
import type { Protected } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { IdTable } from '../ids/id-table.ts'
import type { Policy } from './policy.ts'

/** Readings of a list; two in a row must agree. */
const mostReadings = 3

interface KeptList {
  readonly id: string
  /** `"VIP" (6400…)`. */
  readonly words: string
}

/**
 * Reads the members of lists, by name or id; a name that several lists have means all of them. Throws exit 6 for a list that is
 * not there, exit 7 for one that does not stand still, and the error of one that cannot be read.
 */
export async function readProtected(api: Api, policy: Policy): Promise<Protected> {
  const found = new Map<string, KeptList>()
  for (const { source, members } of policy) {
    for (const text of members.neverDelete ?? []) {
      for (const { id, words } of await listsOf(api, text, source))
        found.set(id.toLowerCase(), { id, words: `${words}, which neverDelete names (${source})` })
    }
  }
  const members: { readonly words: string; readonly ids: IdTable }[] = []
  for (const list of found.values()) members.push({ words: list.words, ids: await membersOf(api, list) })
  return (id) => members.find(({ ids }) => ids.has(id))?.words
}

async function listsOf(api: Api, text: string, source: string): Promise<KeptList[]> {
  const reference = parseReference(text, 'list')
  if ('id' in reference) return [{ id: reference.id, words: reference.id }]
  const { found } = await listsNamed(api, reference.name, () => undefined)
  if (found.length > 0) return found.map(({ id, name }) => ({ id, words: `"${name}" (${id})` }))
  throw new SvcError(
    'rejected',
    `there is no list "${reference.name}", which neverDelete names (${source}); nothing was sent`,
    {
      hint: 'the policy must name lists that exist:\n  svc lists list --limit all',
    },
  )
}

async function membersOf(api: Api, { id, words }: KeptList): Promise<IdTable> {
  let before: string | undefined
  for (let reading = 1; reading <= mostReadings; reading += 1) {
    const ids = new IdTable()
    const members = api.lists.members(id, { limit: Infinity })
    let step = await members.next()
    for (; step.done !== true; step = await members.next()) ids.addText(step.value.contact.id, 0)
    const { total, missing } = step.value
    const now = `${total} ${ids.setSha256()}`
    // A walk that met fewer than the list has says nothing about the others.
    if (now === before && missing === undefined) return ids
    before = now
  }
  throw new SvcError('unavailable', `the list ${words}, changed each time it was read; nothing was sent`, {
    hint: 'try again when nobody is changing the list',
  })
}
