/**
 * What `--json` writes, by command, as schemas. What comes from the service is what the answers are checked with; what svc
 * says itself is written down here and in `resources/documents.ts`, and a test holds every command's output against it.
 */
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import {
  AssignResult,
  Contact,
  ContactList,
  Employee,
  ListMember,
  MergeResult,
  Message,
  Ticket,
} from '../../api/schemas.ts'
import { outcomes } from '../../bulk/claims.ts'
import { bulkOperations, runStatuses, stopReasons } from '../../bulk/events.ts'
import {
  AddedProfile,
  CheckedIds,
  ChosenProfile,
  ConfigurationPlace,
  Doctor,
  Identity,
  Profile,
  Receipt,
  RemovedProfile,
  RenamedProfile,
  Run,
  Signed,
} from '../../resources/documents.ts'
import { sides } from '../../resources/list-difference.ts'
import { verdicts } from '../../ids/row-filter.ts'

const text = v.string()
const textOrNull = v.nullable(text)
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const countOrNull = v.nullable(count)
const ids = v.optional(v.array(text))

/** `--dry-run` of one change: the request that would be sent. */
const Plan = v.looseObject({ dryRun: v.literal(true), operation: text })

/** Counts by outcome: which there are depends on the operation. */
const Result = v.record(text, count)

const Summary = v.object({
  schema: v.literal('svc.bulk/1'),
  run: textOrNull,
  name: textOrNull,
  operation: v.picklist(bulkOperations),
  profile: textOrNull,
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
  result: Result,
  notFoundIds: ids,
  blockedIds: ids,
  goneIds: ids,
  missingIds: ids,
  unknownIds: ids,
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
  resume: textOrNull,
  durationMs: count,
  exitCode: count,
})

const History = v.object({
  ticket: Ticket,
  messages: v.array(Message),
  nextChunkStartMessageId: v.optional(text),
})

const Runs = v.array(v.object({ ...Run.entries, status: v.picklist([...runStatuses, 'running', 'damaged']) }))
const Receipts = v.array(v.object({ ...Receipt.entries, outcome: v.picklist(outcomes) }))
const Sourced = v.looseObject({ source: text })

const Sandbox = v.object({
  baseUrl: text,
  pid: count,
  token: text,
  keys: v.array(v.object({ name: text, apiKey: text, apiSecret: text, scope: text, plan: text })),
  examples: v.record(text, v.unknown()),
})

const Named = v.object({ id: text, name: text })
const ContactMatch = v.object({
  row: count,
  match: v.picklist(verdicts),
  contactId: textOrNull,
  name: text,
  by: text,
  lists: v.array(Named),
  candidates: v.array(Named),
})
const Duplicate = v.object({
  ...v.entriesFromList(['source', 'target', 'sourceName', 'targetName'], text),
  group: count,
  shared: v.array(text),
  warning: v.array(text),
})

const Ids = v.array(v.object({ id: text }))

const FoundContacts = v.array(v.looseObject({ ...Contact.entries, lists: v.array(v.object({ id: text, name: text })) }))

type Schema = v.GenericSchema

const schemas: Readonly<Record<string, Schema>> = {
  'svc lists list': v.array(ContactList),
  'svc lists get': ContactList,
  'svc lists members': v.array(ListMember),
  'svc lists diff': v.array(v.object({ id: text, name: textOrNull, where: v.picklist(sides) })),
  'svc lists create': v.union([ContactList, Plan]),
  'svc lists update': v.union([ContactList, Plan]),
  'svc lists add-contacts': Summary,
  'svc contacts list': FoundContacts,
  'svc contacts get': FoundContacts,
  'svc contacts match': v.array(ContactMatch),
  'svc contacts duplicates': v.array(Duplicate),
  'svc contacts find': FoundContacts,
  'svc contacts merge': v.union([MergeResult, Summary, Plan]),
  'svc contacts delete': Summary,
  'svc tickets get': Ticket,
  'svc tickets history': v.union([History, v.array(History)]),
  'svc tickets assign': v.union([AssignResult, Summary, Plan]),
  'svc employees list': v.array(Employee),
  'svc runs list': Runs,
  'svc runs show': Summary,
  'svc runs resume': Summary,
  'svc runs retry': Summary,
  'svc runs undo': Summary,
  'svc runs export': Receipts,
  'svc runs prune': Runs,
  'svc ids check': CheckedIds,
  'svc ids dedupe': Ids,
  'svc ids union': Ids,
  'svc ids intersect': Ids,
  'svc ids subtract': Ids,
  'svc profiles list': v.array(Profile),
  'svc profiles show': v.object({
    ...v.entriesFromList(['profile', 'baseUrl', 'apiKey', 'secret', 'protected', 'stateDir'], Sourced),
    settings: v.record(text, Sourced),
  }),
  'svc profiles add': AddedProfile,
  'svc profiles use': ChosenProfile,
  'svc profiles rename': RenamedProfile,
  'svc profiles remove': RemovedProfile,
  'svc profiles path': ConfigurationPlace,
  'svc whoami': Identity,
  'svc doctor': Doctor,
  'svc sign': Signed,
  'svc sandbox start': Sandbox,
  'svc api': v.unknown(),
}

/** The commands that have one. */
export const schemaNames: readonly string[] = Object.keys(schemas)

/** Undefined for a command without a JSON form. What svc says itself has no members but these. */
export function schemaOf(path: string): Schema | undefined {
  return schemas[path]
}

/** A JSON Schema (draft 2020-12) as an object; undefined for a command without a JSON form. */
export function jsonSchemaOf(path: string): Record<string, unknown> | undefined {
  const schema = schemaOf(path)
  if (schema === undefined) return undefined
  return { title: `${path} --json`, ...toJsonSchema(schema, { target: 'draft-2020-12', typeMode: 'output' }) }
}
