/**
 * Requests to a sandbox, and what each of them really changed. A change is found from the state of the company before and after the request,
 * and not from the answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationName } from '../../src/api/operations.ts'
import type { Company } from '../../src/sandbox/company.ts'
import { type SandboxCall, findRoute, operationNames } from '../../src/sandbox/request.ts'
import type { Service } from '../../src/sandbox/service.ts'

/** Real effects of a request. Ids are in lower case. */
export interface Change {
  created?: string
  updated?: string
  added?: readonly string[]
  deleted?: readonly string[]
  merged?: { source: string; target: string }
  assigned?: { ticket: string; from: string; to: string }
}

export interface LoggedRequest extends Change {
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

const pathId = ({ id }: SandboxCall): string => id.toLowerCase()

type Watch = (company: Company, call: SandboxCall) => () => Change

/** What is looked at before and after a request that changes something. */
const watches: Partial<Record<OperationName, Watch>> = {
  'lists.create'({ lists }) {
    const known = new Set(lists.keys())
    return () => ({ created: [...lists.keys()].find((id) => !known.has(id)) ?? '' })
  },
  'lists.update': (_, call) => () => ({ updated: pathId(call) }),
  'lists.add-contacts'({ lists }, call) {
    const members = () => [...(lists.get(pathId(call))?.members.keys() ?? [])]
    const before = new Set(members())
    return () => ({ added: members().filter((id) => !before.has(id)) })
  },
  'contacts.merge': (_, call) => () => {
    const target = String(bodyOf(call)['targetContactId']).toLowerCase()
    return { merged: { source: pathId(call), target } }
  },
  'contacts.delete'({ contacts }, call) {
    const ids = [bodyOf(call)['contactIds']].flat().map((id) => String(id).toLowerCase())
    const before = [...new Set(ids)].filter((id) => contacts.has(id))
    return () => ({ deleted: before.filter((id) => !contacts.has(id)) })
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

/** The requests to a sandbox, in order of arrival. */
export class RequestLog {
  readonly entries: LoggedRequest[] = []
  readonly #entryOf = new WeakMap<object, LoggedRequest>()

  /** Logs a request as it comes. Its status is known when a whole answer went out. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '' } = request
    const entry: LoggedRequest = {
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
  watch(company: Company, service: Service): void {
    const answers: Record<OperationName, (call: SandboxCall) => unknown> = service
    for (const name of operationNames) {
      const answer = answers[name].bind(service)
      answers[name] = (call) => {
        const changeOf = watches[name]?.(company, call)
        const data = answer(call)
        Object.assign(this.#entryOf.get(call.request) ?? {}, changeOf?.())
        return data
      }
    }
  }
}
