/** Faults that only tests ask for, by name: answers that are wrong on purpose, and a connection that is reset. */
import { type Answer, jsonAnswer } from '../../src/sandbox/exchange.ts'
import { type Effect, type FaultKinds, instead, plainFault } from '../../src/sandbox/faults.ts'
import { ids } from '../../src/sandbox/ids.ts'
import { parseCount, parseDuration } from '../../src/values.ts'

type JsonObject = Record<string, unknown>

/** Changes the answer's JSON value, a copy. */
function inValue(change: (value: unknown) => unknown): Effect {
  return {
    change(answer) {
      if (answer.headers['content-type']?.startsWith('application/json') !== true) return answer
      return {
        ...answer,
        body: Buffer.from(JSON.stringify(change(JSON.parse(answer.body.toString())))),
      }
    },
  }
}

/** Calls back with the object under `data`, which it may change. */
function inData(change: (data: JsonObject) => void): Effect {
  return inValue((value) => {
    if (isObject(value) && isObject(value['data'])) change(value['data'])
    return value
  })
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapMembers(value: JsonObject, map: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member)]))
}

function wrongShape(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.length
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (Array.isArray(value)) return { 0: value.map(wrongShape)[0] ?? null }
  return isObject(value) ? mapMembers(value, wrongShape) : value
}

function unknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unknownFields)
  if (!isObject(value)) return value
  const more = mapMembers(value, unknownFields)
  // Object.fromEntries and assignment treat __proto__ differently: this makes it a plain member that JSON shows.
  Object.defineProperty(more, '__proto__', { value: { polluted: true }, enumerable: true })
  more['constructor'] = { prototype: { polluted: true } }
  more['x_unknown'] = { nested: [1, 'two', null, { three: 3 }] }
  return more
}

function upperCaseIds(body: Buffer): Buffer {
  return Buffer.from(body.toString().replace(/"[0-9a-fA-F]{24}"/g, (id) => id.toUpperCase()))
}

function wrongSums(data: JsonObject): void {
  const [first] = Object.entries(data).filter(([, value]) => typeof value === 'number')
  if (first !== undefined) data[first[0]] = Number(first[1]) + 1
}

/** An id that no company has, so that nothing in the sandbox can be mistaken for it. */
const foreignId = ids(0x5eed, 99, 'contact')(1)

function foreignIds(data: JsonObject): void {
  const { list, ticket } = data
  for (const key of ['mergedContactId', 'ticketId', 'newAssigneeId', 'id'])
    if (key in data) data[key] = foreignId
  if (isObject(list)) list['id'] = foreignId
  if (isObject(ticket)) ticket['id'] = foreignId
}

function manyEmployees(value: unknown, count: number): unknown {
  if (!isObject(value) || !Array.isArray(value['data'])) return value
  const employees: unknown[] = value['data']
  const template = employees.find(isObject) ?? {}
  while (employees.length < count) {
    const number = employees.length
    employees.push({
      ...template,
      id: ids(1, 98, 'employee')(number),
      firstName: `Zz ${String(number).padStart(4, '0')}`,
    })
  }
  employees.length = Math.min(employees.length, count)
  return value
}

/** An answer as a proxy sends it. */
const htmlAnswer = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: Buffer.from('<!DOCTYPE html>\n<html><body><h1>Please sign in.</h1></body></html>\n'),
})

export const distortions: FaultKinds = {
  delay: {
    keys: ['before', 'after'],
    effect: ({ before = '0ms', after = '0ms' }) => ({
      before: parseDuration(before, 'before'),
      after: parseDuration(after, 'after'),
    }),
  },
  clock: {
    keys: ['ahead'],
    effect: ({ ahead = '' }) => {
      const distance = parseDuration(ahead.replace(/^-/, ''), 'ahead')
      return { clock: ahead.startsWith('-') ? -distance : distance }
    },
  },
  /** A gateway answers, although the request was applied. */
  moved: plainFault({ ...instead(htmlAnswer(302)), apply: true }),
  'error-after-apply': plainFault({
    ...instead(jsonAnswer(500, { code: 50001, message: 'Internal server error' })),
    apply: true,
  }),
  reset: plainFault({
    apply: false,
    delivery: ({ socket }) => void socket?.resetAndDestroy(),
  }),
  html: plainFault(instead(htmlAnswer(200))),
  null: plainFault(inValue(() => null)),
  'missing-data': plainFault(inValue(() => ({}))),
  'wrong-shape': plainFault(
    inValue((value) => (isObject(value) ? mapMembers(value, wrongShape) : 0)),
  ),
  'unknown-fields': plainFault(inValue(unknownFields)),
  redirect: {
    keys: ['to'],
    effect: ({ to: location = '' }) =>
      instead({ ...htmlAnswer(307), headers: { location, 'content-type': 'text/html' } }),
  },
  'wrong-sums': plainFault(inData(wrongSums)),
  'foreign-ids': plainFault(inData(foreignIds)),
  'foreign-assignee': plainFault(inData((data) => void (data['newAssigneeId'] = foreignId))),
  'upper-case': plainFault({
    change: (answer) => ({ ...answer, body: upperCaseIds(answer.body) }),
  }),
  employees: {
    keys: ['count'],
    effect: ({ count = '' }) => {
      const wanted = parseCount(count, 'count')
      return inValue((value) => manyEmployees(value, wanted))
    },
  },
}
