/** Makes a job from the words of a command line and its input. */
import { resolve } from 'node:path'
import { findEmployee, findList, fullName } from '../api/by-name.ts'
import type { Employee } from '../api/schemas.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import { isId, isSameId } from '../identifiers.ts'
import { uniqueItems, type Item } from '../input/ids.ts'
import { isStdin } from '../input/text.ts'
import { readItems, type InputOptions } from '../input/read.ts'
import type { Job, Operation, Party, RunTools } from '../runs/engine.ts'
import { firstTexts, groupDigits, pluralize } from '../words.ts'
import { receiptsFile } from './receipts-file.ts'

/** The parts of the program that a job needs. */
export interface JobTools extends Pick<RunTools, 'host' | 'api' | 'note'> {
  /** The employees, read when they are first needed, and once. */
  employees: () => Promise<readonly Employee[]>
  /** The command line, which an error repeats with an id in place of a name. */
  line: { words: readonly string[] }
}

/** The options of the bulk verbs, under the names that they have on the command line. */
interface BulkOptions extends InputOptions, Pick<Job, 'once' | 'accept' | 'concurrency'> {
  dryRun?: boolean | undefined
  count?: number | undefined
  receipts?: string | undefined
}

/** The words of a command line for a job. */
export interface TypedJob {
  operation: Operation
  /** Ids, or `-` for standard input. */
  ids: readonly string[]
  /** The list of an add, by name or id. */
  list?: string | undefined
  /** The contact that stays after a merge. */
  into?: string | undefined
  /** The one new assignee of all tickets, and the one that a ticket must have to be changed. */
  to?: string | undefined
  ifAssignee?: string | undefined
  options: BulkOptions
}

/** A command sends at most this many ids or pairs. */
const maxItems = 1_000_000

/**
 * Reads the input of a command line, and returns its job. `known` has the list and employees of a recorded run of the same `--once`
 * name, which need no request. Throws exit 2 with every mistake in the input.
 */
export async function readJob(
  tools: JobTools,
  typed: TypedJob,
  known: Pick<Job, 'target' | 'expected'> = {},
): Promise<Job> {
  const { operation, options } = typed
  const { once, accept, concurrency, receipts } = options
  const { items, input, path, found, warning } = await readInput(tools, typed)
  checkCount(items, options.count)
  return {
    operation,
    items,
    target:
      (await partyOf(tools, typed.list, known.target, listParty)) ??
      (await partyOf(tools, typed.to, known.target, employeeParty)),
    expected: await partyOf(tools, typed.ifAssignee, known.expected, employeeParty),
    input,
    source: path === undefined || isStdin(path) ? undefined : resolve(path),
    once,
    accept,
    concurrency,
    receipts: receipts === undefined ? undefined : receiptsFile(receipts, operation, found),
    warning,
  }
}

/** Reads the items of the input. Those of a pair that was typed get its target. */
async function readInput(tools: JobTools, { operation, ids, into, to, options }: TypedJob) {
  const { pairs, words } = operation
  const isOfPairs = pairs !== undefined && to === undefined && into === undefined
  const read = await readItems(tools.host, {
    ...options,
    words: ids,
    item: words.item,
    pairs: isOfPairs && (ids.length === 0 || ids[0] === '-') ? pairs : undefined,
    note: tools.note,
  })
  const { found, path, leftOut, undecided } = read
  let { items } = read
  if (into !== undefined) items = items.map((item) => ({ ...item, target: into }))
  if (items.some(({ target }) => target !== undefined)) {
    if (words.item === 'ticket') items = await resolveEmployees(tools, items)
    checkPairs(items)
  } else if (words.item === 'ticket' && to === undefined && items.length > 0)
    throw usageError(
      '--to <employee> is missing',
      'to see the employees:\n  svc employees list',
    )
  const input = {
    read: read.read,
    unique: items.length,
    duplicates: read.read - items.length,
    leftOut,
    undecided,
  }
  return { items, input, path, found, warning: read.alsoLeftOut }
}

function checkCount({ length }: readonly Item[], count: number | undefined) {
  if (length > maxItems)
    throw usageError(
      `a command sends at most ${groupDigits(maxItems)} ids; nothing was sent`,
      'split the file',
    )
  if (count !== undefined && length !== count)
    throw usageError(
      `${pluralize(length, 'unique id')} would be sent, but --count says ${groupDigits(count)}; nothing was sent`,
    )
}

/** Returns the list or employee that was typed; the known one, if that has this name or id. Throws exit 1 for a name that fits none or several. */
async function partyOf(
  tools: JobTools,
  text: string | undefined,
  known: Party | undefined,
  find: typeof listParty,
): Promise<Party | undefined> {
  if (text === undefined) return undefined
  return known?.name === text || isSameId(known?.id, text) ? known : find(tools, text)
}

/** Returns a list. An id that was typed is checked: its list is read. */
async function listParty(tools: JobTools, text: string): Promise<Party> {
  const api = await tools.api()
  const { id, name } = isId(text)
    ? await api.lists.get(text)
    : await findList(api, text, tools.line.words)
  return { id, name }
}

/** Returns an employee. An id that was typed is not checked, because the service checks it; only its name is looked up. */
async function employeeParty(tools: JobTools, text: string): Promise<Party> {
  const { id } = await findEmployee(tools.employees, text, tools.line.words)
  try {
    const employee = (await tools.employees()).find((each) => isSameId(each.id, id))
    return { id, name: employee && fullName(employee) }
  } catch (error) {
    const isNeeded =
      !isId(text) || (error instanceof SvcError && error.category === 'interrupted')
    if (isNeeded) throw error
    return { id }
  }
}

/** Throws exit 2 for an id that comes twice, a contact merged into itself, and a target that is itself a source. */
export function checkPairs(pairs: readonly Item[]) {
  const lineById = new Map<string, number>()
  const problems: string[] = []
  for (const { id, line } of pairs) {
    const first = lineById.get(id.toLowerCase())
    if (first === undefined) lineById.set(id.toLowerCase(), line)
    else
      problems.push(
        inLine(line, `${id} is in line ${groupDigits(first)} too, in another pair`),
      )
  }
  for (const { id, line, target = '' } of pairs) {
    const mergedIn = lineById.get(target.toLowerCase())
    if (isSameId(id, target))
      problems.push(inLine(line, `${id} would be merged into itself`))
    else if (mergedIn !== undefined)
      problems.push(
        inLine(line, `${target} is itself merged in line ${groupDigits(mergedIn)}`),
      )
  }
  if (problems.length > 0)
    throw new SvcError('usage', 'the pairs contradict each other; nothing was sent', {
      lines: firstTexts(problems),
    })
}

/** A pair that was typed has no line. */
const inLine = (line: number, problem: string) =>
  line === 0 ? problem : `line ${groupDigits(line)}: ${problem}`

/** Returns pairs of tickets with ids of employees, each once. Throws exit 2 with every name that fits none or several. */
export async function resolveEmployees(
  tools: { employees: () => Promise<readonly Employee[]> },
  pairs: readonly Item[],
) {
  const idByName = new Map<string, string>()
  const problems: string[] = []
  for (const { target: name = '', line } of pairs) {
    if (idByName.has(name)) continue
    idByName.set(name, name)
    try {
      idByName.set(name, (await findEmployee(tools.employees, name)).id)
    } catch (error) {
      // `rejected`: the name fits none or several.
      if (!(error instanceof SvcError && error.category === 'rejected')) throw error
      problems.push(inLine(line, messageOf(error)))
    }
  }
  if (problems.length > 0)
    throw new SvcError(
      'usage',
      `${pluralize(problems.length, 'employee name is', 'employee names are')} unknown or ambiguous; nothing was sent`,
      {
        lines: firstTexts(problems),
        hint: 'write exact names or ids into the file; to see them:\n  svc employees list --limit all',
      },
    )
  // One line can have the name of an employee, and another line the id.
  const resolved = pairs.map((pair) => ({
    ...pair,
    target: idByName.get(pair.target ?? '') ?? '',
  }))
  return uniqueItems(resolved)
}
