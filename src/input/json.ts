/**
 * JSON as rows: the items of a document, or the values of lines, with the names of their members in place of
 * headings. An object in an object is flat: `contact.id`.
 */
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { endOfString, isObject, memberOf } from '../values.ts'
import { linesOf } from './text.ts'
import { invalid, rowOf, type Row } from './row.ts'
import type { Table } from './table.ts'

/** Nothing that has ids is nested deeper; without a limit V8's parser fills the memory, and its writer the stack. */
const deepest = 64

/** Members of a value by their names; a value without members has an empty name. */
type ItemMembers = Map<string, unknown>

/** Reads a document, or lines of values. Throws exit 2 where people are looked for, and for a document that is no JSON. */
export function readJson(text: string, table: Table) {
  const { input, form } = table
  if (table.rule.isOfPeople === true)
    throw usageError(`${input} is JSON: people are read from csv or a workbook`)
  const places = new Map<string, number>()
  const rows = [...(form.format === 'json' ? documentRows : lineRows)(input, text, places)]
  table.isEmptyList = form.format === 'json' && text !== '' && rows.length === 0
  table.beginJson([...places.keys()])
  for (const row of rows) table.take(row)
}

/** The items of a document; none when it is empty. Throws exit 2 when it is no JSON. */
function documentRows(input: string, text: string, places: Map<string, number>): Row[] {
  if (text.trim() === '') return []
  const { value, reason } = parse(text)
  // It ends with the bracket with which it begins, and closes all others, unless it was cut off.
  const isEnded = text.trimEnd().endsWith(text.trimStart().startsWith('[') ? ']' : '}')
  const depth = depthOf(text)
  const isOpen = !isEnded || (depth > 0 && depth <= deepest)
  if (reason !== undefined && isOpen) throw incomplete(input)
  if (reason !== undefined)
    throw usageError(
      `${input} ${reason}`,
      'a document is one array or object; several values, one per line, are ndjson (jq -c)',
    )
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((each, n) => rowWith(n + 1, each, places))
}

/** The values of all lines that are not blank. A line that is not JSON is a bad line. A bracket alone opens a document. */
function* lineRows(
  input: string,
  text: string,
  places: Map<string, number>,
): Generator<Row> {
  for (const { line, text: content } of linesOf(text)) {
    if (content.trim() === '') continue
    if (/^\s*[[{]\s*$/.test(content)) throw incomplete(input)
    const { value, reason } = parse(content)
    if (reason === undefined) yield rowWith(line, value, places)
    else yield rowOf(line, [], { finding: invalid({ reason, text: content }) })
  }
}

/** A row with the members of a value; names that are new get the next places. */
function rowWith(line: number, value: unknown, places: Map<string, number>) {
  const cells: string[] = []
  const values: unknown[] = []
  // A program writes null for an id that it does not have: as a word it is a bad line.
  for (const [name, member] of membersOf(value ?? 'null')) {
    const place = places.get(name) ?? places.size
    places.set(name, place)
    values[place] = member
    cells[place] = cellOf(member)
  }
  return rowOf(line, cells, { values })
}

/** A member as a cell: null is an empty one. */
function cellOf(member: unknown) {
  if (member == null) return ''
  return typeof member === 'string' ? member : JSON.stringify(member)
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
  const prefix = name === '' ? '' : `${name}.`
  for (const [key, inside] of Object.entries(value))
    membersOf(inside, prefix + key, members)
  return members
}

/** Parses a text, or says why it is none. */
function parse(text: string): { value?: unknown; reason?: string } {
  if (depthOf(text) > deepest)
    return { reason: `is JSON nested more than ${deepest} levels deep` }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { reason: `is not JSON: ${shorten(messageOf(error), 200)}` }
  }
}

/** The refusal of an input of a command that failed: nothing acts on one, whatever the options say. */
function incomplete(input: string) {
  return usageError(
    'this input is incomplete: the command that wrote it failed',
    `run that command again, and use ${input} only when it ends with exit code 0`,
  )
}

/** How many arrays and objects are open at the end of a text, or where it is nested deeper than any with ids. */
function depthOf(json: string) {
  let depth = 0
  for (let at = 0; at < json.length && depth <= deepest; at += 1) {
    const character = json[at]
    if (character === '"') at = endOfString(json, at + 1)
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
  }
  return depth
}
