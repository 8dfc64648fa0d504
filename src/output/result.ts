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
  /** The text that a terminal's table shows in place of a long value. */
  short?: (value: string) => string
  /** The least width of a text in a terminal's table, in terminal cells. */
  floor?: number
}

/** The field, then `:` and a kind, then ` as ` and a heading. */
const columnWords = /^(?<field>[^ :]+)(?::(?<kind>\w+))?(?: as (?<title>.+))?$/

/** `status`, `status:state`, `contactsCount as CONTACTS`: a field, and its kind and heading where its name does not say them. */
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

/** Columns of a view: in words, or as they are where the words do not say enough. */
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

/** The kind that a field has by the API's habits: ids end with `Id`, times with `At`, numbers with `Count`. */
function kindOf(field: string): CellKind {
  const isId = field === 'id' || /(?:\.id|Id)$/.test(field)
  if (isId) return 'id'
  if (field.endsWith('At')) return 'time'
  return /(?:Count|^count)$/.test(field) ? 'number' : 'text'
}

/** Fields of the service's that are texts where they are there. */
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

/** Schemas are loaded when they are asked for: most commands need none. */
export type LoadSchema = () => GenericSchema | Promise<GenericSchema>

/** A resource as data: its table's columns; `--fields` may name every field of its schema. */
export interface View<T> {
  columns: readonly Column[]
  /** Fields that svc computes, for example `name`. */
  computed?: Readonly<Record<string, (row: T) => unknown>>
  /** A field of the schema that has another name among the computed ones. */
  renamed?: string
  /** The schema of a row, where `schema` is not that of one row or of an array of them. */
  row?: LoadSchema
  /** The JSON form is a document of its own and no row: `--fields` names its fields then. */
  isDocument?: true
  /** Bulk runs: the schema of a line of ndjson. */
  line?: LoadSchema
  /** The line that `-o ids` prints for a row; without it there is no such format. */
  id?: (row: T) => string
  /** The format without `-o`; `table` when absent. */
  defaultFormat?: Format
  /** With it there are the formats transcript and html: the message that a row is. */
  message?: (row: T) => ConversationMessage
  /** These formats and no others, for what is not rows. */
  formats?: readonly Format[]
  /** The JSON form of the whole output, whose members `--fields` may name, if there is one. */
  schema?: LoadSchema
}

/** Facts to tell when the rows are out: the generator of the rows returns them. */
export interface Ending {
  /** How many rows were shown, and how many there are. */
  shown?: number
  total?: number
  /** Why `shown` is less: the limit (as when absent) or the one page left rows out; or all pages together had fewer. */
  missing?: 'limit' | 'page' | 'short' | undefined
  /** When `total` changed meanwhile. */
  moved?: { from: number; to: number } | undefined
  /** Rows that were left out, in a few words, for the last line of a page. */
  leftOut?: string | undefined
  /** Whole sentences for stderr. */
  notes?: readonly Message[]
  /** A last sentence, after the notes, about something that a person must check. */
  warning?: Message | undefined
  exitCode?: number
  /** Where another command can go on. An error carries it too, as `details.cursor`. */
  cursor?: string | undefined
}

/** Rows, pulled as they are printed. */
export interface Rows<T> {
  kind: 'rows'
  /** A generator may return an `Ending`. */
  rows: AsyncIterable<T, Ending | undefined> | Iterable<T, Ending | undefined>
  /** Instead of the verb's view, when what the rows look like is known only after reading. */
  view?: View<T>
  /** Word for the rows, in the plural: `lists`. */
  what?: string | undefined
  /** They are all there are: as many are shown as `--limit` says, and all are counted. */
  isAll?: boolean
  /** Words for a table without rows, for example `no lists`. Goes to stderr. */
  empty?: Message
  /** When it is known before the rows are read. */
  ending?: Ending
  /** When the JSON form is an object around the rows: its other members, and which one the cursor is. */
  frame?: {
    key: string
    before: Readonly<Record<string, unknown>>
    cursor: string
    /** The member of a row that says what the object says already. */
    repeated?: string
  }
  /** Facts that a transcript and a page tell about the whole. */
  conversation?: Conversation
  /**
   * Rows of several things, in place of `rows`: in JSON an array of their documents, as text one after the other, else the rows of
   * all. Returns the ending of the whole, or throws the error of the whole when all parts are out.
   */
  parts?: AsyncGenerator<Rows<T>, Ending, undefined>
}

/** One thing: a row that is shown as lines of title and value, or a document with a table of its own. */
export interface One<T> {
  kind: 'one'
  /** The row; a document has `rows` in its place. */
  value?: T
  rows?: readonly T[]
  /** The JSON form. */
  json: unknown
  /** Details by their titles, where they are known: above a plain table on stdout; said on stderr where rows alone are wanted. */
  details?: Readonly<Record<string, string | null | undefined>>
  /** Word for the rows, in the plural, where `--limit` counts them. */
  what?: string
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

/** A bulk run: its summary, and its receipts. */
export type RunOutput = One<OutcomeRow> & {
  receipts: Iterable<unknown>
}

type Data<T> = One<T> | Omit<Rows<T>, 'view' | 'parts'> | Omit<Text<T>, 'data'>

/** Text that is not a resource: a script, a manual page, the body of an answer. Control characters are made visible. */
export interface Text<T = never> {
  kind: 'text'
  /** Whole, or in parts that are whole lines. */
  text: string | AsyncIterable<string>
  /** Made by svc alone: it is printed as it is, even where the environment has a secret like one in it. */
  isOwn?: true
  /** The same in every format but a plain table, and where fields are chosen. */
  data?: () => Data<T> | Promise<Data<T>>
  exitCode?: number | undefined
}

export type Output<T> = Rows<T> | One<T> | Text<T>

/** For a command that shows nothing in columns. */
export const noView: View<never> = { columns: [] }

/** Rows, which are pulled as they are printed. */
export function rows<T>(
  source: Rows<T>['rows'],
  more: Omit<Rows<T>, 'kind' | 'rows'> = {},
): Rows<T> {
  return { kind: 'rows', rows: source, empty: 'nothing to show', ...more }
}

/** One thing: a row that is shown by itself. `json`: the JSON form when it is not the value itself. */
export function one<T>(
  value: T,
  more: Partial<Pick<One<T>, 'json' | 'exitCode'>> = {},
): One<T> {
  return { kind: 'one', value, json: value, ...more }
}

/** A document of JSON with a table for people. */
export function document<T>(json: unknown, rows: readonly T[], exitCode?: number): One<T> {
  return { kind: 'one', json, rows, exitCode }
}

/** Text as it is, but for what would command a terminal. */
export function text(value: string | AsyncIterable<string>, exitCode?: number): Text {
  return { kind: 'text', text: value, exitCode }
}

/** Nothing to show: the exit code says it all. */
export function done(exitCode?: number): Text {
  return text('', exitCode)
}

/** How to print, decided from options, environment and configuration before the verb runs. */
export interface PrintOptions {
  format: Format
  /** From `--fields`, already checked against the view. */
  fields: readonly string[] | undefined
  /** The computed fields that this format shows, or `sender` of a conversation: verbs look up only these. */
  neededFields: readonly string[]
  /** The most rows when no limit is typed: few where people read, else all. */
  rowLimit: number
  /** A limit was typed: it cuts one page too. */
  isLimited?: boolean
  /** The order that the format demands of a history. */
  order: 'oldest' | undefined
  header: boolean
  truncate: boolean
  /** Each row as lines of title and value, for people who cannot see columns: `ACCESSIBLE=1`. */
  isStacked?: boolean
  utc: boolean
  color: boolean
  /** The width of the terminal in cells; undefined if stdout is not a terminal. */
  width: number | undefined
  /** Now, in milliseconds since 1970, for relative times. */
  now: number
}

/** A whole table in plain text. */
export const plainPrint: PrintOptions = {
  format: 'table',
  fields: undefined,
  neededFields: [],
  rowLimit: Infinity,
  order: undefined,
  header: true,
  truncate: false,
  utc: false,
  color: false,
  width: undefined,
  now: 0,
}
