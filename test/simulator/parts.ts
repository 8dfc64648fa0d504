/** The parts of a request of a bulk operation: which of its members are the things it is about, and which the second party or the list. */
import type { BulkOperation, OperationName } from '../../src/api/operations.ts'

/** Ids of a request in lower case: things, and the others by `other` (of a pair) or `list`. */
export interface Parts {
  readonly ids: readonly string[]
  readonly parties: Readonly<Record<string, string>>
}

type Members = Readonly<Record<string, unknown>>

const lower = (id: string): string => id.toLowerCase()

/** The role of each member of a request's path and body: `id` of what it is about, `other` or `list`. */
const roles: Readonly<Record<BulkOperation, Readonly<Record<string, string>>>> = {
  'contacts.delete': { contactIds: 'id' },
  'lists.add-contacts': { listId: 'list', contactIds: 'id' },
  'contacts.merge': { sourceContactId: 'id', targetContactId: 'other' },
  'tickets.assign': { ticketId: 'id', newAssigneeId: 'other' },
}

export const isBulk = (name: OperationName | undefined): name is BulkOperation =>
  name !== undefined && Object.hasOwn(roles, name)

/** The member of a body that has the ids of a batch; undefined where the path has them. */
export const batchMember = (name: BulkOperation, body: Members): string | undefined =>
  Object.keys(body).find((member) => Array.isArray(body[member]) && roles[name][member] === 'id')

export const bodyOf = (body: Buffer): Members =>
  body.length === 0 ? {} : (JSON.parse(body.toString()) as Members)

/** `ids`: of the request's path. A request of no bulk operation is about all that its path names. */
export function partsOf(name: OperationName | undefined, ids: Members, body: Buffer): Parts {
  if (!isBulk(name)) return { ids: Object.values(ids).map(String).map(lower), parties: {} }
  const parties: Record<string, string> = {}
  const things: string[] = []
  for (const [member, value] of Object.entries({ ...ids, ...bodyOf(body) })) {
    const role = roles[name][member]
    if (role === 'id') things.push(...[value].flat().map(String).map(lower))
    else if (role !== undefined) parties[role] = lower(String(value))
  }
  return { ids: things, parties }
}
