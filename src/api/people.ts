/**
 * Reads contacts from the lists that they are on, because the service has no search for contacts. Four lists are read at a
 * time.
 */
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

/** A contact and the lists that it was found on. */
export type FoundContact = Contact & { lists: readonly NamedList[] }

export interface ListsApi {
  lists: Pick<Api['lists'], 'all' | 'get' | 'members'>
}

export interface PeopleSource {
  api: ListsApi
  /** The names or ids of the lists to read. All lists are read if there are none. */
  within: readonly string[]
  nameOptions: NameOptions
  /** Tells the person that reading takes many requests. */
  note?: (message: string) => void
}

export interface People {
  /** Each contact once: the lists in their order, and in each list the newest members first. */
  all: readonly FoundContact[]
  /** Says how much was read, unless everything that was wanted was found. */
  extentNotes: (isFound: boolean) => string[]
  /** The contact with this id, in either letter case; undefined if it was not kept. */
  find: (id: string) => FoundContact | undefined
}

const listsAtOnce = 4

/** A read of more requests is announced before it begins. */
const maxUnannounced = 20

/** Reads the members of lists, and keeps the wanted ones. Throws the error of a list that cannot be read completely. */
export async function readPeople(
  source: PeopleSource,
  isWanted: (contact: Contact) => boolean,
): Promise<People> {
  const { api } = source
  const lists = await listsOf(source)
  const requests = lists.reduce((sum, list) => sum + requestsFor(list), 0)
  if (requests > maxUnannounced)
    source.note?.(
      `reading the members of ${pluralize(lists.length, 'list')} takes about ${groupDigits(requests)} requests`,
    )
  const wantedByList = lists.map(({ id, name }) => ({
    list: { id, name },
    members: [] as FoundContact[],
  }))
  const byId = new Map<string, FoundContact>()
  const pending = [...wantedByList]
  let memberCount = 0

  async function readList({ list, members }: (typeof wantedByList)[number]) {
    for await (const { contact } of api.lists.members(list.id)) {
      memberCount += 1
      const id = contact.id.toLowerCase()
      // A contact that was wanted on one list is wanted on all.
      const known = byId.get(id)
      if (known === undefined && !isWanted(contact)) continue
      // `attachList` adds the lists when all are read, so that they come in their order.
      const member = known ?? { ...contact, lists: [] }
      members.push(member)
      byId.set(id, member)
    }
  }

  /** Reads one pending list after the other. Four of these calls share the lists. */
  async function readLists() {
    for (;;) {
      const next = pending.shift()
      if (next === undefined) return
      try {
        await readList(next)
      } catch (error) {
        // The others begin no further list.
        pending.length = 0
        throw error instanceof SvcError ? unreadableError(error, next.list) : error
      }
    }
  }

  await Promise.all(Array.from({ length: listsAtOnce }, readLists))
  const extent = `${pluralize(memberCount, 'member')} of ${pluralize(lists.length, 'list')}`
  for (const { list, members } of wantedByList) attachList(list, members)
  return {
    all: [...new Set(wantedByList.flatMap(({ members }) => members))],
    extentNotes: (isFound) =>
      isFound ? [] : [`read ${extent}; a contact that is on no list cannot be found`],
    find: (id) => byId.get(id.toLowerCase()),
  }
}

function attachList(list: NamedList, members: readonly FoundContact[]) {
  for (const member of members) {
    // A member can come twice, if the list changed while it was read.
    if (member.lists.at(-1) === list) continue
    // Copied, because an array that grows keeps room for sixteen more elements, and each contact has one.
    member.lists = [...member.lists, list]
  }
}

/** How many requests a list takes: one for each page, and the first one again if there are several. */
function requestsFor({ contactsCount }: ContactList) {
  const pages = Math.max(1, Math.ceil(contactsCount / limits.pageSize.max))
  return pages === 1 ? 1 : pages + 1
}

async function listsOf({ api, within, nameOptions }: PeopleSource): Promise<ContactList[]> {
  if (within.length === 0) return allLists(api)
  const lists = new Map<string, ContactList>()
  for (const text of within) {
    const found = await findList(api, text, nameOptions)
    lists.set(found.id.toLowerCase(), found.list ?? (await api.lists.get(found.id)))
  }
  return [...lists.values()]
}

function unreadableError(error: SvcError, { id, name }: NamedList) {
  const problem = `the list "${name}" (${id}) could not be read completely`
  return error.with({ hint: join([problem, error.details.hint], '\n') })
}
