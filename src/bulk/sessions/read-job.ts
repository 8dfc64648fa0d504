/**
 * From what was typed to a job: arguments, files and standard input. Every mistake in the input is found here, and so are contradictions
 * among the options: a person who corrects a file hears of all of it at once, before anything is sent or even asked. `session.ts` calls it
 * for what was typed, before it takes a lock.
 */
import { endOf } from '../../api/operations.ts'
import { SvcError, usageError } from '../../errors.ts'
import { inputFormats } from '../../input/id.ts'
import { inputsOf, type Input, type NamedInputs } from '../../input/input.ts'
import { IdTable } from '../../input/id-table.ts'
import { readPairs, type Pair } from '../../input/pairs.ts'
import { readIds, type ReadOptions } from '../../input/reader.ts'
import { Sample, type InputFacts } from '../../input/search.ts'
import { parseChoice } from '../../values.ts'
import { groupDigits, pluralize } from '../../words.ts'
import type { DiskHost } from '../../world.ts'
import { isThere } from '../../disk/whole.ts'
import { Annotation, checkOutputs, sourceOf } from '../files/annotate.ts'
import { checkPlace, noFiles } from '../files/output-file.ts'
import { operationOf, pairsOf } from '../operations/operations.ts'
import { pairsSetSha256, setSha256, itemsSha256, pairItems, type Items } from '../record/items.ts'
import { cutBatches, mostSent } from '../record/batches.ts'
import type { RunFile } from '../record/run.ts'
import { checkJobName, checkPlaceOfNames } from '../runs/names.ts'
import type { BulkOptions, BulkTools } from '../tools.ts'
import { createJob, type Cut, type IdOf, type Job, type JobParts } from './job.ts'
import { checkMaxDelete } from './service.ts'
import { resolveEmployees } from './employees-in-file.ts'
import { Typed } from './typed.ts'
import type { NewStart, SessionContext } from './start.ts'

/**
 * Reads ids, or pairs where the target of an operation on pairs was not typed. A table of ids without their second parties is read
 * again when a person at the terminal chooses one for all. Throws exit 2 with every mistake in the input; nothing was sent.
 */
export async function readJob(context: SessionContext, start: NewStart): Promise<Job> {
  const { operation, ids, options } = start
  const typed = new Typed(context.tools, start)
  if (start.one !== undefined) return readOneJob(context, start, typed)
  const reading = { context, start, typed }
  if (operationOf(operation).items.pairs === undefined || ids.length > 0) return readIdJob(reading)
  if (typed.hasTarget) return readIdJob(reading)
  try {
    return await readPairJob(reading)
  } catch (error) {
    // Standard input cannot be read a second time.
    const isAskable =
      error instanceof SvcError &&
      error.details.lacksEmployees === true &&
      !options.file.includes('-')
    if (!isAskable || !(await typed.chooseTarget())) throw error
    return readIdJob(reading)
  }
}

/** A reading of ids or of pairs: the parts of its session, what began it, and its parameters. */
interface Reading {
  readonly context: SessionContext
  readonly start: NewStart
  readonly typed: Typed
}

/** One thing that the command line names; with its second party it is a pair where the operation takes that for one thing alone. */
async function readOneJob(context: SessionContext, start: NewStart, typed: Typed): Promise<Job> {
  const { tools, service } = context
  const { operation, ids, options, one } = start
  if (options.once !== undefined) {
    checkJobName(options.once)
    checkPlaceOfNames((await tools.configuration()).stateDir)
  }
  const [id = ''] = ids
  const pair = typed.pairOfOne(id)
  const items = pair === undefined ? tableOf(id) : pairItems([pair])
  const counts = {
    read: 1,
    duplicates: 0,
    invalid: 0,
    leftOut: 0,
  }
  const chain = pair && pairsOf(operation).check([pair])
  const cut = { ...cutOf(counts, items, 1), chain }
  if (pair === undefined) await typed.choose('ids')
  return createJob(service, {
    operation,
    options,
    one,
    input: cut.input,
    setSha256: () => (pair === undefined ? setSha256(tableOf(id)) : pairsSetSha256([pair])),
    cut: () => cut,
    typed: typed.texts,
    find: () => typed.values(),
  })
}

/** A table of one id, in which the letter case of the id is kept. */
function tableOf(id: string): IdTable {
  const table = new IdTable()
  table.addText(id, 0)
  return table
}

type Facts = Pick<JobParts, 'input' | 'setSha256' | 'resolve' | 'cut'>

/** Ids, all with the same parameters, in batches as large as the service takes them. */
function readIdJob(reading: Reading): Promise<Job> {
  const { context, start } = reading
  const { operation, ids: words, options } = start
  const { batch, items } = operationOf(operation)
  return read(
    reading,
    'ids',
    async (how) =>
      readIds(inputs(context.tools, { words, files: options.file }), {
        ...how,
        isTickets: items.kind === 'ticket',
      }),
    (input) => {
      const { ids } = input
      const cut = cutOf(input, ids, batch.most)
      return {
        input: cut.input,
        setSha256: () => setSha256(ids),
        cut: () => cut,
      }
    },
  )
}

/** Pairs from a file, each a request of its own. Second parties may be names, which are resolved once everything local was checked. */
function readPairJob(reading: Reading): Promise<Job> {
  const { context, start, typed } = reading
  const { operation, options } = start
  const { columns, check } = pairsOf(operation)
  return read(
    reading,
    'pairs',
    async (how) => {
      if (options.column !== undefined) {
        throw usageError(
          '--column cannot be used with a file of pairs',
          'its columns are found by their headings',
        )
      }
      return readPairs(inputs(context.tools, { files: options.file }), { ...how, columns })
    },
    ({ pairs, ...input }) => {
      const cutPairs = (those: readonly Pair[]): Cut => {
        const duplicates = input.duplicates + pairs.length - those.length
        return cutOf({ ...input, duplicates }, pairItems(those), 1)
      }
      const checkPairs = (those: readonly Pair[]): Cut => {
        const chain = check(those)
        return { ...cutPairs(those), chain }
      }
      const setSha256 = (): string => pairsSetSha256(pairs)
      if (!typed.hasNamesInPairs) {
        const cut = checkPairs(pairs)
        return {
          input: cut.input,
          setSha256,
          cut: () => cut,
        }
      }
      // Two names can be one employee's, which is known when they are resolved.
      return {
        input: cutPairs(pairs).input,
        setSha256,
        resolve: () => resolveEmployees(context.tools, pairs),
        cut: (idOf) => checkPairs(withIds(pairs, idOf)),
      }
    },
  )
}

/**
 * Reads with the options of the command line and plans what was read. Bad lines that are skipped are counted.
 */
async function read<T extends InputFacts>(
  { context, start, typed }: Reading,
  kind: RunFile['kind'],
  readInput: (how: ReadOptions) => Promise<T>,
  factsOf: (input: T) => Facts,
): Promise<Job> {
  const { tools, service, teller } = context
  const { operation, options, ids: words } = start
  await checkOptions(tools, options)
  const { host } = tools
  const { inputFormat, column, sheet, where, annotate } = options
  const source = await sourceOf(host, words, options)
  const annotation =
    annotate === undefined || source === undefined
      ? undefined
      : new Annotation(host, annotate, source, { operation, kind })
  const sample = new Sample(tools.print.truncate ? undefined : Infinity)
  const input = await readInput({
    format: formatOf(inputFormat) ?? 'auto',
    column,
    sheet,
    where,
    skipInvalid: options.skipInvalid === true,
    onRow: annotation && ((row, table) => annotation.table.take(row, table)),
    sample,
  })
  for (const note of input.notes) teller.note(note)
  if (input.invalid > 0) {
    teller.note(`${pluralize(input.invalid, 'bad line was', 'bad lines were')} skipped`)
  }
  const counts = factsOf(input)
  const read = { operation, options, source, sample, annotation, ...counts }
  const job = await createJob(service, {
    ...read,
    typed: {},
    find: () => typed.values(),
  })
  checkCounts(job)
  await annotation?.table.layOut()
  // After the ids were checked: nobody chooses a list in vain.
  await typed.choose(kind)
  return { ...job, typed: typed.texts }
}

const formatOf = (text: string | undefined) =>
  text === undefined ? undefined : parseChoice(text, '--input-format', inputFormats)

function inputs({ host }: BulkTools, named: NamedInputs): Input[] {
  const from = inputsOf(host, named)
  if (from.length > 0) return from
  throw usageError(
    'no ids were given',
    'give ids, a file with --file <path>, or - for standard input',
  )
}

/** Refuses, before anything is read, contradictions among the options, and files that must not be there yet. */
async function checkOptions(tools: BulkTools, options: BulkOptions): Promise<void> {
  formatOf(options.inputFormat)
  if (options.once !== undefined) {
    checkJobName(options.once)
    checkPlaceOfNames((await tools.configuration()).stateDir)
  }
  checkOutputs(options)
  checkPlanOptions(tools.host, options)
  // A repeated job may find the files that it wrote itself, which only its journal can tell.
  if (options.once !== undefined) return
  for (const kind of ['receipts', 'annotate'] as const) {
    const path = options[kind]
    if (path !== undefined) await checkPlace(tools.host, { path, kind }, noFiles)
  }
}

/** A plan never replaces a file. Throws exit 2. */
function checkPlanOptions(host: DiskHost, { plan, expires }: BulkOptions): void {
  if (plan === undefined && expires !== undefined) {
    throw usageError('--expires goes with --plan only')
  }
  if (plan !== undefined && isThere(host, plan)) {
    throw usageError(`the plan file "${plan}" exists already`)
  }
}

/** Pairs with the ids of their second parties. Two names of one employee make one pair, which is kept once. */
function withIds(pairs: readonly Pair[], idOf: IdOf | undefined): readonly Pair[] {
  if (idOf === undefined) return pairs
  const seen = new Set<string>()
  return pairs.flatMap((pair) => {
    const other = idOf(pair.other)
    // One employee by name and by id.
    const mark = `${pair.id} ${other}`.toLowerCase()
    if (seen.has(mark)) return []
    seen.add(mark)
    return [{ ...pair, other }]
  })
}

/** The input in batches of `size`. */
function cutOf(
  counts: Pick<InputFacts, 'read' | 'duplicates' | 'invalid' | 'leftOut'>,
  items: Items,
  size: number,
): Cut {
  const { read, duplicates, invalid, leftOut } = counts
  const input = {
    read,
    unique: items.size,
    duplicates,
    invalid,
    ...(leftOut === 0 ? {} : { leftOut }),
    sha256: itemsSha256(items),
  }
  return { items, batches: cutBatches(items.size, size), input }
}

/** Throws exit 2 when there is too much to send, or when the count is not what the person thinks. */
function checkCounts({ operation, input, options }: Job): void {
  const { expect, maxDelete } = options
  const { unique } = input
  if (unique > mostSent) {
    throw usageError(
      `${groupDigits(unique)} ids would be sent, a command sends ${groupDigits(mostSent)} at most; nothing was sent`,
      'split the file (split -l 1000000 <file>), and send each part with a command of its own',
    )
  }
  if (expect !== undefined && unique !== expect) {
    throw usageError(
      `${groupDigits(unique)} unique ids would be sent, --expect says ${groupDigits(expect)}; nothing was sent`,
    )
  }
  if (endOf(operation) === 'deleted') checkMaxDelete(input, maxDelete)
}
