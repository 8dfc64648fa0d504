/** From a method and a path to one of the ten operations, and from there to what a company does. */
import { operations, type Operation, type OperationName } from '../api/operations.ts'
import { refusals } from './answer.ts'
import type { Company } from './company.ts'
import type { Outcome } from './record.ts'
import { Body, checkedId, pagingOf, textOf } from './input.ts'
import type { Chunking } from './tickets.ts'

/** An operation that a path and a method name. */
export interface Route {
  readonly name: OperationName
  readonly operation: Pick<Operation, 'method' | 'path' | 'scope'>
  /** The ids in the path by name, as they were sent and not checked yet. */
  readonly ids: Readonly<Record<string, string>>
}

export interface Call {
  readonly company: Company
  readonly route: Route
  readonly query: URLSearchParams
  readonly contentType: string | undefined
  readonly rawBody: Uint8Array
  /** The service's time in milliseconds since 1970. */
  readonly now: number
  readonly limitedHistory: boolean
  readonly chunking: Chunking
  /** Apply only the first half of a bulk request. */
  readonly half: boolean
}

export const operationNames = Object.keys(operations).filter((name): name is OperationName => name in operations)

const templates = operationNames.map((name) => {
  return { name, operation: operations[name], words: operations[name].path.split('/') }
})

/** What a path and a method mean. `allowed`: the methods of the path; empty: there is no such path. */
export function findRoute(method: string, path: string) {
  const words = path.split('/')
  const allowed: string[] = []
  let route: Route | undefined
  for (const template of templates) {
    const found = match(template.words, words)
    if (found === undefined) continue
    allowed.push(template.operation.method)
    if (template.operation.method === method) route ??= { ...template, ids: found }
  }
  return { route, allowed }
}

function match(template: readonly string[], words: readonly string[]): Record<string, string> | undefined {
  if (template.length !== words.length) return undefined
  const found: Record<string, string> = {}
  for (const [index, expected] of template.entries()) {
    const word = words[index] ?? ''
    if (expected.startsWith('{') && word !== '') found[expected.slice(1, -1)] = word
    else if (expected !== word) return undefined
  }
  return found
}

/** Checks the input and applies the operation. Throws a `Refusal`. */
export function perform(call: Call): Outcome {
  const { company, route, query, now } = call
  const id = (name: string): string => checkedId(name, route.ids[name])
  switch (route.name) {
    case 'lists.list':
      return company.lists({ ...pagingOf(query), search: textOf(query, 'search') })
    case 'lists.create': {
      const { name, description } = bodyOf(call, 'name', 'description').listText()
      if (name === undefined) throw refusals.validation('name: is required')
      return company.createList({ name, description }, now)
    }
    case 'lists.get':
      return company.list(id('listId'), pagingOf(query))
    case 'lists.update': {
      const text = bodyOf(call, 'name', 'description').listText()
      if (text.name === undefined && text.description === undefined) {
        throw refusals.validation('body: at least one field is required')
      }
      return company.updateList(id('listId'), text, now)
    }
    case 'lists.add-contacts':
      return company.addContacts(id('listId'), contactIdsOf(call), now)
    case 'contacts.merge':
      return company.merge(id('sourceContactId'), bodyOf(call, 'targetContactId').id('targetContactId'), now)
    case 'contacts.delete':
      return company.deleteContacts(contactIdsOf(call))
    case 'tickets.history':
      return company.tickets.history(id('ticketId'), { ...call, cursor: textOf(query, 'chunkLastMessageId') })
    case 'tickets.assign':
      return company.tickets.assign(id('ticketId'), bodyOf(call, 'newAssigneeId').id('newAssigneeId'))
    case 'employees.list':
      return company.employees()
  }
}

function bodyOf({ contentType, rawBody }: Call, ...known: readonly string[]): Body {
  return new Body(contentType, rawBody, known)
}

function contactIdsOf(call: Call): string[] {
  const contactIds = bodyOf(call, 'contactIds').contactIds()
  return call.half ? contactIds.slice(0, Math.ceil(contactIds.length / 2)) : contactIds
}
