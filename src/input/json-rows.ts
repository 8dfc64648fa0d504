/** Reads each item of JSON as a row. The names of members, and of members of members (`contact.id`), are its headings. */
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { endOfString, isObject } from '../values.ts'
import type { OpenAt, Row } from './rows.ts'

/** Opens an array, a document that is the only item, or a text that has an item in each line. */
export function openJson(name: string, text: string): OpenAt {
  const areLines = /^\s*\{.*\}[^\S\n]*(?:\n|$)/.test(text)
  const isArray = /^\s*\[/.test(text)
  const documents = areLines ? text.split('\n') : [text]
  const items = documents.flatMap((document, index): JsonItem[] => {
    if (document.trim() === '') return []
    const line = index + 1
    try {
      return itemsOf(document, line, isArray)
    } catch (error) {
      const problem = `not whole JSON: ${shorten(messageOf(error), 200)}`
      if (areLines) return [{ line, problem }]
      throw usageError(
        `${name} is ${problem}`,
        'if a command wrote it, run that again, and use its output only when it ends with exit code 0',
      )
    }
  })
  const columns = new Map<string, number>()
  const rows = items.map((item) => rowOf(item, columns))
  const names = [...columns.keys()]
  const isList = names.every((each) => each === '')
  return () => ({
    name,
    format: areLines ? 'ndjson' : 'json',
    delimiter: ',',
    needsMark: false,
    isList,
    headingLine: 0,
    rows: () => (isList ? rows : [{ line: 0, cells: names }, ...rows]),
  })
}

interface JsonItem {
  line: number
  value?: unknown
  problem?: string
}

/** Returns the items of a text: those of its array, or all of it as the only item. */
function itemsOf(json: string, firstLine: number, isArray: boolean) {
  const document: unknown = JSON.parse(json)
  const items = isArray ? [document].flat() : [document]
  const repeats = itemsWithRepeats(json, isArray ? 1 : 0)
  return items.map((value: unknown, index): JsonItem => ({
    line: firstLine + index,
    value,
    ...(repeats.has(index) && { problem: 'a key is repeated' }),
  }))
}

/**
 * Returns the items of a JSON text that repeat a key of an object. Items are separated by commas at `itemDepth`: 1 in an
 * array, and 0 in a document that is one item.
 */
function itemsWithRepeats(json: string, itemDepth: number) {
  const found = new Set<number>()
  /** The names of the open objects and arrays. */
  const open: Set<unknown>[] = []
  let item = 0
  let text = ''
  const signs = /["[\]{},:]/g
  let match = signs.exec(json)
  while (match !== null) {
    const [sign] = match
    const names = open.at(-1)
    if (sign === '"') {
      signs.lastIndex = endOfString(json, match.index + 1) + 1
      text = json.slice(match.index, signs.lastIndex)
    } else if (sign === '{' || sign === '[') open.push(new Set())
    else if (sign === '}' || sign === ']') open.pop()
    else if (sign === ',' && open.length === itemDepth) item += 1
    else if (sign === ':') {
      const name: unknown = JSON.parse(text)
      if (names?.has(name) === true) found.add(item)
      names?.add(name)
    }
    match = signs.exec(json)
  }
  return found
}

/** Returns the row of an item, and adds its names to `columns`. */
function rowOf({ line, value, problem }: JsonItem, columns: Map<string, number>): Row {
  const cells: string[] = []
  const reasons: string[] = []
  for (const [name, member] of membersOf(value)) {
    const column = columns.get(name) ?? columns.size
    columns.set(name, column)
    const isText = ['string', 'number', 'boolean'].includes(typeof member)
    cells[column] = isText ? String(member) : ''
    if (typeof member === 'number' && Math.abs(member) > Number.MAX_SAFE_INTEGER)
      reasons[column] = 'a number: its last digits are lost; ids must be strings'
    if (typeof member === 'object' && member !== null)
      reasons[column] = 'an array or an object, not a text'
  }
  return { line, cells, problem, unfitReason: (column) => reasons[column] }
}

/** Returns the members of an object, and those of objects in it under names such as `contact.id`. A value has an empty name. */
function membersOf(value: unknown): (readonly [string, unknown])[] {
  if (!isObject(value)) return [['', value]]
  return Object.entries(value).flatMap(([name, member]) =>
    isObject(member)
      ? Object.entries(member).map(([inner, each]) => [`${name}.${inner}`, each] as const)
      : [[name, member] as const],
  )
}
