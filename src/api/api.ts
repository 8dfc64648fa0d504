/**
 * The operations of the service as functions. Turns an operation and its input into a request, and the answer into checked data.
 * An answer without everything that svc relies on does not count.
 */
import * as v from 'valibot'
import { BadAnswer, parseAnswer, type ReadAnswer } from '../http/attempt.ts'
import type { ApiRequest, Client, SendOptions } from '../http/client.ts'
import { isId, isSameId, notAnIdError } from '../identifiers.ts'
import { isObject, memberOf } from '../json.ts'
import {
  operations,
  type ApiOperation,
  type BulkOperationName,
  type OperationName,
} from './operations.ts'
import { joinPresent } from '../words.ts'
import { followChunks, readPages } from './pages.ts'
import { results, type OperationResult } from './schemas.ts'

export type Api = ReturnType<typeof createApi>

/** Returns the operations for one HTTP client. They reject with `SvcError`, as `call` does. */
export function createApi(client: Client) {
  const chunk = (ticketId: string, cursor?: string, options?: SendOptions) => {
    // The API has two names for the cursor: the answer's is `nextChunkStartMessageId`.
    const input = { ids: { ticketId }, query: { chunkLastMessageId: cursor } }
    return call(client, 'tickets.history', input, options)
  }
  return {
    lists: listsOf(client),
    tickets: {
      /**
       * A chunk of at most 20 messages, from newest to oldest. `cursor` is the `nextChunkStartMessageId` of the chunk before;
       * without it, returns the newest chunk.
       */
      chunk,
      /** Yields chunk after chunk, until they have at least `minMessages` messages. */
      chunks: (ticketId: string, minMessages?: number) =>
        followChunks((cursor) => chunk(ticketId, cursor), minMessages),
    },
    employees: {
      /** At most 1000 employees, sorted by first name, last name and id. */
      list: () => call(client, 'employees.list', {}),
    },
    /** Sends one request of a bulk operation. */
    send: <N extends BulkOperationName>(
      name: N,
      input: RequestInput,
      options?: SendOptions,
    ) => call(client, name, input, options),
  }
}

function listsOf(client: Client) {
  return {
    /** Reads all lists, newest first, or the first `limit` of them. */
    all: ({ search, limit }: { search?: string | undefined; limit?: number } = {}) =>
      readPages(
        async (page) => {
          const input = { query: { ...page, search } }
          const { lists, pagination } = await call(client, 'lists.list', input)
          return { rows: lists, pagination }
        },
        'lists',
        limit,
      ),
    async get(listId: string) {
      // The answer always has members too. One member is the least that can be requested.
      const input = { ids: { listId }, query: { page: 1, limit: 1 } }
      return (await call(client, 'lists.get', input)).list
    },
    /**
     * Reads the members of a list, newest first, or the first `limit` of them. `contactsCount` is how many the list had at the
     * end.
     */
    async members(listId: string, limit?: number) {
      let contactsCount = 0
      const reading = await readPages(
        async (page) => {
          const input = { ids: { listId }, query: page }
          const { list, members, pagination } = await call(client, 'lists.get', input)
          contactsCount = list.contactsCount
          return { rows: members, pagination }
        },
        'members',
        limit,
      )
      return { ...reading, contactsCount }
    },
    create: (body: { name: string; description: string }) =>
      call(client, 'lists.create', { body }),
    update: (
      listId: string,
      changes: { name?: string | undefined; description?: string | undefined },
    ) => call(client, 'lists.update', { ids: { listId }, body: changes }),
  }
}

/** The input of an operation. */
export interface RequestInput {
  /** The ids in the path, by the names that `operations` has for them. */
  ids?: Record<string, string>
  /** A parameter that is undefined is not sent. */
  query?: Record<string, string | number | undefined>
  body?: unknown
}

/** Calls an operation. Rejects with `SvcError`, whose `details.ambiguous` says whether a change may have been made. */
export function call<N extends OperationName>(
  client: Client,
  name: N,
  input: RequestInput,
  options?: SendOptions,
): Promise<OperationResult<N>> {
  // In `then`, an error of `prepare` becomes a rejection. An async function would do so too, but keep `input` until the answer.
  const answer = Promise.resolve().then(() => client.send(prepare(name, input), options))
  // `readerOf` has checked the answer with the schema of this result.
  return answer as Promise<OperationResult<N>>
}

/** Makes the request of an operation. Throws a usage error for an id that is none. */
function prepare(name: OperationName, input: RequestInput): ApiRequest {
  const operation: ApiOperation = operations[name]
  const { ids = {}, query = {}, body } = input
  const path = operation.path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const id = ids[key] ?? ''
    // A text that is no id would change the path unnoticed.
    if (!isId(id)) throw notAnIdError(id)
    return id
  })
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(key, String(value))
  }
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`
  return {
    method: operation.method,
    path: path + search,
    // These bytes are signed and sent.
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    retryClass: operation.retry,
    readAnswer: readerOf(name, ids),
    hints: hintsOf(operation),
  }
}

/** Returns the hints for a refused operation. */
function hintsOf({ forbidden, rejected, path, method }: ApiOperation) {
  const isRead = method === 'GET'
  const scope = isRead ? 'read' : 'read-write'
  const notAllowed = `the key's scope (the operation needs "${scope}") or the company's subscription does not allow this`
  const cause = path.includes('{')
    ? 'there may be nothing with this id'
    : 'the base URL may be wrong'
  return {
    forbidden: joinPresent([notAllowed, forbidden], '; '),
    rejected:
      rejected ??
      `the service refused the request; ${isRead ? cause : 'nothing was changed'}`,
  }
}

/** Where an answer has the id that was requested. Bulk operations check their own answers. */
const idInAnswer: Readonly<Partial<Record<OperationName, (data: unknown) => unknown>>> = {
  'lists.get': (data) => memberOf(memberOf(data, 'list'), 'id'),
  'lists.update': (data) => memberOf(data, 'id'),
  'tickets.history': (data) => memberOf(memberOf(data, 'ticket'), 'id'),
}

/**
 * Returns a function that reads the answer to a request. API: "a JSON object whose single top-level property `data` holds the
 * result". The function throws `BadAnswer` if the result is not as described, or is about a different id from the requested one.
 */
function readerOf(name: OperationName, ids: Readonly<Record<string, string>>): ReadAnswer {
  return (answer) => {
    const document = parseAnswer(answer)
    if (!isObject(document) || !Object.hasOwn(document, 'data'))
      throw new BadAnswer('the answer has no "data"', { isForeign: true })
    const { data } = document
    const checked = v.safeParse(results[name], data, { abortEarly: true })
    if (!checked.success) {
      const member = v.getDotPath(checked.issues[0]) ?? 'data'
      throw new BadAnswer(`the answer's ${member} is not as described`, { isForeign: true })
    }
    const id = idInAnswer[name]?.(data)
    const isRequested = Object.values(ids).some((requested) => isSameId(requested, id))
    if (id !== undefined && !isRequested)
      throw new BadAnswer(
        'the answer is about a different id from the one that was requested',
        { isForeign: true },
      )
    // No schema changes its value, so this is the checked data.
    return data
  }
}
