/**
 * What a verb may return: data and how it looks, never text that was already printed. `print.ts` writes it in the format
 * that was asked for.
 */

export type Format = 'table' | 'json' | 'ndjson' | 'csv' | 'tsv' | 'ids' | 'transcript' | 'html'

/** How a value looks in a table; csv and JSON do not care. */
export type CellKind = 'id' | 'text' | 'number' | 'time' | 'state' | 'bytes'

export interface Column {
  /** Heading in a table. */
  readonly title: string
  /** A JSON path such as `contact.identities.phone`, or the name of a computed field. */
  readonly field: string
  readonly kind?: CellKind
}

/** A resource as data: its table's columns and every field that `--fields` may name. */
export interface View<T> {
  readonly columns: readonly Column[]
  /** Every known JSON path in the contract's order, parents before children. Paths go through arrays. */
  readonly fields: readonly string[]
  /** Fields that svc computes, for example `name`. */
  readonly computed?: Readonly<Record<string, (row: T) => unknown>>
  /** Where the JSON form is a document of its own and no row: its paths, which `--fields` may name then. */
  readonly document?: readonly string[]
  /** Bulk runs: what the rows of ndjson are, which `--fields` may name then. */
  readonly streamed?: Pick<View<never>, 'fields'>
  /** What `-o ids` prints for a row; without it there is no such format. */
  readonly id?: (row: T) => string
  /** What is printed without `-o`; `table` when absent. */
  readonly defaultFormat?: Format
  /** Formats beyond table, json, ndjson, csv, tsv and (with `id`) ids. */
  readonly extraFormats?: readonly Format[]
  /** These formats and no others, for what is not rows. */
  readonly formats?: readonly Format[]
}

/** Rows, pulled as they are printed. */
export interface Rows<T> {
  readonly kind: 'rows'
  readonly rows: AsyncIterable<T> | Iterable<T>
  /** In place of the verb's view, when what the rows look like is known only after reading. */
  readonly view?: View<T>
  /** Words for a table without rows, for example `no lists`. Goes to stderr. */
  readonly empty?: string
  /**
   * When the JSON form is an object around the rows: called once before the first row and once after the last (also
   * when the rows broke off), for the members before and after `key`.
   */
  readonly frame?: {
    readonly key: string
    readonly before: () => Record<string, unknown>
    readonly after: () => Record<string, unknown>
  }
  /** Called when all rows are out, for notes on stderr. */
  readonly after?: () => void
  /** For the formats `transcript` and `html`: turns the rows into text that is already safe to show. */
  readonly render?: (format: 'transcript' | 'html', rows: AsyncIterable<T> | Iterable<T>) => AsyncIterable<string>
}

/** One thing, as key and value. */
export interface Record_<T> {
  readonly kind: 'record'
  readonly value: T
  /** The JSON form when it is not the value itself. */
  readonly json?: unknown
  readonly exitCode?: number
}

/** A document with a table of its own: the rows in table, csv and tsv; the document in json and ndjson. */
export interface Document<T> {
  readonly kind: 'document'
  readonly document: unknown
  readonly rows: readonly T[]
  readonly exitCode?: number
}

/** A line of a bulk run's summary. */
export interface OutcomeRow {
  readonly outcome: string
  readonly count: number
}

/**
 * A bulk run: `ndjson` writes the receipts as they come and the summary on stderr; every other format waits for the end.
 */
export interface BulkOutput<T> {
  readonly kind: 'bulk'
  /** Iterating drives the receipts; leaving the iteration early stops the run (the reader went away). */
  readonly receipts: AsyncIterable<unknown>
  readonly summary: () => Promise<{ document: unknown; rows: readonly T[]; exitCode: number }>
}

/** Text that is not a resource: a script, a manual page, the body of an answer. Control characters are made visible. */
export interface Text {
  readonly kind: 'text'
  readonly text: string | AsyncIterable<string>
  readonly exitCode?: number
}

/** Nothing to show on stdout. */
export interface Done {
  readonly kind: 'done'
  readonly exitCode?: number
}

export type Output<T> = Rows<T> | Record_<T> | Document<T> | BulkOutput<T> | Text | Done

export function rows<T>(source: AsyncIterable<T> | Iterable<T>, more: Omit<Rows<T>, 'kind' | 'rows'> = {}): Rows<T> {
  return { kind: 'rows', rows: source, ...more }
}

export function record<T>(value: T, more: { json?: unknown; exitCode?: number } = {}): Record_<T> {
  return { kind: 'record', value, ...more }
}

export function document<T>(value: unknown, table: readonly T[], exitCode?: number): Document<T> {
  return { kind: 'document', document: value, rows: table, ...(exitCode === undefined ? {} : { exitCode }) }
}

export function text(value: string | AsyncIterable<string>, exitCode?: number): Text {
  return { kind: 'text', text: value, ...(exitCode === undefined ? {} : { exitCode }) }
}

export function done(exitCode?: number): Done {
  return { kind: 'done', ...(exitCode === undefined ? {} : { exitCode }) }
}

/** How to print, decided from options, environment and configuration before the verb runs. */
export interface PrintOptions {
  readonly format: Format
  /** From `--fields`, already checked against the view. */
  readonly fields: readonly string[] | undefined
  readonly header: boolean
  readonly csvRaw: boolean
  readonly jsonRaw: boolean
  readonly truncate: boolean
  readonly utc: boolean
  /** 0: no colour; 1: 16 colours; 2: 256; 3: true colour. */
  readonly color: 0 | 1 | 2 | 3
  /** Cells of the terminal that stdout is; undefined off a terminal. */
  readonly width: number | undefined
  /** Now, in milliseconds since 1970, for relative times. */
  readonly now: number
}
