/**
 * JSON as rows: the items of a document, or the values of lines, with the names of their members in place of
 * headings. An object in an object is flat: `contact.id`.
 */
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { endOfString, isObject, memberOf } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { Columns } from './columns.ts'
import { linesOf } from './detect.ts'
import { trimBlanks } from './id.ts'
import { refuseErrorValue, refuseIncomplete, rowOf, type Problem, type Row } from './row.ts'
import type { Table } from './table.ts'

/** Nothing that has ids is nested deeper; without a limit V8's parser fills the memory, and its writer the stack. */
const deepest = 64
/** As many columns as a sheet has. A document with more has keys that are data. */
const mostNames = 1 << 14

/** A value of a document, by its number, or of a line. */
interface JsonItem {
  readonly line: number
  readonly value?: unknown
  /** Why it is bad: the line is no JSON, or nothing but null. */
  readonly problem?: Problem | undefined
}

/** Members of a value by their names; a value without members has an empty name. */
type ItemMembers = Map<string, unknown>

/** Reads a document, or lines of values. Throws exit 2 where people are looked for, for a document that is no JSON, and for far too many names. */
export function readJson<C extends Columns>(text: string, table: Table<C>): void {
  const { input, format } = table.form
  const { isOfPeople } = table.rule
  if (isOfPeople === true) {
    throw usageError(`${input} is JSON: people are read from csv or a workbook`)
  }
  const items = format === 'json' ? documentItems(input, text) : lineItems(input, text)
  const places = new Map<string, number>()
  for (const { value, problem } of items) {
    const names = problem === undefined ? membersOf(value).keys() : []
    for (const name of names) places.set(name, places.get(name) ?? places.size)
    if (places.size > mostNames) {
      throw usageError(`${input} has objects with more than ${groupDigits(mostNames)} keys`)
    }
  }
  table.isEmptyList = format === 'json' && text !== '' && items.length === 0
  table.begin([...places.keys()])
  for (const { line, value, problem } of items) {
    const row = rowWith(line, membersOf(value), places)
    table.take(problem === undefined ? row : { ...row, kind: 'invalid', problem })
  }
}

function rowWith(
  line: number,
  members: ItemMembers,
  places: ReadonlyMap<string, number>,
): Row {
  const cells: string[] = []
  const values: unknown[] = []
  for (const [name, value] of members) {
    const place = places.get(name) ?? 0
    values[place] = value
    cells[place] = textOf(value)
  }
  return { ...rowOf(line, cells), values }
}

/** The items of a document; none when it is empty. Throws exit 2 when it is no JSON. */
function documentItems(input: string, text: string): JsonItem[] {
  if (trimBlanks(text) === '') return []
  const { value, reason } = parse(input, text, (depth) => depth > 0)
  if (reason !== undefined) {
    throw usageError(
      `${input} ${reason}`,
      'a document is one array or object; several values, one per line, are ndjson (jq -c)',
    )
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each, n) => itemOf(n + 1, each))
}

/** A program writes null for an id that it does not have, so none is skipped. */
function itemOf(line: number, value: unknown): JsonItem {
  if (value !== null) return { line, value }
  return { line, problem: { reason: 'not an id', text: 'null', hidesRows: true } }
}

/** The values of all lines that are not blank. A line that is not JSON is a bad line. A bracket alone opens a document. */
function lineItems(input: string, text: string): JsonItem[] {
  const items: JsonItem[] = []
  for (const { line, text: content } of linesOf(text)) {
    if (trimBlanks(content) === '') continue
    const isOpen = /^\s*[[{]\s*$/.test(content)
    const { value, reason } = parse(input, content, () => isOpen)
    items.push(
      reason === undefined
        ? itemOf(line, value)
        : { line, problem: { reason, text: content } },
    )
  }
  return items
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value == null ? '' : JSON.stringify(value)
}

/** The members of a value, or itself under a name. MongoDB's `{"$oid": "…"}` is the text in it. */
function membersOf(
  value: unknown,
  name = '',
  members: ItemMembers = new Map(),
): ItemMembers {
  const oid = memberOf(value, '$oid')
  const isWhole = !isObject(value) || typeof oid === 'string'
  if (isWhole) {
    // Nobody knows which is meant of `{"a": {"b": 1}, "a.b": 2}`.
    members.set(name, members.has(name) ? [null] : (oid ?? value))
    return members
  }
  const before = name === '' ? '' : `${name}.`
  for (const [key, inside] of Object.entries(value))
    membersOf(inside, before + key, members)
  return members
}

/**
 * Parses a text, or says why it is none. Throws exit 2 for an open document and for an error: the command that wrote them failed.
 * @param isOpen Whether a text that is no JSON, and ends so deep in arrays and objects, was cut off.
 */
function parse(
  input: string,
  text: string,
  isOpen: (depth: number) => boolean,
): { readonly value?: unknown; readonly reason?: string } {
  const depth = depthOf(text)
  if (depth > deepest) return { reason: `is JSON nested more than ${deepest} levels deep` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (isOpen(depth)) refuseIncomplete(input)
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
