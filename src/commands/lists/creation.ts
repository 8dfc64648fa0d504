/**
 * Creating a list when the answer can be lost: it is looked for, never created twice. Reliability, section 2.
 */
import type { Api } from '../../api/api.ts'
import type { ContactList } from '../../api/contract.ts'
import { SvcError } from '../../errors.ts'
import type { Tools } from '../../verb.ts'

type Wanted = Readonly<{ name: string; description: string }>

/** The only list of exactly this name; undefined when there is none. Throws exit 6 when there are several. */
export async function findByName(api: Api, name: string): Promise<ContactList | undefined> {
  const found: ContactList[] = []
  for await (const list of api.lists.all({ limit: Infinity })) {
    if (list.name === name) found.push(list)
  }
  if (found.length > 1) {
    throw new SvcError('rejected', `${found.length} lists are called "${name}"`, {
      hint: ['see which one is meant:', ...found.slice(0, 20).map(({ id }) => `  svc lists get ${id}`)].join('\n'),
    })
  }
  return found[0]
}

/** Throws exit 7 when the answer was lost and what was made cannot be told. */
export async function createList(tools: Tools, api: Api, wanted: Wanted): Promise<ContactList> {
  let sentAt = tools.host.now()
  try {
    return await api.lists.create(wanted, {
      before: () => {
        sentAt = tools.host.now()
        return Promise.resolve()
      },
    })
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    if (error.category === 'interrupted') throw unknown(error, 'interrupted before it could be looked for')
    const made = await findMade(api, wanted, sentAt, error)
    tools.note(
      'the answer was lost; a list of this name and description was made by this command, or by another at that moment',
    )
    return made
  }
}

/** Never created again: whoever tries again must have looked. */
function unknown(cause: SvcError, why: string): SvcError {
  return cause.withHint(`${why}; look at the newest lists before you try again:\n  svc lists list`)
}

/** A list's time and the service's own `Date` may be read at two ends of one request. */
const slack = 1000

/** Looks for what the request may have made: exactly one, made after the sending by the service's clock. */
async function findMade(
  api: Api,
  { name, description }: Wanted,
  sentAt: number,
  cause: SvcError,
): Promise<ContactList> {
  const alike: ContactList[] = []
  try {
    for await (const list of api.lists.all({ limit: Infinity })) {
      if (list.name === name && (list.description ?? '') === description) alike.push(list)
    }
  } catch {
    // Whatever kept the reading from working, what is unknown is the creation: that is what is reported.
    throw unknown(cause, 'the lists could not be read either')
  }
  if (alike.length === 0) throw unknown(cause, 'no such list is there now, but the request may still be under way')
  const offset = api.http.clockOffset
  if (offset === undefined)
    throw unknown(
      cause,
      'a list like it is there, but the service does not tell its time, and so not whether it is new',
    )
  const isNew = ({ createdAt }: ContactList): boolean =>
    createdAt != null && Date.parse(createdAt) >= sentAt + offset - slack
  const [made, another] = alike.filter(isNew)
  // A list without a time may be the new one.
  const clear = alike.every(({ createdAt }) => createdAt != null)
  if (made === undefined && clear)
    throw unknown(cause, 'only older lists like it are there now, but the request may still be under way')
  if (made === undefined || another !== undefined || !clear)
    throw unknown(cause, 'lists like it are there, and which one is new cannot be told')
  return made
}
