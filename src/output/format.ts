/** The formats of outputs. A new one needs a row in this table and a writer in `render.ts`. */
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
