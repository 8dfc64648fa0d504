/** JSON as rows: the items of a document, or a value per line, with the names of their members in place of headings. */
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { isObject } from '../json.ts'
import type { Row, Table } from './table.ts'

/**
 * Reads JSON: the names of all members are the heading, unless there are only values without members. An object in an object
 * is flat: `contact.id`. Throws exit 2 for what is no JSON.
 */
export function readJson(text: string, table: Table) {
  const { name: input, take } = table
  const items: unknown[] =
    table.format === 'json'
      ? [parseJson(input, text)].flat()
      : text.split('\n').map((line, n) => {
          const isBlank = line.trim() === ''
          return isBlank ? undefined : parseJson(`${input} line ${n + 1}`, line)
        })
  const places = new Map<string, number>()
  const rows = items.flatMap((item, n): Row[] => {
    // A blank line.
    if (item === undefined) return []
    const values: unknown[] = []
    for (const [name, member] of membersOf(item)) {
      const place = places.get(name) ?? places.size
      places.set(name, place)
      values[place] = member
    }
    const unfit = (column: number) => unfitReason(values[column])
    return [{ line: n + 1, cells: values.map(textOf), unfit }]
  })
  const names = [...places.keys()]
  if (names.some((name) => name !== '')) take({ line: 0, cells: names })
  for (const row of rows) take(row)
  if (rows.length === 0) table.isProvenEmpty = true
}

/** A member as a cell. */
function textOf(member: unknown) {
  if (typeof member === 'string') return member
  return typeof member === 'number' || typeof member === 'boolean' ? String(member) : ''
}

/** Why a member must not decide anything. */
function unfitReason(member: unknown) {
  if (typeof member === 'number' && !(Math.abs(member) <= Number.MAX_SAFE_INTEGER))
    return 'a number: its last digits are lost; ids must be strings'
  return typeof member === 'object' && member !== null
    ? 'an array or an object, not a text'
    : undefined
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

/** Nothing that has ids is nested deeper. */
const deepest = 8

/** The members of a value by their paths; a value without members has an empty name. */
function membersOf(value: unknown, name = '', depth = 0): [string, unknown][] {
  if (!isObject(value) || depth > deepest) return [[name, value]]
  const prefix = name === '' ? '' : `${name}.`
  return Object.entries(value).flatMap(([key, inside]) =>
    membersOf(inside, prefix + key, depth + 1),
  )
}
