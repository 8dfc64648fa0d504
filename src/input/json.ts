/** Reads JSON as rows: a row per item of a document, or per line. The paths of the members are the headings. */
import { messageOf, usageError } from '../errors.ts'
import { isObject } from '../json.ts'
import { shorten } from '../safe-text.ts'
import type { Row, Table } from './table.ts'

/**
 * Passes the rows of a JSON text to its table. The heading has the paths of all members, such as `contact.id`; there is none if
 * no item has members. Throws a usage error for a text that is not JSON.
 */
export function readJson(text: string, table: Table) {
  const items = parseItems(table, text)
  const columns = new Map<string, number>()
  const rows: Row[] = []
  for (const [index, item] of items.entries()) {
    if (item === undefined) continue
    const values: unknown[] = []
    for (const [path, value] of membersOf(item)) {
      const column = columns.get(path) ?? columns.size
      columns.set(path, column)
      values[column] = value
    }
    rows.push({
      line: index + 1,
      cells: values.map(cellText),
      unfit: (column) => unfitReason(values[column]),
    })
  }
  const paths = [...columns.keys()]
  if (paths.some((path) => path !== '')) table.takeHeading(paths)
  for (const row of rows) table.take(row)
  if (rows.length === 0) table.isSurelyEmpty = true
}

/** Returns the items of a document, or the value of each line; undefined for a blank line. */
function parseItems({ name, format }: Table, text: string): unknown[] {
  // A document that is not an array is one item.
  if (format === 'json') return [parseJson(name, text)].flat()
  return text.split('\n').map((line, index) => {
    const isBlank = line.trim() === ''
    return isBlank ? undefined : parseJson(`${name} line ${index + 1}`, line)
  })
}

function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(
      `${what} is not whole JSON: ${shorten(messageOf(error), 200)}`,
      'if a command wrote it, run that again, and use its output only when it ends with exit code 0',
    )
  }
}

/** Objects in objects are read to this depth. Nothing that has ids is nested deeper. */
const maxDepth = 8

/** Returns the members of an object by their paths. Any other value has the empty path. */
function membersOf(value: unknown, path = '', depth = 0): [string, unknown][] {
  if (!isObject(value) || depth > maxDepth) return [[path, value]]
  const prefix = path === '' ? '' : `${path}.`
  return Object.entries(value).flatMap(([name, member]) =>
    membersOf(member, prefix + name, depth + 1),
  )
}

function cellText(value: unknown) {
  if (typeof value === 'string') return value
  const isShown = typeof value === 'number' || typeof value === 'boolean'
  return isShown ? String(value) : ''
}

/** Returns why the text of a value cannot be trusted; undefined if it can. */
function unfitReason(value: unknown) {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return 'a number: its last digits are lost; ids must be strings'
  const isNested = typeof value === 'object' && value !== null
  return isNested ? 'an array or an object, not a text' : undefined
}
