/**
 * The parts of a verb that are shown: the columns of its rows, and its output (rows, a conversation, a text or a table given back).
 * All of it is data, which `render.ts` prints in one of the formats.
 */

/** The formats in the order of the help. */
export const formats = [
  'table',
  'json',
  'ndjson',
  'csv',
  'xlsx',
  'ids',
  'transcript',
  'html',
] as const
export type Format = (typeof formats)[number]

/** Whether a format shows cells below headings. */
export const hasColumns = (format: Format) => ['table', 'csv', 'xlsx'].includes(format)

/** Whether only a conversation has this format. */
export const isForConversations = (format: Format) =>
  ['transcript', 'html'].includes(format)

/** Where a column gets its value from: a path in the row, such as `contact.identities.phone`, or a function of the row. */
export type ColumnValue<T> = string | ((row: T) => unknown)

/** The kind of a value. It decides how a table shows it, and how a workbook stores it. */
export type ColumnKind = 'id' | 'text' | 'number' | 'time'

/** A column as a verb declares it. */
interface DeclaredColumn<T> {
  kind: ColumnKind
  value: ColumnValue<T>
  /** Whether it is left out first if a table does not fit the terminal. */
  isWide?: boolean
}

/** The columns of a table, csv and xlsx, by their headings. */
export type Columns<T> = Readonly<Record<string, DeclaredColumn<T>>>

const declare =
  (kind: ColumnKind) =>
  <T>(value: ColumnValue<T>): DeclaredColumn<T> => ({ kind, value })

/** An id, which is never cut. A table shows only how many ids a list has. */
export const id = declare('id')
export const text = declare('text')
export const number = declare('number')
/** A time of the service. */
export const time = declare('time')

export function wide<T>(column: DeclaredColumn<T>): DeclaredColumn<T> {
  return { ...column, isWide: true }
}

/** Parts of an output beside its data. */
interface BesideData {
  /** Sentences for stderr. */
  notes?: readonly string[]
  exitCode?: number | undefined
  /** The id of the run that the output is about. */
  run?: string | undefined
}

export interface Rows<T> extends BesideData {
  kind: 'rows'
  rows: Iterable<T>
  /** The columns, if they are not those of the verb. */
  columns?: Columns<T> | undefined
  /** The plural noun for the rows: `lists`. */
  what?: string
  /** How many there are, if the verb chose the rows itself. The printer cuts others at `--limit`. */
  total?: number | undefined
  /** How many are shown, if that is not the number of rows. */
  shown?: number | undefined
  /** The note in place of a table without rows, such as `no lists`; undefined for none. */
  empty?: string | undefined
  /** The JSON document. Without it, it is an array of the rows. */
  document?: unknown
  /** Whether there is only one row, which a table shows as lines of heading and value. */
  isOne?: boolean
  /** Facts to show above a table, by their titles. */
  details?: Readonly<Record<string, string | null>> | undefined
}

/** Optional text fields of the service. */
type Texts<Field extends string> = { readonly [field in Field]?: string | null | undefined }

/** The messages and known facts of a ticket, for a transcript or a page. */
export interface Conversation extends BesideData {
  kind: 'conversation'
  ticket: { id: string } & Texts<'status' | 'assigneeId' | 'startedAt'>
  /** The names of employees by id in lower case. */
  names: ReadonlyMap<string, string>
  /** The messages, with the oldest first. */
  messages: readonly ConversationMessage[]
  /** A few words about messages that are left out, for the end of a page. */
  omission: string | undefined
}

export interface ConversationMessage extends Texts<
  'sentAt' | 'direction' | 'fromId' | 'subject' | 'text'
> {
  attachments?: readonly Texts<'id' | 'kind' | 'fileName' | 'mimeType'>[] | null | undefined
}

/** A text, such as a script or the body of an answer. */
export interface PlainText extends BesideData {
  kind: 'text'
  text: string
  /** Set for `sandbox start`: the secrets of a sandbox are public. */
  mayShowSecrets?: true
}

/** The table of an input, as csv or xlsx, with columns of svc. */
export interface GivenTable extends BesideData {
  kind: 'table'
  pieces: AsyncIterable<Uint8Array>
}

export type Output<T> = Rows<T> | Conversation | PlainText | GivenTable

type RowFacts<T> = Omit<Rows<T>, 'kind' | 'rows'>

/** Returns an output of rows. */
export function rows<T>(source: Iterable<T>, facts: RowFacts<T> = {}): Rows<T> {
  const { what = 'rows' } = facts
  return { kind: 'rows', rows: source, empty: `no ${what}`, ...facts }
}

/** Returns an output of one thing. */
export function one<T>(value: T, facts: RowFacts<T> = {}): Rows<T> {
  return rows([value], { isOne: true, document: value, ...facts })
}

/** Returns an output of a text. */
export function plainText(value: string, exitCode?: number): PlainText {
  return { kind: 'text', text: value, exitCode }
}

/** How to print an output. Options and environment decide this before the verb acts. */
export interface PrintOptions {
  format: Format
  /** The fields of --fields; undefined for all columns of the verb. */
  fields?: readonly string[] | undefined
  /** The maximum number of rows. If none is typed, it is low for people and infinite for programs. */
  rowLimit: number
  color?: boolean
  /** The width of the terminal in cells; undefined if stdout is not a terminal. */
  width?: number | undefined
  /** The current time in milliseconds since 1970, for a page. */
  now?: number
}
