/**
 * The outputs of verbs (rows, a conversation or a text) and their formats. A verb returns data and never prints, so that commands
 * share all formats and tests see data. A new format needs a row in the table below and a case in `render.ts`.
 */
import { type Message, usageError, type SvcError } from '../errors.ts'
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

/** The columns of a table, csv and xlsx, by their headings. */
export type Columns<T> = Readonly<Record<string, ColumnValue<T>>>

/** The facts about an output that are known after its last row. */
export interface Ending {
  /** How many rows were shown. */
  shown?: number
  /** How many rows there are. */
  total?: number
  /** Sentences for stderr. */
  notes?: readonly Message[]
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
  empty?: Message | undefined
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

export function text(value: string, exitCode?: number): Text {
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
  /** The current time in milliseconds since 1970, for relative times. */
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

/** How a value looks in a table. The name of its field decides it. */
export type ColumnKind = 'id' | 'text' | 'time' | 'state'

export interface Column<T> {
  /** The heading in tables: `CONTACT`. */
  heading: string
  /** The heading in csv: the path of the value, such as `contact.id`. If a function computes it, the heading in lower case. */
  field: string
  kind: ColumnKind
  valueOf: (row: T) => unknown
  /** Whether a person typed a path that is no column of the verb. */
  isPath?: true
  /** Whether no row so far has a value at such a path; undefined before the first row. */
  isMissing?: boolean
}

/** Patterns for the fields of each kind. All other fields are `text`. */
const kinds: readonly [ColumnKind, RegExp][] = [
  ['id', /(?:^|\.)id$|Id$|^(?:run|source|target)$/],
  ['time', /(?:^a|A)t$/],
  [
    'state',
    /^(?:status|state|outcome|kind|access|direction|found|match|current|protected|check)$/,
  ],
]

function kindOf(field: string): ColumnKind {
  const match = kinds.find(([, fields]) => fields.test(field))
  return match?.[0] ?? 'text'
}

/** Returns the columns that --fields names by heading, field or path; without it, all columns of the verb. */
export function columnsOf<T>(
  columns: Columns<T>,
  fields: readonly string[] | undefined,
): Column<T>[] {
  const all = Object.entries(columns).map(([heading, value]): Column<T> => {
    if (typeof value === 'string') return columnAt(value, heading)
    const field = heading.toLowerCase()
    return { heading, field, kind: kindOf(field), valueOf: value }
  })
  if (fields === undefined) return all
  return fields.map((word) => {
    const lower = word.toLowerCase()
    const named = all.find(
      ({ heading, field }) => field === word || heading.toLowerCase() === lower,
    )
    return named ?? watched(columnAt(word, headingOf(word)))
  })
}

/** Returns the usage error for a field that rows do not have. */
export function unknownFieldError<T>(
  { field }: Column<T>,
  columns: Columns<T>,
  others = '',
): SvcError {
  const known = columnsOf(columns, undefined).map((column) => column.field)
  const hint = `fields: ${known.join(', ')}${others}`
  return usageError(`unknown field "${safe(field)}"`, hint)
}

/** Returns the heading for a path: `CONTACT FIRST NAME` for `contact.firstName`. */
function headingOf(path: string) {
  const words = path.replaceAll(/[._]/g, ' ')
  return words.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase()
}

/** Returns the column with the values at a path. */
function columnAt<T>(path: string, heading: string): Column<T> {
  const keys = path.split('.')
  const valueOf = (row: T) => valueAt(row, keys)
  return { heading, field: path, kind: kindOf(path), valueOf }
}

/** Returns a column whose `isMissing` is true until a row has a value in it. */
function watched<T>(column: Column<T>) {
  const valueOf = (row: T) => {
    const value = column.valueOf(row)
    if (value !== undefined) watchedColumn.isMissing = false
    else watchedColumn.isMissing ??= true
    return value
  }
  const watchedColumn: Column<T> = { ...column, valueOf, isPath: true }
  return watchedColumn
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
