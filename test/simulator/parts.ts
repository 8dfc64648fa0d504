/** The parts of a request of a bulk operation: which of its members are the things it is about, and which the second party or the list. */
import { bulkOperations, type BulkOperation, type OperationName } from '../../src/api/operations.ts'
import { operationOf } from '../../src/runs/operations/operations.ts'

/** Ids of a request in lower case: things, and the others by `other` (of a pair) or `list`. */
export interface Parts {
  readonly ids: readonly string[]
  readonly parties: Readonly<Record<string, string>>
}

type Members = Readonly<Record<string, unknown>>

const lower = (id: string): string => id.toLowerCase()

/** An id that no seed makes, for each role in a request. */
const markerOf = (number: number): string => String(number).padStart(24, '0')

/** The role of each member of a request's path and body: `id` of what it is about, `other` or `list`. */
function rolesOf(name: BulkOperation): ReadonlyMap<string, string> {
  const { request } = operationOf(name)
  const parameters = { list: { id: markerOf(3) } }
  const batch = { operation: name, ids: [markerOf(1)], other: markerOf(2), parameters }
  const { path, body } = request(batch, batch.ids)
  const names = new Map([
    [markerOf(1), 'id'],
    [markerOf(2), 'other'],
    [markerOf(3), 'list'],
  ])
  const members = Object.entries({ ...path, ...body }).flatMap(([member, value]) => {
    const role = names.get(String(value))
    return role === undefined ? [] : [[member, role] as const]
  })
  return new Map(members)
}

const roles = new Map<string, ReadonlyMap<string, string>>(
  bulkOperations.map((name) => [name, rolesOf(name)]),
)

export const isBulk = (name: OperationName | undefined): name is BulkOperation =>
  name !== undefined && roles.has(name)

/** The member of a body that has the ids of a batch; undefined where the path has them. */
export const batchMember = (name: BulkOperation, body: Members): string | undefined =>
  Object.keys(body).find(
    (member) => Array.isArray(body[member]) && roles.get(name)?.get(member) === 'id',
  )

export const bodyOf = (body: Buffer): Members =>
  body.length === 0 ? {} : (JSON.parse(body.toString()) as Members)

/** `ids`: of the request's path. A request of no bulk operation is about all that its path names. */
export function partsOf(name: OperationName | undefined, ids: Members, body: Buffer): Parts {
  if (!isBulk(name)) return { ids: Object.values(ids).map(String).map(lower), parties: {} }
  const parties: Record<string, string> = {}
  const things: string[] = []
  for (const [member, value] of Object.entries({ ...ids, ...bodyOf(body) })) {
    const role = roles.get(name)?.get(member)
    if (role === 'id') things.push(...[value].flat().map(String).map(lower))
    else if (role !== undefined) parties[role] = lower(String(value))
  }
  return { ids: things, parties }
}
