/**
 * What verbs return, rows, one thing or a text, and how it is shown. A verb returns data and never prints, so every command
 * has every format, and a test sees data.
 */
import type { Message } from '../message.ts'
import type { Format } from './format.ts'

/** The value of a row under a heading: its path, such as `contact.identities.phone`, or a function of the row. */
export type ColumnValue<T> = string | ((row: T) => unknown)

/** The columns of a table, csv and xlsx, by their headings. */
export type Columns<T> = Readonly<Record<string, ColumnValue<T>>>

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

/** Facts to tell after the rows. */
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

export interface Rows<T> {
  kind: 'rows'
  /** A generator may return an `Ending`. */
  rows: AsyncIterable<T, Ending | undefined> | Iterable<T, Ending | undefined>
  /** In place of the verb's columns. */
  columns?: Columns<T> | undefined
  /** The run that they are about. */
  run?: string | undefined
  /** Word for the rows, in the plural: `lists`. */
  what?: string | undefined
  /** Words for a table without rows, for example `no lists`. Goes to stderr. */
  empty?: Message
  /** The ending, if it is known before the rows are read. */
  ending?: Ending
  /** Fields that a row may lack, beside those of the columns. Others that no row has are mistakes. */
  optionalFields?: readonly string[]
  /** Makes one document of the rows for JSON. Absent: an array. */
  document?: (rows: readonly T[]) => unknown
  /** Facts about the whole conversation, for a transcript or a page, and the message of a row. */
  conversation?: Conversation & { messageOf: (row: T) => ConversationMessage }
}

export interface One<T> {
  kind: 'one'
  /** Shown as lines of heading and value. */
  value: T
  /** In place of the verb's columns. */
  columns?: Columns<T> | undefined
  /** The JSON form, if it is not the value itself. */
  json?: unknown
  exitCode?: number | undefined
}

/** An outcome, or rows that were not sent, with their count and what that means. */
export interface OutcomeRow {
  outcome: string
  count: number
  meaning: string
}

/** The summary of a run: a document with a small table of its own. If it has receipts, csv, xlsx, ndjson and ids print them. */
export interface SummaryOutput {
  kind: 'summary'
  json: unknown
  run: string | undefined
  outcomes: readonly OutcomeRow[]
  /** Facts that stand above a table, by their titles. */
  details?: Readonly<Record<string, string | null | undefined>>
  receipts?:
    { rows: Iterable<object>; columns: Readonly<Record<string, string>> } | undefined
  exitCode?: number | undefined
}

/** Text that is not a resource: a script, a manual page, the body of an answer. Control characters are made visible. */
export interface Text {
  kind: 'text'
  text: string
  /** Made by svc alone: printed without redaction, even if it looks like a secret of the environment. */
  isOwn?: true
  exitCode?: number | undefined
}

export type Output<T> = Rows<T> | One<T> | SummaryOutput | Text

/** The output of rows, which are read as they are encoded. */
export function rows<T>(
  source: Rows<T>['rows'],
  more: Omit<Rows<T>, 'kind' | 'rows'> = {},
): Rows<T> {
  return { kind: 'rows', rows: source, empty: 'nothing to show', ...more }
}

/** Rows with columns of their own, from a verb that can return several kinds of them: their types are erased here. */
export function ownRows<T>(
  source: Rows<T>['rows'],
  columns: Columns<T>,
  ending: Ending = {},
): Rows<object> {
  return rows(source, { columns, ending }) as unknown as Rows<object>
}

/** The output of the first of these rows, all of which are counted. */
export function firstRows<T>(
  all: readonly T[],
  limit: number,
  more: Omit<Rows<T>, 'kind' | 'rows'> = {},
): Rows<T> {
  const shown = all.slice(0, limit)
  const ending = { shown: shown.length, total: all.length, ...more.ending }
  return rows(shown, { ...more, ending })
}

/** The output of a command whose rows are all in a file: only the notes that would stand below them. */
export function noRows<T>(ending: Ending): Rows<T> {
  return { kind: 'rows', rows: [], ending }
}

/** The output of one thing. */
export function one<T>(value: T, more: Omit<One<T>, 'kind' | 'value'> = {}): One<T> {
  return { kind: 'one', value, ...more }
}

export function text(value: string, exitCode?: number): Text {
  return { kind: 'text', text: value, exitCode }
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
