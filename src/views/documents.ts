/** svc's own documents, as `--json` writes them. Commands import types freely, and schemas lazily: valibot loads slowly. */
import * as v from 'valibot'
import { TicketMessage } from '../api/schemas.ts'

/** Shapes that documents have in common. */
export const text = v.string()
export const textOrNull = v.nullable(text)
export const count = v.pipe(v.number(), v.integer(), v.minValue(0))
export const countOrNull = v.nullable(count)

/** `--dry-run` of one change: the request that would be sent. */
export const DryRun = v.looseObject({ dryRun: v.literal(true), operation: text })

/** A bulk run as `runs list` shows it. */
export const Run = v.object({
  run: text,
  /** Its `--once` name. */
  name: textOrNull,
  operation: textOrNull,
  /** The list, or the employee of all tickets; of an undo `undo of <run>`. */
  target: textOrNull,
  profile: textOrNull,
  /** The service's host. */
  host: textOrNull,
  /** `user@computer`, as the system named them. */
  by: textOrNull,
  reason: textOrNull,
  startedAt: v.pipe(text, v.isoTimestamp()),
  /** Null while it is worked on, and when its process died. */
  endedAt: v.nullable(v.pipe(text, v.isoTimestamp())),
  status: text,
  /** Counts by outcome, as in the summary document. */
  result: v.nullable(v.record(text, count)),
  /** How many there are, and how many of them resuming would work on. Null while not known. */
  ids: countOrNull,
  left: countOrNull,
  /** Null while the run has no ending. */
  exitCode: countOrNull,
})

/** The verdict of `svc runs check` on one job. */
export const JobCheck = v.object({
  name: text,
  exitCode: count,
  message: text,
})

/** How many ids ended with this outcome. */
export const OutcomeRow = v.object({ outcome: text, count })

/** A message among those of other tickets. */
export const MessageRow = v.object({ ticketId: text, ...TicketMessage.entries })

/** The outcome of one id of a bulk run. */
export const PlainReceipt = v.object({
  id: text,
  line: countOrNull,
  outcome: text,
  /** When the service answered, or else when it was tried; null if it was never sent. */
  at: textOrNull,
  batch: countOrNull,
  attempts: count,
  code: v.nullable(v.number()),
  message: textOrNull,
})

/** The outcome of one ticket of a bulk run. */
export const ReceiptDocument = v.object({
  ...PlainReceipt.entries,
  /** The assignee of a ticket, if a read or an answer showed it. */
  before: v.optional(textOrNull),
  after: v.optional(textOrNull),
})

export const ProfileDocument = v.object({
  name: text,
  current: v.boolean(),
  baseUrl: text,
  /** Its last four characters. */
  apiKey: text,
  /** Where it is, in words; never the secret itself. */
  secret: text,
  protected: v.boolean(),
})
export const AddedProfile = v.object({
  ...ProfileDocument.entries,
  file: text,
  check: v.picklist(['passed', 'failed']),
})
export const ChosenProfile = v.object({ current: text, file: text })
/** `current`: the profile that is used from now on; null when it was the one that was removed. */
export const RemovedProfile = v.object({ removed: text, current: textOrNull, file: text })

/** One line of `svc doctor`. */
export const DoctorCheck = v.object({
  check: text,
  state: v.picklist(['ok', 'warn', 'fail']),
  message: text,
  /** The advice, with commands on lines of their own. */
  remedy: textOrNull,
})
/** A value, and where it comes from in words. */
const Sourced = v.object({ value: v.unknown(), source: text })
export const Doctor = v.object({
  status: v.picklist(['ok', 'failed']),
  exitCode: count,
  /** Who you are: null without credentials. The secret has only its source. */
  identity: v.nullable(v.record(text, v.union([Sourced, v.object({ source: text })]))),
  checks: v.array(DoctorCheck),
})

export const Named = v.object({ id: text, name: text })

/** A row of a table of people, and the contact that it means. */
export const ContactMatch = v.object({
  /** Its line in a text, its row in a sheet. */
  row: count,
  /** `one`, or why there is no contact; `no` is a person's word for it. */
  match: text,
  /** Null unless the match is `one`. */
  contactId: textOrNull,
  /** The name of the contact, or of those that a value points to. */
  name: text,
  /** The kind of value that decided. */
  by: text,
  /** The lists of the contact, also of one that a person has to look at. */
  lists: v.array(Named),
  /** Without a contact: those that a value points to. */
  candidates: v.array(Named),
  /** Why the match is not `one`, in words; empty for `one` and `no`. */
  why: text,
})

/** A contact that shares something with an older one of its group. */
export const Duplicate = v.object({
  group: count,
  ...v.entriesFromList(['source', 'target'], text),
  /** `phone +491712345678`: with the target, or with the contact that leads to it. */
  shared: v.array(text),
  ...v.entriesFromList(['sourceName', 'targetName'], text),
  ...v.entriesFromList(
    [
      'sourceLists',
      'targetLists',
      'sourceEmails',
      'targetEmails',
      'sourcePhones',
      'targetPhones',
    ],
    v.array(text),
  ),
  ...v.entriesFromList(['sourceCreatedAt', 'targetCreatedAt'], textOrNull),
  warning: v.array(text),
})

export type Run = v.InferOutput<typeof Run>
export type JobCheck = v.InferOutput<typeof JobCheck>
export type ReceiptDocument = v.InferOutput<typeof ReceiptDocument>
export type ProfileDocument = v.InferOutput<typeof ProfileDocument>
export type AddedProfile = v.InferOutput<typeof AddedProfile>
export type DoctorCheck = v.InferOutput<typeof DoctorCheck>
export type ContactMatch = v.InferOutput<typeof ContactMatch>
export type Duplicate = v.InferOutput<typeof Duplicate>
