/** From arguments, files and standard input to what will be sent; every mistake in the input is found here. */
import { parseChoice } from '../args.ts'
import { usageError } from '../errors.ts'
import { cutBatches, shardBatches, type Batches } from './batches.ts'
import type { Items } from './book.ts'
import type { BulkOptions, BulkTools } from './bulk.ts'
import type { IdTable } from './id-table.ts'
import { readIds, type IdInput } from './ids.ts'
import { pairsSha256, type RunItems } from './journal.ts'
import { checkMergePairs, readPairs, type Pair } from './pairs.ts'
import { checkReceipts } from './receipts.ts'
import type { BulkOperation } from './reconcile.ts'
import type { Input } from './source.ts'

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
    readonly otherShards?: number
    readonly sha256: string
  }
  /** Numbers of the batches in the order in which they are sent, when that is not the input's. */
  readonly order?: readonly number[] | undefined
  /** Batches that must be done before a batch is sent. */
  readonly after?: ((batch: number) => readonly number[]) | undefined
  readonly concurrency: number
  readonly options: BulkOptions
}

export function tableItems(ids: IdTable): Items {
  return { size: ids.size, id: (position) => ids.id(position), other: () => undefined, line: (position) => ids.line(position) }
}

/** `other`: the same second party for all, as in an assign with `--to`. */
export function withOther(items: Items, other: string): Items {
  return { size: items.size, id: (position) => items.id(position), line: (position) => items.line(position), other: () => other }
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

function readOptions(tools: BulkTools, options: BulkOptions) {
  if (options.rejects !== undefined && options.skipInvalid !== true) throw usageError('--rejects goes with --skip-invalid')
  return {
    format: options.inputFormat === undefined ? 'auto' : parseChoice(options.inputFormat, '--input-format', inputFormats),
    column: options.column,
    skipInvalid: options.skipInvalid === true,
    rejects: options.rejects,
    signal: tools.signal,
  } as const
}

/** What is known before anything is read: contradictions among the options, files that must not be there yet. */
async function checkOptions(options: BulkOptions): Promise<void> {
  if (options.receipts !== undefined) await checkReceipts(options.receipts)
}

/** Reads ids for delete, add, and assign with one employee for all. Throws exit 2. */
export async function planIds(
  tools: BulkTools,
  operation: BulkOperation,
  words: readonly string[],
  options: BulkOptions,
): Promise<Plan> {
  await checkOptions(options)
  const from = inputs(tools, words, options.file)
  const read: IdInput = await readIds(from, readOptions(tools, options))
  const { settings } = await tools.configuration()
  const size = operation === 'tickets.assign' ? 1 : (options.batchSize ?? settings.batchSize.value)
  const batches = shard(cutBatches(read.ids.size, size), options)
  const { from: first, to: end } = batches
  return checked({
    operation,
    items: tableItems(read.ids),
    batches,
    recorded: { kind: 'ids', ids: read.ids, from: first, to: end },
    input: counts(read, batches, read.ids.sha256(first, end)),
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
  await checkOptions(options)
  const from = inputs(tools, [], options.file)
  const columns = operation === 'contacts.merge' ? (['source', 'target'] as const) : (['ticket', 'employee'] as const)
  const read = await readPairs(from, { ...readOptions(tools, options), columns })
  const order = operation === 'contacts.merge' ? checkMergePairs(read.pairs) : undefined
  const pairs = resolve === undefined ? read.pairs : await resolved(read.pairs, resolve)
  const { settings } = await tools.configuration()
  const batches = shard(cutBatches(pairs.length, 1), options)
  if (options.shard !== undefined && operation === 'contacts.merge') {
    throw usageError('--shard does not go with merge --file', 'chains of merges must run in one process')
  }
  const sent = pairs.slice(batches.from, batches.to)
  return checked({
    operation,
    items: pairItems(pairs),
    batches,
    recorded: { kind: 'pairs', pairs: sent },
    input: counts({ ...read, size: pairs.length }, batches, pairsSha256(sent)),
    order: order?.order.map((position) => position + 1),
    after: order === undefined ? undefined : (batch) => (order.after[batch - 1] ?? []).map((position) => position + 1),
    concurrency: options.concurrency ?? settings.concurrency.value ?? concurrency[operation],
    options,
  })
}

async function resolved(
  pairs: readonly Pair[],
  resolve: (names: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>,
): Promise<Pair[]> {
  const ids = await resolve(new Set(pairs.map(({ other }) => other)))
  return pairs.map((pair) => ({ ...pair, other: ids.get(pair.other) ?? pair.other }))
}

function shard(batches: Batches, options: BulkOptions): Batches {
  return options.shard === undefined ? batches : shardBatches(batches, options.shard.index, options.shard.count)
}

function counts(
  read: { readonly read: number; readonly duplicates: number; readonly invalid: number; readonly size?: number; readonly ids?: IdTable },
  batches: Batches,
  sha256: string,
): Plan['input'] {
  const unique = batches.to - batches.from
  const all = read.size ?? read.ids?.size ?? unique
  return {
    read: read.read,
    unique,
    duplicates: read.duplicates,
    invalid: read.invalid,
    ...(all === unique ? {} : { otherShards: all - unique }),
    sha256,
  }
}

/** `--expect` and `--max-delete`: nothing is sent when the count is not what the person thinks. */
function checked(plan: Plan): Plan {
  const { unique } = plan.input
  const { expect, maxDelete } = plan.options
  if (expect !== undefined && unique !== expect) {
    throw usageError(`${number(unique)} unique ids would be sent, --expect says ${number(expect)}; nothing was sent`)
  }
  if (maxDelete !== undefined && unique > maxDelete) {
    throw usageError(`${number(unique)} contacts would be deleted, --max-delete allows ${number(maxDelete)}; nothing was sent`)
  }
  return plan
}

export function number(value: number): string {
  return value.toLocaleString('en-US')
}
