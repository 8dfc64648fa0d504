/** From arguments, files and standard input to a job: what is to be sent. Every mistake in the input is found here. */
import { parseChoice } from '../../values.ts'
import { usageError, type SvcError } from '../../errors.ts'
import { groupDigits } from '../../words.ts'
import { inputsOf, type Input, type NamedInputs } from '../../input/input.ts'
import { readPairs, type Pair } from '../../input/pairs.ts'
import { inputFormats } from '../../input/formats.ts'
import { readIds, type ReadOptions } from '../../input/reader.ts'
import { Sample } from '../../input/sample.ts'
import type { InputFacts } from '../../input/search.ts'
import { Annotation, checkOutputs, rejectedLine, sourceOf } from '../files/annotate.ts'
import { cutBatches, cutShard, mostSent, type Batches } from '../record/batches.ts'
import { isThere } from '../../disk/files.ts'
import type { BulkOperation } from '../record/events.ts'
import { itemsSha256, pairItems, type Items } from '../record/items.ts'
import { refuseNames, type Chain } from '../operations/merge-order.ts'
import { operationOf, pairsOf } from '../operations/operations.ts'
import { RunState } from '../outcomes/state.ts'
import { checkJobName, checkPlaceOfNames } from '../runs/names.ts'
import { checkPlace, noFiles, OutputFile } from '../files/output-file.ts'
import type { InputCounts, RecordedPlan, RunFile, Source } from '../record/run.ts'
import { checkMaxDelete, wholeInput } from './permit.ts'
import type { DiskHost } from '../../world.ts'
import type { BulkOptions, BulkTarget, BulkTools, Resolve, SignedPlan, Target } from '../tools.ts'
import { pairsSetSha256, setSha256 } from '../record/checksum.ts'

/** The input cut into batches, all of it or one shard. */
export interface Cut {
  readonly items: Items
  readonly batches: Batches
  readonly input: InputCounts
  /** Merge: which pairs wait for which. */
  readonly chain?: Chain | undefined
}

export interface Job {
  readonly operation: BulkOperation
  readonly options: BulkOptions
  readonly concurrency: number
  /** Counts as far as they are known without a request. */
  readonly input: InputCounts
  /** Checksum of the whole input as a set: the same in any order, with any letter case and duplicates. */
  readonly setSha256: () => string
  /** Second parties of pairs, which may be names. */
  readonly names?: ReadonlySet<string> | undefined
  /** Cuts it; pairs with names need their ids. Throws exit 2 and 6. */
  readonly cut: (idOf?: Awaited<ReturnType<Resolve>>) => Cut
  /** The bad lines, to be put in their place once the run is recorded. */
  readonly rejects?: OutputFile | undefined
  /** The one file that the ids came from. */
  readonly source?: Source | undefined
  /** Rows of the table that the ids came from. */
  readonly sample?: Sample
  /** The input with the outcome of each row, to be written at the end. */
  readonly annotation?: Annotation | undefined
  /** The run whose changes it takes back. */
  readonly undoes?: string
  /** Told at the end, which it makes exit 7: of what is taken back, some can be taken back later only. */
  readonly late?: SvcError | undefined
  /** The plan file that it was read from. `checkTime` throws exit 6 once that has expired. */
  readonly file?: SignedPlan & {
    readonly recorded: Omit<RecordedPlan, 'signatures'>
    readonly checkTime: () => void
  }
}

/** A job with what was found by reading beside its ids. */
export interface Contents extends Cut {
  readonly target: Target | undefined
  readonly ifAssignee: Target | undefined
  readonly state: RunState
}

/** Without a target nothing is read. */
export async function contentsOf(job: Job, target: BulkTarget): Promise<Contents> {
  const { operation, concurrency, options, names = new Set<string>() } = job
  const found = await target.find?.()
  const ifAssignee = await target.ifAssignee?.()
  const cut = job.cut(await target.resolve?.(names))
  const state = new RunState({
    ...cut,
    operation,
    target: found,
    isolate: options.isolate,
    concurrency,
  })
  return { ...cut, target: found, ifAssignee, state }
}

function inputs({ host }: BulkTools, named: NamedInputs): Input[] {
  const from = inputsOf(host, named)
  if (from.length > 0) return from
  throw usageError(
    'no ids were given',
    'give ids, a file with --file <path>, or - for standard input',
  )
}

/** Refuses, before anything is read, contradictions among the options, and files that must not be there yet. */
async function checkOptions(
  tools: BulkTools,
  operation: BulkOperation,
  options: BulkOptions,
): Promise<void> {
  if (options.inputFormat !== undefined)
    parseChoice(options.inputFormat, '--input-format', inputFormats)
  if (options.rejects !== undefined && options.skipInvalid !== true)
    throw usageError('--rejects needs --skip-invalid')
  const { words, whyNoShard } = operationOf(operation)
  if (options.shard !== undefined && whyNoShard !== undefined) {
    throw usageError(`--shard cannot be used with ${words.verb.toLowerCase()} --file`, whyNoShard)
  }
  if (options.once !== undefined) {
    checkJobName(options.once)
    checkPlaceOfNames((await tools.configuration()).stateDir)
  }
  checkOutputs(options)
  checkPlanOptions(tools.host, options)
  // A repeated job may find the files that it wrote itself, which only its journal can tell.
  if (options.once !== undefined) return
  for (const kind of ['receipts', 'rejects', 'annotate'] as const) {
    const path = options[kind]
    if (path !== undefined) await checkPlace(tools.host, { path, kind }, noFiles)
  }
}

function checkPlanOptions(host: DiskHost, { plan, expires, key }: BulkOptions): void {
  if (plan === undefined && (expires ?? key) !== undefined)
    throw usageError('--expires and --key go with --plan only')
  if (plan !== undefined && isThere(host, plan))
    throw usageError(`the plan file "${plan}" exists already`)
}

type Facts = Pick<Job, 'input' | 'setSha256' | 'names' | 'cut'>

interface Asked {
  readonly tools: BulkTools
  readonly operation: BulkOperation
  readonly options: BulkOptions
  readonly words: readonly string[]
  readonly kind: RunFile['kind']
}

function skippedText(invalid: number, { annotate, rejects }: BulkOptions): string {
  const saves = annotate === undefined ? '; --rejects <file> saves them' : ''
  const where = rejects === undefined ? saves : `; they are in "${rejects}"`
  return `${groupDigits(invalid)} bad ${invalid === 1 ? 'line was' : 'lines were'} skipped${where}`
}

/**
 * Reads with the options of the command line and plans what was read; bad lines that are left out are counted and go to
 * `--rejects`, of which nothing stays when this throws.
 */
async function readJob<T extends InputFacts>(
  { tools, operation, options, words, kind }: Asked,
  read: (how: ReadOptions) => Promise<T>,
  factsOf: (found: T) => Facts,
): Promise<Job> {
  await checkOptions(tools, operation, options)
  const { rejects: path, inputFormat, column, sheet, where } = options
  const source = await sourceOf(tools.host, words, options)
  const isAnnotated = options.annotate !== undefined && source !== undefined
  const annotation = isAnnotated
    ? new Annotation(tools.host, options.annotate, source, { operation, kind })
    : undefined
  const sample = new Sample(tools.print.truncate ? undefined : Infinity)
  const rejects =
    path === undefined ? undefined : await OutputFile.open(tools.host, { path, kind: 'rejects' })
  try {
    const found = await read({
      format:
        inputFormat === undefined
          ? 'auto'
          : parseChoice(inputFormat, '--input-format', inputFormats),
      column,
      sheet,
      where,
      isTickets: operationOf(operation).words.thing === 'ticket',
      skipInvalid: options.skipInvalid === true,
      onReject: (bad) => rejects?.write(rejectedLine(bad)),
      onRows: annotation && ((rows) => annotation.table.take(rows)),
      signal: tools.signal,
      sample,
    })
    for (const note of found.notes) tools.note(note)
    if (found.invalid > 0) tools.note(skippedText(found.invalid, options))
    const { concurrency: most } = (await tools.configuration()).settings
    const facts = factsOf(found)
    checkCounts(operation, facts.input, options)
    await annotation?.table.layOut()
    const concurrency = most.value ?? operationOf(operation).batch.concurrency
    return { ...facts, options, concurrency, operation, rejects, source, sample, annotation }
  } catch (error) {
    await rejects?.discard()
    throw error
  }
}

/** Reads ids for delete, add, and assign with one employee for all. Throws exit 2. */
export function jobOfIds(
  tools: BulkTools,
  operation: BulkOperation,
  words: readonly string[],
  options: BulkOptions,
) {
  return readJob(
    { tools, operation, options, words, kind: 'ids' },
    async (how) => readIds(inputs(tools, { words, files: options.file }), how),
    (found) => {
      const { ids } = found
      const cut = cutOf(found, ids, operationOf(operation).batch.most, options)
      return { input: cut.input, setSha256: () => setSha256(ids), cut: () => cut }
    },
  )
}

/** Reads pairs for `merge --file` and `assign --file`. Throws exit 2. */
export function jobOfPairs(
  tools: BulkTools,
  operation: BulkOperation,
  options: BulkOptions,
  hasNames = false,
) {
  const { columns, check } = pairsOf(operation)
  return readJob(
    { tools, operation, options, words: [], kind: 'pairs' },
    async (how) => {
      if (options.column !== undefined) {
        throw usageError(
          '--column cannot be used with a file of pairs',
          'its columns are found by their headings',
        )
      }
      return readPairs(inputs(tools, { files: options.file }), { ...how, columns })
    },
    (found) => {
      const cutPairs = (pairs: readonly Pair[]): Cut => {
        const duplicates = found.duplicates + found.pairs.length - pairs.length
        return cutOf({ ...found, duplicates }, pairItems(pairs), 1, options)
      }
      const checkPairs = (pairs: readonly Pair[]): Cut => {
        const chain = check(pairs)
        return { ...cutPairs(pairs), chain }
      }
      // Two names can be one employee's, which is known when they are resolved.
      const typed = hasNames ? cutPairs(found.pairs) : checkPairs(found.pairs)
      return {
        input: typed.input,
        setSha256: () => pairsSetSha256(found.pairs),
        names: hasNames ? new Set(found.pairs.map(({ other }) => other)) : undefined,
        cut: (idOf) => (hasNames ? checkPairs(withIds(found.pairs, idOf)) : typed),
      }
    },
  )
}

function withIds(pairs: readonly Pair[], idOf: Parameters<Job['cut']>[0]): readonly Pair[] {
  if (idOf === undefined) return pairs
  refuseNames(pairs.filter(({ other }) => idOf(other) === undefined))
  const seen = new Set<string>()
  return pairs.flatMap((pair) => {
    const other = idOf(pair.other) ?? pair.other
    // One employee by name and by id.
    const mark = `${pair.id} ${other}`.toLowerCase()
    if (seen.has(mark)) return []
    seen.add(mark)
    return [{ ...pair, other }]
  })
}

/** The whole input, or one shard of it, in batches of `size`. */
function cutOf(found: InputFacts, items: Items, size: number, { shard }: BulkOptions): Cut {
  const batches =
    shard === undefined ? cutBatches(items.size, size) : cutShard(items.size, size, shard)
  const { read, duplicates, invalid, leftOut } = found
  const { from, to } = batches
  const unique = to - from
  const input = {
    read,
    unique,
    duplicates,
    invalid,
    ...(leftOut === 0 ? {} : { leftOut }),
    ...(items.size === unique ? {} : { otherShards: items.size - unique }),
    sha256: itemsSha256(items, from, to),
    ...(shard === undefined ? {} : { shard: { ...shard, sha256: itemsSha256(items) } }),
  }
  return { items, batches, input }
}

/** Throws exit 2 when there is too much to send, or when the count, of all shards together, is not what the person thinks. */
function checkCounts(
  operation: BulkOperation,
  input: InputCounts,
  { expect, maxDelete }: BulkOptions,
): void {
  const all = wholeInput(input)
  if (input.unique > mostSent) {
    const parts = Math.ceil(all / mostSent)
    const { whyNoShard } = operationOf(operation)
    throw usageError(
      `${groupDigits(input.unique)} ids would be sent, a command sends ${groupDigits(mostSent)} at most; nothing was sent`,
      whyNoShard === undefined
        ? `send them in ${parts} parts: --shard 1/${parts} to --shard ${parts}/${parts}`
        : `split the file: --shard cannot be used, because ${whyNoShard}`,
    )
  }
  const shards = input.otherShards === undefined ? '' : ' by all shards'
  if (expect !== undefined && all !== expect) {
    throw usageError(
      `${groupDigits(all)} unique ids would be sent${shards}, --expect says ${groupDigits(expect)}; nothing was sent`,
    )
  }
  checkMaxDelete(input, maxDelete)
}
