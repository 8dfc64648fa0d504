/** Makes a job from the words of a command line and its input. */
import { resolve } from 'node:path'
import { usageError } from '../errors.ts'
import { isStdin } from '../input/bytes.ts'
import { Items } from '../input/items.ts'
import { readItems, type InputOptions } from '../input/read.ts'
import type { Job, Operation, Party } from '../runs/engine.ts'
import { groupDigits, pluralize } from '../words.ts'
import {
  checkPairs,
  resolveEmployees,
  resolveParties,
  type JobTools,
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

/** A command sends at most this many ids or pairs. */
const maxItems = 1_000_000

/**
 * Returns the job of a command line and its input. `known` are the list and employees of a recorded run of the same `--once` name,
 * which need no request. Throws exit 2 for pairs and a count that cannot be sent.
 */
export async function jobOf(
  tools: JobTools,
  typed: TypedJob,
  found: TypedInput,
  known: readonly (Party | undefined)[],
): Promise<Job> {
  const { operation, options, parties } = typed
  const { once, accept = [], concurrency, receipts } = options
  const items = await resolveItems(tools, typed, found.items)
  checkCount(items.size, options.expect)
  const { table, read, leftOut, undecided } = found
  // A name and an id of one employee can make two pairs equal.
  const duplicates = found.duplicates + found.items.size - items.size
  return {
    operation,
    items,
    ...(await resolveParties(tools, parties, known)),
    input: { read, unique: items.size, duplicates, leftOut, undecided },
    source: table && { ...sourceOf(options), isTable: keepsColumns(table) },
    once,
    accept: operation.acceptable.filter((each) => accept.includes(each)),
    concurrency,
    receipts: receipts === undefined ? undefined : receiptsFile(receipts, operation, found),
  }
}

type TypedInput = Awaited<ReturnType<typeof readInput>>

/**
 * Reads the ids of a command line. A typed merge is one pair. A table has pairs if the operation has two columns for them, and `--to`
 * was not typed. Throws exit 2 with every mistake in the input.
 */
export async function readInput(
  tools: JobTools,
  { operation, ids, parties, options }: TypedJob,
) {
  const { into, to } = parties
  const { pairs, words } = operation
  const found = await readItems(tools.host, {
    ...options,
    words: ids,
    item: words.item,
    sides: to === undefined && into === undefined ? pairs : undefined,
    keepsRows: options.receipts !== undefined,
    note: tools.note,
  })
  if (into === undefined) return found
  const items = Items.of(Array.from(found.items, (item) => ({ ...item, target: into })))
  return { ...found, items }
}

/** Returns items with ids in place of the names of employees. Throws exit 2 for pairs that cannot be sent, and without `--to`. */
async function resolveItems(
  tools: JobTools,
  { operation, parties }: TypedJob,
  items: Items,
) {
  const areTickets = operation.words.item === 'ticket'
  if (items.arePairs) {
    const resolved = areTickets ? await resolveEmployees(tools, items) : items
    checkPairs(resolved)
    return resolved
  }
  if (areTickets && parties.to === undefined && items.size > 0)
    throw usageError(
      '--to <employee> is missing',
      'to see the employees:\n  svc employees list',
    )
  return items
}

/** Throws exit 2 for too many ids, and for a count that is not that of `--expect`. */
function checkCount(unique: number, expected: number | undefined) {
  if (unique > maxItems)
    throw usageError(
      `${groupDigits(unique)} ids would be sent, but a command sends at most ${groupDigits(maxItems)}; nothing was sent`,
      `split the file (split -l ${maxItems} <file>), and send each part with a separate command`,
    )
  if (expected !== undefined && unique !== expected)
    throw usageError(
      `${pluralize(unique, 'unique id')} would be sent, but --expect says ${groupDigits(expected)}; nothing was sent`,
      'check the input before you change --expect',
    )
}

/** Returns where the rows of a table come from, and how they are read. */
function sourceOf({ file, column, sheet, headingRow, where, except }: BulkOptions) {
  const absolute = (path = '-') => (isStdin(path) ? undefined : resolve(path))
  const places = { path: absolute(file), except: absolute(except) }
  return { ...places, column, sheet, headingRow, where }
}
