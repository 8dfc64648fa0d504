/** Contacts by way of lists: the service has no search for contacts, so the members of its lists are read, once. */
import type { Api } from '../api/client.ts'
import { awaitLater } from '../api/concurrency.ts'
import { findList, type AcceptNear } from '../api/names.ts'
import type { Contact, ContactList, ListMember } from '../api/schemas.ts'
import { SvcError } from '../errors.ts'
import type { SpoolHost } from '../output/spool.ts'
import { groupDigits } from '../words.ts'

export interface NamedList {
  readonly id: string
  readonly name: string
}

export interface ListsApi {
  readonly lists: Pick<Api['lists'], 'all' | 'get' | 'members'>
}

export interface DirectorySource {
  readonly api: ListsApi
  readonly host: SpoolHost
  /** The lists to read, by name or id; all lists when there is none. */
  readonly within: readonly string[]
  /** Called with a list whose name is spelled differently. */
  readonly accept: AcceptNear
  /** Whether nothing more needs to be read; called after each contact. */
  readonly isEnough?: () => boolean
  /** Called with how far the reading was when a signal ended it. */
  readonly warn?: (words: string) => void
}

type VisitContact = (contact: Contact, list: NamedList) => void

/** Facts about a directory that was read. */
export interface DirectoryRead {
  readonly lists: readonly NamedList[]
  readonly members: number
  readonly notes: () => string[]
}

/** Lists that are begun before they are visited: as many as requests are in flight. Members of more would take memory while they wait. */
const listsAhead = 4

/**
 * Reads the members of lists once. A contact is visited once for each list that it is on: in the order of the lists, newest
 * first. Throws the error of a list that cannot be read, after everything before it was visited.
 */
export async function readDirectory(source: DirectorySource, visit: VisitContact): Promise<DirectoryRead> {
  const reading = new Reading(source, visit)
  try {
    await reading.read()
  } catch (error) {
    if (error instanceof SvcError && error.category === 'interrupted')
      source.warn?.(`interrupted after ${extent(reading)}; this is not all`)
    throw error
  } finally {
    reading.close()
  }
  return reading
}

/** `5,555 members of 300 lists`. */
export function extent({ lists, members }: Pick<DirectoryRead, 'lists' | 'members'>): string {
  return `${quantity(members, 'member')} of ${quantity(lists.length, 'list')}`
}

export function quantity(count: number, what: string): string {
  return `${groupDigits(count)} ${what}${count === 1 ? '' : 's'}`
}

/** Members of a list, the first of which was asked for. */
interface Walk {
  readonly list: NamedList
  readonly members: AsyncGenerator<ListMember, boolean>
  readonly first: Promise<IteratorResult<ListMember, boolean>>
}

class Reading implements DirectoryRead {
  readonly lists: NamedList[] = []
  members = 0
  /** Whether lists came or went while they were read, and how many of them had members come or go. */
  #haveListsMoved = false
  #changes = 0
  readonly #visit: VisitContact
  readonly #source: DirectorySource
  readonly #walks: Walk[] = []

  constructor(source: DirectorySource, visit: VisitContact) {
    this.#source = source
    this.#visit = visit
  }

  async read(): Promise<void> {
    const { within } = this.#source
    for await (const list of within.length === 0 ? this.#allLists() : await this.#listsNamed(within)) {
      const members = this.#membersOf(list)
      this.#walks.push({ list, members, first: awaitLater(members.next()) })
      if (this.#walks.length >= listsAhead) await this.#visitNext()
      if (this.#hasEnough) return
    }
    while (this.#walks.length > 0 && !this.#hasEnough) await this.#visitNext()
  }

  /** Ends the walks that were begun. */
  close(): void {
    for (const { members } of this.#walks) void awaitLater(members.return(false))
  }

  notes(): string[] {
    const where = this.lists.length === 1 ? 'it' : 'them'
    return [
      ...(this.#haveListsMoved ? ['lists were created or deleted while they were read: some may be missing'] : []),
      ...(this.#changes > 0
        ? [`${quantity(this.#changes, 'list')} changed while they were read: some members may be missing`]
        : []),
      this.#source.within.length === 0
        ? `read ${extent(this)}; a contact that is on no list cannot be found`
        : `read ${extent(this)}, and no other list; a contact that is not on ${where} cannot be found`,
    ]
  }

  get #hasEnough(): boolean {
    return this.#source.isEnough?.() === true
  }

  async #visitNext(): Promise<void> {
    const [walk] = this.#walks
    if (walk === undefined) return
    const { list, members, first } = walk
    this.lists.push(list)
    let step = await first
    for (; step.done !== true; step = await members.next()) {
      this.members += 1
      this.#visit(step.value.contact, list)
      if (this.#hasEnough) return
    }
    if (step.value) this.#changes += 1
    this.#walks.shift()
  }

  /** Returns whether members came or went meanwhile. */
  async *#membersOf(list: NamedList): AsyncGenerator<ListMember, boolean> {
    try {
      const { moved, missing } = yield* this.#source.api.lists.members(list.id, { limit: Infinity })
      return (moved ?? missing) !== undefined
    } catch (error) {
      throw error instanceof SvcError ? unreadable(error, list) : error
    }
  }

  async *#allLists(): AsyncGenerator<ContactList, void> {
    const { moved } = yield* this.#source.api.lists.all({ limit: Infinity })
    this.#haveListsMoved = moved !== undefined
  }

  async #listsNamed(texts: readonly string[]): Promise<Iterable<ContactList>> {
    const lists = new Map<string, ContactList>()
    for (const text of texts) {
      const found = await findList(this.#source.api, text, this.#source.accept)
      lists.set(found.id.toLowerCase(), found.list ?? (await this.#source.api.lists.get(found.id)))
    }
    return lists.values()
  }
}

function unreadable(error: SvcError, { id, name }: NamedList): SvcError {
  const { httpStatus, hint } = error.details
  const why = httpStatus === 404 ? ', which may have been deleted since: run the command again' : ''
  const lines = [`the list "${name}" (${id}) could not be read${why}; its members are not known`, hint]
  return error.withHint(lines.filter((line) => line !== undefined).join('\n'))
}
