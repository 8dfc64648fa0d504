/**
 * What `--json` writes where several verbs write it, as schemas; each view loads its own. What comes from the service is what the
 * answers are checked with. A test holds every command's output against them.
 */
import * as v from 'valibot'
import * as service from '../api/schemas.ts'
import { figuresOf, idArraysOf, outcomes } from '../bulk/operations/outcome.ts'
import { bulkOperations, runStatuses, stopReasons } from '../bulk/record/events.ts'
import { verdicts } from '../ids/row-filter.ts'
import { ContactMatch, Duplicate, Named, Profile, Receipt, Run } from '../resources/documents.ts'

const text = v.string()
const textOrNull = v.nullable(text)
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const countOrNull = v.nullable(count)

/** `--dry-run` of one change: the request that would be sent. */
const Plan = v.looseObject({ dryRun: v.literal(true), operation: text })

/** The figures and arrays of ids of all operations; an output has those of its own. */
const figures = bulkOperations.flatMap((name) => figuresOf(name).map((figure) => figure.name))
const idArrays = bulkOperations.flatMap((name) => idArraysOf(name, true).map(([array]) => array))

export const Summary = v.object({
  schema: v.literal('svc.bulk/1'),
  run: textOrNull,
  name: textOrNull,
  operation: v.picklist(bulkOperations),
  profile: textOrNull,
  ...v.entriesFromList(['startedAt', 'endedAt', 'host', 'target', 'by', 'reason', 'job'], textOrNull),
  dryRun: v.boolean(),
  status: v.picklist(runStatuses),
  stopReason: v.nullable(v.picklist(stopReasons)),
  input: v.object({
    read: count,
    unique: count,
    duplicates: count,
    invalid: count,
    leftOut: v.optional(count),
    otherShards: v.optional(count),
    sha256: text,
    shard: v.optional(v.object({ index: count, count, sha256: text })),
  }),
  batches: v.object({ total: count, done: count, failed: count, retried: count }),
  result: v.object(v.entriesFromList(figures, v.optional(count))),
  ...v.entriesFromList(idArrays, v.optional(v.array(text))),
  isolate: v.optional(v.object({ calls: count })),
  errors: v.pipe(
    v.array(
      v.object({
        batch: count,
        outcome: text,
        httpStatus: countOrNull,
        code: v.nullable(v.number()),
        message: textOrNull,
        attempts: count,
        count,
      }),
    ),
    v.maxLength(100),
  ),
  errorsTotal: count,
  left: count,
  resume: textOrNull,
  durationMs: count,
  exitCode: count,
  retry: v.boolean(),
})

export { ContactList, Employee, Ticket } from '../api/schemas.ts'

const History = v.object({
  ticket: service.Ticket,
  messages: v.array(service.Message),
  nextChunkStartMessageId: v.optional(text),
})

export const Runs = v.array(v.object({ ...Run.entries, status: v.picklist([...runStatuses, 'running', 'damaged']) }))
export const Receipts = v.array(v.object({ ...Receipt.entries, outcome: v.picklist(outcomes) }))
const Sourced = v.looseObject({ source: text })
export const ShownProfile = v.object({
  ...v.entriesFromList(['profile', 'baseUrl', 'apiKey', 'secret', 'protected', 'stateDir'], Sourced),
  settings: v.record(text, Sourced),
  /** Each member where it is set; null when a policy cannot be read. */
  policy: v.nullable(v.array(Sourced)),
})
export const Profiles = v.array(Profile)

export const Sandbox = v.object({
  baseUrl: text,
  pid: count,
  token: text,
  keys: v.array(v.object({ name: text, apiKey: text, apiSecret: text, scope: text, plan: text })),
  examples: v.record(text, v.unknown()),
})

export const Ids = v.array(v.object({ id: text }))

export const Lists = v.array(service.ContactList)
export const WrittenList = v.union([service.ContactList, Plan])
export const Members = v.array(service.ListMember)
export const Matches = v.array(v.object({ ...ContactMatch.entries, match: v.picklist(verdicts) }))
export const Duplicates = v.array(Duplicate)
export const FoundContacts = v.array(v.looseObject({ ...service.Contact.entries, lists: v.array(Named) }))
export const Merged = v.union([service.MergeResult, Summary, Plan])
export const Assigned = v.union([service.AssignResult, Summary, Plan])
export const Histories = v.union([History, v.array(History)])
export const Employees = v.array(service.Employee)
export const Anything = v.unknown()
