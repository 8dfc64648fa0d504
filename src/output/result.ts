/**
 * What verbs return: rows, a conversation or a text, and how it is shown. A verb returns data and never prints, so every
 * command has every format, and a test sees data.
 */
import type { Message } from '../message.ts'
import type { Format } from './format.ts'

/** The value of a row under a heading: its path, such as `contact.identities.phone`, or a function of the row. */
export type ColumnValue<T> = string | ((row: T) => unknown)

/** The columns of a table, csv and xlsx, by their headings. */
export type Columns<T> = Readonly<Record<string, ColumnValue<T>>>

/** Facts to tell after an output. */
export interface Ending {
  /** How many rows were shown, and how many there are. */
  shown?: number
  total?: number
  /** Whole sentences for stderr. */
  notes?: readonly Message[]
  exitCode?: number | undefined
}

interface Shared {
  /** The run that it is about. */
  run?: string | undefined
  ending?: Ending
}

export interface Rows<T> extends Shared {
  kind: 'rows'
  /** A generator may return an `Ending`. */
  rows: AsyncIterable<T, Ending | undefined> | Iterable<T, Ending | undefined>
  /** In place of the verb's columns. */
  columns?: Columns<T> | undefined
  /** Word for the rows, in the plural: `lists`. */
  what?: string
  /** Words for a table without rows, for example `no lists`. Goes to stderr. */
  empty?: Message | undefined
  /** Makes one document of the rows for JSON. Absent: an array. */
  document?: (rows: readonly T[]) => unknown
  /** There is one row, shown as lines of heading and value. */
  isOne?: boolean
  /** Facts that stand above a table, by their titles. */
  details?: Readonly<Record<string, string | null>> | undefined
}

/** Optional text fields of the service. */
type Texts<Field extends string> = { readonly [field in Field]?: string | null | undefined }

/** Messages, and what is known of their ticket: a transcript or a page. */
export interface Conversation extends Shared {
  kind: 'conversation'
  ticket: { id: string } & Texts<'status' | 'assigneeId' | 'startedAt'>
  /** Names of employees by id in lower case. */
  names: ReadonlyMap<string, string>
  /** The oldest first. */
  messages: readonly ConversationMessage[]
  /** What was left out, in a few words, for the last line of a page. */
  leftOut: string | undefined
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

/** Text that is not a resource: a script, a manual page, the body of an answer. Control characters are made visible. */
export interface Text extends Shared {
  kind: 'text'
  text: string
  /** Made by svc alone: printed without redaction, even if it looks like a secret of the environment. */
  isOwn?: true
}

export type Output<T> = Rows<T> | Conversation | Text

type RowsOptions<T> = Omit<Rows<T>, 'kind' | 'rows'>

/** The output of rows, which are read as they are encoded. */
export function rows<T>(source: Rows<T>['rows'], more: RowsOptions<T> = {}): Rows<T> {
  return { kind: 'rows', rows: source, empty: 'nothing to show', ...more }
}

/** Rows with columns of their own, from a verb that can return several kinds of them: their types are erased here. */
export function ownRows<T>(
  source: Rows<T>['rows'],
  columns: Columns<T>,
  more: RowsOptions<T> = {},
): Rows<object> {
  return rows(source, { columns, ...more }) as unknown as Rows<object>
}

/** The output of the first of these rows, all of which are counted. */
export function firstRows<T>(
  all: readonly T[],
  limit: number,
  more: RowsOptions<T> = {},
): Rows<T> {
  const shown = all.slice(0, limit)
  const ending = { shown: shown.length, total: all.length, ...more.ending }
  return rows(shown, { ...more, ending })
}

/** The output of one thing. */
export function one<T>(value: T, more: RowsOptions<T> = {}): Rows<T> {
  return rows([value], { isOne: true, document: () => value, ...more })
}

export function text(value: string, exitCode?: number): Text {
  return { kind: 'text', text: value, ending: { exitCode } }
}

/** How to print, from options, environment and configuration. Known before the verb runs. */
export interface PrintOptions {
  format: Format
  /** From `--fields`. */
  fields: readonly string[] | undefined
  /** The most rows: few for people if no limit is typed, all for programs. */
  rowLimit: number
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
  rowLimit: Infinity,
  color: false,
  width: undefined,
  now: 0,
}
