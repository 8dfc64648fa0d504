/**
 * The six kinds of lines of a record, and their text. A line is a JSON object. Its last member `c` is the CRC-32 of the bytes
 * before it, continued from the `c` of the line before, so that a line that is lost, doubled, swapped or changed is noticed.
 * README.md in this folder says what the lines mean. Their short members get names in `state.ts`.
 */
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import { bulkOperations } from '../api/operations.ts'
import { idPattern, isId } from '../values.ts'
import { outcomes } from './outcomes.ts'

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Id = v.pipe(v.string(), v.regex(idPattern))
const OutcomeWord = v.picklist(outcomes)

/** A list or an employee. The name is missing if it is not known. */
const Party = v.object({ id: Id, name: v.optional(v.string()) })
export type Party = v.InferOutput<typeof Party>

/** How many rows an input has. `leftOut` are left out by options or a dash, `undecided` for want of a decision. */
const InputCounts = v.object({
  read: Count,
  unique: Count,
  duplicates: Count,
  leftOut: Count,
  undecided: Count,
})
export type InputCounts = v.InferOutput<typeof InputCounts>

/** Where the ids came from, and the options with which they were read. */
const Source = v.object({
  /** The absolute path of a file; absent for standard input. */
  path: v.optional(v.string()),
  /** It has columns, which receipts can keep. */
  isTable: v.optional(v.literal(true)),
  column: v.optional(v.string()),
  sheet: v.optional(v.string()),
  headingRow: v.optional(Count),
  where: v.optional(v.array(v.string())),
  except: v.optional(v.string()),
})
export type Source = v.InferOutput<typeof Source>

/** Why a command stopped before it had sent everything. */
export const stopReasons = ['failures', 'not-allowed', 'wait', 'record', 'signal'] as const
export type StopReason = (typeof stopReasons)[number]

/** The positions of the items of a request: the first, and the one after the last. */
const Range = v.pipe(
  v.tuple([Count, Count]),
  v.check(([from, to]) => from < to),
)
export type Range = v.InferOutput<typeof Range>

/** An item: id, line (0 for an argument), the other party, the assignee that a ticket must still have. */
export type ItemRow = readonly [id: string, line: number, other?: string, expected?: string]

const isItemRow = (value: unknown) =>
  Array.isArray(value) &&
  value.length >= 2 &&
  value.length <= 4 &&
  value.every((member: unknown, at) =>
    at === 1 ? Number.isSafeInteger(member) : isId(member),
  )

const ItemRows = v.custom<readonly ItemRow[]>(
  (value) => Array.isArray(value) && value.every(isItemRow),
)

/** Describes a kind of line. `at` is the time in milliseconds since 1970. */
const lineOf = <T extends string, E extends v.ObjectEntries>(t: T, entries: E) =>
  v.object({ t: v.literal(t), at: v.number(), ...entries })

const Line = v.variant('t', [
  /** A command begins to work on the run. */
  lineOf('open', {
    pid: v.number(),
    host: v.string(),
    /** In a later part: the last `c` that its writer has read in the parts before. */
    after: v.optional(Count),
  }),
  /** The job. */
  lineOf('run', {
    schema: v.literal('svc.run/8'),
    run: v.string(),
    operation: v.picklist(bulkOperations),
    /** A request whose answer was lost is never sent again. */
    isFinalIfLost: v.optional(v.literal(true)),
    baseUrl: v.string(),
    target: v.optional(Party),
    ifAssignee: v.optional(Party),
    undoes: v.optional(v.string()),
    once: v.nullable(v.string()),
    accept: v.array(OutcomeWord),
    /** Null if the credentials came from the environment. */
    profile: v.nullable(v.string()),
    /** The fingerprint of the API key, and its last characters. */
    key: v.string(),
    keyEnding: v.string(),
    user: v.string(),
    /** The name of the computer. */
    host: v.string(),
    input: InputCounts,
    source: v.optional(Source),
    /** The absolute path of --receipts. */
    receipts: v.optional(v.string()),
    /** How many items follow. */
    count: Count,
  }),
  /** Some of the items. */
  lineOf('ids', { ids: ItemRows }),
  /** A request with these items is about to be sent. */
  lineOf('try', {
    b: Range,
    /** The assignee that was read before; null for nobody. */
    before: v.optional(v.nullable(v.string())),
  }),
  /** What is known of these items now. */
  lineOf('res', {
    b: Range,
    /** One outcome for all, or one for each. */
    o: v.union([OutcomeWord, v.array(OutcomeWord)]),
    /** They are still to be sent. */
    due: v.optional(v.literal(true)),
    /** The HTTP status, the service's own code, and its message or what went wrong on the way. */
    st: v.optional(v.number()),
    code: v.optional(v.number()),
    m: v.optional(v.string()),
    added: v.optional(Count),
    before: v.optional(v.string()),
    after: v.optional(v.string()),
  }),
  /** The command ended. */
  lineOf('end', {
    stop: v.optional(v.picklist(stopReasons)),
    outcomes: v.record(v.string(), Count),
    due: Count,
    /** The file of the receipts, if it was written. */
    receipts: v.optional(v.string()),
    /** Nothing is due any more. */
    closed: v.optional(v.literal(true)),
  }),
])

export type Line = v.InferOutput<typeof Line>
export type LineOf<T extends Line['t']> = Extract<Line, { t: T }>
type Unstamped<L> = L extends Line ? Omit<L, 'at'> : never
/** A line before the record adds its time. */
export type NewLine = Unstamped<Line>
/** The job of a run, without its items. */
export type Head = LineOf<'run'>

const tailLength = ',"c":"00000000"}'.length

/** Returns the text of a line behind one with the checksum `before`, and its own checksum. */
export function encodeLine(line: Line, before: number): { text: string; c: number } {
  const body = JSON.stringify(line).slice(0, -1)
  const c = crc32(body, before)
  return { text: `${body},"c":"${hexOf(c)}"}\n`, c }
}

/**
 * Returns a line and its checksum from its bytes, which have no line feed. Undefined if they were changed, if another line stood
 * before it, or if it is no line of a record. The first line of a later part says itself what stood before it.
 */
export function decodeLine(bytes: Buffer, before: number | undefined) {
  const body = bytes.subarray(0, -tailLength)
  try {
    const parsed = v.safeParse(Line, JSON.parse(`${body.toString()}}`))
    if (!parsed.success) return undefined
    const line = parsed.output
    const c = crc32(body, before ?? (line.t === 'open' ? line.after : undefined) ?? 0)
    const isWhole = bytes.toString('latin1', body.length) === `,"c":"${hexOf(c)}"}`
    return isWhole ? { line, c } : undefined
  } catch {
    return undefined
  }
}

const hexOf = (c: number) => c.toString(16).padStart(8, '0')
