/**
 * The lines of a run file: their members, and their text. A line is one JSON object that ends with `c`, the CRC-32 of the
 * bytes before `,"c":`. docs/run-file.md is the specification.
 */
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import { bulkOperations } from '../api/operations.ts'
import { idPattern } from '../values.ts'

/** More bytes than any line has that svc writes. */
export const longestLine = 1 << 20

export const stopReasons = [
  'failures',
  'auth',
  'forbidden',
  'refused',
  'retry-after',
  'signal',
  'journal',
] as const
export type StopReason = (typeof stopReasons)[number]

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Ordinal = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const Id = v.pipe(v.string(), v.regex(idPattern))
const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const SessionId = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/))
const Text = v.nullable(v.string())
const optionalText = v.optional(v.string())

/** The person who begins something, and the computer, as the system names them. */
const Actor = v.object({ user: v.string(), host: v.string() })
export type Actor = v.InferOutput<typeof Actor>

/** A list or an employee that was found; the name where one was typed or read. */
const Party = v.object({ id: Id, name: optionalText })
export type Party = v.InferOutput<typeof Party>

/**
 * The values that all items of a run have in common: the list of an add, the new assignee and the condition of an assign.
 */
const Parameters = v.object({
  list: v.optional(Party),
  to: v.optional(Party),
  ifAssignee: v.optional(Party),
})
export type Parameters = v.InferOutput<typeof Parameters>

/** Which ids were read, in counts. `leftOut`: rows of a table, or tickets that an undo leaves out. */
const InputCounts = v.object({
  read: Count,
  unique: Count,
  duplicates: Count,
  invalid: Count,
  leftOut: v.optional(Count),
  /** SHA-256 of the items as they are sent, one per line. */
  sha256: Sha256,
})
export type InputCounts = v.InferOutput<typeof InputCounts>

/** The one file that the ids came from, and how it was read, so that `--annotate` can read it again. */
const SourceFile = v.object({
  /** Absolute. */
  path: v.string(),
  sha256: Sha256,
  column: optionalText,
  sheet: optionalText,
  where: v.optional(v.array(v.string())),
})
export type SourceFile = v.InferOutput<typeof SourceFile>

/** The job of a run: the items to send, where, and why. */
const jobEntries = {
  operation: v.picklist(bulkOperations),
  parameters: Parameters,
  baseUrl: v.string(),
  /** Null when the credentials came from the environment. */
  profile: Text,
  /** The last characters of the API key. */
  keyEnding: v.string(),
  /** `--accept`: outcomes that count as done for the exit code. */
  accept: v.array(v.string()),
  input: InputCounts,
  kind: v.picklist(['ids', 'pairs']),
  /** SHA-256 of the items as a set, no matter their order and letter case. */
  set: Sha256,
  /** Number of `ids` lines that follow. */
  batches: Count,
  source: v.optional(SourceFile),
  by: Actor,
  reason: optionalText,
}

/** An id with its line in the input (0: an argument), its other party, and the assignee that an undo expects. */
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
    place === 1
      ? Number.isSafeInteger(member)
      : typeof member === 'string' && idPattern.test(member),
  )

const ItemTuples = v.custom<readonly ItemTuple[]>(
  (value) => Array.isArray(value) && value.length > 0 && value.every(isItem),
)

/** The first and the last id of a part of a batch, counted from 1. */
const Part = v.pipe(
  v.tuple([Ordinal, Ordinal]),
  v.check(([first, last]) => first <= last),
)
export type Part = v.InferOutput<typeof Part>

/** `s`: the session that wrote the line. `i`: its place among those of the session. `at`: milliseconds since 1970. */
const line = <T extends string, E extends v.ObjectEntries>(t: T, entries: E) =>
  v.object({ s: SessionId, i: Count, t: v.literal(t), ...entries, at: v.number() })

const Line = v.variant('t', [
  line('session', {
    /** The session that it follows, and how many lines of that one were read. */
    over: v.nullable(SessionId),
    after: Count,
    /** Machine id, pid namespace and time namespace; null where one of them cannot be read. */
    place: Text,
    boot: Text,
    pid: v.number(),
    /** Start time of the process, in ticks since the boot. */
    start: Text,
    host: v.string(),
    /** The session before may still be alive. */
    unsure: v.optional(v.literal(true)),
    /** Fingerprint of a key that is not the one the run began with. */
    key: optionalText,
    /** Outcomes whose batches are opened again. */
    reopen: v.optional(v.array(v.string())),
  }),
  line('run', {
    schema: v.literal('svc.run/6'),
    /** As it was typed; null for a run whose id is its name. */
    name: Text,
    /** ISO 8601. Runs are ordered by it. */
    startedAt: v.pipe(v.string(), v.isoTimestamp()),
    /** Fingerprint of the API key. */
    key: v.string(),
    /** Version of svc. */
    version: v.string(),
    undoes: v.optional(v.object({ run: v.string(), startedAt: v.string() })),
    ...jobEntries,
  }),
  line('ids', { b: Ordinal, ids: ItemTuples }),
  /** Attempt `a` of batch `b` is about to leave. `p`: for a part of the batch. */
  line('try', { b: Ordinal, a: Ordinal, p: v.optional(Part) }),
  line('res', {
    b: Ordinal,
    a: Ordinal,
    /** Its kind, and the HTTP status. */
    k: v.picklist(['never-sent', 'refused', 'ambiguous', 'answered']),
    st: v.optional(v.number()),
    /** The service's own code, and its message or what went wrong on the way. No message means that svc itself gave up. */
    code: v.optional(v.pipe(v.number(), v.safeInteger())),
    m: optionalText,
    /** Fields of the answer that claims are made from. */
    d: v.optional(v.unknown()),
  }),
  /**
   * A ticket was read. `id`: its assignee, null for nobody, absent if the read failed. `st`: the service refused the read.
   */
  line('read', {
    b: Ordinal,
    id: v.optional(v.nullable(v.string())),
    st: v.optional(v.number()),
    m: optionalText,
  }),
  /** A file of the user that this run may replace, and the draft beside it. */
  line('file', { path: v.string(), draft: v.string(), sha256: Sha256 }),
  line('end', {
    stop: v.optional(v.picklist(stopReasons)),
    /** The base URL of the run. Without it a list reads the whole file. */
    baseUrl: optionalText,
    /** The summary as it is printed. */
    summary: v.looseObject({
      run: v.string(),
      exitCode: Count,
      left: Count,
      endedAt: v.nullish(v.pipe(v.string(), v.isoTimestamp())),
    }),
  }),
  /** An undo of the run has begun. */
  line('undone', { by: v.string() }),
  /** The session is over, and its result was printed. `exit`: the exit code of a command that ended before it sent anything. */
  line('free', { exit: v.optional(Count) }),
  /** The file is about to be removed. */
  line('pruned', {}),
])

export type Line = v.InferOutput<typeof Line>
export type LineOf<T extends Line['t']> = Extract<Line, { t: T }>
export type BatchLine = LineOf<'try' | 'res' | 'read'>

/** The members of a line that its writer chooses; the run file adds the session and the time. */
export type NewLine = Line extends infer L
  ? L extends Line
    ? Omit<L, 's' | 'i' | 'at'>
    : never
  : never
/** The same of one kind of line. */
export type NewLineOf<T extends Line['t']> = Extract<NewLine, { t: T }>
/** The job in a `run` line. */
export type JobHead = Pick<LineOf<'run'>, keyof typeof jobEntries>

const checksumOf = (bytes: string | Buffer) => crc32(bytes).toString(16).padStart(8, '0')

/** A line as text, with its line feed. */
export function encodeLine(line: Line): string {
  const text = JSON.stringify(line).slice(0, -1)
  return `${text},"c":"${checksumOf(text)}"}\n`
}

const checksumLength = ',"c":"00000000"}'.length

/** The line of these bytes, given without a line feed; undefined for bytes that make no good line. */
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

/** The lines in these bytes that are good, in order. */
export function* goodLines(bytes: Buffer): Generator<Line> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from)
    const piece = bytes.subarray(from, end < 0 ? bytes.length : end)
    const line = piece.length === 0 ? undefined : decodeLine(piece)
    if (line !== undefined) yield line
    from += piece.length + 1
  }
}
