/**
 * The phase `read`: from what was typed to a job. Every mistake in the input is found here, and so are contradictions among the options: a person who
 * corrects a file hears of all of it at once, before anything is sent or even asked. `session.ts` calls it before it claims a run.
 */
import { endOf, type BulkOperation } from '../api/operations.ts'
import type { StateDir } from '../config/paths.ts'
import { isThere } from '../disk/whole.ts'
import { SvcError, usageError } from '../errors.ts'
import { inputFormats } from '../input/id.ts'
import { inputsOf, type NamedInputs } from '../input/input.ts'
import { readPairs } from '../input/pairs.ts'
import { readIds, type ReadOptions } from '../input/reader.ts'
import { Sample, type InputFacts } from '../input/search.ts'
import { parseChoice } from '../values.ts'
import { groupDigits, pluralize, shellWord } from '../words.ts'
import { Annotation, sourceOf } from './annotate.ts'
import { checkOutputs } from './files.ts'
import type { InputCounts } from './record/header.ts'
import { Items, mostSent } from './record/items.ts'
import { createJob, type Contents, type Job, type JobParts, type OneChange } from './job.ts'
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
  const { operation, ids, options } = start
  const reading = { tools, start, texts: typedTexts(start) }
  if (options.once !== undefined) {
    checkJobName(options.once)
    checkPlaceOfNames((await tools.configuration()).stateDir)
  }
  if (start.one !== undefined) return readOneJob(reading, start.one)
  const slot = columnSlot(operation)
  if (slot === undefined || ids.length > 0 || reading.texts[slot.key] !== undefined) {
    return readIdJob(reading)
  }
  try {
    return await readPairJob(reading)
  } catch (error) {
    const isAskable = error instanceof SvcError && error.details.lacksEmployees === true
    // Standard input cannot be read a second time.
    const isAgain = isAskable && !options.file.includes('-')
    if (!isAgain || !(await choose(reading, slot))) throw error
    return readIdJob(reading)
  }
}

/** A relative state folder would be a different folder in each current folder. Throws exit 2. */
export function checkPlaceOfNames({ value, source, relative }: StateDir): void {
  if (relative === undefined) return
  throw usageError(
    `--once needs the same state folder each time, and ${source} "${relative}" depends on the current folder`,
    `name it with its whole path:\n  --state-dir ${shellWord(value)}`,
  )
}

/** One thing that the command line names, with the second party of its own, where it has one. */
async function readOneJob(reading: Reading, one: OneChange): Promise<Job> {
  const { tools, start, texts } = reading
  const { operation, options } = start
  const [id = ''] = start.ids
  const slot = columnSlot(operation)
  const own = slot?.isPerItem === true ? texts[slot.key] : undefined
  if (own !== undefined) pairsOf(operation).check([{ id, other: own, line: 0 }])
  const items =
    own === undefined
      ? Items.ofIds([id], () => 0)
      : Items.ofPairs([{ id, other: own, line: 0 }])
  await chooseMissing(reading)
  return createJob(tools, {
    operation,
    options,
    name: options.once,
    one,
    ...factsOf(reading, { read: 1, duplicates: 0, invalid: 0, leftOut: 0 }, items),
    typed: texts,
  })
}

type Facts = Pick<JobParts, 'input' | 'set' | 'contents'>

type Counts = Pick<InputFacts, 'read' | 'duplicates' | 'invalid' | 'leftOut'>

/** The facts of items that need no reading. */
function factsOf(reading: Reading, counts: Counts, items: Items): Facts {
  const input = countsOf(counts, items)
  return {
    input,
    set: () => items.setSha256(),
    contents: async () => ({ parameters: await findParameters(reading), items, input }),
  }
}

function countsOf({ read, duplicates, invalid, leftOut }: Counts, items: Items): InputCounts {
  return {
    read,
    unique: items.size,
    duplicates,
    invalid,
    ...(leftOut === 0 ? {} : { leftOut }),
    sha256: items.sha256(),
  }
}

/** Ids, all with the same parameters. */
function readIdJob(reading: Reading): Promise<Job> {
  const { tools, start } = reading
  const { items, slots } = operationOf(start.operation)
  const others = Object.values(slots).some(({ isPerItem }) => isPerItem === true)
  if (others) throw new TypeError(`${start.operation} has a second party for each id`)
  const named = { words: start.ids, files: start.options.file }
  return read(
    reading,
    'ids',
    (how) => readIds(inputsFor(tools, named), { ...how, isTickets: items.kind === 'ticket' }),
    (input) => {
      const { ids } = input
      const items = Items.ofIds([...ids], (position) => ids.line(position))
      return factsOf(reading, input, items)
    },
  )
}

/** Pairs from a file. Second parties may be names, which are resolved once everything local was checked. */
function readPairJob(reading: Reading): Promise<Job> {
  const { tools, start } = reading
  const { operation, options } = start
  const { columns, check } = pairsOf(operation)
  if (options.column !== undefined) {
    throw usageError(
      '--column cannot be used with a file of pairs',
      'its columns are found by their headings',
    )
  }
  return read(
    reading,
    'pairs',
    (how) => readPairs(inputsFor(tools, { files: options.file }), { ...how, columns }),
    ({ pairs, ...counts }) => {
      const isNamed = columnSlot(operation)?.kind === 'employee'
      if (!isNamed) check(pairs)
      const items = Items.ofPairs(pairs)
      const facts = factsOf(reading, counts, items)
      if (!isNamed) return facts
      const contents = async (): Promise<Contents> => {
        const resolved = await resolveEmployees(tools, pairs)
        check(resolved)
        const found = Items.ofPairs(resolved)
        const duplicates = counts.duplicates + pairs.length - resolved.length
        const parameters = await findParameters(reading)
        return { parameters, items: found, input: countsOf({ ...counts, duplicates }, found) }
      }
      return { ...facts, contents }
    },
  )
}

/** Reads with the options of the command line, and checks what was read. */
async function read<T extends InputFacts>(
  reading: Reading,
  kind: 'ids' | 'pairs',
  readInput: (how: ReadOptions) => Promise<T>,
  factsOfInput: (input: T) => Facts,
): Promise<Job> {
  const { tools, start, texts } = reading
  const { operation, options, ids } = start
  const { host } = tools
  const format = formatOf(options.inputFormat)
  checkOptions(tools, options)
  const source = await sourceOf(host, ids, options)
  const annotation =
    options.annotate === undefined || source === undefined
      ? undefined
      : new Annotation(host, options.annotate, source, { operation, kind })
  const sample = new Sample(tools.print.truncate ? undefined : Infinity)
  const { column, sheet, where } = options
  const input = await readInput({
    format: format ?? 'auto',
    column,
    sheet,
    where,
    skipInvalid: options.skipInvalid === true,
    onRow: annotation && ((row, table) => annotation.table.take(row, table)),
    sample,
  })
  for (const note of input.notes) tools.note(note)
  if (input.invalid > 0) {
    tools.note(`${pluralize(input.invalid, 'bad line was', 'bad lines were')} skipped`)
  }
  const parts = { operation, options, name: options.once, source, sample, annotation }
  const job = await createJob(tools, { ...parts, ...factsOfInput(input), typed: texts })
  checkCounts(job)
  await annotation?.table.layOut()
  // After the ids were checked: nobody chooses a list in vain.
  if (kind === 'ids') await chooseMissing(reading)
  return job
}

const formatOf = (text: string | undefined) =>
  text === undefined ? undefined : parseChoice(text, '--input-format', inputFormats)

function inputsFor({ host }: BulkTools, named: NamedInputs) {
  const inputs = inputsOf(host, named)
  if (inputs.length > 0) return inputs
  throw usageError(
    'no ids were given',
    'give ids, a file with --file <path>, or - for standard input',
  )
}

/** Refuses, before anything is read, contradictions among the options. */
function checkOptions({ host }: BulkTools, options: BulkOptions): void {
  const { plan, expires } = options
  checkOutputs(options)
  if (plan === undefined && expires !== undefined)
    throw usageError('--expires goes with --plan')
  // A plan never replaces a file: somebody may have reviewed that one.
  if (plan !== undefined && isThere(host, plan)) {
    throw usageError(`the plan file "${plan}" exists already`)
  }
}

/** Throws exit 2 when there is too much to send, or when the count is not what the person thinks. */
function checkCounts({ operation, input, options }: Job): void {
  const { expect, maxDelete } = options
  const { unique } = input
  if (unique > mostSent) {
    throw usageError(
      `${groupDigits(unique)} ids would be sent, a command sends ${groupDigits(mostSent)} at most; nothing was sent`,
      `split the file (split -l ${mostSent} <file>), and send each part with a separate command`,
    )
  }
  if (expect !== undefined && unique !== expect) {
    throw usageError(
      `${groupDigits(unique)} unique ids would be sent, --expect says ${groupDigits(expect)}; nothing was sent`,
    )
  }
  checkMaxDelete(operation, unique, maxDelete)
}

/** Throws exit 2 where more contacts would be deleted than `maxDelete`. */
export function checkMaxDelete(
  operation: BulkOperation,
  count: number,
  maxDelete: number | undefined,
): void {
  if (endOf(operation) !== 'deleted' || maxDelete === undefined || count <= maxDelete) return
  throw usageError(
    `${groupDigits(count)} contacts would be deleted, --max-delete allows ${groupDigits(maxDelete)}; nothing was sent`,
  )
}
