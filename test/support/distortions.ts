/** Faults that only tests ask for, by name: answers that are wrong on purpose, and waits. */
import type { SandboxAnswer } from '../../src/sandbox/request.ts'
import { type Fault, readFault } from '../../src/sandbox/faults.ts'
import { parseDuration } from '../../src/parsing.ts'

type JsonObject = Record<string, unknown>

/** Returns a fault that carries a request out and changes its answer. */
export function changeAnswer(change: (answer: SandboxAnswer) => SandboxAnswer): Fault {
  return async (apply, now) => {
    const outcome = await apply(now)
    return typeof outcome === 'string' ? outcome : change(outcome)
  }
}

/** A fault that carries a request out and changes the text of its answer, if that is JSON. */
const changeText = (change: (body: string) => string): Fault =>
  changeAnswer((answer) =>
    answer.headers['content-type']?.startsWith('application/json') === true
      ? { ...answer, body: change(answer.body) }
      : answer,
  )

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Adds to every object fields that nobody described, also those that could reach a prototype. */
function withUnknownFields(_: string, value: unknown): unknown {
  if (!isObject(value)) return value
  // Assignment would set the prototype: this makes it a plain member that JSON shows.
  Object.defineProperty(value, '__proto__', { value: { polluted: true }, enumerable: true })
  value['constructor'] = { prototype: { polluted: true } }
  value['x_unknown'] = { nested: [1, 'two', null, { three: 3 }] }
  return value
}

/** The fields that the description promises in every answer. */
const certain =
  /^(?:id|data|lists?|contacts?|members|pagination|page|limit|total\w*|has\w+|tickets?|messages|name|contactsCount|added|skipped|failed|deletedCount|\w+Ids|mergedContactId|ticketId|newAssigneeId|nextChunkStartMessageId)$/

/** Leaves out what is not certain. Elements of arrays have numbers as names. */
const onlyCertain = (name: string, value: unknown): unknown =>
  /^\d*$/.test(name) || certain.test(name) ? value : undefined

/** Adds 1 to the first number, so that the counts of an answer contradict the request. */
function wrongSums(body: string): string {
  const value = JSON.parse(body) as { data?: unknown }
  if (!isObject(value.data)) return body
  const first = Object.entries(value.data).find(([, each]) => typeof each === 'number')
  if (first !== undefined) value.data[first[0]] = Number(first[1]) + 1
  return JSON.stringify(value)
}

const htmlAnswer: SandboxAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html>\n<html><body><h1>Please sign in.</h1></body></html>\n',
}

function delay(time: string): Fault {
  const ms = parseDuration(time, 'before')
  return async (apply, now) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return apply(now)
  }
}

const named: Readonly<Record<string, Fault>> = {
  html: () => htmlAnswer,
  'missing-data': changeText(() => '{}'),
  'unknown-fields': changeText((body) => JSON.stringify(JSON.parse(body, withUnknownFields))),
  'wrong-sums': changeText(wrongSums),
  absent: changeText((body) => JSON.stringify(JSON.parse(body, onlyCertain))),
  // States, kinds, directions and access that the description does not name.
  'other-words': changeText((body) =>
    body.replace(/("(?:status|kind|direction|access)":)"[^"]*"/g, '$1"hologram"'),
  ),
  'upper-case': changeText((body) => body.replace(/"[0-9a-fA-F]{24}"/g, (id) => id.toUpperCase())),
}

/** A fault of the sandbox, or one of these. */
export function readAnyFault(text: string): Fault | undefined {
  if (Object.hasOwn(named, text)) return named[text]
  const [, time] = /^delay,before=(.*)$/.exec(text) ?? []
  return time === undefined ? readFault(text) : delay(time)
}
