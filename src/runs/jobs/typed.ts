/** Makes a job from a command line: reads the whole input. */
import { resolve } from 'node:path'
import type { BulkOperation } from '../../api/operations.ts'
import { usageError } from '../../errors.ts'
import { Items } from '../../input/items.ts'
import { readItems } from '../../input/read.ts'
import { isSameId, parseId } from '../../values.ts'
import { groupDigits, pluralize } from '../../words.ts'
import { checkOutputOptions } from '../files.ts'
import { checkOnceName, onceRun } from '../list.ts'
import { operationOf } from '../operations/operations.ts'
import type { RunTools } from '../tools.ts'
import type { BulkOptions, Job } from './job.ts'
import {
  checkMergePairs,
  resolveEmployees,
  checkParties,
  checkAssignee,
  resolveParties,
  type TypedParties,
} from './parties.ts'

/** The typed words for a job, before its input is read. */
export interface TypedJob {
  operation: BulkOperation
  /** Ids, or `-` for standard input. */
  ids: readonly string[]
  /** The list, contact or employees that were typed. */
  parties: TypedParties
  options: BulkOptions
}

/** Returns the job of a command line. Throws exit 2 with every mistake in the input. Changes nothing on the service. */
export async function readTyped(tools: RunTools, typed: TypedJob): Promise<Job> {
  const { operation, options } = typed
  const isDryRun = options.dryRun === true
  checkOptions(tools, typed)
  checkParties(typed.parties)
  const found = await readInput(tools, typed)
  checkCounts(found.items.size, options)
  checkAssignee(typed, found.items)
  // Before names are looked up.
  if (!isDryRun) await tools.permit({ operation, ids: found.items.size })
  const items = await resolveEmployees(tools, operation, found.items)
  // A dry run does not look up names, so that it needs no credentials if ids were typed.
  const resolved = await resolveParties(tools, typed.parties, { withNames: !isDryRun })
  const { read, leftOut, undecided } = found
  // A name and an id of one employee can make two pairs equal. These count as duplicates too.
  const duplicates = found.duplicates + found.items.size - items.size
  return {
    operation,
    ...resolved,
    items,
    input: {
      read,
      unique: items.size,
      duplicates,
      invalid: 0,
      leftOut: leftOut + undecided,
    },
    options,
    run: options.once === undefined ? undefined : onceRun(options.once),
    source: sourceOf(typed),
    annotation: found.annotation,
  }
}

/** Returns the absolute path of the input; undefined for ids that are typed, and for standard input. */
function sourceOf({ options: { file } }: TypedJob) {
  return file === undefined || file === '-' ? undefined : resolve(file)
}

/** Throws exit 2 for contradictions among the options, before anything is read. */
function checkOptions({ host }: RunTools, typed: TypedJob) {
  const { options } = typed
  const { once, annotate, file } = options
  if (once !== undefined) checkOnceName(once)
  const isRead = file !== undefined || typed.ids.includes('-')
  if (annotate !== undefined && !isRead)
    throw usageError(
      '--annotate writes its input again, so it needs a file',
      'give it with --file <path>',
    )
  checkOutputOptions(host, options)
}

/**
 * Reads the ids of a command line. A typed merge is one pair. A file has pairs if the operation has two columns for them, and
 * neither ids nor `--to` were typed.
 */
export async function readInput(tools: RunTools, typed: TypedJob) {
  const { operation, ids, parties, options } = typed
  if (parties.into !== undefined) return onePair(ids[0] ?? '', parties.into)
  const { annotate } = options
  const { pairs, words } = operationOf(operation)
  const hasTypedIds = ids.some((word) => word !== '-')
  const sides = parties.to === undefined && !hasTypedIds ? pairs : undefined
  const found = await readItems(tools.host, {
    ...options,
    words: ids,
    item: words.item,
    sides,
    keepsRows: annotate !== undefined,
    note: tools.note,
  })
  if (operation === 'contacts.merge') checkMergePairs(found.items)
  const { table, rows } = found
  if (annotate === undefined || table === undefined)
    return { ...found, annotation: undefined }
  const { TableCopy } = await import('../../input/table-copy.ts')
  const isWorkbook = /\.xlsx$/i.test(annotate)
  const copy = new TableCopy(table, rows, { headings: ['OUTCOME', 'REASON'], isWorkbook })
  return { ...found, annotation: { path: annotate, copy } }
}

/** Returns the input of a merge whose pair was typed. */
function onePair(id: string, into: string) {
  const source = parseId(id, 'the source')
  if (isSameId(source, into)) throw usageError('a contact cannot be merged into itself')
  const items = Items.of([{ id: source, line: 0, other: into }])
  return { read: 1, duplicates: 0, leftOut: 0, undecided: 0, items, annotation: undefined }
}

/** A command sends at most this many ids or pairs. */
const maxItems = 1_000_000

/** Throws exit 2 for too many ids, and for a count that is not that of `--expect`. */
function checkCounts(unique: number, { expect }: BulkOptions) {
  if (unique > maxItems) {
    const count = groupDigits(unique)
    throw usageError(
      `${count} ids would be sent, but a command sends at most ${groupDigits(maxItems)}; nothing was sent`,
      `split the file (split -l ${maxItems} <file>), and send each part with a separate command`,
    )
  }
  if (expect === undefined || unique === expect) return
  throw usageError(
    `${pluralize(unique, 'unique id')} would be sent, but --expect says ${groupDigits(expect)}; nothing was sent`,
  )
}
