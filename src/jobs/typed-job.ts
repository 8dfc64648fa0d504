/** Makes a job from the words of a command line and its input. Every mistake that can be seen before the first write is found here. */
import { resolve } from 'node:path'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { Items } from '../input/items.ts'
import { readItems, type InputOptions } from '../input/read.ts'
import type { Table } from '../input/table.ts'
import type { Job, Operation, Party } from '../runs/engine.ts'
import { isSameId, parseId } from '../values.ts'
import { groupDigits, pluralize } from '../words.ts'
import { checkMergePairs, resolveEmployees } from './pairs.ts'
import {
  checkAssignee,
  checkParties,
  resolveParties,
  type PartyTools,
  type TypedParties,
} from './parties.ts'
import { keepsColumns, receiptsFile } from './receipts-table.ts'

/** The options of the commands that send in bulk, under the names that they have on the command line. */
export interface BulkOptions extends InputOptions {
  dryRun?: boolean | undefined
  expect?: number | undefined
  once?: string | undefined
  accept?: readonly unknown[] | undefined
  receipts?: string | undefined
  concurrency?: number | undefined
}

/** The words of a command line for a job. */
export interface TypedJob {
  operation: Operation
  /** Ids, or `-` for standard input. */
  ids: readonly string[]
  parties: TypedParties
  options: BulkOptions
}

export interface JobTools extends PartyTools {
  host: Host
  note: (text: string) => void
}

/** A command sends at most this many ids or pairs. */
const maxItems = 1_000_000

/**
 * Returns the job of a command line. `known` are the list and employees of a recorded run of the same `--once` name: they need no
 * request. Throws exit 2 with every mistake in the input.
 */
export async function readJob(
  tools: JobTools,
  typed: TypedJob,
  known: readonly (Party | undefined)[] = [],
): Promise<Job> {
  const { operation, options, parties } = typed
  const { once, accept = [], concurrency, receipts } = options
  if (once !== undefined) checkOnceName(once)
  checkParties(parties)
  const found = await readInput(tools, typed)
  if (operation.isReadFirst === true) checkAssignee(parties, found.items)
  const items = await resolveEmployees(tools, operation, found.items)
  const { read, leftOut, undecided } = found
  // A name and an id of one employee can make two pairs equal.
  const duplicates = found.duplicates + found.items.size - items.size
  checkCounts(items.size, options)
  return {
    operation,
    items,
    ...(await resolveParties(tools, parties, known)),
    input: { read, unique: items.size, duplicates, leftOut, undecided },
    source: sourceOf(typed, found.table),
    once,
    accept: operation.acceptable.filter((each) => accept.includes(each)),
    concurrency,
    receipts: receipts === undefined ? undefined : receiptsFile(receipts, operation, found),
  }
}

/** Where the ids come from, and how they are read. */
function sourceOf({ ids, options }: TypedJob, table: Table | undefined): Job['source'] {
  if (ids.some((word) => word !== '-')) return undefined
  const { file, column, sheet, headingRow, where, except } = options
  const path = file === undefined || file === '-' ? undefined : resolve(file)
  const given = { path, column, sheet, headingRow, where, except }
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(known),
    isTable: table !== undefined && keepsColumns(table),
  }
}

/**
 * Reads the ids of a command line. A typed merge is one pair. A table has pairs if the operation has two columns for them, and
 * neither ids nor `--to` were typed.
 */
async function readInput(tools: JobTools, typed: TypedJob) {
  const { operation, ids, parties, options } = typed
  if (parties.into !== undefined) return onePair(ids[0] ?? '', parties.into)
  const { pairs, words } = operation
  const hasTypedIds = ids.some((word) => word !== '-')
  const found = await readItems(tools.host, {
    ...options,
    words: ids,
    item: words.item,
    sides: parties.to === undefined && !hasTypedIds ? pairs : undefined,
    keepsRows: options.receipts !== undefined,
    note: tools.note,
  })
  if (operation.name === 'contacts.merge') checkMergePairs(found.items)
  return found
}

/** Returns the input of a merge whose pair was typed. */
function onePair(id: string, into: string) {
  const source = parseId(id, 'the source')
  if (isSameId(source, into)) throw usageError('a contact cannot be merged into itself')
  const items = Items.of([{ id: source, line: 0, other: into }])
  const counts = { read: 1, duplicates: 0, leftOut: 0, undecided: 0 }
  return { ...counts, items, table: undefined, rows: [] }
}

/** Throws exit 2 for too many ids, and for a count that is not that of `--expect`. */
function checkCounts(unique: number, { expect }: BulkOptions) {
  if (unique > maxItems)
    throw usageError(
      `${groupDigits(unique)} ids would be sent, but a command sends at most ${groupDigits(maxItems)}; nothing was sent`,
      `split the file (split -l ${maxItems} <file>), and send each part with a separate command`,
    )
  if (expect === undefined || unique === expect) return
  throw usageError(
    `${pluralize(unique, 'unique id')} would be sent, but --expect says ${groupDigits(expect)}; nothing was sent`,
    'check the input before you change --expect',
  )
}

/** Throws exit 2 for a text that `--once` does not take. */
function checkOnceName(text: string) {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) return
  throw usageError(
    '--once takes a name of 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit',
    'for example --once cleanup-2026-03-01; a job that recurs needs a new name each time',
  )
}
