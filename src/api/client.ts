/** The ten operations, bound to one client. */
import type { Hooks } from '../http/attempt.ts'
import type { Client } from '../http/client.ts'
import { call, callRaw } from './call.ts'
import { inTurn } from './concurrency.ts'
import { followChunks, followPages, pagesAtOnce, type Paging } from './paginate.ts'
import { Reads, type Watch } from './reads.ts'

type PageQuery = Readonly<{ page?: number; limit?: number }>

function listsOf(client: Client, reads: Reads) {
  const page = (query: PageQuery & { readonly search?: string }) => call(client, 'lists.list', { query })
  const membersPage = (listId: string, query: PageQuery) => call(client, 'lists.get', { path: { listId }, query })
  // However many walks there are at once.
  const read = inTurn(pagesAtOnce)
  return {
    page,
    /** All lists, newest first, several pages at once. */
    all(paging: Paging, search?: string) {
      const fetchPage = async (query: PageQuery) => {
        const { lists, pagination } = await read(() => page({ ...query, ...(search === undefined ? {} : { search }) }))
        return { rows: lists, pagination }
      }
      return followPages(
        fetchPage,
        (list) => list.id,
        paging,
        () => reads.begin('lists'),
      )
    },
    async get(listId: string) {
      // One member is the least that can be asked for; only the list is wanted.
      return (await membersPage(listId, { page: 1, limit: 1 })).list
    },
    members(listId: string, paging: Paging) {
      const fetchPage = async (query: PageQuery) => {
        const { members, pagination } = await read(() => membersPage(listId, query))
        return { rows: members, pagination }
      }
      return followPages(
        fetchPage,
        (member) => member.id,
        paging,
        () => reads.begin('members'),
      )
    },
    create: (body: { readonly name: string; readonly description: string }, hooks?: Hooks) =>
      call(client, 'lists.create', { body }, hooks),
    update: (listId: string, changes: { readonly name?: string; readonly description?: string }) =>
      call(client, 'lists.update', { path: { listId }, body: changes }),
    /** 1 to 100 contacts. */
    addContacts: (listId: string, contactIds: readonly string[], hooks?: Hooks) =>
      call(client, 'lists.add-contacts', { path: { listId }, body: { contactIds } }, hooks),
  }
}

export type Api = ReturnType<typeof createApi>

/** `watch`: shows how far reads are, while they last. */
export function createApi(client: Client, watch?: Watch) {
  const reads = new Reads(watch)
  const chunk = (ticketId: string, cursor?: string, hooks?: Hooks) =>
    call(client, 'tickets.history', { path: { ticketId }, query: { chunkLastMessageId: cursor } }, hooks)
  return {
    lists: listsOf(client, reads),
    contacts: {
      /** The source is merged into the target. */
      merge: (sourceContactId: string, targetContactId: string, hooks?: Hooks) =>
        call(client, 'contacts.merge', { path: { sourceContactId }, body: { targetContactId } }, hooks),
      /** 1 to 100 contacts. */
      delete: (contactIds: readonly string[], hooks?: Hooks) =>
        call(client, 'contacts.delete', { body: { contactIds } }, hooks),
    },
    tickets: {
      /** At most 20 messages, newest to oldest. `cursor`: the `nextChunkStartMessageId` of the chunk before. */
      chunk,
      /** Chunk after chunk until `enough` messages are there, the next one in flight while the last is used. */
      chunks: (ticketId: string, cursor?: string, enough?: number) =>
        followChunks(
          (next) => chunk(ticketId, next),
          cursor,
          enough,
          () => reads.begin('messages'),
        ),
      assign: (ticketId: string, newAssigneeId: string, hooks?: Hooks) =>
        call(client, 'tickets.assign', { path: { ticketId }, body: { newAssigneeId } }, hooks),
    },
    employees: {
      /** At most 1000, sorted by first name, last name, id. */
      list: () => call(client, 'employees.list', {}),
    },
    /** Any path below /v1/. `body` is sent as it is. Only a GET is sent again after a lost answer. */
    raw: (method: string, path: string, body: Buffer) => callRaw(client, method, path, body),
    /** Pace and clock are shared by all operations. */
    client,
  }
}
