/**
 * Values of JSON: of a document, and one per line. `rows.ts` takes the items of an input from here, `reader.ts` and `pairs.ts` the ids in them.
 *
 * The rule of a path: a member is named as it is written; a key with dots comes before a path of several keys; another letter case
 * counts when only one key fits. A number is never an id, for its last digits are lost already.
 */
import { messageOf, usageError } from '../errors.ts'
import { endOfString, isObject, memberOf } from '../values.ts'
import { lengthProblem, type InputPlace } from './bad-lines.ts'
import {
  columnOption,
  idHeadings,
  idPlaces,
  isSameHeading,
  refuseMembershipId,
} from './columns.ts'
import { trimBlanks } from './id.ts'
import {
  refuseErrorValue,
  refuseIncomplete,
  refuseIncompleteText,
  type Problem,
} from './row.ts'
import { quoteAll, shorten } from '../safe-text.ts'

/** Nothing that has ids is nested deeper; without a limit V8's parser fills the memory, and its writer the stack. */
const deepest = 64

/** A value of JSON or an argument, or a line that is none. */
export type Item = ValueItem | ({ readonly place: InputPlace } & Problem)

export interface ValueItem {
  readonly reason?: undefined
  readonly place: InputPlace
  readonly value: unknown
  /** The line or the argument as it is there. */
  readonly text?: string
  /** Whether the path to it was followed. */
  readonly isMember?: boolean
}

/** The value of a line; undefined for a blank one. A line that is no JSON is a bad one. */
export function lineItem(input: string, line: number, text: string): Item | undefined {
  const place: InputPlace = { input, unit: 'line', line }
  const problem = lengthProblem(text)
  if (problem !== undefined) return { place, ...problem }
  if (trimBlanks(text) === '') return undefined
  // A line that is broken is a bad one; a bracket alone opens a document.
  const isOpen = () => /^\s*[[{]\s*$/.test(text)
  const { value, reason } = parse(input, text, isOpen)
  return reason === undefined ? { place, value, text } : { place, text, reason }
}

/** The items of a document; none when it is empty. Throws exit 2 when it is no JSON. */
export function documentItems(
  input: string,
  text: string,
  membersOf: (document: unknown) => Iterable<unknown>,
): Iterable<ValueItem> {
  if (trimBlanks(text) === '') return []
  const { value, reason } = parse(input, text, (depth) => depth > 0)
  if (reason !== undefined) {
    throw usageError(
      `${input} ${reason}`,
      'a document is one array or object; several values, one per line, are ndjson (jq -c)',
    )
  }
  if (Array.isArray(value)) return itemsOf(input, value, false)
  return itemsOf(input, membersOf(value), true)
}

/** Values with their numbers, from 1. */
function* itemsOf(
  input: string,
  values: Iterable<unknown>,
  isMember: boolean,
): Generator<ValueItem> {
  let line = 0
  for (const value of values) {
    line += 1
    const place: InputPlace = { input, unit: 'item', line }
    yield { place, value, isMember }
  }
}

/** A value, or why a text is none. */
interface Parsed {
  readonly value?: unknown
  readonly reason?: string
}

/**
 * Parses a text. Throws exit 2 for an open document and for an error: the command that wrote them failed.
 * @param isOpen Whether a text that is no JSON, and ends so deep in arrays and objects, was cut off.
 */
function parse(input: string, text: string, isOpen: (depth: number) => boolean): Parsed {
  const depth = depthOf(text)
  if (depth > deepest) return { reason: `is JSON nested more than ${deepest} levels deep` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (isOpen(depth)) refuseIncomplete(input)
    refuseIncompleteText(input, text)
    return { reason: `is not JSON: ${shorten(messageOf(error), 200)}` }
  }
  refuseErrorValue(input, value)
  return { value }
}

/** How deep the end of a text is in arrays, objects and texts; more than `deepest` when it went that deep. */
function depthOf(json: string): number {
  let depth = 0
  for (let at = 0; at < json.length && depth <= deepest; at += 1) {
    const character = json[at]
    if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    else if (character === '"') {
      at = endOfString(json, at + 1)
      if (at === json.length) depth += 1
    }
  }
  return depth
}

/** Members at a path such as `members.contact.id`, through arrays; a key with dots first. Exit 2 for memberships. */
export function* valuesAt(input: string, value: unknown, path: string): Generator {
  if (Array.isArray(value)) {
    for (const item of value) yield* valuesAt(input, item, path)
    return
  }
  const dot = path.indexOf('.')
  const before = path.slice(0, Math.max(dot, 0))
  const behind = path.slice(dot + 1)
  const whole = keyOf(value, path)
  const first = dot < 0 ? undefined : keyOf(value, before)
  if (whole !== undefined) {
    refuseMembershipId(input, whole, namesOf(value))
    const member = memberOf(value, whole)
    if (Array.isArray(member)) yield* member
    else yield member
  } else if (first !== undefined) {
    const member = memberOf(value, first)
    yield* valuesAt(input, member, behind)
  } else {
    yield undefined
  }
}

/** The key that is this name, or, when none is exactly, the only one that is in another letter case. */
function keyOf(value: unknown, name: string): string | undefined {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, name)) return name
  const near = Object.keys(value).filter((key) => isSameHeading(key, name))
  return near.length === 1 ? near[0] : undefined
}

/** The keys of an object, and `contact.id` of one whose contact has an id: a member of a list. */
function namesOf(value: unknown): string[] {
  const keys = isObject(value) ? Object.keys(value) : []
  const contact = memberOf(value, 'contact')
  const hasContactId = memberOf(contact, 'id') !== undefined
  return hasContactId ? [...keys, 'contact.id'] : keys
}

/** The text of a JSON value that should be an id, or why it is none. */
export type Picked =
  | { readonly text: string; readonly reason?: undefined }
  | { readonly text?: never; readonly reason: string }

/** An id as a JSON value: a string, or MongoDB's `{"$oid": "…"}`. */
export function idValue(value: unknown): Picked {
  if (typeof value === 'string') return { text: value }
  const inner = memberOf(value, '$oid')
  if (typeof inner === 'string') return { text: inner }
  if (typeof value === 'number') {
    return { reason: 'a number: its last digits are lost; ids must be strings' }
  }
  if (value === undefined) return { reason: 'empty' }
  if (value === null) return { reason: 'null, not an id' }
  const kind = Array.isArray(value) ? 'an array' : `of type ${typeof value}`
  return { reason: `${kind}, not an id` }
}

/** The id of one item without a named column: the item itself, or its member with an id heading. Throws exit 2 for two. */
export function pickId(input: string, item: unknown, isTickets: boolean): Picked {
  if (!isObject(item) || Object.hasOwn(item, '$oid')) return idValue(item)
  const keys = namesOf(item)
  const places = idPlaces(keys, isTickets)
  const candidates = places.map((place) => keys[place] ?? '')
  const [name] = candidates
  if (candidates.length > 1) {
    const options = candidates.map(columnOption).join(' or ')
    throw usageError(
      `the objects in ${input} have ${quoteAll(candidates)}`,
      `choose one: ${options}`,
    )
  }
  if (name !== undefined) {
    const members = valuesAt(input, item, name)
    const first = members.next()
    return idValue(first.value)
  }
  const content = keys.length === 0 ? 'it is empty' : `it has ${quoteAll(keys, 8)}`
  return {
    reason: `an object without ${idHeadings(isTickets)} (${content}); name the member with --column`,
  }
}

/** The members of an object that a path leads to, or the one object that it is. */
export function membersAt(
  input: string,
  value: unknown,
  column: string | undefined,
  isTickets: boolean,
): Iterable<unknown> {
  if (column !== undefined) return valuesAt(input, value, column)
  const keys = namesOf(value)
  const places = idPlaces(keys, isTickets)
  if (isObject(value) && places.length === 0) {
    const members = keys.length === 0 ? '' : ` of ${quoteAll(keys)}`
    throw usageError(
      `${input} is a JSON object${members}, not an array of ids`,
      'name the path to the ids, for example --column members.contact.id',
    )
  }
  return [value]
}
