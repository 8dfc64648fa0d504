/** The formats of outputs. To add one: a row here, and its writer in `render.ts`. */
interface FormatFacts {
  /** `values` of JSON, `cells` below headings, `ids` alone, or the messages of a `conversation`. */
  shows: 'values' | 'cells' | 'ids' | 'conversation'
  /** People read it, so it has few rows unless a limit is typed. */
  isForPeople?: true
}

/** In the order of the help. */
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
