/** The shape of a bulk run's summary. `summary.ts` makes one, and `commands/schemas.ts` has its schema for `svc help --json`. */
import * as v from 'valibot'
import { count, countOrNull, DryRun, text, textOrNull } from '../../views/documents.ts'
import { figuresOf, idArraysOf } from '../operations/outcome.ts'
import { stopReasons } from '../record/journal.ts'
import { runStatuses } from './totals.ts'
import { bulkOperations } from '../../api/operations.ts'

/** The figures and arrays of ids of all operations; an output has those of its own. */
const figures = bulkOperations.flatMap((name) =>
  figuresOf(name).map((figure) => figure.name),
)
const idArrays = bulkOperations.flatMap((name) => idArraysOf(name).map(([array]) => array))

/** The one document that every ending of a bulk run prints: its JSON, its type and the fields that `--fields` names. */
export const SummaryDocument = v.object({
  schema: v.literal('svc.bulk/1'),
  run: textOrNull,
  name: textOrNull,
  operation: v.picklist(bulkOperations),
  profile: textOrNull,
  ...v.entriesFromList(
    ['startedAt', 'endedAt', 'host', 'target', 'by', 'reason'],
    textOrNull,
  ),
  dryRun: v.boolean(),
  status: v.picklist(runStatuses),
  stopReason: v.nullable(v.picklist(stopReasons)),
  input: v.object({
    read: count,
    unique: count,
    duplicates: count,
    invalid: count,
    leftOut: v.optional(count),
    sha256: text,
  }),
  batches: v.object({
    total: count,
    done: count,
    failed: count,
    retried: count,
  }),
  result: v.object(v.entriesFromList(figures, v.optional(count))),
  ...v.entriesFromList(idArrays, v.nullish(v.array(text))),
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
  /** With `--plan`: the SHA-256 of the file that was written, as `plans show` has it, and where it is. */
  ...v.entriesFromList(['plan', 'planFile'], v.optional(text)),
  expiresAt: v.optional(v.pipe(text, v.isoTimestamp())),
})

export type SummaryDocument = v.InferOutput<typeof SummaryDocument>

/** The document of one change, or of a file of them, or of a dry run of one. */
export const changeDocument = (one: v.GenericSchema) =>
  v.union([one, SummaryDocument, DryRun])
