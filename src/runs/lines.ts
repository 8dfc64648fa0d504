/**
 * The lines of a run file: their members, and their text. A line is a JSON object whose last member `c` is the CRC-32 of the
 * bytes before `,"c":`. docs/run-file.md is the specification.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import { bulkOperations } from '../api/operations.ts'
import type { Item, Items } from '../input/items.ts'
import { idPattern, isId } from '../values.ts'

export const maxLineBytes = 1 << 20

/** Returns the first 16 digits of the SHA-256 of an API key. They tell keys apart, but do not give them away. */
export const keyFingerprint = (apiKey: string) =>
  createHash('sha256').update(apiKey).digest('hex').slice(0, 16)

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Id = v.pipe(v.string(), v.regex(idPattern))
const Session = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/))
const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))

/** A list or an employee. The name is missing if it is not known. */
const Party = v.object({ id: Id, name: v.optional(v.string()) })
export type Party = v.InferOutput<typeof Party>

/** Why a command stopped before it had tried all requests of the run. */
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

/**
 * An item as it is recorded. Its line in the input is 0 for an argument. `other` is the target of a merge or the new assignee of a
 * ticket. `expected`, in an undo, is the assignee that the ticket must still have.
 */
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
  value.every((member: unknown, position) =>
    position === 1 ? Number.isSafeInteger(member) : isId(member),
  )

const ItemTuples = v.custom<readonly ItemTuple[]>(
  (value) => Array.isArray(value) && value.every(isItem),
)

/** The positions of the items of a request: the first, and the one after the last. */
const Range = v.pipe(
  v.tuple([Count, Count]),
  v.check(([from, to]) => from < to),
  v.readonly(),
)
export type Range = v.InferOutput<typeof Range>

/** Describes a kind of line. `n` is its number, `s` the session that wrote it, `at` the time in milliseconds since 1970. */
const lineOf = <T extends string, E extends v.ObjectEntries>(t: T, entries: E) =>
  v.object({ n: Count, s: Session, t: v.literal(t), at: v.number(), ...entries })

const Line = v.variant('t', [
  /** A command claims the run. */
  lineOf('session', { pid: v.number(), host: v.string() }),
  /** The head of the run begins. */
  lineOf('run', {
    schema: v.literal('svc.run/7'),
    operation: v.picklist(bulkOperations),
    baseUrl: v.string(),
    /** The list of an add; the one new assignee of all tickets. */
    target: v.optional(Party),
    ifAssignee: v.optional(Party),
    /** The SHA-256 of the job, in hexadecimal. */
    job: Sha256,
    /** The `--once` name as it was typed. */
    once: v.nullable(v.string()),
    /** `--new-run`: merges that are in doubt in another run are sent all the same. */
    newRun: v.optional(v.literal(true)),
    accept: v.array(v.string()),
    /** Set in an undo: the run whose tickets are given back, and the first session of that run. */
    undoes: v.optional(v.object({ run: v.string(), session: Session })),
    /** Null if the credentials came from the environment. */
    profile: v.nullable(v.string()),
    /** The fingerprint of the API key. */
    key: v.string(),
    /** The last characters of the API key. */
    keyEnding: v.string(),
    user: v.string(),
    input: InputCounts,
    /** The absolute path of the file, if all ids came from one file. */
    source: v.optional(v.string()),
    /** How many ids follow in `ids` lines. */
    count: Count,
    /** The maximum number of ids per request. */
    most: v.pipe(Count, v.minValue(1)),
  }),
  /** A part of the items. The head is whole once there are `count` of them. */
  lineOf('ids', { ids: ItemTuples }),
  /** Attempt `a` of the request `b` is about to leave. */
  lineOf('try', { b: Range, a: Count }),
  /** How attempt `a` of the request `b` ended. */
  lineOf('res', {
    b: Range,
    a: Count,
    k: v.picklist(['never-sent', 'refused', 'ambiguous', 'answered']),
    /** The HTTP status. */
    st: v.optional(v.number()),
    /** The service's own code. */
    code: v.optional(v.number()),
    /** The service's message, or what went wrong on the way. */
    m: v.optional(v.string()),
    /** The answer makes no sense, or is a redirect. To send the request again at once would not help. */
    odd: v.optional(v.literal(true)),
    /** The members of the answer that outcomes follow from. */
    d: v.optional(v.unknown()),
  }),
  /** The ticket of the request `b` was read, or the service refused to show it. */
  lineOf('read', {
    b: Range,
    /** The assignee; null for nobody. Missing after a refusal. */
    id: v.optional(v.nullable(v.string())),
    /** The HTTP status of the refusal. */
    st: v.optional(v.number()),
    /** The message of the refusal. */
    m: v.optional(v.string()),
  }),
  /** The result was printed, or the run was closed. */
  lineOf('end', {
    stop: v.optional(v.picklist(stopReasons)),
    exit: v.optional(Count),
    outcomes: v.optional(v.record(v.string(), Count)),
    /** How many ids are still due. */
    due: v.optional(Count),
    /** An undo of the run has begun. */
    undone: v.optional(v.literal(true)),
    /** A newer run of the same job has begun. */
    superseded: v.optional(v.literal(true)),
  }),
])

export type Line = v.InferOutput<typeof Line>
export type LineOf<T extends Line['t']> = Extract<Line, { t: T }>
/** Takes the members that the file adds away from each kind of line. */
type Unstamped<L> = L extends Line ? Omit<L, 'n' | 's' | 'at'> : never
/** A line before the file adds its number, session and time. */
export type NewLine = Unstamped<Line>
/** The record of a job, without its items. */
export type Head = Extract<NewLine, { t: 'run' }>

const itemsPerLine = 1000

/** Yields the lines of a head: the job, and then its items. */
export function* headLines(head: Head, items: Items): Generator<NewLine> {
  yield head
  for (let from = 0; from < items.size; from += itemsPerLine) {
    const to = Math.min(from + itemsPerLine, items.size)
    const ids: ItemTuple[] = []
    for (let position = from; position < to; position += 1)
      ids.push(tupleOf(items.at(position)))
    yield { t: 'ids', ids }
  }
}

function tupleOf({ id, line, other, expected }: Item): ItemTuple {
  if (other === undefined) return [id, line]
  return expected === undefined ? [id, line, other] : [id, line, other, expected]
}

const checksumOf = (bytes: string | Buffer) => crc32(bytes).toString(16).padStart(8, '0')
const checksumLength = ',"c":"00000000"}'.length

/** Returns the text of a line, with its line feed. */
export function encodeLine(line: Line): string {
  const text = JSON.stringify(line).slice(0, -1)
  return `${text},"c":"${checksumOf(text)}"}\n`
}

/** Returns the line of these bytes, which have no line feed. Undefined if they are damaged, or not a line of this format. */
export function decodeLine(bytes: Buffer): Line | undefined {
  const bodyLength = bytes.length - checksumLength
  if (bodyLength < 1 || bytes.length > maxLineBytes) return undefined
  const body = bytes.subarray(0, bodyLength)
  const ending = bytes.toString('latin1', bodyLength)
  if (ending !== `,"c":"${checksumOf(body)}"}`) return undefined
  try {
    const parsed = v.safeParse(Line, JSON.parse(`${body.toString()}}`))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}
