/**
 * The lines of a run's journal: a schema for each, from which the types are inferred, and the functions that make the lines that hold words
 * of the service. A line is bounded when it is written, and what is written reads back the same. `journal.ts` writes them, `replay.ts`
 * reads them, and `outcomes/state.ts` folds them into a run's state.
 */
import * as v from 'valibot'
import type { AttemptResult } from '../../http/attempt.ts'
import { isFinalFailure } from '../../http/connection-errors.ts'
import { idPattern, isObject } from '../../values.ts'
import type { Moment } from './landing.ts'

export const runStatuses = ['complete', 'partial', 'stopped', 'interrupted', 'dry-run'] as const
export type RunStatus = (typeof runStatuses)[number]

export const stopReasons = [
  'max-failures',
  'deadline',
  'auth',
  'forbidden',
  'refused',
  'retry-after',
  'stdout-closed',
  'signal',
  'journal',
] as const
export type StopReason = (typeof stopReasons)[number]

export const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const Ordinal = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
export const Id = v.pipe(v.string(), v.regex(idPattern))
export const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
/** Milliseconds since 1970. */
const Time = v.number()
/** The moment by uptime: the clock, and milliseconds on it (`landing.ts`). */
const uptime = { on: v.string(), up: v.number() }

/** The first line: it binds the files beside the journal by their checksums. */
const Begin = v.object({
  t: v.literal('begin'),
  at: Time,
  schema: v.literal('svc.run/5'),
  run: v.string(),
  sums: v.object({ run: Sha256, ids: Sha256, lines: Sha256 }),
})

/** Before a byte of attempt `a` of batch `b` leaves. */
const Try = v.object({
  t: v.literal('try'),
  b: Ordinal,
  a: Ordinal,
  at: Time,
  ...uptime,
  /** Nothing has been accepted yet in its session. */
  early: v.optional(v.literal(true)),
  /** Length of the journal in bytes when the last finished sync began */
  d: v.optional(Count),
})

const Res = v.object({
  t: v.literal('res'),
  b: Ordinal,
  a: Ordinal,
  at: Time,
  k: v.picklist(['never-sent', 'refused', 'ambiguous', 'answered']),
  s: v.optional(v.number()),
  /** The service's own code, and its message or what went wrong on the way. */
  code: v.optional(v.pipe(v.number(), v.safeInteger())),
  m: v.optional(v.string()),
  /** The answer, as `answerToKeep` left it. */
  d: v.optional(v.unknown()),
  /** Never sent because svc itself gave up (a signal, a deadline): not a failure. */
  x: v.optional(v.boolean()),
  /** Never sent for what no other attempt fixes: a certificate, an unknown host name, a proxy that refuses. */
  final: v.optional(v.boolean()),
})

const Read = v.object({
  t: v.literal('read'),
  b: Ordinal,
  at: Time,
  ...uptime,
  ok: v.boolean(),
  /** The assignee then; null when there was none. */
  id: v.optional(v.nullable(v.string())),
  m: v.optional(v.string()),
  /** `--if-assignee` forbids the change, or cannot be judged: nothing is sent. */
  declined: v.optional(v.boolean()),
  /** The service refused the reading: another one would be refused too. */
  refused: v.optional(v.boolean()),
})

/** Add with `--isolate`. */
const Isolated = v.object({
  t: v.literal('isolated'),
  b: Ordinal,
  at: Time,
  /** Ids that a call which held nothing else said do not exist. */
  missing: v.array(Id),
  /** A last call over all other ids of the batch said that none of them failed. */
  proven: v.boolean(),
  calls: Count,
})

const Resume = v.object({
  t: v.literal('resume'),
  at: Time,
  /** Fingerprint of the key when it is not the one the run began with. */
  key: v.optional(v.string()),
  /** The lock was taken over: the session before may have sent more than it wrote. */
  takeOver: v.optional(v.literal(true)),
  ...uptime,
})

/** `runs retry`: batches in which any id has one of these outcomes are opened again, whole. */
const Reopen = v.object({
  t: v.literal('reopen'),
  at: Time,
  outcomes: v.array(v.string()),
  isolate: v.optional(v.literal(true)),
})

/** After a power loss, whole damaged lines were cut off, so each of these batches counts as perhaps sent. */
const Cut = v.object({
  t: v.literal('cut'),
  at: Time,
  ...uptime,
  b: v.array(Ordinal),
})

/** The first look, by an undo on another clock, at what may still land: from then on its time counts. */
const Look = v.object({ t: v.literal('look'), at: Time, ...uptime })

/** Before an undo sends anything: its run, and the batches that it gives back, unless its record says otherwise. */
const Undone = v.object({
  t: v.literal('undone'),
  at: Time,
  run: v.string(),
  b: v.array(Ordinal),
})

/** A file that this run wrote, so that it may write it again. */
const File = v.object({
  t: v.literal('file'),
  at: Time,
  kind: v.picklist(['receipts', 'annotate']),
  path: v.string(),
  sha256: Sha256,
})

/** Drafts of files for the user, by absolute path: the next holder of the lock removes what is left of them. */
const Drafts = v.object({
  t: v.literal('drafts'),
  at: Time,
  paths: v.array(v.string()),
})

const End = v.object({
  t: v.literal('end'),
  at: Time,
  status: v.picklist(runStatuses),
  stop: v.optional(v.picklist(stopReasons)),
  exitCode: Count,
  result: v.record(v.string(), v.number()),
  left: Count,
})

const Event = v.variant('t', [
  Begin,
  Try,
  Res,
  Read,
  Isolated,
  Resume,
  Reopen,
  Cut,
  Look,
  Undone,
  File,
  Drafts,
  End,
])

export type BeginEvent = v.InferOutput<typeof Begin>
export type TryEvent = v.InferOutput<typeof Try>
export type ResEvent = v.InferOutput<typeof Res>
export type ReadEvent = v.InferOutput<typeof Read>
export type IsolatedEvent = v.InferOutput<typeof Isolated>
export type ResumeEvent = v.InferOutput<typeof Resume>
export type ReopenEvent = v.InferOutput<typeof Reopen>
export type LookEvent = v.InferOutput<typeof Look>
export type UndoneEvent = v.InferOutput<typeof Undone>
export type CutEvent = v.InferOutput<typeof Cut>
export type FileEvent = v.InferOutput<typeof File>
export type DraftsEvent = v.InferOutput<typeof Drafts>
export type EndEvent = v.InferOutput<typeof End>
export type JournalEvent = v.InferOutput<typeof Event>
export type BatchEvent = TryEvent | ResEvent | ReadEvent | IsolatedEvent

/** An event of the journal as a line of it was parsed; undefined when it is none. */
export function parseEvent(value: unknown): JournalEvent | undefined {
  const result = v.safeParse(Event, value)
  return result.success ? result.output : undefined
}

/** Where an attempt or a reading belongs: batch, attempt, and the time in milliseconds since 1970. */
export type AttemptPlace = Pick<ResEvent, 'b' | 'a' | 'at'>

/** The line for how an attempt ended. `keptFields`: of the answer, as the operation names them. */
export function resEvent(
  keptFields: readonly string[],
  { b, a, at }: AttemptPlace,
  result: AttemptResult,
): ResEvent {
  const head = { t: 'res', b, a, at, k: result.kind } as const
  switch (result.kind) {
    case 'never-sent': {
      const never = { ...head, m: boundedMessage(result.message) }
      if (result.systemCode === 'SVC_ABORTED') return { ...never, x: true }
      return isFinalFailure(result.systemCode) ? { ...never, final: true } : never
    }
    case 'refused':
    case 'ambiguous':
      return {
        ...head,
        s: result.status,
        code: Number.isSafeInteger(result.code) ? result.code : undefined,
        m: boundedMessage(result.message),
      }
    case 'answered':
      return {
        t: 'res',
        b,
        a,
        at,
        k: 'answered',
        s: result.status,
        d: answerToKeep(keptFields, result.data),
      }
  }
}

/**
 * Reading of a ticket: its assignee, null for none, or why it could not be read. `declined`: nothing may be sent. `isRefused`: the service
 * answered that the ticket cannot be read, so that no repetition reads it.
 */
export type Reading = (
  | { readonly id: string | null; readonly problem?: undefined }
  | { readonly problem: string; readonly isRefused: boolean }
) & { readonly declined?: boolean }

type ReadPlace = Omit<AttemptPlace, 'a'> & Moment

/** The line for a reading of batch `b`. */
export function readEvent({ b, at, on, up }: ReadPlace, reading: Reading): ReadEvent {
  const head = { t: 'read', b, at, on, up } as const
  const declined = reading.declined === true ? { declined: true } : {}
  if (reading.problem !== undefined) {
    const refused = reading.isRefused ? { refused: true } : {}
    const m = boundedMessage(reading.problem)
    return { ...head, ok: false, m, ...declined, ...refused }
  }
  return { ...head, ok: true, id: reading.id, ...declined }
}

const longestMessage = 1024
const longestAnswer = 16 * 1024
const longestRaw = 4 * 1024

/** The beginning of a text that takes at most so many bytes of UTF-8; no character is cut. */
function truncate(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text
  const room = new Uint8Array(bytes)
  const { read } = new TextEncoder().encodeInto(text, room)
  return text.slice(0, read)
}

function boundedMessage(message: string | undefined): string | undefined {
  if (message === undefined) return undefined
  return truncate(message, longestMessage)
}

/**
 * The part of an answer that goes into the journal: the fields that claims are made from; `contact.id` is that field of an object. An answer that is too long, or holds a number that JSON readers do not agree on, is
 * kept as the beginning of its text, which no claim believes.
 */
export function answerToKeep(keptFields: readonly string[], data: unknown): unknown {
  const kept = isObject(data) ? knownFields(keptFields, data) : data
  const text = JSON.stringify(kept) ?? 'null'
  const isTooLong = Buffer.byteLength(text) > longestAnswer
  if (isTooLong || hasUnsafeNumber(kept)) return { raw: truncate(text, longestRaw) }
  return kept
}

function knownFields(
  fields: readonly string[],
  data: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const field of fields) {
    const [name = '', part] = field.split('.')
    if (!Object.hasOwn(data, name)) continue
    kept[name] = keptValue(data[name], part)
  }
  return kept
}

/** A field whole, or one part of it; null where it is no object and so has no part. */
function keptValue(value: unknown, part: string | undefined): unknown {
  if (part === undefined) return value
  if (!isObject(value)) return null
  return { [part]: value[part] }
}

function hasUnsafeNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasUnsafeNumber)
}
