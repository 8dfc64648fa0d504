/**
 * Contacts by way of lists: the service has no search for contacts, so the members of its lists are read, once. `people.ts` reads
 * everything by it; `commands/directory.ts` makes the source of it from `--in` or all lists.
 */
import { join } from '../message.ts'
import type { Api } from '../api/client.ts'
import { inTurn, awaitLater, pagesAtOnce } from '../api/paginate.ts'
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

/** Lists whose requests are in flight at once: as many as there may be. */
const listsAtOnce = pagesAtOnce
/** Lists that are read at once, before they are visited, so that one that takes long does not keep the others waiting. */
const listsAhead = 4 * listsAtOnce
/** Contacts of each of them that wait until those of the lists before it were visited. */
const mostWaiting = 1000

/**
 * Reads the members of lists once, four requests at a time. A contact is visited once for each list that it is on: in the order
 * of the lists, newest first. Throws the error of a list that cannot be read, after everything before it was visited.
 */
export async function readDirectory(
  source: DirectorySource,
  visit: VisitContact,
): Promise<DirectoryRead> {
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
function extent({ lists, members }: Pick<DirectoryRead, 'lists' | 'members'>): string {
  return `${quantity(members, 'member')} of ${quantity(lists.length, 'list')}`
}

export function quantity(count: number, what: string): string {
  const plural = what.endsWith('s') ? `${what}es` : `${what}s`
  return `${groupDigits(count)} ${count === 1 ? what : plural}`
}

/** Cases that are too many to name each: `5 cells cannot be read: B5: "see notes" has no phone number; … and 2 more`. */
export class Examples {
  readonly #what: string
  readonly #why: string
  readonly #shown: string[] = []
  #count = 0

  constructor(what: string, why: string) {
    this.#what = what
    this.#why = why
  }

  add(text: string): void {
    this.#count += 1
    if (this.#count <= examplesShown) this.#shown.push(text)
  }

  words(): string[] {
    const others = this.#count - this.#shown.length
    const more = others > 0 ? ` and ${groupDigits(others)} more` : ''
    return this.#count === 0
      ? []
      : [`${quantity(this.#count, this.#what)} ${this.#why}: ${this.#shown.join('; ')}${more}`]
  }
}

const examplesShown = 3

class Reading implements DirectoryRead {
  readonly lists: NamedList[] = []
  members = 0
  readonly visit: VisitContact
  readonly #source: DirectorySource
  /** Lists at their turn: four of them at once. */
  readonly turn = inTurn(listsAtOnce)
  /** Whether a list could not be read: no further one is begun. */
  hasFailed = false
  readonly #ahead: ListReading[] = []
  #isClosed = false

  constructor(source: DirectorySource, visit: VisitContact) {
    this.#source = source
    this.visit = visit
  }

  async read(): Promise<void> {
    const { within } = this.#source
    for await (const list of within.length === 0
      ? this.#source.api.lists.all({ limit: Infinity })
      : await this.#listsNamed(within)) {
      this.#ahead.push(new ListReading(this, list))
      if (this.#ahead.length >= listsAhead) await this.#visitNext()
      if (this.hasEnough) return
    }
    while (this.#ahead.length > 0 && !this.hasEnough) await this.#visitNext()
  }

  get hasEnough(): boolean {
    return this.#isClosed
  }

  /** Nothing is visited from now on; what waits for its turn ends. */
  close(): void {
    this.#isClosed = true
    for (const list of this.#ahead) void awaitLater(list.visitAll())
  }

  notes(): string[] {
    const where = this.lists.length === 1 ? 'it' : 'them'
    return [
      this.#source.within.length === 0
        ? `read ${extent(this)}; a contact that is on no list cannot be found`
        : `read ${extent(this)}, and no other list; a contact that is not on ${where} cannot be found`,
    ]
  }

  async *membersOf(list: ContactList): AsyncGenerator<ListMember, void> {
    this.lists.push(list)
    try {
      yield* this.#source.api.lists.members(list.id, { limit: Infinity })
    } catch (error) {
      throw error instanceof SvcError ? unreadable(error, list) : error
    }
  }

  async #visitNext(): Promise<void> {
    await this.#ahead[0]?.visitAll()
    this.#ahead.shift()
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

/** One list: its members wait until those of the lists before it were visited, and some are not even asked for. */
class ListReading {
  readonly #reading: Reading
  readonly #list: ContactList
  readonly #waiting: Contact[] = []
  readonly #done: Promise<void>
  readonly #atHead: Promise<void>
  #begin: () => void = () => undefined
  #isAtHead = false

  constructor(reading: Reading, list: ContactList) {
    this.#reading = reading
    this.#list = list
    this.#atHead = new Promise((resolve) => (this.#begin = resolve))
    this.#done = awaitLater(reading.turn(() => this.#read()))
  }

  async visitAll(): Promise<void> {
    this.#isAtHead = true
    for (const contact of this.#waiting.splice(0)) this.#visit(contact)
    this.#begin()
    await this.#done
  }

  async #read(): Promise<void> {
    const reading = this.#reading
    if (reading.hasFailed || reading.hasEnough) return
    try {
      for await (const { contact } of reading.membersOf(this.#list)) {
        if (this.#isAtHead) this.#visit(contact)
        else if (this.#waiting.push(contact) >= mostWaiting) await this.#atHead
        if (reading.hasEnough) return
      }
    } catch (error) {
      reading.hasFailed = true
      throw error
    }
  }

  #visit(contact: Contact): void {
    if (this.#reading.hasEnough) return
    this.#reading.members += 1
    this.#reading.visit(contact, this.#list)
  }
}

function unreadable(error: SvcError, { id, name }: NamedList): SvcError {
  const { httpStatus, hint } = error.details
  const why = httpStatus === 404 ? ', which may have been deleted since: run the command again' : ''
  const lines = [
    `the list "${name}" (${id}) could not be read whole${why}; its members are not known`,
    hint,
  ]
  return error.withHint(join(lines, '\n'))
}
