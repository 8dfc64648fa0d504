/**
 * From typed words to a job. It finds every mistake in the input and contradictions among the options before anything is
 * sent or even asked, so that a person who corrects a file learns about all of them at once.
 */
import { resolve } from 'node:path'
import type { BulkOperation } from '../../api/operations.ts'
import { SvcError, usageError } from '../../errors.ts'
import { AnnotatedTable } from '../../input/annotated.ts'
import { inputsOf } from '../../input/input.ts'
import { readPairs } from '../../input/pairs.ts'
import { readExcept, readIds } from '../../input/reader.ts'
import { isSameId, parseId } from '../../values.ts'
import { groupDigits, pluralize } from '../../words.ts'
import { checkOutputs } from '../files.ts'
import { Items, mostSent } from '../items.ts'
import type { InputCounts } from '../lines.ts'
import { checkOnceName, onceRun } from '../list.ts'
import { operationOf } from '../operations/operations.ts'
import type { BulkOptions, Job } from './job.ts'
import type { RunTools } from '../tools.ts'
import {
  checkPairs,
  checkParties,
  chooseEmployee,
  chooseMissing,
  itemsOf,
  resolveEmployees,
  resolveParties,
  type Parties,
} from './parties.ts'

/** A command line as it was typed. */
export interface Typed {
  operation: BulkOperation
  /** Ids, or `-`. */
  ids: readonly string[]
  parties: Parties
  options: BulkOptions
}

/** The job of a command line. Throws exit 2 with every mistake in the input; nothing was sent. */
export async function readTyped(tools: RunTools, typed: Typed): Promise<Job> {
  const { operation, options } = typed
  checkOptions(tools, typed)
  checkParties(typed.parties)
  const { found, chosen } = await readOrChoose(tools, typed)
  checkCounts(found.items.size, options)
  if (options.dryRun !== true) await tools.permit({ operation, ids: found.items.size })
  const { parties, isPicked } = chosen ?? (await chooseMissing(tools, typed, found.items))
  const hasEmployees = operation === 'tickets.assign' && found.items.arePairs
  const items = hasEmployees ? await resolveEmployees(tools, found.items) : found.items
  // A dry run with only ids needs no credentials.
  const isNamed = options.dryRun !== true
  const { target, ifAssignee } = await resolveParties(tools, parties, isNamed)
  const input: InputCounts = {
    read: found.read,
    unique: items.size,
    duplicates: found.duplicates + found.items.size - items.size,
    invalid: found.invalid,
    leftOut: found.leftOut,
  }
  const { once } = options
  const [path = '-'] = options.file
  const isOneFile = options.file.length === 1 && path !== '-' && typed.ids.length === 0
  return {
    operation,
    target,
    ifAssignee,
    items,
    input,
    options,
    run: once === undefined ? undefined : onceRun(once),
    source: isOneFile ? resolve(path) : undefined,
    annotation: found.annotation,
    isPicked,
  }
}

/** The input. Where a file of tickets names no employees, a person at the terminal chooses one for all of them. */
async function readOrChoose(tools: RunTools, typed: Typed) {
  try {
    return { found: await readInput(tools, typed) }
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.lacksEmployees !== true) throw error
    const { disk } = tools.host
    const isPipe = (path: string) =>
      disk.statSync(path, { throwIfNoEntry: false })?.isFile() === false
    if (typed.options.file.some(isPipe))
      throw error.with({
        hint: 'a pipe cannot be read twice, to ask first: add --to <employee>',
      })
    const to = await chooseEmployee(tools)
    if (to === undefined) throw error
    const parties = { ...typed.parties, to }
    const found = await readInput(tools, { ...typed, parties })
    return { found, chosen: { parties, isPicked: true } }
  }
}

/** Refuses, before anything is read, contradictions among the options. */
function checkOptions({ host }: RunTools, { ids, options }: Typed) {
  const { once, annotate, file, column, who, dryRun } = options
  if (once !== undefined) checkOnceName(once)
  if (who === true && dryRun !== true) throw usageError('--who needs --dry-run')
  const isOneInput = file.length + ids.length === 1 && (file.length === 1 || ids[0] === '-')
  if (annotate !== undefined && !isOneInput)
    throw usageError(
      '--annotate writes its input again, so it needs the ids from exactly one file',
      'give it with --file <path>, and no other ids',
    )
  if (column !== undefined && file.length === 0 && !ids.includes('-'))
    throw usageError('--column needs --file')
  checkOutputs(host, options)
}

/** Reads ids, all with the same parties, or pairs where the second party was not typed. */
export async function readInput(tools: RunTools, typed: Typed) {
  const { operation, ids, parties, options } = typed
  const { pairs: columns, words } = operationOf(operation)
  if (parties.into !== undefined) return onePair(ids[0] ?? '', parties.into)
  const isOfWords = ids.some((id) => id !== '-')
  const arePairs = columns !== undefined && parties.to === undefined && !isOfWords
  const { column, sheet, where, except, skipInvalid = false, allowEmpty = false } = options
  const annotation = annotationOf(options, arePairs ? columns : ['id'])
  const inputs = inputsOf(tools.host, { words: ids, files: options.file })
  const { item } = words
  const how = {
    except: await readExcept(tools.host, inputs, except, { column, sheet, item }),
    column,
    sheet,
    where,
    skipInvalid,
    allowEmpty,
    onRow: annotation?.take,
  }
  const found = arePairs
    ? await readPairs(inputs, { ...how, columns })
    : await readIds(inputs, { ...how, item })
  for (const note of found.notes) tools.note(note)
  if (found.invalid > 0)
    tools.note(`${pluralize(found.invalid, 'bad line was', 'bad lines were')} skipped`)
  await annotation?.checkFit()
  if ('ids' in found)
    return { ...found, items: Items.of(found.ids.withLines()), annotation }
  if (operation === 'contacts.merge') checkPairs(found.pairs, operation)
  return { ...found, items: itemsOf(found.pairs), annotation }
}

/** The input to write again. */
function annotationOf({ annotate }: BulkOptions, headingsOfRead: readonly string[]) {
  if (annotate === undefined) return undefined
  return new AnnotatedTable(annotate, { headings: ['OUTCOME', 'REASON'], headingsOfRead })
}

/** The pair of a merge that was typed. */
function onePair(typed: string, into: string) {
  const source = parseId(typed, 'the source')
  if (isSameId(source, into)) throw usageError('a contact cannot be merged into itself')
  const counts = { read: 1, duplicates: 0, invalid: 0, leftOut: 0 }
  return { ...counts, items: Items.of([[source, 0, into]]), annotation: undefined }
}

/** Throws exit 2 if there is too much to send, or if the count is not as expected. */
function checkCounts(unique: number, { expect }: BulkOptions) {
  if (unique > mostSent) {
    throw usageError(
      `${groupDigits(unique)} ids would be sent, but a command sends at most ${groupDigits(mostSent)}; nothing was sent`,
      `split the file (split -l ${mostSent} <file>), and send each part with a separate command`,
    )
  }
  if (expect === undefined || unique === expect) return
  throw usageError(
    `${pluralize(unique, 'unique id')} would be sent, but --expect says ${groupDigits(expect)}; nothing was sent`,
  )
}
