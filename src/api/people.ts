/**
 * Contacts by way of lists: the service has no search for contacts, so svc reads the members of lists, once, four lists at a
 * time. `contacts list`, `get`, `find`, `match` and `duplicates` read them here, and so does `--who`.
 */
import { join } from '../message.ts'
import type { Api } from './client.ts'
import { allLists, findList, type AcceptNear } from './names.ts'
import { limits } from './operations.ts'
import type { Contact, ContactList } from './schemas.ts'
import { SvcError } from '../errors.ts'
import { groupDigits, pluralize } from '../words.ts'

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
  /** The lists to read, by name or id; all lists if none is named. */
  within: readonly string[]
  /** How a list whose name is spelled differently is treated. */
  acceptNear: AcceptNear
}

/** People by the lists that they are on, each once, in the order of the lists and newest first. */
export interface People {
  all: readonly FoundContact[]
  /** Notes on how much was read: none if what was wanted was found. */
  extentNotes: (isFound: boolean) => string[]
  /** Undefined for an id that is not among them. */
  find: (id: string) => FoundContact | undefined
}

/** The pages of one list are read one after the other. */
const listsAtOnce = 4

/** A read of more requests is told before it begins. */
const mostUntold = 20

/** Reads members of lists, and keeps those that are wanted. Throws the error of a list that cannot be read. */
export async function readPeople(
  source: PeopleSource,
  isWanted: (contact: Contact) => boolean,
): Promise<People> {
  const { api } = source
  const lists = await listsOf(source)
  const requests = lists.reduce((sum, list) => sum + requestsFor(list), 0)
  if (requests > mostUntold)
    source.acceptNear.note?.(
      `reading the members of ${pluralize(lists.length, 'list')} takes about ${groupDigits(requests)} requests`,
    )
  const wantedByList = lists.map(({ id, name }) => ({
    list: { id, name },
    members: [] as FoundContact[],
  }))
  const byId = new Map<string, FoundContact>()
  let count = 0
  let next = 0

  async function readList({ list, members }: (typeof wantedByList)[number]) {
    for await (const { contact } of api.lists.members(list.id)) {
      count += 1
      const id = contact.id.toLowerCase()
      // A contact that is wanted on one list is wanted on all.
      const known = byId.get(id)
      if (known === undefined && !isWanted(contact)) continue
      // `attachList` fills in the lists, in their order, when all are read.
      const member = known ?? { ...contact, lists: [] }
      members.push(member)
      byId.set(id, member)
    }
  }

  /** One of the readers, each of which takes its next list from the same ones. */
  async function readLists() {
    for (let each = wantedByList[next++]; each !== undefined; each = wantedByList[next++]) {
      try {
        await readList(each)
      } catch (error) {
        // Nothing further is begun.
        next = wantedByList.length
        throw error instanceof SvcError ? unreadable(error, each.list) : error
      }
    }
  }

  await Promise.all(Array.from({ length: listsAtOnce }, readLists))
  const extent = `${pluralize(count, 'member')} of ${pluralize(lists.length, 'list')}`
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
    // Copied, not pushed: a growing array keeps room for sixteen more, and there is one for each contact.
    member.lists = [...member.lists, list]
  }
}

/** The pages of a list, and the first one again if there are several. */
function requestsFor({ contactsCount }: ContactList) {
  const pages = Math.max(1, Math.ceil(contactsCount / limits.pageSize.max))
  return pages === 1 ? 1 : pages + 1
}

async function listsOf({ api, within, acceptNear }: PeopleSource): Promise<ContactList[]> {
  if (within.length === 0) return allLists(api)
  const lists = new Map<string, ContactList>()
  for (const text of within) {
    const found = await findList(api, text, acceptNear)
    lists.set(found.id.toLowerCase(), found.list ?? (await api.lists.get(found.id)))
  }
  return [...lists.values()]
}

function unreadable(error: SvcError, { id, name }: NamedList) {
  const line = `the list "${name}" (${id}) could not be read completely`
  return error.with({ hint: join([line, error.details.hint], '\n') })
}
