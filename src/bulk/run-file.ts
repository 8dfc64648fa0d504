/** Checks what is read back from a run's folder: it was written by svc, but perhaps by another version, or changed. */
import * as v from 'valibot'
import type { RunFile } from './journal.ts'
import type { JournalEvent } from './reconcile.ts'

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Number1 = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const Id = v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{24}$/))

const Run = v.object({
  schema: v.literal('svc.run/1'),
  run: v.string(),
  operation: v.picklist(['lists.add-contacts', 'contacts.merge', 'contacts.delete', 'tickets.assign']),
  target: v.nullable(v.object({ id: Id, name: v.optional(v.string()) })),
  baseUrl: v.string(),
  profile: v.nullable(v.string()),
  key: v.object({ fingerprint: v.string(), ending: v.string() }),
  options: v.object({
    batchSize: v.pipe(Number1, v.maxValue(100)),
    concurrency: Number1,
    isolate: v.optional(v.boolean()),
    ignoreNotFound: v.optional(v.boolean()),
    ignoreBlocked: v.optional(v.boolean()),
    maxFailures: v.optional(Count),
    shard: v.optional(v.string()),
    ifAssignee: v.optional(v.string()),
  }),
  input: v.object({
    read: Count,
    unique: Count,
    duplicates: Count,
    invalid: Count,
    otherShards: v.optional(Count),
    sha256: v.string(),
  }),
  items: Count,
  kind: v.picklist(['ids', 'pairs']),
  startedAt: v.string(),
  version: v.string(),
})

const Time = v.number()
const Event = v.variant('t', [
  v.object({ t: v.literal('try'), b: Number1, a: Number1, at: Time }),
  v.object({
    t: v.literal('res'),
    b: Number1,
    a: Number1,
    at: Time,
    k: v.picklist(['never-sent', 'refused', 'ambiguous', 'answered']),
    s: v.optional(v.number()),
    code: v.optional(v.number()),
    m: v.optional(v.string()),
    d: v.optional(v.unknown()),
    x: v.optional(v.boolean()),
  }),
  v.object({
    t: v.literal('read'),
    b: Number1,
    at: Time,
    ok: v.boolean(),
    id: v.optional(v.nullable(v.string())),
    m: v.optional(v.string()),
    declined: v.optional(v.boolean()),
  }),
  v.object({ t: v.literal('isolated'), b: Number1, at: Time, missing: v.array(Id), calls: v.optional(Count) }),
  v.object({ t: v.literal('resume'), at: Time, key: v.optional(v.string()) }),
  v.object({
    t: v.literal('end'),
    at: Time,
    status: v.picklist(['complete', 'partial', 'stopped', 'interrupted', 'dry-run']),
    stop: v.optional(
      v.picklist([
        'max-failures',
        'deadline',
        'auth',
        'forbidden',
        'refused',
        'retry-after',
        'stdout-closed',
        'signal',
        'journal',
      ]),
    ),
    exitCode: Count,
    result: v.record(v.string(), v.number()),
  }),
])

/** `run.json` as read, or what is wrong with it in words. */
export function parseRunFile(value: unknown): RunFile | string {
  const result = v.safeParse(Run, value)
  if (result.success) return result.output
  const [issue] = result.issues
  return `${v.getDotPath(issue) ?? 'the document'}: ${issue.message}`
}

/** An event of the journal, undefined when it is none. */
export function parseEvent(value: unknown): JournalEvent | undefined {
  const result = v.safeParse(Event, value)
  return result.success ? result.output : undefined
}
