/** The ten operations, bound to one client. */
import type { Hooks } from '../http/attempt.ts'
import type { Client } from '../http/client.ts'
import { call, callRaw, type RawAnswer } from './call.ts'
import { followChunks, followPages, type PagesRead, type Paging } from './paginate.ts'
import type {
  AddResult,
  AssignResult,
  ContactList,
  DeleteResult,
  Employee,
  HistoryChunk,
  ListMember,
  ListPage,
  MergeResult,
} from './schemas.ts'

export interface ListChanges {
  readonly name?: string
  readonly description?: string
}

export interface Api {
  readonly lists: {
    page(query: { page?: number; limit?: number; search?: string }): Promise<ListPage>
    /** All lists, newest first, page by page. */
    all(paging: Paging, search?: string): AsyncGenerator<ContactList, PagesRead>
    get(listId: string): Promise<ContactList>
    members(listId: string, paging: Paging): AsyncGenerator<ListMember, PagesRead>
    create(body: { name: string; description: string }, hooks?: Hooks): Promise<ContactList>
    update(listId: string, changes: ListChanges): Promise<ContactList>
    /** 1 to 100 contacts. */
    addContacts(listId: string, contactIds: readonly string[], hooks?: Hooks): Promise<AddResult>
  }
  readonly contacts: {
    /** The source is merged into the target. */
    merge(sourceContactId: string, targetContactId: string, hooks?: Hooks): Promise<MergeResult>
    /** 1 to 100 contacts. */
    delete(contactIds: readonly string[], hooks?: Hooks): Promise<DeleteResult>
  }
  readonly tickets: {
    /** At most 20 messages, newest to oldest. `cursor`: the `nextChunkStartMessageId` of the chunk before. */
    chunk(ticketId: string, cursor?: string, hooks?: Hooks): Promise<HistoryChunk>
    /** Chunk after chunk until `enough` messages are there, the next one under way while the last is used. */
    chunks(ticketId: string, cursor?: string, enough?: number): AsyncGenerator<HistoryChunk>
    assign(ticketId: string, newAssigneeId: string, hooks?: Hooks): Promise<AssignResult>
  }
  readonly employees: {
    /** At most 1000, sorted by first name, last name, id. */
    list(): Promise<Employee[]>
  }
  /** Any path below /v1/. `body` is sent as it is. Only a GET is sent again after a lost answer. */
  raw(method: string, path: string, body: Buffer): Promise<RawAnswer>
  /** Pace and clock are shared by all operations. */
  readonly client: Client
}

export function createApi(client: Client): Api {
  const api: Api = {
    lists: {
      page: (query) => call(client, 'lists.list', { query }),
      all(paging, search) {
        const fetchPage = async (query: { page: number; limit: number }) => {
          const { lists, pagination } = await api.lists.page({ ...query, ...(search === undefined ? {} : { search }) })
          return { rows: lists, pagination }
        }
        return followPages(fetchPage, (list) => list.id, paging)
      },
      async get(listId) {
        // One member is the least that can be asked for; only the list is wanted.
        const { list } = await call(client, 'lists.get', { path: { listId }, query: { page: 1, limit: 1 } })
        return list
      },
      members(listId, paging) {
        const fetchPage = async (query: { page: number; limit: number }) => {
          const { members, pagination } = await call(client, 'lists.get', { path: { listId }, query })
          return { rows: members, pagination }
        }
        return followPages(fetchPage, (member) => member.id, paging)
      },
      create: (body, hooks) => call(client, 'lists.create', { body }, hooks),
      update: (listId, changes) => call(client, 'lists.update', { path: { listId }, body: changes }),
      addContacts: (listId, contactIds, hooks) =>
        call(client, 'lists.add-contacts', { path: { listId }, body: { contactIds } }, hooks),
    },
    contacts: {
      merge: (sourceContactId, targetContactId, hooks) =>
        call(client, 'contacts.merge', { path: { sourceContactId }, body: { targetContactId } }, hooks),
      delete: (contactIds, hooks) => call(client, 'contacts.delete', { body: { contactIds } }, hooks),
    },
    tickets: {
      chunk: (ticketId, cursor, hooks) =>
        call(client, 'tickets.history', { path: { ticketId }, query: { chunkLastMessageId: cursor } }, hooks),
      chunks: (ticketId, cursor, enough) => followChunks((next) => api.tickets.chunk(ticketId, next), cursor, enough),
      assign: (ticketId, newAssigneeId, hooks) =>
        call(client, 'tickets.assign', { path: { ticketId }, body: { newAssigneeId } }, hooks),
    },
    employees: { list: () => call(client, 'employees.list', {}) },
    raw: (method, path, body) => callRaw(client, method, path, body),
    client,
  }
  return api
}
