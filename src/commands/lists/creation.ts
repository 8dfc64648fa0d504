/**
 * Creating a list when the answer can be lost: it is looked for, never created twice. Reliability, section 2.
 */
import type { Api } from '../../api/api.ts'
import { limits, type ContactList } from '../../api/contract.ts'
import { SvcError } from '../../errors.ts'
import { shellWord } from '../../profiles/shell.ts'
import type { Tools } from '../../verb.ts'

/** The only list of exactly this name; undefined when there is none. Throws exit 6 when there are several. */
export async function findByName(api: Api, name: string): Promise<ContactList | undefined> {
  const found: ContactList[] = []
  for await (const list of api.lists.all({ limit: Infinity, pageSize: limits.pageSize.max })) {
    if (list.name === name) found.push(list)
  }
  if (found.length > 1) {
    throw new SvcError('rejected', `${found.length} lists are called "${name}"`, {
      hint: ['see them with: svc lists list --limit all', ...found.map(({ id }) => `  ${id}`)].join('\n'),
    })
  }
  return found[0]
}

/** Throws exit 7 when the answer was lost and what was made cannot be told. */
export async function createList(
  tools: Tools,
  api: Api,
  body: { name: string; description: string },
): Promise<ContactList> {
  let sentAt = tools.host.now()
  try {
    return await api.lists.create(body, {
      before: () => {
        sentAt = tools.host.now()
        return Promise.resolve()
      },
    })
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true || error.category === 'interrupted') throw error
    const made = await findMade(api, body, sentAt, error)
    tools.note('the answer was lost; a list of this name and description was made by this command, or by another at that moment')
    return made
  }
}

/** Looks for what the request may have made: exactly one, made after the sending by the service's clock. */
async function findMade(
  api: Api,
  body: { name: string; description: string },
  sentAt: number,
  cause: SvcError,
): Promise<ContactList> {
  const unknown = (why: string): SvcError =>
    cause.withHint(`${why}; look before you try again:\n  svc lists list --search ${shellWord(body.name)}`)
  const candidates: ContactList[] = []
  try {
    for await (const list of api.lists.all({ limit: Infinity, pageSize: limits.pageSize.max })) {
      if (list.name === body.name && (list.description ?? '') === body.description) candidates.push(list)
    }
  } catch {
    // Whatever kept the reading from working, what is unknown is the creation: that is what is reported.
    throw unknown('the lists could not be read either')
  }
  // The service's clock may be a second coarser than ours; a list made before the sending is not ours.
  const since = sentAt + (api.http.clockOffset ?? 0) - 1000
  const made = candidates.filter((list) => list.createdAt != null && Date.parse(list.createdAt) >= since)
  const [only] = made
  if (only !== undefined && made.length === 1 && candidates.every((list) => list.createdAt != null)) return only
  if (candidates.length === 0) throw unknown('no such list is there now, but the request may still be under way')
  throw unknown('lists of this name are there, and which one is new cannot be told')
}
