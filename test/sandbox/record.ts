/**
 * Requests to a sandbox, and what each of them really changed. A change is found from the state of the company before and after the request,
 * and not from the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationName } from '../../src/api/operations.ts'
import type { Company } from '../../src/sandbox/company.ts'
import type { SandboxCall } from '../../src/sandbox/request.ts'
import { findRoute, operationNames } from '../../src/sandbox/routes.ts'

/** Real effects of a request. Ids are in lower case. */
export interface Change
  extends
    Partial<Record<'list' | 'created' | 'updated', string>>,
    Partial<Record<'added' | 'skipped' | 'failed' | 'deleted' | 'notFound' | 'blocked', string[]>> {
  merged?: { source: string; target: string }
  assigned?: { ticket: string; from: string; to: string }
}

export interface LoggedRequest extends Change {
  /** From 1, in order of arrival. */
  readonly n: number
  readonly operation: OperationName | null
  readonly method: string
  readonly path: string
  /** The status of the answer; `dropped` until a complete answer was sent. */
  status: number | 'dropped'
}

/** The members of a body; none of one that is no JSON. */
function bodyOf({ body }: SandboxCall): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

const idsIn = (call: SandboxCall): string[] =>
  [bodyOf(call)['contactIds']].flat().map((id) => String(id).toLowerCase())
const pathId = ({ id }: SandboxCall): string => id.toLowerCase()

type Watch = (company: Company, call: SandboxCall) => () => Change

/** What is looked at before and after a request that changes something. */
const watches: Partial<Record<OperationName, Watch>> = {
  'lists.create'({ lists }) {
    const known = new Set(lists.keys())
    return () => {
      const created = [...lists.keys()].find((id) => !known.has(id)) ?? ''
      return { created, list: created }
    }
  },
  'lists.update': (_, call) => () => ({ updated: pathId(call), list: pathId(call) }),
  'lists.add-contacts'({ lists, contacts }, call) {
    const [list, ids] = [pathId(call), idsIn(call)]
    const before = new Set(lists.get(list)?.members.keys())
    return () => {
      const failed = ids.filter((id) => contacts.find(id) === undefined)
      const isNew = (id: string, n: number): boolean => !before.has(id) && ids.indexOf(id) === n
      const there = ids.map((id, n) => ({ id, n })).filter(({ id }) => !failed.includes(id))
      const added = there.filter(({ id, n }) => isNew(id, n)).map(({ id }) => id)
      const skipped = there.filter(({ id, n }) => !isNew(id, n)).map(({ id }) => id)
      return { list, added, skipped, failed }
    }
  },
  'contacts.merge': (_, call) => () => {
    const target = String(bodyOf(call)['targetContactId']).toLowerCase()
    return { merged: { source: pathId(call), target } }
  },
  'contacts.delete'({ contacts }, call) {
    const ids = [...new Set(idsIn(call))]
    const notFound = ids.filter((id) => contacts.find(id) === undefined)
    return () => {
      const blocked = ids.filter((id) => contacts.find(id) !== undefined)
      const deleted = ids.filter((id) => !notFound.includes(id) && !blocked.includes(id))
      return { deleted, notFound, blocked }
    }
  },
  'tickets.assign'(company, call) {
    const ticket = pathId(call)
    const from = assigneeOf(company, ticket) ?? ''
    return () => ({ assigned: { ticket, from, to: assigneeOf(company, ticket) ?? '' } })
  },
}

/** The assignee of a ticket now; null without one, undefined for an unknown ticket. */
export function assigneeOf({ tickets }: Company, id: string): string | null | undefined {
  return tickets.get(id.toLowerCase())?.ticket.assigneeId
}

/** A request that nobody signed. `now`: milliseconds since 1970. `id`: that of the path. */
export function callOf(body: unknown, now: number, id = ''): SandboxCall {
  return {
    request: { headers: { 'content-type': 'application/json' } },
    body: Buffer.from(JSON.stringify(body)),
    id,
    query: new URLSearchParams(),
    hasLimitedHistory: false,
    now,
  }
}

/** Applies a request to a company. Throws its `Refusal`, after which nothing has changed. */
export function applied(
  company: Company,
  name: OperationName,
  call: SandboxCall,
  answer = (given: SandboxCall): unknown => company[name](given),
) {
  const changeOf = watches[name]?.(company, call)
  const data = answer(call)
  return { data, change: changeOf?.() ?? {} }
}

/** Every list, the oldest first, with the ids of its members; who joined first comes first. */
export function allLists({ lists }: Company) {
  return Array.from(lists.values(), ({ members, ...list }) => {
    return { ...list, contactsCount: members.size, memberIds: [...members.keys()] }
  })
}

/** The requests to a sandbox, in order of arrival. */
export class RequestLog {
  readonly entries: LoggedRequest[] = []
  readonly #entryOf = new WeakMap<object, LoggedRequest>()

  /** Logs a request as it comes. Its status is known when a whole answer went out. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request
    const entry: LoggedRequest = {
      n: this.entries.length + 1,
      operation: findRoute(method, url.replace(/\?.*/, ''))?.name ?? null,
      method,
      path: url,
      status: 'dropped',
    }
    this.entries.push(entry)
    this.#entryOf.set(request, entry)
    response.once('close', () => {
      if (response.writableFinished) entry.status = response.statusCode
    })
  }

  /** Logs what requests change from now on. */
  watch(company: Company): void {
    const answers: Record<OperationName, (call: SandboxCall) => unknown> = company
    for (const name of operationNames) {
      const answer = answers[name].bind(company)
      answers[name] = (call) => {
        const { data, change } = applied(company, name, call, answer)
        Object.assign(this.#entryOf.get(call.request) ?? {}, change)
        return data
      }
    }
  }
}
