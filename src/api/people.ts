/** Reads contacts from the lists that they are on, because the service has no search for contacts. */
import { SvcError, join } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'
import type { Api } from './client.ts'
import { allLists, findList, type NameOptions } from './names.ts'
import { limits } from './operations.ts'
import type { Contact, ContactList } from './schemas.ts'

export interface NamedList {
  id: string
  name: string
}

/** A contact with the lists on which it was found. */
export type FoundContact = Contact & { lists: readonly NamedList[] }

/** The part of the API that reads lists and their members. */
export interface ListsApi {
  lists: Pick<Api['lists'], 'all' | 'get' | 'members'>
}

/** Where to look for people. */
export interface PeopleSource {
  api: ListsApi
  /** The names or ids of the lists to read. If it is empty, all lists are read. */
  within: readonly string[]
  nameOptions: NameOptions
  /** Tells the person that reading takes many requests. */
  note?: (message: string) => void
}

export interface People {
  /** Each contact once, in the order of the lists, and in each list the newest members first. */
  all: readonly FoundContact[]
  /** Returns a note that says how much was read; no note if everything was found. */
  extentNotes: (isEverythingFound: boolean) => string[]
  /** Returns the contact with an id, in any letter case; undefined if it was not kept. */
  find: (id: string) => FoundContact | undefined
}

const listsAtOnce = 4

/** A note announces a read that takes more requests than this. */
const maxUnannouncedRequests = 20

/** Reads the members of lists, and keeps those that are wanted. Throws the error of a list that cannot be read completely. */
export async function readPeople(
  source: PeopleSource,
  isWanted: (contact: Contact) => boolean,
): Promise<People> {
  const { api } = source
  const lists = await listsOf(source)
  const requests = lists.reduce((sum, list) => sum + requestsFor(list), 0)
  if (requests > maxUnannouncedRequests)
    source.note?.(
      `reading the members of ${pluralize(lists.length, 'list')} takes about ${groupDigits(requests)} requests`,
    )
  /** Each list with the members that were kept. */
  const readings = lists.map(({ id, name }) => ({
    list: { id, name },
    members: [] as FoundContact[],
  }))
  /** The contacts that were kept, by their ids in lower case. */
  const kept = new Map<string, FoundContact>()
  const pending = [...readings]
  let memberCount = 0

  async function readList({ list, members }: (typeof readings)[number]) {
    for await (const { contact } of api.lists.members(list.id)) {
      memberCount += 1
      const key = contact.id.toLowerCase()
      // A contact that was kept stays, even if it changed before a later list was read.
      const known = kept.get(key)
      if (known === undefined && !isWanted(contact)) continue
      // Its lists are added when all lists were read, so that they are in order.
      const member = known ?? { ...contact, lists: [] }
      members.push(member)
      kept.set(key, member)
    }
  }

  /** Reads one pending list after another, until none is left. */
  async function readPending() {
    for (;;) {
      const next = pending.shift()
      if (next === undefined) return
      try {
        await readList(next)
      } catch (error) {
        // The other readers begin no further list.
        pending.length = 0
        throw error instanceof SvcError ? unreadableError(error, next.list) : error
      }
    }
  }

  await Promise.all(Array.from({ length: listsAtOnce }, readPending))
  for (const { list, members } of readings) addList(list, members)
  const extent = `${pluralize(memberCount, 'member')} of ${pluralize(lists.length, 'list')}`
  const extentNote = `read ${extent}; a contact that is on no list cannot be found`
  return {
    all: [...new Set(readings.flatMap(({ members }) => members))],
    extentNotes: (isEverythingFound) => (isEverythingFound ? [] : [extentNote]),
    find: (id) => kept.get(id.toLowerCase()),
  }
}

/** Adds a list to those of its members. */
function addList(list: NamedList, members: readonly FoundContact[]) {
  for (const member of members) {
    // A member can come twice, if the list changed while it was read.
    if (member.lists.at(-1) === list) continue
    // A new array, because V8 reserves room for sixteen more elements when it pushes to one.
    member.lists = [...member.lists, list]
  }
}

/** Returns how many requests a list takes: one for each page, and page 1 again if there are several, to see what changed. */
function requestsFor({ contactsCount }: ContactList) {
  const pages = Math.max(1, Math.ceil(contactsCount / limits.pageSize.max))
  return pages === 1 ? 1 : pages + 1
}

async function listsOf({ api, within, nameOptions }: PeopleSource): Promise<ContactList[]> {
  if (within.length === 0) return allLists(api)
  const lists = new Map<string, ContactList>()
  for (const text of within) {
    const found = await findList(api, text, nameOptions)
    // `findList` reads a list to find it by its name, but not one that was typed as an id.
    lists.set(found.id.toLowerCase(), found.list ?? (await api.lists.get(found.id)))
  }
  return [...lists.values()]
}

/** Returns an error with a hint that begins with the list that could not be read. */
function unreadableError(error: SvcError, { id, name }: NamedList) {
  const problem = `the list "${name}" (${id}) could not be read completely`
  return error.with({ hint: join([problem, error.details.hint], '\n') })
}
