/** Makes a job from the words of a command line and its input. Every mistake that can be seen before the first write is found here. */
import { resolve } from 'node:path'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { isStdin } from '../input/bytes.ts'
import { Items } from '../input/items.ts'
import { readItems, type InputOptions } from '../input/read.ts'
import type { Table } from '../input/table.ts'
import type { Job, Operation, Party } from '../runs/engine.ts'
import { parseId } from '../identifiers.ts'
import { groupDigits, pluralize } from '../words.ts'
import { checkPairs, resolveEmployees } from './pairs.ts'
import { resolveParties, type PartyTools, type TypedParties } from './parties.ts'
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
  const found = await readInput(tools, typed)
  const areTickets = operation.words.item === 'ticket'
  const hasNames = areTickets && found.items.arePairs
  const items = hasNames ? await resolveEmployees(tools, found.items) : found.items
  if (items.arePairs) checkPairs(items)
  else if (areTickets && parties.to === undefined && items.size > 0)
    throw usageError(
      '--to <employee> is missing',
      'to see the employees:\n  svc employees list',
    )
  checkCounts(items.size, options)
  const { read, leftOut, undecided } = found
  // A name and an id of one employee can make two pairs equal.
  const duplicates = found.duplicates + found.items.size - items.size
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
function sourceOf({ options }: TypedJob, table: Table | undefined): Job['source'] {
  if (table === undefined) return undefined
  const { file = '-', column, sheet, headingRow, where, except } = options
  return {
    path: isStdin(file) ? undefined : resolve(file),
    isTable: keepsColumns(table),
    column,
    sheet,
    headingRow,
    where,
    except,
  }
}

/**
 * Reads the ids of a command line. A typed merge is one pair. A table has pairs if the operation has two columns for them, and `--to`
 * was not typed.
 */
async function readInput(tools: JobTools, { operation, ids, parties, options }: TypedJob) {
  const { into, to } = parties
  const { pairs, words } = operation
  const target = into === undefined ? undefined : parseId(into, '--into')
  const found = await readItems(tools.host, {
    ...options,
    words: ids,
    item: words.item,
    sides: to === undefined && into === undefined ? pairs : undefined,
    keepsRows: options.receipts !== undefined,
    note: tools.note,
  })
  if (target === undefined) return found
  const items = Items.of(Array.from(found.items, (item) => ({ ...item, other: target })))
  return { ...found, items }
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
