/** Answers that are wrong on purpose: each takes a JSON value (a copy) or bytes and gives them back distorted. */
import type { Answer } from '../../src/sandbox/answer.ts'
import type { Effect, FaultContext } from '../../src/sandbox/faults/effect.ts'
import { ids } from '../../src/sandbox/ids.ts'

type JsonObject = Record<string, unknown>

/** Changes the answer's bytes. */
export function inBytes(change: (body: Buffer) => Buffer): Effect {
  return { distort: (answer) => ({ ...answer, body: change(answer.body) }) }
}

/** Changes the answer's JSON value, a copy. */
export function inValue(change: (value: unknown, context: FaultContext) => unknown): Effect {
  return {
    distort(answer, context) {
      if (answer.headers['content-type']?.startsWith('application/json') !== true) return answer
      return { ...answer, body: Buffer.from(JSON.stringify(change(JSON.parse(answer.body.toString()), context))) }
    },
  }
}

/** Another header instead of the answer's, or none. */
export function withHeader(answer: Answer, name: string, text: string | undefined): Answer {
  const { [name]: _, ...others } = answer.headers
  return { ...answer, headers: text === undefined ? others : { ...others, [name]: text } }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function mapMembers(value: JsonObject, map: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member)]))
}

/** Calls back with the object under `data`, which it may change. */
export function inData(change: (data: JsonObject, context: FaultContext) => void): Effect {
  return inValue((value, context) => {
    if (isObject(value) && isObject(value['data'])) change(value['data'], context)
    return value
  })
}

/** The last text of the answer gets the bytes: with a lenient decoder everything looks well. */
export function invalidUtf8(body: Buffer): Buffer {
  const at = body.lastIndexOf(':"')
  const place = at < 0 ? body.indexOf('"') + 1 : at + 2
  return Buffer.concat([body.subarray(0, place), Buffer.from([0xff, 0xfe, 0xc3]), body.subarray(place)])
}

export function wrongShape(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.length
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (Array.isArray(value)) return { 0: value.map(wrongShape)[0] ?? null }
  return isObject(value) ? mapMembers(value, wrongShape) : value
}

export function unknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unknownFields)
  if (!isObject(value)) return value
  const more = mapMembers(value, unknownFields)
  // Object.fromEntries and assignment treat __proto__ differently: this makes it a plain member that JSON shows.
  Object.defineProperty(more, '__proto__', { value: { polluted: true }, enumerable: true })
  more['constructor'] = { prototype: { polluted: true } }
  more['x_unknown'] = { nested: [1, 'two', null, { three: 3 }] }
  return more
}

const idInJson = /"([0-9a-fA-F]{24})"/g

export function mapIds(map: (id: string) => string): (body: Buffer) => Buffer {
  return (body) => Buffer.from(body.toString().replace(idInJson, (_, id: string) => `"${map(id)}"`))
}

export function numberIds(body: Buffer): Buffer {
  const text = body
    .toString()
    .replace(idInJson, (_, id: string) => String(Number.parseInt(id.slice(0, 12), 16)))
    .replace(/"(id|nextChunkStartMessageId)":"(\d+)"/g, '"$1":$2')
  return Buffer.from(text)
}

export function wrongSums(data: JsonObject): void {
  for (const key of ['deletedCount', 'added']) {
    const count = data[key]
    if (typeof count === 'number') data[key] = count + 1
  }
}

/** An id that no company has, so that nothing in the sandbox can be mistaken for it. */
const foreignId = ids(0x5eed, 99, 'contact').at(1)

export function foreignIds(data: JsonObject): void {
  const { deletedCount, notFoundIds, blockedIds, list, ticket } = data
  if (typeof deletedCount === 'number' && Array.isArray(notFoundIds) && Array.isArray(blockedIds)) {
    // The sum stays right: only the ids are wrong.
    if (deletedCount > 0) data['deletedCount'] = deletedCount - 1
    else if (notFoundIds.length > 0) notFoundIds.pop()
    else blockedIds.pop()
    notFoundIds.push(foreignId)
  }
  for (const key of ['mergedContactId', 'ticketId', 'newAssigneeId', 'id']) if (key in data) data[key] = foreignId
  if (isObject(list)) list['id'] = foreignId
  if (isObject(ticket)) ticket['id'] = foreignId
}

export function manyEmployees(value: unknown, count: number): unknown {
  if (!isObject(value) || !Array.isArray(value['data'])) return value
  const employees: unknown[] = value['data']
  const template = employees.find(isObject) ?? {}
  while (employees.length < count) {
    const number = employees.length
    employees.push({
      ...template,
      id: ids(1, 98, 'employee').at(number),
      firstName: `Zz ${String(number).padStart(4, '0')}`,
    })
  }
  employees.length = Math.min(employees.length, count)
  return value
}
