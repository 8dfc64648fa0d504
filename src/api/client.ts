/** The ten operations, bound to one client. Walks over pages share one limit on requests in flight. */
import type { Hooks } from '../http/attempt.ts'
import type { Client } from '../http/client.ts'
import { SvcError } from '../errors.ts'
import { call, callRaw, type RequestInput } from './call.ts'
import type { BulkOperation } from './operations.ts'
import {
  inTurn,
  followChunks,
  followPages,
  pagesAtOnce,
  type FetchPage,
  type Paging,
} from './paginate.ts'
import { Reads, type Watch } from './reads.ts'

/** Path and body of a bulk request, as the operation made them. */
interface BulkRequest {
  path: NonNullable<RequestInput['path']>
  body: Readonly<Record<string, unknown>>
}

type PageQuery = Readonly<{ page?: number; limit?: number }>

function listsOf(client: Client, reads: Reads) {
  const page = (query: PageQuery & { search?: string }) =>
    call(client, 'lists.list', { query })
  const membersPage = (listId: string, query: PageQuery) => {
    return call(client, 'lists.get', { path: { listId }, query })
  }
  // The limit holds for all walks together.
  const takeTurn = inTurn(pagesAtOnce)
  const walk = <T extends { id: string }>(
    what: string,
    paging: Paging,
    fetchPage: FetchPage<T>,
    keyOf?: (row: T) => string,
  ) => {
    const fetchInTurn: FetchPage<T> = (query) => takeTurn(() => fetchPage(query))
    return followPages(fetchInTurn, paging, { what, reads, keyOf })
  }
  return {
    page,
    /** All lists, newest first, several pages at once. */
    all: (paging: Paging, search?: string) =>
      walk('lists', paging, async (query) => {
        const searched = search === undefined ? query : { ...query, search }
        const { lists, pagination } = await page(searched)
        return { rows: lists, pagination }
      }),
    async get(listId: string) {
      // Only the list is needed, and one member is the least that can be requested.
      const { list } = await membersPage(listId, { page: 1, limit: 1 })
      return list
    },
    /** The members of a list, newest first, each contact once, even if its membership changed meanwhile. */
    members(listId: string, paging: Paging) {
      const fetchPage = async (query: PageQuery) => {
        const { members, pagination } = await membersPage(listId, query)
        return { rows: members, pagination }
      }
      return walk('members', paging, fetchPage, ({ contact }) => contact.id)
    },
    create: (body: { name: string; description: string }, hooks?: Hooks) =>
      call(client, 'lists.create', { body }, hooks),
    update: (listId: string, changes: { name?: string; description?: string }) =>
      call(client, 'lists.update', { path: { listId }, body: changes }),
  }
}

export type Api = ReturnType<typeof createApi>

/** The operations of one client. Each rejects with `SvcError`; `details.ambiguous` says that a change may have been made. `watch` shows the progress of reads. */
export function createApi(client: Client, watch?: Watch) {
  const reads = new Reads(watch)
  const lists = listsOf(client, reads)
  const chunk = (ticketId: string, cursor?: string, hooks?: Hooks) => {
    const input = {
      path: { ticketId },
      query: { chunkLastMessageId: cursor },
    }
    return call(client, 'tickets.history', input, hooks)
  }
  return {
    lists,
    tickets: {
      /** At most 20 messages, newest to oldest. `cursor`: the `nextChunkStartMessageId` of the chunk before. */
      chunk,
      /** Chunk after chunk until `enough` messages are there, the next one in flight while the last is used. */
      chunks: (ticketId: string, cursor?: string, enough?: number) => {
        const fetchChunk = (next?: string) => chunk(ticketId, next)
        return followChunks(fetchChunk, cursor, enough, reads)
      },
    },
    employees: {
      /** At most 1000, sorted by first name, last name, id. */
      list: () => call(client, 'employees.list', {}),
    },
    /** A request of a bulk operation, by its name. */
    send: <N extends BulkOperation>(name: N, request: BulkRequest, hooks?: Hooks) =>
      call(client, name, request, hooks),
    /**
     * Tries the credentials with the smallest read: why they do not work, or undefined. The read is always valid, so a refusal of it says
     * nothing about them: exit 7.
     */
    async check(): Promise<SvcError | undefined> {
      try {
        await lists.page({ limit: 1 })
        return undefined
      } catch (error) {
        if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
        if (error.category !== 'rejected') return error
        return new SvcError('unavailable', error.message, error.details)
      }
    },
    /** Any path below /v1/. `body` is sent as it is. Only a GET is sent again after a lost answer. */
    raw: (method: string, path: string, body: Buffer) =>
      callRaw(client, method, path, body),
    /** Pace and clock are shared by all operations. */
    client,
  }
}
