/**
 * The lines of JSON on stderr (`--error-format json`), as a schema: the laws hold what is printed against it.
 */
import * as v from 'valibot'
import { SummaryDocument } from '../src/runs/summary.ts'
import type { Category } from '../src/errors.ts'
import { count, countOrNull, text, textOrNull } from '../src/views/documents.ts'

const categories = [
  'usage',
  'config',
  'auth',
  'forbidden',
  'policy',
  'rejected',
  'unavailable',
  'limit',
  'busy',
  'confirm',
  'local',
  'interrupted',
  'internal',
] as const satisfies readonly Category[]

const time = v.pipe(text, v.isoTimestamp())
/** Each line has these; those of a run stand on its lines. */
const lineEntries = {
  time,
  level: v.picklist(['error', 'warning', 'info', 'debug']),
  ...v.entriesFromList(['run', 'name', 'profile', 'host', 'by'], v.optional(textOrNull)),
}

const ErrorLine = v.strictObject({
  type: v.literal('error'),
  ...lineEntries,
  error: v.strictObject({
    category: v.picklist(categories),
    exitCode: count,
    httpStatus: countOrNull,
    code: v.nullable(v.number()),
    message: text,
    hint: textOrNull,
    request: v.nullable(
      v.strictObject({ method: text, path: text, attempts: count, requestId: v.optional(text) }),
    ),
    profile: textOrNull,
    run: textOrNull,
    ticketId: v.optional(text),
    cursor: v.optional(text),
  }),
  retry: v.boolean(),
})

const NoteLine = v.strictObject({
  type: v.literal('note'),
  ...lineEntries,
  message: text,
  batch: v.optional(count),
  attempt: v.optional(count),
})

const ProgressLine = v.strictObject({
  type: v.literal('progress'),
  ...lineEntries,
  ...v.entriesFromList(['done', 'total', 'failed', 'retried'], count),
  rate: v.number(),
  etaMs: v.nullable(v.number()),
  waitingUntil: v.optional(time),
  counts: v.record(text, count),
})

const RequestLine = v.strictObject({
  type: v.literal('request'),
  ...lineEntries,
  method: text,
  path: text,
  httpStatus: countOrNull,
  ms: count,
  attempt: count,
  batch: v.optional(count),
  requestId: v.optional(text),
  outcome: v.picklist(['never-sent', 'refused', 'ambiguous', 'answered']),
  code: v.optional(v.number()),
  message: v.optional(text),
})

const SummaryLine = v.strictObject({
  type: v.literal('summary'),
  ...lineEntries,
  ...SummaryDocument.entries,
})

/** A line on stderr with `--error-format json`, by its type. */
export const StderrLine = v.variant('type', [
  ErrorLine,
  NoteLine,
  ProgressLine,
  RequestLine,
  SummaryLine,
])
