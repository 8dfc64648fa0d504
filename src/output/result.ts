/**
 * The outputs of verbs (rows, a conversation or a text) and their formats. A verb returns data and never prints, so that every
 * command has every format and tests see data. A new format needs a row in the table and a writer in `render.ts`.
 */
import type { Message } from '../message.ts'

interface FormatFacts {
  /** What it shows: the `values` of rows, `cells` below headings, only `ids`, or the messages of a `conversation`. */
  shows: 'values' | 'cells' | 'ids' | 'conversation'
  /** Whether people read it. It then has few rows unless a limit is typed. */
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

/** The value of a row below a heading: its path, such as `contact.identities.phone`, or a function of the row. */
export type ColumnValue<T> = string | ((row: T) => unknown)

/** The columns of a table, csv and xlsx, by their headings. */
export type Columns<T> = Readonly<Record<string, ColumnValue<T>>>

/** What follows an output. */
export interface Ending {
  /** How many rows were shown, and how many there are. */
  shown?: number
  total?: number
  /** Sentences for stderr. */
  notes?: readonly Message[]
  exitCode?: number | undefined
}

interface Shared {
  /** The id of the run that the output is about. */
  run?: string | undefined
  ending?: Ending
}

export interface Rows<T> extends Shared {
  kind: 'rows'
  /** A generator may return an `Ending`. */
  rows: AsyncIterable<T, Ending | undefined> | Iterable<T, Ending | undefined>
  /** The columns, if they are not those of the verb. */
  columns?: Columns<T> | undefined
  /** What the rows are called in the plural: `lists`. */
  what?: string
  /** The note in place of a table without rows, such as `no lists`. */
  empty?: Message | undefined
  /** Returns the JSON document of all rows. Without it, the document is an array. */
  document?: (rows: readonly T[]) => unknown
  /** Whether the only row is shown as lines of heading and value. */
  isOne?: boolean
  /** The facts above a table, by their titles. */
  details?: Readonly<Record<string, string | null>> | undefined
}

/** Optional text fields of the service. */
type Texts<Field extends string> = { readonly [field in Field]?: string | null | undefined }

/** The messages and known facts of a ticket, for a transcript or a page. */
export interface Conversation extends Shared {
  kind: 'conversation'
  ticket: { id: string } & Texts<'status' | 'assigneeId' | 'startedAt'>
  /** Names of employees by id in lower case. */
  names: ReadonlyMap<string, string>
  /** The messages, with the oldest first. */
  messages: readonly ConversationMessage[]
  /** What was left out, in a few words. A page ends with it. */
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
  /** Whether svc made the text alone. It is then printed without hiding secrets: those of a sandbox are public. */
  isOwn?: true
}

export type Output<T> = Rows<T> | Conversation | Text

type RowsOptions<T> = Omit<Rows<T>, 'kind' | 'rows'>

/** Returns an output of rows, which are read when they are encoded. */
export function rows<T>(source: Rows<T>['rows'], more: RowsOptions<T> = {}): Rows<T> {
  return { kind: 'rows', rows: source, empty: 'nothing to show', ...more }
}

/** Returns an output of rows with its own columns, for a verb with several kinds of rows. Their common type is `object`. */
export function ownRows<T>(
  source: Rows<T>['rows'],
  columns: Columns<T>,
  more: RowsOptions<T> = {},
): Rows<object> {
  return rows(source, { columns, ...more }) as unknown as Rows<object>
}

/** Returns an output of the first rows, with the number of all rows. */
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

export function text(value: string, exitCode?: number): Text {
  return { kind: 'text', text: value, ending: { exitCode } }
}

/** How to print. Options, environment and configuration decide it before the verb runs. */
export interface PrintOptions {
  format: Format
  /** The fields of --fields; undefined for all columns of the verb. */
  fields: readonly string[] | undefined
  /** The maximum of rows. If no limit is typed, it is low for people and infinite for programs. */
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
