/**
 * The ten operations, bound to one client: from an operation and its input to a request, and from the answer to checked
 * data. An answer must have everything that svc relies on, or it does not count as an answer.
 */
import * as v from 'valibot'
import { SvcError } from '../errors.ts'
import {
  BadAnswer,
  checkDepth,
  header,
  parseAnswer,
  readText,
  type ReadAnswer,
} from '../http/answer.ts'
import type { SendOptions } from '../http/attempt.ts'
import type { Client, ApiRequest } from '../http/client.ts'
import type { RefusalHints } from '../http/errors.ts'
import { join } from '../message.ts'
import { idPattern, isObject, memberOf } from '../values.ts'
import {
  operations,
  type ApiOperation,
  type BulkOperation,
  type OperationName,
} from './operations.ts'
import { followChunks, followPages, type FetchPage } from './paginate.ts'
import {
  results,
  type ContactList,
  type ListMember,
  type OperationResult,
} from './schemas.ts'

export type Api = ReturnType<typeof createApi>

/** The operations of one client. Each rejects with `SvcError`; `details.ambiguous` says that a change may have been made. */
export function createApi(client: Client) {
  const chunk = (ticketId: string, cursor?: string, options?: SendOptions) => {
    const input = { path: { ticketId }, query: { chunkLastMessageId: cursor } }
    return call(client, 'tickets.history', input, options)
  }
  return {
    lists: listsOf(client),
    tickets: {
      /** At most 20 messages, newest to oldest. `cursor`: the `nextChunkStartMessageId` of the chunk before. */
      chunk,
      /** Chunk after chunk, until `enough` messages are there. */
      chunks: (ticketId: string, enough?: number) =>
        followChunks((cursor) => chunk(ticketId, cursor), enough),
    },
    employees: {
      /** At most 1000, sorted by first name, last name, id. */
      list: () => call(client, 'employees.list', {}),
    },
    /** A request of a bulk operation, by its name. */
    send: <N extends BulkOperation>(
      name: N,
      request: RequestInput,
      options?: SendOptions,
    ) => call(client, name, request, options),
    /** Tries the credentials with the smallest read. Returns why they do not work, or undefined. */
    async check(): Promise<SvcError | undefined> {
      try {
        await call(client, 'lists.list', { query: { limit: 1 } })
        return undefined
      } catch (error) {
        if (!(error instanceof SvcError) || error.category === 'interrupted') throw error
        return error
      }
    },
    /**
     * Sends a request to any path below /v1/, with `body` as it is. Returns the text of its answer, which may not be JSON.
     * Only a GET is ever sent again after a lost answer.
     */
    async raw(method: string, path: string, body: Buffer): Promise<string> {
      const isRead = method === 'GET'
      const request: ApiRequest = {
        method,
        path,
        body,
        read: readRaw,
        retryClass: isRead ? 'read' : 'once',
        hints: {
          forbidden: 'the key, its scope or the subscription does not allow this',
          rejected: isRead ? refused : notChanged,
        },
      }
      return (await client.send(request)) as string
    },
    /** Its pace is shared by all operations. */
    client,
  }
}

function listsOf(client: Client) {
  return {
    /** All lists, newest first, or the first `limit` of them. */
    all({ search, limit }: { search?: string | undefined; limit?: number } = {}) {
      const fetchPage: FetchPage<ContactList> = async (page) => {
        const input = { query: { ...page, search } }
        const { lists: rows, pagination } = await call(client, 'lists.list', input)
        return { rows, pagination }
      }
      return followPages(fetchPage, 'lists', limit)
    },
    async get(listId: string) {
      // Only the list is needed, and one member is the least that can be requested.
      const input = { path: { listId }, query: { page: 1, limit: 1 } }
      return (await call(client, 'lists.get', input)).list
    },
    /** The members of a list, newest first, each contact once, even if its membership changed meanwhile. */
    members(listId: string, limit?: number) {
      const fetchPage: FetchPage<ListMember> = async (query) => {
        const input = { path: { listId }, query }
        const { members: rows, pagination } = await call(client, 'lists.get', input)
        return { rows, pagination }
      }
      return followPages(fetchPage, 'members', limit)
    },
    create: (body: { name: string; description: string }) =>
      call(client, 'lists.create', { body }),
    update: (listId: string, changes: { name?: string; description?: string }) =>
      call(client, 'lists.update', { path: { listId }, body: changes }),
  }
}

/** The input of an operation: the ids in its path, its query and its body. */
export interface RequestInput {
  path?: Record<string, string>
  /** A parameter that is undefined is not sent. */
  query?: Record<string, string | number | undefined>
  body?: unknown
}

/** Rejects with SvcError; `details.ambiguous` says that the change may have been made. */
export function call<N extends OperationName>(
  client: Client,
  name: N,
  input: RequestInput,
  options?: SendOptions,
): Promise<OperationResult<N>> {
  // Not an async function, because that would keep the input in memory until the answer arrives.
  const sent = Promise.resolve().then(() => client.send(prepare(name, input), options))
  return sent as Promise<OperationResult<N>>
}

function prepare(name: OperationName, input: RequestInput): ApiRequest {
  const operation: ApiOperation = operations[name]
  const { query = {}, body, path = {} } = input
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(key, String(value))
  }
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`
  return {
    method: operation.method,
    path: pathOf(operation, path) + search,
    // The bytes that are sent and signed; none without a body.
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    retryClass: operation.retry,
    read: readerOf(name, input),
    hints: hintsOf(operation),
  }
}

/** The path with its ids. A path is not signed, so it may contain only ids. */
function pathOf(operation: ApiOperation, ids: Readonly<Record<string, string>>) {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids[name] ?? ''
    if (!idPattern.test(value)) {
      throw new SvcError('usage', `"${value}" is not an id: ids have 24 hexadecimal digits`)
    }
    return value
  })
}

const refused = 'the service refused the request'
const notChanged = `${refused}; nothing was changed`

/** Hints for a refused operation. */
function hintsOf({ forbidden, rejected, path, method }: ApiOperation): RefusalHints {
  const isRead = method === 'GET'
  const scope = isRead ? 'read' : 'read-write'
  const notAllowed = `the key's scope (the operation needs "${scope}") or the company's subscription does not allow this`
  const cause = path.includes('{')
    ? 'there may be nothing with this id'
    : 'the base URL may be wrong'
  return {
    forbidden: join([notAllowed, forbidden], '; '),
    rejected: rejected ?? (isRead ? `${refused}; ${cause}` : notChanged),
  }
}

/**
 * API: "a JSON object whose single top-level property `data` holds the result". Schemas transform nothing. Keeps
 * only the path of the input, because the ids of a batch would stay in memory too long.
 */
function readerOf(name: OperationName, input: RequestInput): ReadAnswer {
  const ids = Object.values(input.path ?? {}).map((id) => id.toLowerCase())
  return (answer) => {
    const document = parseAnswer(answer)
    if (!isObject(document) || !Object.hasOwn(document, 'data'))
      throw new BadAnswer('the answer has no "data"', { isOdd: true })
    const { data } = document
    const checked = v.safeParse(results[name], data, { abortEarly: true })
    if (!checked.success) {
      const path = v.getDotPath(checked.issues[0]) ?? 'data'
      throw new BadAnswer(`the answer's ${path} is not as described`, { isOdd: true })
    }
    // An answer about a different list or ticket says nothing about the requested one. Letter case may differ.
    const echo = idInAnswer[name]?.reduce<unknown>(memberOf, data)
    if (typeof echo !== 'string' || ids.includes(echo.toLowerCase())) return data
    throw new BadAnswer(
      'the answer is about a different id from the one that was requested',
      { isOdd: true },
    )
  }
}

/**
 * Accepts any text within the limits of a parser. What is declared as JSON must be JSON, and an empty body must have been
 * announced.
 */
const readRaw: ReadAnswer = (answer) => {
  const { status, headers } = answer
  const text = readText(answer)
  const isAnnouncedEmpty = status === 204 || header(headers, 'content-length') === '0'
  const isJson = /\bjson\b/i.test(header(headers, 'content-type') ?? '')
  if (isJson && !(text === '' && isAnnouncedEmpty)) parseAnswer(answer)
  else checkDepth(text)
  return text
}

/** Where an answer has the id that must be the one in the path of its request. Bulk operations judge their own answers. */
const idInAnswer: Readonly<Record<string, readonly string[]>> = {
  'lists.get': ['list', 'id'],
  'lists.update': ['id'],
  'tickets.history': ['ticket', 'id'],
}
