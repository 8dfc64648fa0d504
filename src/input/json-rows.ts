/** Reads each item of JSON as a row. The names of members, and of members of members (`contact.id`), are its headings. */
import { messageOf, usageError } from '../errors.ts'
import { shorten } from '../safe-text.ts'
import { isObject } from '../json.ts'
import type { OpenAt, Row } from './rows.ts'

/** Opens an array, a document that is the only item, or a text that has an item in each line. */
export function openJson(name: string, text: string): OpenAt {
  // JSON may have other line breaks in its texts (U+2028), at which a dot would end.
  const areLines = /^\s*\{[^\n]*\}[^\S\n]*(?:\n|$)/.test(text)
  const isArray = /^\s*\[/.test(text)
  const columns = new Map<string, number>()
  const documents = areLines ? text.split('\n') : [text]
  const rows = documents.flatMap((document, index): Row[] => {
    if (document.trim() === '') return []
    const line = index + 1
    try {
      const value = parseNumbered(document)
      const items: unknown[] = isArray ? [value].flat() : [value]
      return items.map((item, at) => rowOf(item, line + at, columns))
    } catch (error) {
      const problem = `not whole JSON: ${shorten(messageOf(error), 200)}`
      if (areLines) return [{ line, cells: [document], problem }]
      throw usageError(
        `${name} is ${problem}`,
        'if a command wrote it, run that again, and use its output only when it ends with exit code 0',
      )
    }
  })
  const names = [...columns.keys()]
  const isList = names.every((each) => each === '')
  return () => ({
    format: areLines ? 'ndjson' : 'json',
    isList,
    headingLine: 0,
    rows: () => (isList ? rows : [{ line: 0, cells: names }, ...rows]),
  })
}

/** Parses JSON. The names of its members have numbers after them (`id:7`), so that one that is repeated is not lost. */
function parseNumbered(json: string): unknown {
  // An error shall name the position in the text as it is.
  JSON.parse(json)
  let isInText = false
  let number = 0
  const numbered = json.replace(/\\.|"(\s*:)?/g, (sign, colon?: string) => {
    if (!sign.startsWith('"')) return sign
    isInText = !isInText
    // A quote before a colon ends a name, unless it begins a text such as `": "`.
    if (isInText || colon === undefined) return sign
    number += 1
    return `:${number}${sign}`
  })
  return JSON.parse(numbered)
}

const repeatedKey = 'a key is repeated'

/** Returns the row of an item, and adds its names to `columns`. */
function rowOf(item: unknown, line: number, columns: Map<string, number>): Row {
  const cells: string[] = []
  const reasons: string[] = []
  let problem: string | undefined
  const put = (name: string, member: unknown) => {
    const column = columns.get(name) ?? columns.size
    columns.set(name, column)
    // Such as `contact.id` beside the `id` of a `contact`.
    if (column in cells) problem = repeatedKey
    const isText = ['string', 'number', 'boolean'].includes(typeof member)
    cells[column] = isText ? String(member) : ''
    if (typeof member === 'number' && Math.abs(member) > Number.MAX_SAFE_INTEGER)
      reasons[column] = 'a number: its last digits are lost; ids must be strings'
    if (typeof member === 'object' && member !== null)
      reasons[column] = 'an array or an object, not a text'
  }
  const membersOf = (object: object) => {
    const members = Object.entries(object).map(
      ([name, member]) => [name.replace(/:\d+$/, ''), member as unknown] as const,
    )
    if (new Map(members).size < members.length) problem = repeatedKey
    return members
  }
  for (const [name, member] of isObject(item) ? membersOf(item) : [['', item] as const])
    if (!isObject(member)) put(name, member)
    else for (const [inner, each] of membersOf(member)) put(`${name}.${inner}`, each)
  return { line, cells, problem, reasons }
}
