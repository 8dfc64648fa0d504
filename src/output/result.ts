/**
 * The outputs of verbs (rows, a conversation or a text) and their formats. A verb returns data and never prints, so that commands
 * share all formats and tests see data. A new format needs a row in the table below and a case in `render.ts`.
 */
import { usageError } from '../errors.ts'
import { jsonText, safe } from '../safe-text.ts'
import { memberOf } from '../values.ts'

interface FormatFacts {
  /**
   * The content that the format shows: the `values` of rows, `cells` below headings, only `ids`, or the messages of a
   * `conversation`.
   */
  shows: 'values' | 'cells' | 'ids' | 'conversation'
  /** Whether people read the format. It then shows few rows, unless a limit is typed. */
  isForPeople?: true
}

/** The formats in the order of the help. */
const facts = {
  table: { shows: 'cells', isForPeople: true },
  json: { shows: 'values' },
  ndjson: { shows: 'values' },
  csv: { shows: 'cells' },
  xlsx: { shows: 'cells' },
  ids: { shows: 'ids' },
  transcript: { shows: 'conversation', isForPeople: true },
  html: { shows: 'conversation' },
} as const satisfies Record<string, FormatFacts>

export type Format = keyof typeof facts

export const formatFacts: Readonly<Record<Format, FormatFacts>> = facts
export const formats = Object.keys(facts) as [Format, ...Format[]]

/** Where a column gets its value from: a path in the row, such as `contact.identities.phone`, or a function of the row. */
export type ColumnValue<T> = string | ((row: T) => unknown)

/** The kind of a value. It decides how a table shows it, and how a workbook stores it. */
export type ColumnKind = 'id' | 'text' | 'number' | 'time'

/** A column as a verb declares it. */
export interface ColumnDefinition<T> {
  kind: ColumnKind
  value: ColumnValue<T>
  /** Whether it is left out first if a table does not fit the terminal. */
  isWide?: boolean
}

/** An id, which is never cut. A table shows only how many ids a list has. */
export function id<T>(value: ColumnValue<T>): ColumnDefinition<T> {
  return { kind: 'id', value }
}

export function text<T>(value: ColumnValue<T>): ColumnDefinition<T> {
  return { kind: 'text', value }
}

export function number<T>(value: ColumnValue<T>): ColumnDefinition<T> {
  return { kind: 'number', value }
}

/** A time of the service. */
export function time<T>(value: ColumnValue<T>): ColumnDefinition<T> {
  return { kind: 'time', value }
}

export function wide<T>(column: ColumnDefinition<T>): ColumnDefinition<T> {
  return { ...column, isWide: true }
}

/** The columns of a table, csv and xlsx, by their headings. A value alone is a text. */
export type Columns<T> = Readonly<Record<string, ColumnDefinition<T> | ColumnValue<T>>>

/** The facts about an output that are known after its last row. */
export interface Ending {
  /** How many rows were shown. */
  shown?: number
  /** How many rows there are. */
  total?: number
  /** Sentences for stderr. */
  notes?: readonly string[]
  exitCode?: number | undefined
}

/** The members that every output can have. */
interface Shared {
  /** The id of the run that the output is about. */
  run?: string | undefined
  ending?: Ending
}

export interface Rows<T> extends Shared {
  kind: 'rows'
  /** A generator may return an `Ending`, which replaces `ending`. */
  rows: AsyncIterable<T, Ending | undefined> | Iterable<T, Ending | undefined>
  /** The columns, if they are not those of the verb. */
  columns?: Columns<T> | undefined
  /** The plural noun for the rows: `lists`. */
  what?: string
  /** The note in place of a table without rows, such as `no lists`. */
  empty?: string | undefined
  /** Returns the JSON document of all rows. Without it, the document is an array. */
  document?: (rows: readonly T[]) => unknown
  /** Whether there is only one row, which a table shows as lines of heading and value. */
  isOne?: boolean
  /** Facts to show above a table, by their titles. */
  details?: Readonly<Record<string, string | null>> | undefined
}

/** Optional text fields of the service. */
type Texts<Field extends string> = { readonly [field in Field]?: string | null | undefined }

/** The messages and known facts of a ticket, for a transcript or a page. */
export interface Conversation extends Shared {
  kind: 'conversation'
  ticket: { id: string } & Texts<'status' | 'assigneeId' | 'startedAt'>
  /** The names of employees by id in lower case. */
  names: ReadonlyMap<string, string>
  /** The messages, with the oldest first. */
  messages: readonly ConversationMessage[]
  /** A few words about messages that are left out, for the end of a page. */
  leftOut: string | undefined
}

export interface ConversationMessage extends Texts<
  'sentAt' | 'direction' | 'fromId' | 'subject' | 'text'
> {
  attachments?: readonly ConversationAttachment[] | null | undefined
}

export type ConversationAttachment = Texts<'id' | 'kind' | 'fileName' | 'mimeType'>

/** A text, such as a script or the body of an answer. Its control characters are made visible. */
export interface Text extends Shared {
  kind: 'text'
  text: string
  /** Set for `sandbox start`: the secrets of a sandbox are public. */
  mayShowSecrets?: true
}

/** The table of an input, as csv or xlsx, with columns of svc. */
export interface GivenTable extends Shared {
  kind: 'table'
  pieces: AsyncIterable<Uint8Array>
}

export type Output<T> = Rows<T> | Conversation | Text | GivenTable

type RowsOptions<T> = Omit<Rows<T>, 'kind' | 'rows'>

/** Returns an output of rows, which are read when the output is rendered. */
export function rows<T>(source: Rows<T>['rows'], more: RowsOptions<T> = {}): Rows<T> {
  return { kind: 'rows', rows: source, empty: 'nothing to show', ...more }
}

/** Returns an output of rows with columns of their own, for a verb with several kinds of rows. The common type is `object`. */
export function ownRows<T>(
  source: Rows<T>['rows'],
  columns: Columns<T>,
  more: RowsOptions<T> = {},
): Rows<object> {
  return rows(source, { columns, ...more }) as unknown as Rows<object>
}

/** Returns an output of the first `limit` rows, with the number of all rows. */
export function firstRows<T>(
  all: readonly T[],
  limit: number,
  more: RowsOptions<T> = {},
): Rows<T> {
  const shown = all.slice(0, limit)
  const ending = { shown: shown.length, total: all.length, ...more.ending }
  return rows(shown, { ...more, ending })
}

/** Returns an output of one thing. */
export function one<T>(value: T, more: RowsOptions<T> = {}): Rows<T> {
  return rows([value], { isOne: true, document: () => value, ...more })
}

/** Returns the output of a table that is given back in the format of the command. */
export function givenBack(pieces: AsyncIterable<Uint8Array>, ending: Ending): GivenTable {
  return { kind: 'table', pieces, ending }
}

/** Returns an output of a text. */
export function plainText(value: string, exitCode?: number): Text {
  return { kind: 'text', text: value, ending: { exitCode } }
}

/** How to print. Options, environment and configuration decide this before the verb runs. */
export interface PrintOptions {
  format: Format
  /** The fields of --fields; undefined for all columns of the verb. */
  fields: readonly string[] | undefined
  /** The maximum number of rows. If none is typed, it is low for people and infinite for programs. */
  rowLimit: number
  color: boolean
  /** The width of the terminal in cells; undefined if stdout is not a terminal. */
  width: number | undefined
  /** The current time in milliseconds since 1970, for a page. */
  now: number
}

/** The options for a whole table in plain text. */
export const plainPrint: PrintOptions = {
  format: 'table',
  fields: undefined,
  rowLimit: Infinity,
  color: false,
  width: undefined,
  now: 0,
}

export interface Column<T> {
  /** The heading in tables: `CONTACT`. */
  heading: string
  /** The heading in csv: the path of the value, such as `contact.id`. If a function computes it, the heading in lower case. */
  field: string
  kind: ColumnKind
  isWide: boolean
  valueOf: (row: T) => unknown
}

/**
 * Returns the columns that --fields names by heading or field; without it, all columns of the verb. A name that this output does
 * not have is an empty column: `checkFields` has refused those that no output of the verb has.
 */
export function columnsOf<T>(
  columns: Columns<T>,
  fields: readonly string[] | undefined,
): Column<T>[] {
  const all = Object.entries(columns).map(([heading, definition]) =>
    columnOf(heading, definition),
  )
  return fields === undefined ? all : fields.map((word) => named(all, word) ?? empty(word))
}

/** Throws a usage error for a field that no column has. */
export function checkFields<T>(columns: Columns<T>, fields: readonly string[]) {
  const all = columnsOf(columns, undefined)
  const unknown = fields.find((word) => named(all, word) === undefined)
  if (unknown === undefined) return
  const hint = `fields: ${all.map(({ field }) => field).join(', ')}`
  throw usageError(`unknown field "${safe(unknown)}"`, hint)
}

/** The column with this heading, in any letter case, or field. What a person names is not left out. */
function named<T>(columns: readonly Column<T>[], word: string): Column<T> | undefined {
  const lower = word.toLowerCase()
  const column = columns.find(
    ({ heading, field }) => field === word || heading.toLowerCase() === lower,
  )
  return column && { ...column, isWide: false }
}

function empty(word: string): Column<unknown> {
  const heading = word.toUpperCase()
  return { heading, field: word, kind: 'text', isWide: false, valueOf: () => undefined }
}

function columnOf<T>(heading: string, definition: Columns<T>[string]): Column<T> {
  const {
    kind,
    value,
    isWide = false,
  } = typeof definition === 'object' ? definition : text(definition)
  if (typeof value === 'function')
    return { heading, field: heading.toLowerCase(), kind, isWide, valueOf: value }
  const keys = value.split('.')
  return { heading, field: value, kind, isWide, valueOf: (row) => valueAt(row, keys) }
}

/** Returns the value of a column in a row. */
export function valueIn<T>(row: T, value: ColumnValue<T>): unknown {
  return typeof value === 'function' ? value(row) : valueAt(row, value.split('.'))
}

/** Returns the value at a path; undefined if there is none. For an array, returns an array with the value of each item. */
function valueAt(value: unknown, keys: readonly string[]): unknown {
  const [key, ...keysBelow] = keys
  if (key === undefined) return value
  if (Array.isArray(value)) return value.map((item) => valueAt(item, keys))
  return valueAt(memberOf(value, key), keysBelow)
}

/** Returns a value as the text of a cell: an array joined by `;`, an object as JSON, nothing for null. It is not yet safe. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(cellText).join(';')
  return jsonText(value)
}
