/**
 * The output of verbs: data and how it looks, never printed text. A verb returns an `Output` and names its
 * `View`. So every command has every format, and a test sees data.
 */
import type { Message } from '../message.ts'
import type { GenericSchema } from 'valibot'
import type { Format } from './format.ts'

/** How a value looks in a table; csv and JSON ignore it. */
const cellKinds = ['id', 'text', 'number', 'time', 'state'] as const
export type CellKind = (typeof cellKinds)[number]

export interface Column {
  title: string
  /** A JSON path such as `contact.identities.phone`, or the name of a computed field. */
  field: string
  kind?: CellKind
  /** The text that a terminal's table shows instead of a long value. */
  short?: (value: string) => string
  /** The least width of a text in a terminal's table, in terminal cells. */
  floor?: number
}

/** The field, then `:` and a kind, then ` as ` and a heading. */
const columnWords = /^(?<field>[^ :]+)(?::(?<kind>\w+))?(?: as (?<title>.+))?$/

/**
 * `status`, `status:state`, `contactsCount as CONTACTS`: a field, and its kind and heading where its name does not say them.
 */
export function columnOf(words: string): Column {
  const parts = columnWords.exec(words)?.groups
  const field = parts?.['field'] ?? words
  const typedKind = parts?.['kind']
  return {
    title: parts?.['title'] ?? titleOf(field),
    field,
    kind: cellKinds.find((kind) => kind === typedKind) ?? kindOf(field),
  }
}

/** The columns of a view. A string is read by `columnOf`. */
export function columnsFor(...columns: readonly (string | Column)[]): Column[] {
  return columns.map((column) => (typeof column === 'string' ? columnOf(column) : column))
}

/** `contact.firstName` becomes `CONTACT FIRST NAME`, `messengerB_username` becomes `MESSENGER B USERNAME`. */
function titleOf(field: string) {
  return field
    .replaceAll(/[._]/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toUpperCase()
}

/** The kind of a field by the API's naming: ids end with `Id`, times with `At`, numbers with `Count`. */
function kindOf(field: string): CellKind {
  const isId = field === 'id' || /(?:\.id|Id)$/.test(field)
  if (isId) return 'id'
  if (field.endsWith('At')) return 'time'
  return /(?:Count|^count)$/.test(field) ? 'number' : 'text'
}

/** Optional text fields of the service. */
type Texts<Field extends string> = { readonly [field in Field]?: string | null | undefined }

export interface Conversation {
  ticket: { id: string } & Texts<'status' | 'assigneeId' | 'startedAt'>
  /** Names of employees by id in lower case. */
  names: ReadonlyMap<string, string>
}

export interface ConversationMessage extends Texts<
  'sentAt' | 'direction' | 'fromId' | 'subject' | 'text'
> {
  attachments?: readonly ConversationAttachment[] | null | undefined
}

export interface ConversationAttachment extends Texts<
  'id' | 'kind' | 'fileName' | 'mimeType'
> {
  size?: number | null | undefined
}

/** Loads a schema when it is needed: most commands need none. */
export type LoadSchema = () => GenericSchema | Promise<GenericSchema>

/** A resource as data: its table's columns; `--fields` may name every field of its schema. */
export interface View<T> {
  columns: readonly Column[]
  /** Fields that svc computes, for example `name`. */
  computed?: Readonly<Record<string, (row: T) => unknown>>
  /** A field of the schema that `--fields` does not take: a computed field has its value. */
  hiddenField?: string
  /** The schema of a row, if `schema` is neither that of a row nor of an array of rows. */
  rowSchema?: LoadSchema
  /** The JSON form is a document instead of rows, and `--fields` names its fields. */
  isDocument?: true
  /** Bulk runs: the schema of a line of ndjson. */
  lineSchema?: LoadSchema
  /** The line that `-o ids` prints for a row; if absent, there is no such format. */
  id?: (row: T) => string
  /** The format without `-o`; `table` if absent. */
  defaultFormat?: Format
  /** The message that a row is. If present, there are the formats transcript and html. */
  message?: (row: T) => ConversationMessage
  /** The only formats, for output that is not rows. */
  formats?: readonly Format[]
  /** The JSON form of the whole output, whose members `--fields` may name, if there is one. */
  schema?: LoadSchema
}

/** Facts to tell after the rows. The generator of the rows returns them. */
export interface Ending {
  /** How many rows were shown, and how many there are. */
  shown?: number
  total?: number
  /** Rows that were left out, in a few words, for the last line of a page. */
  leftOut?: string | undefined
  /** Whole sentences for stderr. */
  notes?: readonly Message[]
  /** A last sentence, after the notes, about something that a person must check. */
  warning?: Message | undefined
  exitCode?: number
}

/** Rows, pulled as they are printed. */
export interface Rows<T> {
  kind: 'rows'
  /** A generator may return an `Ending`. */
  rows: AsyncIterable<T, Ending | undefined> | Iterable<T, Ending | undefined>
  /** The view, if it is known only after reading. It replaces the verb's view. */
  view?: View<T>
  /** Word for the rows, in the plural: `lists`. */
  what?: string | undefined
  /** Whether `--limit` cuts them when they are shown: all of them are counted. */
  isCutWhenShown?: boolean | undefined
  /** Words for a table without rows, for example `no lists`. Goes to stderr. */
  empty?: Message
  /** The ending, if it is known before the rows are read. */
  ending?: Ending
  /** The object around the rows in JSON, if there is one, and its other members. */
  frame?: {
    key: string
    before: Readonly<Record<string, unknown>>
    /** The member of a row that the object already has. */
    repeated?: string
  }
  /** Facts about the whole conversation, for a transcript or a page. */
  conversation?: Conversation
}

/** One thing: a row that is shown as lines of title and value, or a document with its own table. */
export interface One<T> {
  kind: 'one'
  /** The row; a document has `rows` in its place. */
  value?: T
  rows?: readonly T[]
  /** The JSON form. */
  json: unknown
  /** Details by their titles. They are above a plain table on stdout, or on stderr if only rows are wanted. */
  details?: Record<string, string | null | undefined>
  /** As for `Rows`. */
  what?: string
  isCutWhenShown?: boolean | undefined
  /** Instead of the view's. */
  columns?: readonly Column[]
  /** The receipts of a bulk run whose summary this is. In ndjson they are the lines, and the summary goes to stderr. */
  receipts?: Iterable<unknown> | undefined
  exitCode?: number | undefined
}

export interface OutcomeRow {
  outcome: string
  count: number
}

/** A bulk run: its summary, and its receipts. Its view replaces that of a verb that sends one change. */
export type RunOutput = One<OutcomeRow> & {
  receipts: Iterable<unknown>
  view: View<OutcomeRow>
}

type Data<T> = One<T> | Omit<Rows<T>, 'view'> | Omit<Text<T>, 'data'>

/** Text that is not a resource: a script, a manual page, the body of an answer. Control characters are made visible. */
export interface Text<T = never> {
  kind: 'text'
  /** The whole text, or parts of whole lines. */
  text: string | AsyncIterable<string>
  /** Made by svc alone: printed without redaction, even if it looks like a secret of the environment. */
  isOwn?: true
  /** The data of all other formats than a plain table, and for `--fields`. */
  data?: () => Data<T> | Promise<Data<T>>
  exitCode?: number | undefined
}

export type Output<T> = Rows<T> | One<T> | Text<T>

/** The view of a command without columns. */
export const noView: View<never> = { columns: [] }

/** The output of rows, which are pulled as they are printed. */
export function rows<T>(
  source: Rows<T>['rows'],
  more: Omit<Rows<T>, 'kind' | 'rows'> = {},
): Rows<T> {
  return { kind: 'rows', rows: source, empty: 'nothing to show', ...more }
}

/** The output of one row. `json`: the JSON form, if it is not the value itself. */
export function one<T>(
  value: T,
  more: Partial<Pick<One<T>, 'json' | 'exitCode'>> = {},
): One<T> {
  return { kind: 'one', value, json: value, ...more }
}

/** The output of a JSON document, with a table for people. */
export function document<T>(json: unknown, rows: readonly T[], exitCode?: number): One<T> {
  return { kind: 'one', json, rows, exitCode }
}

/** The output of a text; control characters are made visible. */
export function text(value: string | AsyncIterable<string>, exitCode?: number): Text {
  return { kind: 'text', text: value, exitCode }
}

/** No output, only an exit code. */
export function done(exitCode?: number): Text {
  return text('', exitCode)
}

/** How to print, from options, environment and configuration. Known before the verb runs. */
export interface PrintOptions {
  format: Format
  /** From `--fields`, already checked against the view. */
  fields: readonly string[] | undefined
  /** The computed fields that this format shows, or `sender` of a conversation: verbs look up only these. */
  neededFields: readonly string[]
  /** The most rows if no limit is typed: few for people, all for programs. */
  rowLimit: number
  /** Whether a limit was typed, which also cuts a single page. */
  isLimitTyped?: boolean
  /** The order that the format needs for a history. */
  order: 'oldest' | undefined
  /** Each row as lines of title and value, for people who cannot see columns: `ACCESSIBLE=1`. */
  isStacked?: boolean
  color: boolean
  /** The width of the terminal in cells; undefined if stdout is not a terminal. */
  width: number | undefined
  /** Now, in milliseconds since 1970, for relative times. */
  now: number
}

/** Prints a whole table in plain text. */
export const plainPrint: PrintOptions = {
  format: 'table',
  fields: undefined,
  neededFields: [],
  rowLimit: Infinity,
  order: undefined,
  color: false,
  width: undefined,
  now: 0,
}
