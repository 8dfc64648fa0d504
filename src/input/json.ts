/**
 * JSON as rows: the items of a document, or the values of lines, with the names of their members in place of headings. `rows.ts` hands them to the
 * same `Table` as the rows of any other input.
 *
 * An object in an object is flat: `contact.id`. An array on the way to the column that was asked for is a row for each of its values.
 */
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { endOfString, isObject, memberOf } from '../values.ts'
import { groupDigits } from '../words.ts'
import type { Columns } from './columns.ts'
import { linesOf } from './detect.ts'
import { trimBlanks } from './id.ts'
import {
  refuseErrorValue,
  refuseIncomplete,
  refuseIncompleteText,
  rowOf,
  type Problem,
  type Row,
} from './row.ts'
import type { Table } from './table.ts'

/** Nothing that has ids is nested deeper; without a limit V8's parser fills the memory, and its writer the stack. */
const deepest = 64
/** As many columns as a sheet has. A document with more has keys that are data. */
const mostNames = 1 << 14

/** A value of a document, or of a line. */
interface Item {
  readonly line?: number
  readonly value?: unknown
  /** Why a line is no JSON. */
  readonly problem?: Problem | undefined
}

/** Members of a value by their names; a value without members has an empty name. */
type Members = Map<string, unknown>

/** Reads a document, or lines of values. Throws exit 2 where people are looked for, for a document that is no JSON, and for far too many names. */
export function readJson<C extends Columns>(text: string, table: Table<C>): void {
  const { input, format } = table.form
  const { isOfPeople, column = '' } = table.rule
  if (isOfPeople === true) {
    throw usageError(`${input} is JSON: people are read from csv or a workbook`)
  }
  const items = format === 'json' ? documentItems(input, text) : lineItems(input, text)
  const places = new Map<string, number>()
  for (const { members, problem } of unfold(items, column)) {
    const names = problem === undefined ? members.keys() : []
    for (const name of names) places.set(name, places.get(name) ?? places.size)
    if (places.size > mostNames) {
      throw usageError(`${input} has objects with more than ${groupDigits(mostNames)} keys`)
    }
  }
  table.begin([...places.keys()])
  let number = 0
  for (const { line = (number += 1), members, problem } of unfold(items, column)) {
    const row = rowWith(line, members, places)
    table.take(problem === undefined ? row : { ...row, kind: 'invalid', problem })
  }
}

/** Each item with its members; one that leads through an array to a path as often as that has values. */
function* unfold(
  items: readonly Item[],
  path: string,
): Generator<Item & { readonly members: Members }> {
  for (const item of items)
    for (const members of membersOf(item.value, path)) yield { ...item, members }
}

function rowWith(line: number, members: Members, places: ReadonlyMap<string, number>): Row {
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
function documentItems(input: string, text: string): Item[] {
  if (trimBlanks(text) === '') return []
  const { value, reason } = parse(input, text, (depth) => depth > 0)
  if (reason !== undefined) {
    throw usageError(
      `${input} ${reason}`,
      'a document is one array or object; several values, one per line, are ndjson (jq -c)',
    )
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each) => ({ value: each }))
}

/** The values of lines but blank ones. A line that is no JSON is a bad one; a bracket alone opens a document. */
function lineItems(input: string, text: string): Item[] {
  const items: Item[] = []
  for (const { line, text: content } of linesOf(text)) {
    if (trimBlanks(content) === '') continue
    const isOpen = /^\s*[[{]\s*$/.test(content)
    const { value, reason } = parse(input, content, () => isOpen)
    const problem = reason === undefined ? undefined : { reason, text: content }
    items.push({ line, value, problem })
  }
  return items
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value == null ? '' : JSON.stringify(value)
}

/** The members of a value, once for each value of the arrays on the way to a path. `name`: that of the value. */
function* membersOf(value: unknown, path: string, name = ''): Generator<Members> {
  const members: Members = new Map()
  flatten(value, name, members)
  for (const [array, inside] of members) {
    if (!Array.isArray(inside) || !isBefore(array, path)) continue
    for (const each of inside) yield* membersOf(each, path, array)
    return
  }
  yield members
}

/** Whether a name is the path or leads to it. */
function isBefore(name: string, path: string): boolean {
  if (name === '' || path === '') return path !== ''
  return `${path}.`.toLowerCase().startsWith(`${name}.`.toLowerCase())
}

/** Adds a value, or its members in its place. MongoDB's `{"$oid": "…"}` is the text in it. */
function flatten(value: unknown, name: string, members: Members): void {
  const oid = memberOf(value, '$oid')
  const isWhole = !isObject(value) || typeof oid === 'string'
  if (isWhole) {
    // Nobody knows which is meant of `{"a": {"b": 1}, "a.b": 2}`.
    members.set(name, members.has(name) ? [null] : (oid ?? value))
    return
  }
  const before = name === '' ? '' : `${name}.`
  for (const [key, inside] of Object.entries(value)) flatten(inside, before + key, members)
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
