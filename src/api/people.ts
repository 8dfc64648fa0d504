/** Reads contacts from the lists that they are on, because the service has no search for contacts. */
import { SvcError } from '../errors.ts'
import { quoteAll, safe } from '../safe-text.ts'
import { groupDigits, joinPresent, pluralize } from '../words.ts'
import type { Api } from './api.ts'
import { allLists, findList, type NameOptions } from './by-name.ts'
import { limits } from './operations.ts'
import type { Contact, ContactList } from './schemas.ts'

/** A contact with the lists on which it was found. */
export type FoundContact = Contact & { lists: readonly Pick<ContactList, 'id' | 'name'>[] }

/** Where to look for people. */
export interface PeopleSource {
  api: { lists: Pick<Api['lists'], 'all' | 'get' | 'members'> }
  /** The names or ids of the lists to read. If it is empty, all lists are read. */
  within: readonly string[]
  nameOptions: NameOptions
  /** Tells the person that reading takes many requests, or that somebody may be missing. */
  note: (message: string) => void
}

export interface People {
  /** Each contact once, in the order of the lists, and in each list the newest members first. */
  all: readonly FoundContact[]
  /** Returns a note that says how much was read; no note if everything was found. */
  extentNotes: (isEverythingFound: boolean) => string[]
  /** Returns the contact with an id, in any letter case; undefined if it is on none of the lists. */
  find: (id: string) => FoundContact | undefined
  /** Where the contacts were found, if not on all lists: ` on "VIP"`. */
  place: string
}

const listsAtOnce = 4

/** A note announces a read that takes more requests than this. */
const maxUnannouncedRequests = 20

/** How often lists that grew meanwhile are read again at most. */
const maxRereads = 3

/** The members of a list. */
interface ListReading {
  members: readonly FoundContact[]
  /** How many contacts the list had when it was read. */
  contactsCount: number
}

/**
 * Reads the members of lists. A contact can move meanwhile from a list that is not read yet to one that was read, so lists that have
 * grown at the end are read again. Throws the error of a list that cannot be read completely.
 */
export async function readPeople(source: PeopleSource): Promise<People> {
  const { api, note } = source
  let lists = await listsOf(source)
  announce(lists, note)
  /** The readings by the ids of their lists in lower case. */
  const readings = new Map<string, ListReading>()
  /** The contacts by their ids in lower case. */
  const contacts = new Map<string, FoundContact>()

  async function readList({ id }: ContactList) {
    const { rows, contactsCount } = await api.lists.members(id)
    const members = rows.map(({ contact }) => {
      const key = contact.id.toLowerCase()
      // Its lists are added when all lists were read, so that they are in order.
      const member = contacts.get(key) ?? { ...contact, lists: [] }
      contacts.set(key, member)
      return member
    })
    readings.set(id.toLowerCase(), { members, contactsCount })
  }

  const hasGrown = ({ id, contactsCount }: ContactList) =>
    contactsCount > (readings.get(id.toLowerCase())?.contactsCount ?? -1)

  await readEach(lists, readList)
  // A contact can move only between lists.
  for (let rereads = 0; lists.length > 1; rereads += 1) {
    lists = await refreshLists(source, lists)
    const grown = lists.filter(hasGrown)
    if (grown.length === 0) break
    if (rereads === maxRereads) {
      note(
        'lists grew each time that they were read: a contact that moved from one list to another may be missing',
      )
      break
    }
    await readEach(grown, readList)
  }
  const isAll = source.within.length === 0
  const place = isAll ? '' : ` on ${quoteAll(lists.map(({ name }) => name))}`
  return { ...peopleOf(lists, readings, contacts), place }
}

/** Says how many requests a read takes, if they are many. */
function announce(lists: readonly ContactList[], note: PeopleSource['note']) {
  let requests = 0
  for (const { contactsCount } of lists) {
    const pages = Math.max(1, Math.ceil(contactsCount / limits.pageSize.max))
    // Page 1 is read again if there are several, to see what changed.
    requests += pages === 1 ? 1 : pages + 1
  }
  if (requests > maxUnannouncedRequests)
    note(
      `reading the members of ${pluralize(lists.length, 'list')} takes about ${groupDigits(requests)} requests`,
    )
}

/** Reads lists, some of them at the same time. After an error, no further list is begun, and the hint names the list. */
async function readEach(
  lists: readonly ContactList[],
  readList: (list: ContactList) => Promise<void>,
) {
  const pending = [...lists]
  async function readPending() {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      try {
        await readList(next)
      } catch (error) {
        pending.length = 0
        if (!(error instanceof SvcError)) throw error
        const problem = `the list "${safe(next.name)}" (${next.id}) could not be read completely`
        throw error.with({ hint: joinPresent([problem, error.details.hint], '\n') })
      }
    }
  }
  await Promise.all(Array.from({ length: listsAtOnce }, readPending))
}

function peopleOf(
  lists: readonly ContactList[],
  readings: ReadonlyMap<string, ListReading>,
  contacts: ReadonlyMap<string, FoundContact>,
) {
  const all = new Set<FoundContact>()
  let memberCount = 0
  for (const { id, name } of lists) {
    const members = readings.get(id.toLowerCase())?.members ?? []
    memberCount += members.length
    const list = { id, name }
    // A contact can be a member twice.
    for (const member of new Set(members)) {
      all.add(member)
      // A new array, because V8 reserves room for sixteen more elements when it pushes to one.
      member.lists = [...member.lists, list]
    }
  }
  const extent = `${pluralize(memberCount, 'member')} of ${pluralize(lists.length, 'list')}`
  const extentNote = `read ${extent}; a contact that is on no list cannot be found`
  return {
    all: [...all],
    extentNotes: (isEverythingFound: boolean) => (isEverythingFound ? [] : [extentNote]),
    find: (id: string) => {
      const contact = contacts.get(id.toLowerCase())
      // A list that is read again may have lost it.
      return contact !== undefined && all.has(contact) ? contact : undefined
    },
  }
}

/** Returns the lists to read. A list that is named twice comes once. */
async function listsOf({ api, within, nameOptions }: PeopleSource) {
  if (within.length === 0) return allLists(api)
  const lists = new Map<string, ContactList>()
  for (const text of within) {
    const found = await findList(api, text, nameOptions)
    // `findList` reads a list to find it by its name, but not one that was typed as an id.
    lists.set(found.id.toLowerCase(), found.list ?? (await api.lists.get(found.id)))
  }
  return [...lists.values()]
}

/** Returns the lists as they are now: the named ones, or all, also new ones. */
function refreshLists({ api, within }: PeopleSource, lists: readonly ContactList[]) {
  if (within.length === 0) return allLists(api)
  return Promise.all(lists.map(({ id }) => api.lists.get(id)))
}
