/** Faults that only tests ask for, by name: answers that are wrong on purpose, and waits. */
import type { SandboxAnswer } from '../../src/sandbox/request.ts'
import { type Fault, readFault } from '../../src/sandbox/faults.ts'
import { parseDuration } from '../../src/values.ts'

type JsonObject = Record<string, unknown>

/** Returns a fault that carries a request out and changes its answer. */
export function changeAnswer(change: (answer: SandboxAnswer) => SandboxAnswer): Fault {
  return async (apply, now) => {
    const outcome = await apply(now)
    return typeof outcome === 'string' ? outcome : change(outcome)
  }
}

/** Returns a fault that carries a request out and changes the JSON value of its answer. */
function changeValue(change: (value: unknown) => unknown): Fault {
  return changeAnswer((answer) => {
    if (answer.headers['content-type']?.startsWith('application/json') !== true) return answer
    return { ...answer, body: JSON.stringify(change(JSON.parse(answer.body))) }
  })
}

/** Returns a fault that carries a request out, and lets `change` change the object under `data` of its answer. */
function changeData(change: (data: JsonObject) => void): Fault {
  return changeValue((value) => {
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

/** Adds to every object fields that nobody described, also those that could reach a prototype. */
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

/** The fields that the description promises in every answer. It does not say whether the others are missing or null. */
const certain =
  /^(?:id|data|lists?|contacts?|members|pagination|page|limit|total\w*|has\w+|tickets?|messages|name|contactsCount|added|skipped|failed|deletedCount|\w+Ids|mergedContactId|ticketId|newAssigneeId|nextChunkStartMessageId)$/

/** The value without what is not certain. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => certain.test(name))
  return Object.fromEntries(members.map(([name, member]) => [name, bare(member)]))
}

/** States, kinds, directions and access that the description does not name. */
function otherWords(body: string): string {
  return body.replace(/("(?:status|kind|direction|access)":)"[^"]*"/g, '$1"hologram"')
}

function upperCaseIds(body: string): string {
  return body.replace(/"[0-9a-fA-F]{24}"/g, (id) => id.toUpperCase())
}

/** Adds 1 to the first number, so that the counts of an answer contradict the request. */
function wrongSums(data: JsonObject): void {
  const first = Object.entries(data).find(([, value]) => typeof value === 'number')
  if (first !== undefined) data[first[0]] = Number(first[1]) + 1
}

/** An id that no company has, so that nothing in the sandbox can be mistaken for it. */
const foreignId = '6e0000000000000000000001'

function foreignIds(data: JsonObject): void {
  const { list, ticket } = data
  for (const key of ['mergedContactId', 'ticketId', 'newAssigneeId', 'id'])
    if (key in data) data[key] = foreignId
  if (isObject(list)) list['id'] = foreignId
  if (isObject(ticket)) ticket['id'] = foreignId
}

/** An answer as a proxy sends it. */
const htmlAnswer: SandboxAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html>\n<html><body><h1>Please sign in.</h1></body></html>\n',
}

/** Waits, and then carries a request out. */
function delay(time: string): Fault {
  const ms = parseDuration(time, 'before')
  return async (apply, now) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return apply(now)
  }
}

const named: Readonly<Record<string, Fault>> = {
  html: () => htmlAnswer,
  null: changeValue(() => null),
  'missing-data': changeValue(() => ({})),
  'unknown-fields': changeValue(unknownFields),
  'wrong-sums': changeData(wrongSums),
  'foreign-ids': changeData(foreignIds),
  absent: changeValue(bare),
  'other-words': changeAnswer((answer) => ({ ...answer, body: otherWords(answer.body) })),
  'upper-case': changeAnswer((answer) => ({ ...answer, body: upperCaseIds(answer.body) })),
}

/** A fault of the sandbox, or one of these. */
export function readAnyFault(text: string): Fault | undefined {
  if (Object.hasOwn(named, text)) return named[text]
  const [, time] = /^delay,before=(.*)$/.exec(text) ?? []
  return time === undefined ? readFault(text) : delay(time)
}
