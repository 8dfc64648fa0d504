/**
 * The lines of a run file: their members, and their text. A line is one JSON object that ends with `c`, the CRC-32 of the
 * bytes before `,"c":`. docs/run-file.md is the specification.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import { bulkOperations } from '../api/operations.ts'
import type { Item, Items } from '../input/items.ts'
import { idPattern, isId } from '../values.ts'

/** Bytes of the longest line. */
export const longestLine = 1 << 20

/** The first digits of the SHA-256 of an API key: keys are told apart without storing them. */
export const keyFingerprint = (apiKey: string) =>
  createHash('sha256').update(apiKey).digest('hex').slice(0, 16)

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Id = v.pipe(v.string(), v.regex(idPattern))
const Session = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/))
const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))

/** A list or an employee, with its name where it is known. */
const Party = v.object({ id: Id, name: v.optional(v.string()) })
export type Party = v.InferOutput<typeof Party>

/** Why a run ended before all of its requests were tried. */
export const stopReasons = ['failures', 'not-allowed', 'wait', 'record', 'signal'] as const
export type StopReason = (typeof stopReasons)[number]

const InputCounts = v.object({
  read: Count,
  unique: Count,
  duplicates: Count,
  invalid: Count,
  leftOut: Count,
})
export type InputCounts = v.InferOutput<typeof InputCounts>

/** An id, its line in the input (0: an argument), its other party, and the assignee that an undo expects. */
export type ItemTuple = readonly [
  id: string,
  line: number,
  other?: string,
  expected?: string,
]

const isItem = (value: unknown) =>
  Array.isArray(value) &&
  value.length >= 2 &&
  value.length <= 4 &&
  value.every((member: unknown, place) =>
    place === 1 ? Number.isSafeInteger(member) : isId(member),
  )

const ItemTuples = v.custom<readonly ItemTuple[]>(
  (value) => Array.isArray(value) && value.every(isItem),
)

/** Positions of the items of a request: the first, and the one behind the last. */
const Range = v.pipe(
  v.tuple([Count, Count]),
  v.check(([from, to]) => from < to),
  v.readonly(),
)
export type Range = v.InferOutput<typeof Range>

/** `n`: the number of the line. `s`: the session that wrote it. `at`: milliseconds since 1970. */
const line = <T extends string, E extends v.ObjectEntries>(t: T, entries: E) =>
  v.object({ n: Count, s: Session, t: v.literal(t), at: v.number(), ...entries })

const Line = v.variant('t', [
  line('session', { pid: v.number(), host: v.string() }),
  line('run', {
    schema: v.literal('svc.run/7'),
    operation: v.picklist(bulkOperations),
    baseUrl: v.string(),
    /** The list of an add, the new assignee of an assign. */
    target: v.optional(Party),
    ifAssignee: v.optional(Party),
    /** SHA-256 of the job, in hexadecimal. */
    job: Sha256,
    /** The name of `--once` as it was typed. */
    once: v.nullable(v.string()),
    /** Merges that stand in doubt elsewhere are sent all the same. */
    newRun: v.optional(v.literal(true)),
    accept: v.array(v.string()),
    /** An undo: the run that it gives back, and the first session of that run. */
    undoes: v.optional(v.object({ run: v.string(), session: Session })),
    /** Null when the credentials came from the environment. */
    profile: v.nullable(v.string()),
    /** Fingerprint and last characters of the API key. */
    key: v.string(),
    keyEnding: v.string(),
    user: v.string(),
    reason: v.nullable(v.string()),
    input: InputCounts,
    /** Absolute path of the one file that the ids came from. */
    source: v.optional(v.string()),
    /** How many ids follow in `ids` lines, and the most of a request. */
    count: Count,
    most: v.pipe(Count, v.minValue(1)),
  }),
  line('ids', { ids: ItemTuples }),
  /** Attempt `a` of this request is about to leave. */
  line('try', { b: Range, a: Count }),
  line('res', {
    b: Range,
    a: Count,
    k: v.picklist(['never-sent', 'refused', 'ambiguous', 'answered']),
    /** HTTP status; the service's own code; its message, or what went wrong on the way. */
    st: v.optional(v.number()),
    code: v.optional(v.number()),
    m: v.optional(v.string()),
    /** The answer makes no sense, or is a redirect: asking again at once would change nothing. */
    odd: v.optional(v.literal(true)),
    /** The fields of the answer that claims are made from. */
    d: v.optional(v.unknown()),
  }),
  /** A ticket was read: its assignee, null for nobody. Or the reading was refused with this status. */
  line('read', {
    b: Range,
    id: v.optional(v.nullable(v.string())),
    st: v.optional(v.number()),
    m: v.optional(v.string()),
  }),
  line('end', {
    stop: v.optional(v.picklist(stopReasons)),
    exit: v.optional(Count),
    outcomes: v.optional(v.record(v.string(), Count)),
    /** Ids that are still due. */
    due: v.optional(Count),
    /** An undo of the run has begun, or a newer run of the same job. */
    undone: v.optional(v.literal(true)),
    superseded: v.optional(v.literal(true)),
  }),
])

export type Line = v.InferOutput<typeof Line>
export type LineOf<T extends Line['t']> = Extract<Line, { t: T }>
type Unstamped<L> = L extends Line ? Omit<L, 'n' | 's' | 'at'> : never
/** A line without what its file adds: number, session and time. */
export type NewLine = Unstamped<Line>
export type NewLineOf<T extends Line['t']> = Extract<NewLine, { t: T }>
/** The job of a run, as it is recorded. */
export type Head = NewLineOf<'run'>

/** Items in an `ids` line. */
const itemsPerLine = 1000

/** The lines of a head: the job, and its items. */
export function* headLines(head: Head, items: Items): Generator<NewLine> {
  yield head
  for (let from = 0; from < items.size; from += itemsPerLine) {
    const to = Math.min(from + itemsPerLine, items.size)
    const tuples = Array.from({ length: to - from }, (_, i) => tupleOf(items.at(from + i)))
    yield { t: 'ids', ids: tuples }
  }
}

function tupleOf({ id, line: place, other, expected }: Item): ItemTuple {
  if (other === undefined) return [id, place]
  return expected === undefined ? [id, place, other] : [id, place, other, expected]
}

const checksumOf = (bytes: string | Buffer) => crc32(bytes).toString(16).padStart(8, '0')
const checksumLength = ',"c":"00000000"}'.length

/** A line as text, with its line feed. */
export function encodeLine(line: Line): string {
  const text = JSON.stringify(line).slice(0, -1)
  return `${text},"c":"${checksumOf(text)}"}\n`
}

/** The line of these bytes, without a line feed; undefined for bytes that are no good line. */
export function decodeLine(bytes: Buffer): Line | undefined {
  const cut = bytes.length - checksumLength
  if (cut < 1 || bytes.length > longestLine) return undefined
  const body = bytes.subarray(0, cut)
  if (bytes.toString('latin1', cut) !== `,"c":"${checksumOf(body)}"}`) return undefined
  try {
    const parsed = v.safeParse(Line, JSON.parse(`${body.toString()}}`))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}
