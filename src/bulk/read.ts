/**
 * The phase `read`: turns the command line into a job. It finds every mistake in the input and contradictions among the options, so that a person who
 * corrects a file learns about all of them at once, before anything is sent or even asked. `session.ts` calls it before it claims a run.
 */
import { endOf, type BulkOperation } from '../api/operations.ts'
import type { StateDir } from '../config/paths.ts'
import { isThere } from '../disk/whole.ts'
import { SvcError, usageError } from '../errors.ts'
import { inputsOf, type NamedInputs } from '../input/input.ts'
import { readPairs, type Pair } from '../input/pairs.ts'
import { readIds, type ReadOptions } from '../input/reader.ts'
import { Sample, type InputFacts } from '../input/search.ts'
import { groupDigits, pluralize, shellWord } from '../words.ts'
import { Annotation, sourceOf } from './annotate.ts'
import { checkOutputs } from './files.ts'
import type { InputCounts } from './record/header.ts'
import { Items, mostSent } from './record/items.ts'
import { createJob, type Job, type JobParts, type OneChange } from './job.ts'
import { columnSlot, operationOf, pairsOf } from './operations/operations.ts'
import {
  choose,
  chooseMissing,
  findParameters,
  resolveEmployees,
  typedTexts,
  type NewStart,
  type Reading,
} from './parties.ts'
import { checkJobName } from './record/names.ts'
import type { BulkOptions, BulkTools } from './tools.ts'

/**
 * Reads ids, or pairs where the slot of the second column was not typed. A table of ids without their second parties is read again when a person at the
 * terminal chooses one for all. Throws exit 2 with every mistake in the input; nothing was sent.
 */
export async function readJob(tools: BulkTools, start: NewStart): Promise<Job> {
  const { operation, ids, options, one } = start
  const reading = { tools, start, texts: typedTexts(start) }
  if (options.once !== undefined) {
    checkJobName(options.once)
    checkPlaceOfNames((await tools.configuration()).stateDir)
  }
  if (one !== undefined) return readOne(reading, one)
  const slot = columnSlot(operation)
  if (slot === undefined || ids.length > 0 || reading.texts[slot.key] !== undefined) {
    return readInput(reading, 'ids')
  }
  try {
    return await readInput(reading, 'pairs')
  } catch (error) {
    const isAskable = error instanceof SvcError && error.details.lacksEmployees === true
    // Standard input cannot be read a second time.
    const isAgain = isAskable && !options.file.includes('-')
    if (!isAgain || !(await choose(reading, slot))) throw error
    return readInput(reading, 'ids')
  }
}

/** A relative state folder would be a different folder in each current folder. Throws exit 2. */
export function checkPlaceOfNames({ value, source, relative }: StateDir): void {
  if (relative === undefined) return
  throw usageError(
    `--once needs the same state folder each time, and ${source} "${relative}" depends on the current folder`,
    `use its absolute path:\n  --state-dir ${shellWord(value)}`,
  )
}

/** A single id on the command line, with its own second party if it has one. */
async function readOne(reading: Reading, one: OneChange): Promise<Job> {
  const { start, texts } = reading
  const [id = ''] = start.ids
  const slot = columnSlot(start.operation)
  const other = slot?.isPerItem === true ? texts[slot.key] : undefined
  const items =
    other === undefined
      ? Items.ofIds([id], () => 0)
      : checkedPairs(start.operation, [{ id, other, line: 0 }])
  await chooseMissing(reading)
  const counts = { read: 1, duplicates: 0, invalid: 0, leftOut: 0 }
  return jobOf(reading, { items, ...counts }, { one })
}

function checkedPairs(operation: BulkOperation, pairs: readonly Pair[]): Items {
  pairsOf(operation).check(pairs)
  return Items.ofPairs(pairs)
}

/** An input with the items that were read from it. */
type Input = Pick<InputFacts, 'read' | 'duplicates' | 'invalid' | 'leftOut'> & {
  readonly items: Items
}

/** The job of a command line. Names are resolved once everything local was checked. */
function jobOf(
  reading: Reading,
  found: Input,
  more: Pick<JobParts, 'one' | 'source' | 'sample' | 'annotation'>,
): Promise<Job> {
  const { tools, start, texts } = reading
  const { operation, options } = start
  const { items } = found
  const isNamed = items.kind === 'pairs' && columnSlot(operation)?.kind === 'employee'
  return createJob(tools, {
    operation,
    options,
    name: options.once,
    typed: texts,
    input: countsOf(found),
    set: () => items.setSha256(),
    async contents() {
      const sent = isNamed
        ? checkedPairs(operation, await resolveEmployees(tools, items.pairs))
        : items
      const duplicates = found.duplicates + items.size - sent.size
      const parameters = await findParameters(reading)
      const input = countsOf({ ...found, duplicates, items: sent })
      return { parameters, items: sent, input }
    },
    ...more,
  })
}

const countsOf = ({ read, duplicates, invalid, leftOut, items }: Input): InputCounts => ({
  read,
  unique: items.size,
  duplicates,
  invalid,
  ...(leftOut === 0 ? {} : { leftOut }),
  sha256: items.sha256(),
})

/** Reads ids, all with the same parameters, or pairs from a file, with the options of the command line, and checks what was read. */
async function readInput(reading: Reading, kind: 'ids' | 'pairs'): Promise<Job> {
  const { tools, start } = reading
  const { operation, options, ids } = start
  const { host } = tools
  const { column, sheet, where } = options
  checkOptions(tools, options, kind)
  const source = await sourceOf(host, ids, options)
  const annotation =
    options.annotate === undefined || source === undefined
      ? undefined
      : new Annotation(host, options.annotate, source, { operation, kind })
  const sample = new Sample(tools.print.truncate ? undefined : Infinity)
  const how = {
    column,
    sheet,
    where,
    skipInvalid: options.skipInvalid === true,
    allowEmpty: options.allowEmpty === true,
    onRow: annotation && ((row, table) => annotation.table.take(row, table)),
    sample,
  } satisfies ReadOptions
  const found =
    kind === 'ids' ? await readIdItems(reading, how) : await readPairItems(reading, how)
  for (const note of found.notes) tools.note(note)
  if (found.invalid > 0) {
    tools.note(`${pluralize(found.invalid, 'bad line was', 'bad lines were')} skipped`)
  }
  const job = await jobOf(reading, found, { source, sample, annotation })
  checkCounts(job)
  await annotation?.table.layOut()
  // The ids are checked first, so that nobody chooses a list in vain.
  if (kind === 'ids') await chooseMissing(reading)
  return job
}

async function readIdItems({ tools, start }: Reading, how: ReadOptions) {
  const { items, slots } = operationOf(start.operation)
  const others = Object.values(slots).some(({ isPerItem }) => isPerItem === true)
  if (others) throw new TypeError(`${start.operation} has a second party for each id`)
  const inputs = inputsFor(tools, { words: start.ids, files: start.options.file })
  const { ids, ...counts } = await readIds(inputs, {
    ...how,
    isTickets: items.kind === 'ticket',
  })
  return { ...counts, items: Items.ofIds([...ids], (position) => ids.line(position)) }
}

/** Second parties may be names. */
async function readPairItems({ tools, start }: Reading, how: ReadOptions) {
  const { operation, options } = start
  const { columns } = pairsOf(operation)
  const inputs = inputsFor(tools, { files: options.file })
  const { pairs, ...counts } = await readPairs(inputs, { ...how, columns })
  const isNamed = columnSlot(operation)?.kind === 'employee'
  const items = isNamed ? Items.ofPairs(pairs) : checkedPairs(operation, pairs)
  return { ...counts, items }
}

function inputsFor({ host }: BulkTools, named: NamedInputs) {
  const inputs = inputsOf(host, named)
  if (inputs.length > 0) return inputs
  throw usageError(
    'no ids were given',
    host.isTerminal.stdin
      ? 'give ids, a file with --file <path>, or - for standard input'
      : 'to read what is piped in, add -; or give ids, or a file with --file <path>',
  )
}

/** Refuses, before anything is read, contradictions among the options. */
function checkOptions(
  { host }: BulkTools,
  options: BulkOptions,
  kind: 'ids' | 'pairs',
): void {
  const { plan, column } = options
  if (kind === 'pairs' && column !== undefined) {
    throw usageError(
      '--column cannot be used with a file of pairs',
      'its columns are found by their headings',
    )
  }
  checkOutputs(options)
  // A plan never replaces a file: somebody may have reviewed that one.
  if (plan !== undefined && isThere(host, plan)) {
    throw usageError(`the plan file "${plan}" exists already`)
  }
}

/** Throws exit 2 if there is too much to send, or if the count is not as expected. */
function checkCounts({ operation, input, options }: Job): void {
  const { expect, maxDelete } = options
  const { unique } = input
  if (unique > mostSent) {
    throw usageError(
      `${groupDigits(unique)} ids would be sent, but a command sends at most ${groupDigits(mostSent)}; nothing was sent`,
      `split the file (split -l ${mostSent} <file>), and send each part with a separate command`,
    )
  }
  if (expect !== undefined && unique !== expect) {
    throw usageError(
      `${groupDigits(unique)} unique ids would be sent, but --expect says ${groupDigits(expect)}; nothing was sent`,
    )
  }
  checkMaxDelete(operation, unique, maxDelete)
}

/** Throws exit 2 if more contacts would be deleted than `maxDelete`. */
function checkMaxDelete(
  operation: BulkOperation,
  count: number,
  maxDelete: number | undefined,
): void {
  if (endOf(operation) !== 'deleted' || maxDelete === undefined || count <= maxDelete)
    return
  throw usageError(
    `${groupDigits(count)} contacts would be deleted, but --max-delete allows ${groupDigits(maxDelete)}; nothing was sent`,
  )
}
