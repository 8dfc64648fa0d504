/**
 * The six kinds of lines of a record, and their text. A line is a JSON object. Its last member `c` is the CRC-32 of the bytes
 * before it, continued from the `c` of the line before, so that a line that is lost, doubled, swapped or changed is noticed.
 */
import { crc32 } from 'node:zlib'
import type { BulkOperationName } from '../api/operations.ts'
import type { InputOptions } from '../input/read.ts'
import { isObject } from '../json.ts'
import type { Outcome, OutcomeCounts } from './outcomes.ts'

/** A list or an employee. The name is missing if it is not known. */
export interface Party {
  id: string
  name?: string | undefined
}

/** How many rows an input has. `leftOut`: by an option, a dash or an undo. `undecided`: nobody has decided. */
export interface InputCounts {
  read: number
  unique: number
  duplicates: number
  leftOut: number
  undecided: number
}

/** Where the ids came from, and the options with which they were read. */
export interface RecordedSource extends Pick<
  InputOptions,
  'column' | 'sheet' | 'headingRow' | 'where' | 'except'
> {
  /** The absolute path of a file; absent for standard input. */
  path?: string | undefined
  /** It has columns, which receipts can keep. */
  isTable: boolean
}

/** Why a command stopped before it had sent everything. */
export type StopReason = 'failures' | 'not-allowed' | 'wait' | 'record' | 'signal'

/** The positions of the items of a request: the first, and the one after the last. */
export type Range = readonly [from: number, to: number]

/** An item: id, line (0 for an argument), the other party, the assignee that a ticket must still have. */
export type ItemRow = readonly [
  id: string,
  line: number,
  target?: string,
  expected?: string,
]

/** The members of each kind of line, besides `t` and `at`. */
interface Members {
  /** A command begins to work on the run. `after`, in a later part: the last `c` that it has read in the parts before. */
  open: { pid: number; host: string; after?: number | undefined }
  /** The job. */
  run: {
    schema: typeof schema
    run: string
    operation: BulkOperationName
    /** A request whose answer was lost is never sent again. */
    isFinalIfLost?: true | undefined
    baseUrl: string
    target?: Party | undefined
    ifAssignee?: Party | undefined
    undoes?: string | undefined
    once: string | null
    accept: readonly Outcome[]
    /** Null if the credentials came from the environment. */
    profile: string | null
    /** The fingerprint of the API key, and its last characters. */
    key: string
    keyEnding: string
    user: string
    host: string
    input: InputCounts
    source?: RecordedSource | undefined
    /** The absolute path of --receipts. */
    receipts?: string | undefined
    /** How many items follow. */
    count: number
  }
  ids: { ids: readonly ItemRow[] }
  /** A request with the items `b` is about to be sent. `assigneeBefore`: as it was read; null for nobody. */
  try: { b: Range; assigneeBefore?: string | null | undefined }
  /** The items `b` now: one outcome for all, or one for each, and whether they are still to be sent. */
  res: {
    b: Range
    o: Outcome | readonly Outcome[]
    due?: true
    /** The HTTP status, the service's own code, and its message or what went wrong on the way. */
    st?: number
    code?: number
    m?: string
    /** What the reading of a refused ticket shows: why the service may have refused. */
    seen?: string
    added?: number
    assigneeBefore?: string
    assigneeAfter?: string
  }
  /** The command ended. `receipts`: the file, if it was written. `closed`: nothing is due anymore. */
  end: {
    stop?: StopReason | undefined
    outcomes: OutcomeCounts
    due: number
    receipts?: string | undefined
    closed?: true | undefined
  }
}

type Kind = keyof Members
/** A line before the record adds its time. */
export type NewLine = { [T in Kind]: { t: T } & Members[T] }[Kind]
/** `at` is the time in milliseconds since 1970. */
export type LineOf<T extends Kind> = { t: T; at: number } & Members[T]
export type Line = { [T in Kind]: LineOf<T> }[Kind]
/** The job of a run, without its items. */
export type Head = LineOf<'run'>

export const schema = 'svc.run/8'

/** Returns the text of a line after one with the checksum `previous`, and its own checksum. */
export function encodeLine(line: Line, previous: number): { text: string; c: number } {
  const body = JSON.stringify(line).slice(0, -1)
  const c = crc32(body, previous)
  return { text: `${body}${tailOf(c)}\n`, c }
}

/**
 * Returns a line and its checksum. Undefined if it was changed, or if another line stood before it. The first line of a later part
 * carries that checksum in `after`.
 */
export function decodeLine(
  text: string,
  previous?: number,
): { line: Line; c: number } | undefined {
  const body = text.slice(0, -tailOf(0).length)
  try {
    const line: unknown = JSON.parse(`${body}}`)
    const after = isObject(line) && typeof line['after'] === 'number' ? line['after'] : 0
    const c = crc32(body, previous ?? after)
    // With this checksum, svc has written the line, so it has the members of its kind.
    return text === `${body}${tailOf(c)}` ? { line: line as Line, c } : undefined
  } catch {
    return undefined
  }
}

/** Returns the checksum at the end of a line, which is not checked. */
export const checksumIn = (text: string) => Number.parseInt(text.slice(-10, -2), 16)

const tailOf = (c: number) => `,"c":"${c.toString(16).padStart(8, '0')}"}`
