/** Requests to a sandbox, and what each changed, by the state before and after it. */
import type { IncomingMessage } from 'node:http'
import { operations, type OperationName } from '../../src/api/operations.ts'
import type { Company } from '../../src/sandbox/company.ts'
import { type SandboxCall, findRoute, operationNames } from '../../src/sandbox/request.ts'
import type { Service } from '../../src/sandbox/service.ts'

export interface LoggedRequest {
  readonly operation: OperationName | undefined
  /** The ids in lower case of what it made, removed, added, took into another or changed. */
  changed: readonly string[]
}

/** The ids that are there: a request changed those that are there only before or after it. */
const idsThere: Partial<
  Record<OperationName, (company: Company, listId: string) => Iterable<string>>
> = {
  'lists.create': ({ lists }) => lists.keys(),
  'lists.add-contacts': ({ lists }, listId) => lists.get(listId)?.members.keys() ?? [],
  'contacts.merge': ({ contacts }) => contacts.keys(),
  'contacts.delete': ({ contacts }) => contacts.keys(),
}

export class RequestLog {
  readonly entries: LoggedRequest[] = []
  readonly #entryOf = new WeakMap<object, LoggedRequest>()

  add(request: IncomingMessage): void {
    const { method = '', url = '' } = request
    const operation = findRoute({ method, url })?.name
    const entry: LoggedRequest = { operation, changed: [] }
    this.entries.push(entry)
    this.#entryOf.set(request, entry)
  }

  watch(company: Company, service: Service): void {
    const answers: Record<OperationName, (call: SandboxCall) => unknown> = service
    for (const name of operationNames.filter((each) => operations[each].method !== 'GET')) {
      const answer = answers[name].bind(service)
      answers[name] = (call) => {
        const id = call.id.toLowerCase()
        const idsNow = () => new Set(idsThere[name]?.(company, id))
        const before = idsNow()
        const data = answer(call)
        const after = idsNow()
        const [gone, come] = [difference(before, after), difference(after, before)]
        const changed = name in idsThere ? [...gone, ...come] : [id]
        Object.assign(this.#entryOf.get(call.request) ?? {}, { changed })
        return data
      }
    }
  }
}

const difference = (ids: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...ids].filter((id) => !others.has(id))
