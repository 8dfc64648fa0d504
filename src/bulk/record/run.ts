/**
 * `run.json`: all about a run but its ids and what became of them. Its schema says what is accepted when read back. `sessions/from-job.ts`
 * makes it, `run-files.ts` writes and reads it, and whatever continues or shows a run goes by it.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { inputFormats } from '../../input/id.ts'
import { Actor } from './actor.ts'
import { Count, Id, Ordinal, Sha256 } from './events.ts'
import { bulkOperations } from '../../api/operations.ts'

/** Which ids were read, in counts. */
const InputFacts = v.object({
  read: Count,
  unique: Count,
  duplicates: Count,
  invalid: Count,
  /** Rows of a table that were not wanted. */
  leftOut: v.optional(Count),
  /** SHA-256 of the ids as they are sent, one per line. */
  sha256: v.string(),
})

/** Facts that a repetition of the same command must have in common with it. */
const Job = v.object({
  /** As it was first typed; compared without letter case. */
  name: v.pipe(v.string(), v.maxLength(72)),
  /** SHA-256 of the whole input as a set: no matter its order, letter case and duplicates. */
  set: Sha256,
  /** Parameters as they were typed, by their keys; `yes` for a flag. */
  typed: v.record(v.string(), v.string()),
})

/** The one file that the ids came from, and how it was read, so that it can be read again beside their outcomes. */
export const Source = v.object({
  /** Absolute. */
  path: v.string(),
  sha256: Sha256,
  /** Options, as they were typed. */
  format: v.optional(v.picklist(inputFormats)),
  column: v.optional(v.string()),
  sheet: v.optional(v.string()),
  where: v.optional(v.array(v.string())),
})

/** Far below the largest whole number, so that the next one is a whole number too. */
const largestSequence = 1e15

/** A run's place in the order in which the runs of its state folder began: no clock decides it. */
const Sequence = v.pipe(Ordinal, v.maxValue(largestSequence))

/** A list, an employee or a contact that was found. */
const Party = v.object({ id: Id, name: v.optional(v.string()) })

/** Values of an operation's parameters, by their keys; `true` for a flag that was given. */
export const ParameterValues = v.record(v.string(), v.union([v.literal(true), Party]))

export type Party = v.InferOutput<typeof Party>
export type ParameterValues = Readonly<v.InferOutput<typeof ParameterValues>>

const Run = v.object({
  schema: v.literal('svc.run/5'),
  sequence: Sequence,
  run: v.string(),
  operation: v.picklist(bulkOperations),
  parameters: ParameterValues,
  baseUrl: v.string(),
  /** Null when the credentials came from the environment. */
  profile: v.nullable(v.string()),
  /** The key as `keyFingerprint` gives it, and its last four characters. */
  key: v.object({ fingerprint: v.string(), ending: v.string() }),
  options: v.object({
    batchSize: v.pipe(Ordinal, v.maxValue(100)),
    concurrency: Ordinal,
    accept: v.optional(v.array(v.string())),
    maxFailures: v.optional(Count),
    /** Requests per second. */
    rate: v.optional(v.number()),
  }),
  input: InputFacts,
  /** Ids or pairs in the file `ids`. */
  items: Count,
  kind: v.picklist(['ids', 'pairs']),
  /** ISO 8601. */
  startedAt: v.string(),
  /** The person who began it. */
  by: Actor,
  /** Why, as it was typed. */
  reason: v.optional(v.string()),
  /** Version of svc. */
  version: v.string(),
  once: v.optional(Job),
  /** One change that its command line named: counted by no `keepRuns`. */
  isOne: v.optional(v.literal(true)),
  /** The run whose assigns this one takes back. */
  undoes: v.optional(v.string()),
  /** Absent when the ids came from elsewhere, or from several files. */
  source: v.optional(Source),
})

export type RunFile = v.InferOutput<typeof Run>
export type InputCounts = RunFile['input']
export type JobFacts = NonNullable<RunFile['once']>
export type Source = v.InferOutput<typeof Source>

const OtherRun = v.object({
  schema: v.pipe(v.string(), v.regex(/^svc\.run\/(?!5$)\d+$/)),
  version: v.string(),
})

/** Version of svc that recorded a run in another format than this one. */
export function otherVersion(value: unknown): string | undefined {
  return v.is(OtherRun, value) ? value.version : undefined
}

type ParsedRun =
  { readonly run: RunFile; readonly problem?: undefined } | { readonly problem: string }

/** `run.json` as read, or what is wrong with it in words. */
export function parseRunFile(value: unknown): ParsedRun {
  const result = v.safeParse(Run, value)
  if (result.success) return { run: result.output }
  const [issue] = result.issues
  const where = v.getDotPath(issue) ?? 'the document'
  return { problem: `${where}: ${issue.message}` }
}

const Numbered = v.object({ sequence: Sequence })

/** The number in a description of a run; 0 where it has none. */
export function sequenceIn(description: unknown): number {
  return v.is(Numbered, description) ? description.sequence : 0
}

/** First sixteen digits of the SHA-256 of an API key, to tell keys apart without keeping them. */
export function keyFingerprint(apiKey: string): string {
  const sum = createHash('sha256').update(apiKey)
  return sum.digest('hex').slice(0, 16)
}

/** Whether a text is a run's id: it becomes a folder's name, so nothing else may pass. */
export function isRunId(text: string): boolean {
  return /^\d{8}T\d{6}Z-[0-9a-f]{4}$/.test(text)
}

/** The name of the run that applies the plan with this digest. No `--once` may take it. */
export const planName = (sha256: string): string => `plan-${sha256}`

export function isPlanName(name: string): boolean {
  return /^plan-[0-9a-f]{64}$/i.test(name)
}

/** The second at the beginning of a run's id, in its parts. */
const timeInRunId = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/

/** When a run began, to the second, in milliseconds since 1970: its id tells it even when its folder is damaged. */
export function beganAt(run: string): number {
  const parts = timeInRunId.exec(run) ?? []
  const [, year, month, day, hour, minute, second] = parts
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** `20260301T101500Z-7f3a`: the second it began, and four random digits. `random` is from 0 up to 1. */
export function newRunId(now: number, random: number): string {
  const time = new Date(now).toISOString()
  const second = time.replace(/[-:]/g, '').replace(/\.\d+/, '')
  const number = Math.floor(random * 0x10000)
  const digits = number.toString(16).padStart(4, '0')
  return `${second}-${digits}`
}
