/**
 * Creating a list when the answer can be lost: it is looked for among the lists that were not there before, and never
 * created twice. Only ids and times of the service are compared: this machine's clock plays no part.
 */
import type { Api } from '../../api/client.ts'
import type { ContactList } from '../../api/schemas.ts'
import { limits } from '../../api/limits.ts'
import { listsNamed } from '../../api/names.ts'
import { SvcError } from '../../errors.ts'
import type { Context } from '../../cli/verb.ts'
import { mayArrive } from '../late.ts'

type Wanted = Readonly<{ name: string; description: string }>

/** The lists that were there before the request was sent: all of them, or the newest. */
export class Before {
  readonly #ids = new Set<string>()
  /** Of the newest, in milliseconds since 1970; -Infinity when no list has a time. */
  #newest = -Infinity

  add({ id, createdAt }: ContactList): void {
    this.#ids.add(id.toLowerCase())
    this.#newest = Math.max(this.#newest, timeOf(createdAt) ?? -Infinity)
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  has({ id }: ContactList): boolean {
    return this.#ids.has(id.toLowerCase())
  }

  /** Whether a list has a time, and was there before the newest of these by it. */
  isOlder({ createdAt }: ContactList): boolean {
    return (timeOf(createdAt) ?? Infinity) < this.#newest
  }
}

function timeOf(createdAt: string | null | undefined): number | undefined {
  const at = createdAt == null ? NaN : Date.parse(createdAt)
  return Number.isNaN(at) ? undefined : at
}

/** Reads all lists: the only one of exactly this name, if there is one. Throws exit 6 when there are several. */
export async function findByName(
  api: Api,
  name: string,
): Promise<{ existing: ContactList | undefined; before: Before }> {
  const before = new Before()
  const { found } = await listsNamed(api, name, (list) => {
    before.add(list)
  })
  if (found.length > 1) {
    throw new SvcError('rejected', `${found.length} lists are called "${name}"`, {
      hint: ['find the one you mean:', ...found.slice(0, 20).map(({ id }) => `  svc lists get ${id}`)].join('\n'),
    })
  }
  return { existing: found[0], before }
}

/**
 * Reads the newest lists. Undefined, with a note, when the service refuses that: reading is only a help. Throws when it is
 * not available: then the answer to the request would probably be lost as well.
 */
export async function readNewest(context: Context, api: Api): Promise<Before | undefined> {
  const before = new Before()
  try {
    for await (const list of api.lists.all({ limit: limits.pageSize.max })) before.add(list)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    if (error.category === 'rejected' || error.category === 'forbidden') {
      context.note(`the newest lists could not be read first (${error.message}); creating the list anyway`)
      return undefined
    }
    if (error.category !== 'unavailable') throw error
    throw error.withHint(`nothing was created: the newest lists are read first\n${error.details.hint ?? ''}`)
  }
  return before
}

/** Throws exit 7 when the answer was lost and what was made cannot be told. */
export async function createList(
  context: Context,
  api: Api,
  wanted: Wanted,
  before: Before | undefined,
): Promise<ContactList> {
  try {
    return await api.lists.create(wanted)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    const made = await findMade(api, wanted, before, error)
    if (typeof made === 'string') {
      throw error.withHint(
        `${made};\n${mayArrive(context.host)}; look at the newest lists before you try again:\n  svc lists list`,
      )
    }
    context.note(
      'the answer was lost, but there is a new list with this name and description: this command created it, or another did at the same moment',
    )
    return made
  }
}

/** The list that the request made, or why that cannot be told. */
async function findMade(
  api: Api,
  { name, description }: Wanted,
  before: Before | undefined,
  cause: SvcError,
): Promise<ContactList | string> {
  if (cause.category === 'interrupted') return 'interrupted before svc could look for the list'
  if (before === undefined) return 'the lists that existed before are not known, so svc cannot tell which one is new'
  const made: ContactList[] = []
  let met = before.isEmpty
  try {
    for await (const list of api.lists.all({ limit: Infinity, ahead: false })) {
      // Lists are ordered newest first: behind one that was there before, none is new.
      if (before.has(list)) {
        met = true
        break
      }
      if (list.name === name && (list.description ?? '') === description && !before.isOlder(list)) made.push(list)
    }
  } catch {
    // Whatever kept the reading from working, what is unknown is the creation: that is what is reported.
    return 'the lists could not be read afterwards'
  }
  if (!met) return 'none of the earlier lists exists now, so svc cannot tell which one is new'
  const [first, second] = made
  if (first === undefined) return 'there is no new list with this name and description'
  if (second !== undefined) return `there are ${made.length} new lists with this name and description`
  return first
}
