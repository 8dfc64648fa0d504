/**
 * The phase `read`: turns the command line into a job. It finds every mistake in the input and contradictions among the
 * options, so that a person who corrects a file learns about all of them at once, before anything is sent or even asked.
 */
import type { BulkOperation } from '../../api/operations.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { exceptInputs, inputsOf } from '../../input/input.ts'
import { say, svcWords } from '../../message.ts'
import { readPairs } from '../../input/pairs.ts'
import { readExcept, readIds, type ReadOptions } from '../../input/reader.ts'
import { Sample } from '../../input/search.ts'
import { groupDigits, pluralize } from '../../words.ts'
import { annotatedTable, sourceOf } from '../files/annotate.ts'
import { checkOutputs } from '../files/files.ts'
import { countsOf, Items, mostSent, type CountedItems } from '../items.ts'
import { checkJobName } from '../names.ts'
import { operationOf } from '../operations/operations.ts'
import { checkPairs } from '../operations/pairs.ts'
import type { BulkOptions, Job, RunTools } from './job.ts'
import {
  checkTyped,
  chooseEmployee,
  chooseList,
  findParameters,
  resolveEmployees,
  type TypedParties,
} from './parties.ts'

/** A command line as it was typed. */
export interface TypedStart {
  kind: 'new'
  operation: BulkOperation
  /** Ids, or `-`. */
  ids: readonly string[]
  parties: TypedParties
  options: BulkOptions
  /** The command line names one change. */
  isOne: boolean
}

/**
 * Reads ids, or pairs where the second party was not typed. A table of tickets alone is read again when a person at the
 * terminal chooses one assignee for all. Throws exit 2 with every mistake in the input; nothing was sent.
 */
export async function readJob(tools: RunTools, start: TypedStart): Promise<Job> {
  const { operation, ids, options, isOne } = start
  if (options.once !== undefined) {
    checkJobName(options.once)
    if (options.newRun === true) {
      throw usageError('--new-run cannot be used with --once: a named job runs only once')
    }
  }
  const { parties } = start
  checkTyped(parties)
  if (isOne) return readOne(tools, start)
  const isOfIds = operationOf(operation).pairs === undefined || ids.length > 0
  if (isOfIds || parties.to !== undefined) return readInput(tools, start, 'ids')
  try {
    return await readInput(tools, start, 'pairs')
  } catch (error) {
    const isAskable = error instanceof SvcError && error.details.lacksEmployees === true
    // Standard input cannot be read a second time.
    if (!isAskable || options.file.includes('-')) throw error
    const to = await chooseEmployee(tools)
    if (to === undefined) throw error
    return readInput(tools, { ...start, parties: { ...parties, to } }, 'ids')
  }
}

/** A single id on the command line, with its own second party if it has one. */
async function readOne(tools: RunTools, start: TypedStart): Promise<Job> {
  const [id = ''] = start.ids
  const { into } = start.parties
  const items =
    into === undefined
      ? Items.ofIds([id], () => 0)
      : Items.ofPairs([{ id, other: into, line: 0 }])
  checkCounts(start.operation, items.size, start.options)
  const parties = await withChosenParties(tools, start)
  const counts = { read: 1, duplicates: 0, invalid: 0, leftOut: 0 }
  return jobOf(tools, { ...start, parties }, { items, ...counts }, {})
}

/** The parties, with those that a person at the terminal chooses. Throws exit 2 if one is missing. */
async function withChosenParties(tools: RunTools, { operation, parties }: TypedStart) {
  if (operation === 'lists.add-contacts' && parties.list === undefined) {
    return { ...parties, list: await chooseList(tools) }
  }
  if (operation === 'tickets.assign' && parties.to === undefined) {
    const to = await chooseEmployee(tools)
    if (to !== undefined) return { ...parties, to }
    throw usageError(
      '--to is missing',
      say`type:\n  ${svcWords('tickets assign <ticket> --to <employee>')}`,
    )
  }
  return parties
}

/** The job of a command line. Names are resolved once everything local was checked. */
function jobOf(
  tools: RunTools,
  { operation, options, parties, isOne }: TypedStart,
  found: CountedItems,
  more: Pick<Job, 'source' | 'sample' | 'annotation'>,
): Job {
  return {
    operation,
    options,
    name: options.once,
    isOne,
    input: countsOf(found),
    async resolveContents() {
      const { items } = found
      const hasEmployeeNames = operation === 'tickets.assign' && items.kind === 'pairs'
      const resolved = hasEmployeeNames
        ? Items.ofPairs(await resolveEmployees(tools, items.pairs))
        : items
      const { pairs } = operationOf(operation)
      if (hasEmployeeNames && pairs !== undefined) checkPairs(resolved.pairs, pairs)
      const duplicates = found.duplicates + items.size - resolved.size
      const parameters = await findParameters(tools, parties)
      return {
        parameters,
        items: resolved,
        input: countsOf({ ...found, duplicates, items: resolved }),
      }
    },
    ...more,
  }
}

/**
 * Reads ids, all with the same parameters, or pairs from a file, with the options of the command line, and checks what was
 * read.
 */
async function readInput(
  tools: RunTools,
  start: TypedStart,
  kind: 'ids' | 'pairs',
): Promise<Job> {
  const { operation, options, ids } = start
  const { host } = tools
  const { column, sheet, where } = options
  checkOptions(options, kind)
  const source = await sourceOf(host, ids, options)
  const annotation =
    options.annotate === undefined || source === undefined
      ? undefined
      : annotatedTable(options.annotate, { operation, kind })
  const sample = new Sample()
  const readOptions = {
    except: await readExceptions(host, start),
    column,
    sheet,
    where,
    skipInvalid: options.skipInvalid === true,
    allowEmpty: options.allowEmpty === true,
    onRow: annotation?.take,
    sample,
  } satisfies ReadOptions
  const found = await (kind === 'ids' ? readIdItems : readPairItems)(
    tools,
    start,
    readOptions,
  )
  for (const note of found.notes) tools.note(note)
  if (found.invalid > 0) {
    tools.note(`${pluralize(found.invalid, 'bad line was', 'bad lines were')} skipped`)
  }
  checkCounts(operation, found.items.size, options)
  await annotation?.checkFit()
  // The ids are checked first, so that nobody chooses a list in vain.
  const parties = kind === 'ids' ? await withChosenParties(tools, start) : start.parties
  return jobOf(tools, { ...start, parties }, found, { source, sample, annotation })
}

/** The ids of `--except`; of pairs, those of contacts or tickets that are acted on. */
function readExceptions(host: Host, { operation, ids: words, options }: TypedStart) {
  const { item } = operationOf(operation)
  const { column, sheet, except, file } = options
  const files = exceptInputs(host, inputsOf(host, { words, files: file }), except)
  return readExcept(files, { column, sheet, item })
}

async function readIdItems(
  tools: RunTools,
  { operation, ids: words, options }: TypedStart,
  readOptions: ReadOptions,
) {
  const { item } = operationOf(operation)
  const inputs = inputsOf(tools.host, { words, files: options.file })
  const { ids, ...counts } = await readIds(inputs, {
    ...readOptions,
    item,
  })
  return { ...counts, items: Items.ofIds([...ids], (position) => ids.line(position)) }
}

/** Employees may be names: those pairs are checked once they are resolved. */
async function readPairItems(
  tools: RunTools,
  { operation, options }: TypedStart,
  readOptions: ReadOptions,
) {
  const { pairs: ofPairs } = operationOf(operation)
  if (ofPairs === undefined) throw new TypeError(`${operation} takes no pairs`)
  const inputs = inputsOf(tools.host, { files: options.file })
  const { columns } = ofPairs
  const { pairs, ...counts } = await readPairs(inputs, { ...readOptions, columns })
  if (operation !== 'tickets.assign') checkPairs(pairs, ofPairs)
  return { ...counts, items: Items.ofPairs(pairs) }
}

/** Refuses, before anything is read, contradictions among the options. */
function checkOptions(options: BulkOptions, kind: 'ids' | 'pairs') {
  if (kind === 'pairs' && options.column !== undefined) {
    throw usageError(
      '--column cannot be used with a file of pairs',
      'its columns are found by their headings',
    )
  }
  checkOutputs({ ...options, file: [...options.file, ...(options.except ?? [])] })
}

/** Throws exit 2 if there is too much to send, or if the count is not as expected. */
function checkCounts(
  operation: BulkOperation,
  unique: number,
  { expect, maxDelete }: BulkOptions,
) {
  if (unique > mostSent) {
    throw usageError(
      `${groupDigits(unique)} ids would be sent, but a command sends at most ${groupDigits(mostSent)}; nothing was sent`,
      `split the file (split -l ${mostSent} <file>), and send each part with a separate command`,
    )
  }
  if (expect !== undefined && unique !== expect) {
    throw usageError(
      `${pluralize(unique, 'unique id')} would be sent, but --expect says ${groupDigits(expect)}; nothing was sent`,
    )
  }
  if (operation === 'contacts.delete' && maxDelete !== undefined && unique > maxDelete) {
    throw usageError(
      `${pluralize(unique, 'contact')} would be deleted, but --max-delete allows ${groupDigits(maxDelete)}; nothing was sent`,
    )
  }
}
