/** From arguments, files and standard input to what will be sent; every mistake in the input is found here. */
import { parseChoice } from '../args.ts'
import { usageError } from '../errors.ts'
import { cutBatches, shardBatches, type Batches } from './batches.ts'
import type { Chain, Items } from './book.ts'
import type { BulkOptions, BulkTools } from './bulk.ts'
import type { IdTable } from '../ids/id-table.ts'
import { readIds, type IdInput, type ReadOptions } from '../ids/reader.ts'
import { pairsSha256, type RunItems } from './journal.ts'
import { readPairs, type Pair } from '../ids/pairs.ts'
import { checkAssignPairs, checkMergePairs } from './merge-order.ts'
import { checkReceipts } from './receipts.ts'
import { createRejects } from './rejects.ts'
import type { BulkOperation } from './reconcile.ts'
import type { Input } from '../ids/input.ts'
import { keepYoungSpaceSmall } from '../engine.ts'
import { grouped } from '../grouped.ts'

const inputFormats = ['auto', 'lines', 'csv', 'json', 'ndjson'] as const

/** How many requests are in flight unless told otherwise. Surface, section 4. */
const concurrency: Record<BulkOperation, number> = {
  'contacts.delete': 4,
  'lists.add-contacts': 4,
  'tickets.assign': 2,
  'contacts.merge': 1,
}

export interface Plan {
  readonly operation: BulkOperation
  readonly items: Items
  /** What of the items is sent: all, or one shard. */
  readonly batches: Batches
  /** For the journal. */
  readonly recorded: RunItems
  readonly input: {
    readonly read: number
    readonly unique: number
    readonly duplicates: number
    readonly invalid: number
    /** Unique ids that belong to other shards. */
    readonly otherShards?: number | undefined
    readonly sha256: string
  }
  /** Merge: which pairs wait for which. */
  readonly chain?: Chain | undefined
  readonly concurrency: number
  readonly options: BulkOptions
}

export function tableItems(ids: IdTable): Items {
  return {
    size: ids.size,
    id: (position) => ids.id(position),
    ids: (from, to) => ids.slice(from, to),
    other: () => undefined,
    line: (position) => ids.line(position),
  }
}

/** `other`: the same second party for all, as in an assign with `--to`. */
export function withOther(items: Items, other: string): Items {
  return {
    size: items.size,
    id: (position) => items.id(position),
    ids: (from, to) => items.ids(from, to),
    line: (position) => items.line(position),
    other: () => other,
  }
}

export function pairItems(pairs: readonly Pair[]): Items {
  const at = (position: number): Pair => {
    const pair = pairs[position]
    if (pair === undefined) throw new RangeError(`no pair at ${position}`)
    return pair
  }
  return {
    size: pairs.length,
    id: (position) => at(position).id,
    ids: (from, to) => pairs.slice(from, to).map(({ id }) => id),
    other: (position) => at(position).other,
    line: (position) => at(position).line,
  }
}

function inputs(tools: BulkTools, words: readonly string[], files: readonly string[]): Input[] {
  const { host } = tools
  const stdin = (): Input => ({ kind: 'stdin', stream: host.stdin, isTerminal: host.isTerminal.stdin })
  const from: Input[] = [
    ...words.map((word): Input => (word === '-' ? stdin() : { kind: 'argument', text: word })),
    ...files.map((path): Input => (path === '-' ? stdin() : { kind: 'file', path })),
  ]
  if (from.length === 0) {
    throw usageError('no ids were given', 'name ids, or a file with --file <path>, or - for standard input')
  }
  return from
}

/** What is known before anything is read: contradictions among the options, files that must not be there yet. */
async function checkOptions(tools: BulkTools, operation: BulkOperation, options: BulkOptions): Promise<void> {
  keepYoungSpaceSmall(tools.host.nodeVersion)
  if (options.inputFormat !== undefined) parseChoice(options.inputFormat, '--input-format', inputFormats)
  if (options.rejects !== undefined && options.skipInvalid !== true)
    throw usageError('--rejects goes with --skip-invalid')
  if (options.shard !== undefined && operation === 'contacts.merge') {
    throw usageError('--shard does not go with merge --file', 'chains of merges must run in one process')
  }
  if (options.receipts !== undefined) await checkReceipts(options.receipts)
}

/** Reads with the options of the command line; bad lines that are left out are counted and go to `--rejects`. */
async function reading<T extends { readonly invalid: number }>(
  tools: BulkTools,
  options: BulkOptions,
  read: (options: ReadOptions) => Promise<T>,
): Promise<T> {
  const rejects = options.rejects === undefined ? undefined : await createRejects(options.rejects)
  try {
    const found = await read({
      format:
        options.inputFormat === undefined ? 'auto' : parseChoice(options.inputFormat, '--input-format', inputFormats),
      column: options.column,
      skipInvalid: options.skipInvalid === true,
      ...(rejects === undefined ? {} : { onReject: (bad) => rejects.add(bad) }),
      signal: tools.signal,
    })
    await rejects?.close()
    if (found.invalid > 0) {
      const where =
        options.rejects === undefined ? '; --rejects <file> writes them down' : `; they are in "${options.rejects}"`
      tools.note(`${grouped(found.invalid)} bad ${found.invalid === 1 ? 'line was' : 'lines were'} left out${where}`)
    }
    return found
  } catch (error) {
    await rejects?.discard()
    throw error
  }
}

/** Reads ids for delete, add, and assign with one employee for all. Throws exit 2. */
export async function planIds(
  tools: BulkTools,
  operation: BulkOperation,
  words: readonly string[],
  options: BulkOptions,
): Promise<Plan> {
  await checkOptions(tools, operation, options)
  const from = inputs(tools, words, options.file)
  const read: IdInput = await reading(tools, options, (how) => readIds(from, how))
  const { settings } = await tools.configuration()
  const batches = cut(tools, operation, read.ids.size, settings.batchSize.value, options)
  const { from: first, to: end } = batches
  return checked({
    operation,
    items: tableItems(read.ids),
    batches,
    recorded: { kind: 'ids', ids: read.ids, from: first, to: end },
    input: counts(read, read.ids.size, batches, read.ids.sha256(first, end)),
    concurrency: options.concurrency ?? settings.concurrency.value ?? concurrency[operation],
    options,
  })
}

/** Reads pairs for `merge --file` and `assign --file`. Throws exit 2. */
export async function planPairs(
  tools: BulkTools,
  operation: 'contacts.merge' | 'tickets.assign',
  options: BulkOptions,
  resolve?: (names: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>,
): Promise<Plan> {
  await checkOptions(tools, operation, options)
  if (options.column !== undefined) {
    throw usageError('--column does not go with a file of pairs', 'its columns are found by their names in the header')
  }
  const from = inputs(tools, [], options.file)
  const columns = operation === 'contacts.merge' ? (['source', 'target'] as const) : (['ticket', 'employee'] as const)
  const read = await reading(tools, options, (how) => readPairs(from, { ...how, columns }))
  const pairs = resolve === undefined ? read.pairs : await resolved(read.pairs, resolve)
  const chain = operation === 'contacts.merge' ? chainOf(pairs) : undefined
  if (operation === 'tickets.assign') checkAssignPairs(pairs)
  const { settings } = await tools.configuration()
  const batches = cut(tools, operation, pairs.length, 1, options)
  const sent = pairs.slice(batches.from, batches.to)
  const duplicates = read.duplicates + read.pairs.length - pairs.length
  return checked({
    operation,
    items: pairItems(pairs),
    batches,
    recorded: { kind: 'pairs', pairs: sent },
    input: counts({ ...read, duplicates }, pairs.length, batches, pairsSha256(sent)),
    chain,
    concurrency: options.concurrency ?? settings.concurrency.value ?? concurrency[operation],
    options,
  })
}

/** Merges that depend on each other, by the numbers of their batches. Throws exit 2 for pairs that contradict each other. */
export function chainOf(pairs: readonly Pair[]): Chain {
  const { order, after } = checkMergePairs(pairs)
  const numbered = (positions: readonly number[]): number[] => positions.map((position) => position + 1)
  return { order: numbered(order), after: (batch) => numbered(after[batch - 1] ?? []) }
}

async function resolved(
  pairs: readonly Pair[],
  resolve: (names: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>,
): Promise<Pair[]> {
  const ids = await resolve(new Set(pairs.map(({ other }) => other)))
  const seen = new Set<string>()
  return pairs.flatMap((pair) => {
    const other = ids.get(pair.other) ?? pair.other
    // One employee by name and by id.
    const mark = `${pair.id} ${other}`.toLowerCase()
    if (seen.has(mark)) return []
    seen.add(mark)
    return [{ ...pair, other }]
  })
}

/** API: only operations 5 and 7 take several ids in a request. */
function cut(tools: BulkTools, operation: BulkOperation, count: number, usual: number, options: BulkOptions): Batches {
  const isSingle = operation === 'tickets.assign' || operation === 'contacts.merge'
  if (isSingle && options.batchSize !== undefined && options.batchSize > 1) {
    tools.note(
      `--batch-size is not used: a request ${operation === 'contacts.merge' ? 'merges one contact' : 'assigns one ticket'}`,
    )
  }
  const batches = cutBatches(count, isSingle ? 1 : (options.batchSize ?? usual))
  return options.shard === undefined ? batches : shardBatches(batches, options.shard.index, options.shard.count)
}

/** `all`: unique ids of the whole input; the batches may be one shard of them. */
function counts(
  { read, duplicates, invalid }: { readonly read: number; readonly duplicates: number; readonly invalid: number },
  all: number,
  batches: Batches,
  sha256: string,
): Plan['input'] {
  const unique = batches.to - batches.from
  return { read, unique, duplicates, invalid, ...(all === unique ? {} : { otherShards: all - unique }), sha256 }
}

/** `--expect` and `--max-delete`: nothing is sent when the count is not what the person thinks. */
function checked(plan: Plan): Plan {
  const { unique } = plan.input
  const { expect, maxDelete } = plan.options
  if (expect !== undefined && unique !== expect) {
    throw usageError(`${grouped(unique)} unique ids would be sent, --expect says ${grouped(expect)}; nothing was sent`)
  }
  if (maxDelete !== undefined && unique > maxDelete) {
    throw usageError(
      `${grouped(unique)} contacts would be deleted, --max-delete allows ${grouped(maxDelete)}; nothing was sent`,
    )
  }
  return plan
}
