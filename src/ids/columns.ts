/** Which column of a table, and which member of a JSON object, carries the id. Pure. */
import { usageError } from '../errors.ts'
import { isId, shorten, trimBlanks, unwrapId } from './id.ts'

export interface ColumnChoice {
  /** From 0. */
  readonly index: number
  /** Whether the first record is a header. */
  readonly header: boolean
}

function quoteAll(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => `"${shorten(name)}"`)
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}

/** `a, b or c` */
export function orList(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}

/** A first cell that is no id but a word or two: the name of a column. */
function isName(cell: string): boolean {
  return cell.length <= 64 && /^[\p{L}_$#][\p{L}\p{M}\p{N}_$#.:/() -]*$/u.test(cell)
}

/** Throws exit 2 when no column of this name or number is there, or two of the name. */
export function namedColumn(input: string, first: readonly string[], column: string): ColumnChoice {
  const cells = first.map(trimBlanks)
  const places = cells.flatMap((cell, index) => (cell === column ? [index] : []))
  const [index] = places
  if (places.length > 1) {
    throw usageError(
      `${input} has ${places.length} columns called "${shorten(column)}"`,
      `name one by its number: ${places.map((place) => `--column ${place + 1}`).join(' or ')}`,
    )
  }
  if (index !== undefined) return { index, header: true }
  if (/^[1-9]\d{0,5}$/.test(column)) {
    const number = Number(column)
    if (number > cells.length) {
      throw usageError(`${input} has ${cells.length} column${cells.length === 1 ? '' : 's'}, not ${number}`)
    }
    const cell = cells[number - 1] ?? ''
    return { index: number - 1, header: isName(cell) && !cells.some((other) => isId(unwrapId(other))) }
  }
  throw usageError(
    `${input} has no column "${shorten(column)}"; its columns are ${quoteAll(cells)}`,
    didYouMean(nearColumn(cells, (cell) => cell.toLowerCase() === column.toLowerCase())) ??
      'name one of them, or its number, with --column',
  )
}

/**
 * The column that carries the ids when none was named: the one called one of `names`, or the only one. Throws exit 2
 * naming the columns when that is not clear.
 */
export function findColumn(input: string, first: readonly string[], names: readonly string[]): ColumnChoice {
  const cells = first.map(trimBlanks)
  const places = cells.flatMap((cell, index) => (names.includes(cell) ? [index] : []))
  const [index] = places
  if (places.length > 1) {
    throw usageError(
      `${input} has ${places.length} columns that may carry the ids: ${quoteAll(places.map((place) => cells[place] ?? ''))}`,
      `name one with --column: ${places.map((place) => `--column ${place + 1}`).join(' or ')}`,
    )
  }
  if (index !== undefined) return { index, header: true }
  // Blank columns behind the first one come from a spreadsheet's wider rows.
  if (cells.slice(1).every((cell) => cell === '')) return { index: 0, header: false }
  const ids = cells.filter((cell) => isId(unwrapId(cell))).length
  if (ids === cells.length) {
    throw usageError(
      `${input} has ${ids} ids on a line`,
      'put each id on a line of its own, or name the column that counts, for example --column 1',
    )
  }
  const what = ids > 0 ? `${cells.length} columns and no header` : `${cells.length} columns`
  throw usageError(
    `${input} has ${what}: ${quoteAll(cells)}; none is called ${orList(names)}`,
    `name the column that carries the ids: ${nearColumn(cells, (cell) => /\bid\b/i.test(cell)) ?? '--column <name or number>'}`,
  )
}

/** How to name the one column that fits, if there is one. */
function nearColumn(cells: readonly string[], fits: (cell: string) => boolean): string | undefined {
  const [only, other] = cells.filter(fits)
  return only === undefined || other !== undefined ? undefined : `--column "${shorten(only)}"`
}

function didYouMean(option: string | undefined): string | undefined {
  return option === undefined ? undefined : `did you mean ${option}?`
}

/** Members of the value at a path such as `members.contact.id`; goes through arrays. A key with dots in it comes first. */
export function* valuesAt(value: unknown, path: string): Generator {
  if (Array.isArray(value)) {
    for (const item of value) yield* valuesAt(item, path)
    return
  }
  if (typeof value !== 'object' || value === null) {
    yield undefined
    return
  }
  if (Object.hasOwn(value, path)) {
    const member: unknown = Reflect.get(value, path)
    if (Array.isArray(member)) yield* member
    else yield member
    return
  }
  const dot = path.indexOf('.')
  const name = dot < 0 ? path : path.slice(0, dot)
  if (dot < 0 || !Object.hasOwn(value, name)) {
    yield undefined
    return
  }
  yield* valuesAt(Reflect.get(value, name), path.slice(dot + 1))
}

/** The text of a JSON value that should be an id, or why it is none. */
export type Picked = { readonly text: string } | { readonly reason: string; readonly shown: string }

function show(value: unknown): string {
  return value === undefined ? '' : shorten(JSON.stringify(value))
}

/** An id as a JSON value: a string, or MongoDB's `{"$oid": "…"}`. */
export function idValue(value: unknown): Picked {
  if (typeof value === 'string') return { text: value }
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '$oid')) {
    const inner: unknown = Reflect.get(value, '$oid')
    if (typeof inner === 'string') return { text: inner }
  }
  if (typeof value === 'number') {
    return { reason: 'a number: its last digits are lost; ids must be strings', shown: show(value) }
  }
  if (value === undefined) return { reason: 'there is nothing', shown: '' }
  return {
    reason: `${Array.isArray(value) ? 'an array' : value === null ? 'null' : `of type ${typeof value}`}, not an id`,
    shown: show(value),
  }
}

/**
 * The id of one item without a named column: the item itself, or its member of one of `names`. Throws exit 2 when two
 * members could be meant.
 */
export function pickId(input: string, item: unknown, names: readonly string[]): Picked {
  if (typeof item !== 'object' || item === null || Array.isArray(item) || Object.hasOwn(item, '$oid')) {
    return idValue(item)
  }
  const found = names.filter((name) => Object.hasOwn(item, name))
  // A member of a list has an id of its own beside its contact's: taking the wrong one would be a disaster.
  const contact: unknown = Object.hasOwn(item, 'contact') ? Reflect.get(item, 'contact') : undefined
  const nested = typeof contact === 'object' && contact !== null && Object.hasOwn(contact, 'id') ? ['contact.id'] : []
  const candidates = [...found, ...nested]
  const [name] = found
  if (candidates.length > 1) {
    throw usageError(
      `the objects in ${input} have ${quoteAll(candidates)}`,
      `name the one that counts: ${candidates.map((candidate) => `--column ${candidate}`).join(' or ')}`,
    )
  }
  if (name !== undefined) return idValue(Reflect.get(item, name))
  const keys = Object.keys(item)
  const has = keys.length === 0 ? 'it is empty' : `it has ${quoteAll(keys.slice(0, 8))}`
  return { reason: `an object without ${orList(names)} (${has}); name the member with --column`, shown: '' }
}

/** Places of the two columns of a pairs file. */
export interface PairColumns {
  readonly first: number
  readonly second: number
  /** Whether the first record is a header. */
  readonly header: boolean
}

/**
 * The two columns of a pairs file: by their names in a header, among others if need be; without a header there must be
 * two columns, in that order. Throws exit 2 naming the columns.
 */
export function findPairColumns(
  input: string,
  record: readonly string[],
  names: readonly [string, string],
): PairColumns {
  const cells = record.map(trimBlanks)
  const [first, second] = names.map((name) => cells.flatMap((cell, index) => (cell === name ? [index] : []))) as [
    number[],
    number[],
  ]
  if (first.length === 1 && second.length === 1) return { first: first[0] ?? 0, second: second[0] ?? 0, header: true }
  const wanted = `a header with ${names[0]} and ${names[1]}, or these two columns alone, in this order`
  if (first.length > 1 || second.length > 1) {
    throw usageError(
      `${input} has two columns called "${first.length > 1 ? names[0] : names[1]}"`,
      `it needs ${wanted}`,
    )
  }
  if (cells.length === 2 && first.length === 0 && second.length === 0 && isId(unwrapId(cells[0] ?? ''))) {
    return { first: 0, second: 1, header: false }
  }
  throw usageError(`${input} begins with ${quoteAll(cells)}`, `it needs ${wanted}`)
}
