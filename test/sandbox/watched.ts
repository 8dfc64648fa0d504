/** A sandbox with hostile data whose requests are seen as they come, and questions to its record. */
import type { OperationName } from '../../src/api/operations.ts'
import type { Arrival } from '../../src/sandbox/exchange.ts'
import { allLists, assigneeOf, callOf, RequestLog, type Change } from './record.ts'
import { distortions } from './distortions.ts'
import { putHostileData } from './hostile.ts'
import { assign } from '../../src/sandbox/tickets.ts'
import type { Company } from '../../src/sandbox/company.ts'
import { atEnd } from '../ending.ts'
import { realHost } from '../host.ts'
import {
  startSandbox as start,
  type SandboxOptions as Options,
} from '../../src/sandbox/transport.ts'

/** `now`: milliseconds since 1970, by the clock of the sandbox's machine. `shown`: names of the only lists that pages of lists have. */
export type SandboxOptions = Options & { readonly now?: () => number; readonly shown?: RegExp }
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** Closed after the test file. */
export async function startSandbox({ now = Date.now, shown, ...options }: SandboxOptions = {}) {
  const log = new RequestLog()
  const requests: (Arrival & { readonly body: string })[] = []
  const sandbox = await start(
    { ...realHost, now },
    {
      faultKinds: distortions,
      ...options,
      onRequest: (request) => {
        requests.push({ ...request, body: request.rawBody.toString() })
        options.onRequest?.(request)
        log.add(request)
      },
      onAnswer: (request, status) => log.end(request, status),
    },
  )
  atEnd(() => sandbox.close())
  const hostile = putHostileData(sandbox)
  log.watch(sandbox.company)
  const record = Object.assign(log, questionsTo(log))
  const { company } = sandbox
  if (shown !== undefined) showOnly(company, shown)
  /** One of its keys, by its name. */
  const key = (name: string) => {
    const found = sandbox.keys.find((one) => one.name === name)
    if (found === undefined) throw new Error(`the sandbox has no key ${name}`)
    return found
  }
  return Object.assign(sandbox, {
    requests,
    record,
    hostile,
    key,
    store: storeOf(company),
  })
}

/** Reading every list takes 300 requests: a test that is not about that shows a few. */
function showOnly(company: Company, shown: RegExp): void {
  const all = company.listsWith.bind(company)
  company.listsWith = (text) => all(text).filter(({ name }) => shown.test(name))
}

/** The lists that examples and recipes name. */
export const listsOfExamples =
  /^(?:-?VIP|Trade fair|Newsletter|Spring.*|Summer.*|Regular customers|Campaign 29\d)$/

/** The state of a company, and changes of it that no request made. */
function storeOf(company: Company) {
  const { contacts, lists } = company
  const change = (
    operation: 'lists.create' | 'lists.add-contacts' | 'contacts.delete',
    body: unknown,
    ids: Readonly<Record<string, string>> = {},
  ): unknown => company[operation](callOf(body, Date.now(), ids))
  return {
    tickets: {
      all: () => company.tickets.values(),
      find: (id: string) => company.tickets.get(id.toLowerCase()),
      assign: (id: string, to: string) => assign(company.findTicket(id), company.employees, to),
      assigneeOf: (id: string) => assigneeOf(company, id),
    },
    employees: company.employees,
    change,
    /** Somebody leaves a list, which no request can do. */
    leave(listId: string, contactId: string): void {
      lists.get(listId)?.members.delete(contactId.toLowerCase())
    },
    contacts: () => contacts.all(),
    allLists: () => allLists(company),
    hasContact: (id: string): boolean => contacts.find(id) !== undefined,
    contact: (id: string) => contacts.find(id),
    /** Ids of the members of a list; empty for an unknown list. */
    memberIds: (listId: string): Set<string> => new Set(lists.get(listId)?.members.keys()),
  }
}

/** Whether a request changed something. */
export function hasChanged(entry: Change): boolean {
  const { deleted = [], added = [], created, updated, merged, assigned } = entry
  const changes = [...deleted, ...added, created, updated, merged, assigned]
  return changes.some((change) => change !== undefined)
}

/** Questions to a record, as far as it reaches back. */
export function questionsTo({ entries }: Pick<RequestLog, 'entries'>) {
  const all = <K extends keyof Change>(name: K): NonNullable<Change[K]>[] =>
    entries.map((entry) => entry[name]).filter((change) => change !== undefined)
  return {
    /** Ids in lower case that were deleted by `contacts.delete`. */
    deletedIds: (): Set<string> => new Set(all('deleted').flat()),
    /** Ids that were added to a list, or to any. */
    addedIds: (listId?: string): Set<string> =>
      new Set(
        entries
          .filter(({ list }) => listId === undefined || list === listId.toLowerCase())
          .flatMap(({ added }) => added ?? []),
      ),
    merges: () => all('merged'),
    /** Ids of the lists that were created, in order. */
    createdIds: () => all('created'),
    assignments: () => all('assigned'),
    of: (operation: OperationName) => entries.filter((entry) => entry.operation === operation),
  }
}
