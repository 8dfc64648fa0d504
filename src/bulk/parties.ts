/**
 * The parties of a command line: the names as typed, which reading turns into ids, and the choices of a person at the terminal. When a named job is
 * repeated, the typed texts are compared, so it is the same job even if a name has a different id by then. `read.ts` calls it for the slots of an operation.
 */
import {
  employeeChoices,
  findEmployee,
  findList,
  listChoices,
  parseReference,
} from '../api/names.ts'
import type { BulkOperation } from '../api/operations.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import type { Pair } from '../input/pairs.ts'
import { say, svc } from '../message.ts'
import { parseId, parseTicket } from '../values.ts'
import { firstOf, groupDigits, pluralize } from '../words.ts'
import type { OneChange } from './job.ts'
import { labelOf, type KeyedSlot } from './operations/operation.ts'
import { slotsOfOperation } from './operations/operations.ts'
import type { ParameterValues, Party } from './record/header.ts'
import type { BulkOptions, BulkTools } from './tools.ts'

/** A command line as it was typed. */
export interface NewStart {
  readonly kind: 'new'
  readonly operation: BulkOperation
  /** Ids, or `-`. */
  readonly ids: readonly string[]
  /** By their keys; `true` for a flag. */
  readonly parameters: Readonly<Record<string, string | true | undefined>>
  readonly options: BulkOptions
  readonly one?: OneChange
}

/** A reading of a command line: the program, what was typed, and the texts of its slots. */
export interface Reading {
  readonly tools: BulkTools
  readonly start: NewStart
  /** `yes` for a flag. What was chosen at a terminal is added. */
  readonly texts: Record<string, string>
}

/** The texts of the slots. Throws exit 2 for a text that cannot be a name or an id. Whether the party exists is checked later. */
export function typedTexts({ operation, parameters }: NewStart): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const slot of slotsOfOperation(operation)) {
    const value = parameters[slot.key]
    if (value === undefined) continue
    texts[slot.key] = value === true ? 'yes' : typedText(slot, value)
  }
  return texts
}

/** Turns a ticket's address into its id. Every other text stays as it was typed. */
function typedText(slot: KeyedSlot, text: string): string {
  const { kind } = slot
  if (kind === 'ticket') return parseTicket(text)
  if (kind === 'list' || kind === 'employee') parseReference(text, kind)
  else if (kind === 'contact') parseId(text, labelOf(slot))
  return text
}

/** Asks for each needed party that was not typed. Throws exit 2 if there is nobody to ask. */
export async function chooseMissing(reading: Reading): Promise<void> {
  const { operation, one } = reading.start
  for (const slot of slotsOfOperation(operation)) {
    const isNeeded = slot.preposition !== undefined && reading.texts[slot.key] === undefined
    if (!isNeeded || (await choose(reading, slot))) continue
    if (one !== undefined) throw one.missing
    const kind = slot.place === 'argument' ? 'the argument ' : ''
    throw usageError(`${kind}${labelOf(slot)} is missing`)
  }
}

/** Asks for the party of a slot. Returns false if there is nobody to ask. */
export async function choose({ tools, texts }: Reading, slot: KeyedSlot): Promise<boolean> {
  if (slot.question === undefined) return false
  const id = await tools.questions.choose(slot.question, async () =>
    slot.kind === 'list'
      ? listChoices(await tools.api())
      : employeeChoices(await tools.employees()),
  )
  if (id === undefined) return false
  texts[slot.key] = id
  return true
}

/** Finds the ids of the typed names. Throws exit 6 for a name that fits none or several. */
export async function findParameters(reading: Reading): Promise<ParameterValues> {
  const values: Record<string, Party | true> = {}
  for (const slot of slotsOfOperation(reading.start.operation)) {
    const text = reading.texts[slot.key]
    if (text === undefined || slot.isPerItem === true) continue
    values[slot.key] = await findParty(reading, slot, text)
  }
  return values
}

async function findParty(
  { tools, start }: Reading,
  { kind }: KeyedSlot,
  text: string,
): Promise<Party | true> {
  switch (kind) {
    case 'flag':
      return true
    case 'contact':
    case 'ticket':
      return { id: text }
    case 'employee': {
      const { id, name } = await findEmployee(tools.employees, text, tools.acceptNear)
      return { id, name }
    }
    case 'list': {
      const reference = parseReference(text, 'list')
      if (reference.kind === 'name') {
        const accept = tools.acceptNear
        const { id, name } = await findList(await tools.api(), text, accept, {
          isToFill: true,
        })
        return { id, name }
      }
      // An id needs no request, so a dry run with ids works without a profile. A plan has the name too, for its reviewers.
      if (start.options.plan === undefined) return { id: reference.id }
      const { lists } = await tools.api()
      return { id: reference.id, name: (await lists.get(reference.id)).name }
    }
  }
}

/** An error lists at most so many names, because more do not help in a terminal. */
const mostNames = 20

/** The pairs with the employees' ids, each pair once. Throws exit 6 with every name that fits none or several. */
export async function resolveEmployees(
  tools: BulkTools,
  pairs: readonly Pair[],
): Promise<Pair[]> {
  const ids = new Map<string, string>()
  const problems: string[] = []
  for (const { other, line } of pairs) {
    if (ids.has(other)) continue
    ids.set(other, other)
    try {
      const { id } = await findEmployee(tools.employees, other, tools.acceptNear)
      ids.set(other, id)
    } catch (error) {
      const isOurs = error instanceof SvcError
      if (!isOurs || !['rejected', 'usage'].includes(error.category)) throw error
      problems.push(`line ${groupDigits(line)}: ${nameProblem(error)}`)
    }
  }
  if (problems.length > 0) throw unknownNames(problems)
  const seen = new Set<string>()
  return pairs.flatMap((pair) => {
    const other = ids.get(pair.other) ?? pair.other
    // The same employee can be named once by name and once by id.
    const mark = `${pair.id} ${other}`.toLowerCase()
    if (seen.has(mark)) return []
    seen.add(mark)
    return [{ ...pair, other }]
  })
}

/** The error about a name, together with its suggestion of the nearest name. */
function nameProblem(error: SvcError): string {
  const { hint = '' } = error.details
  const texts =
    typeof hint === 'string'
      ? hint
      : hint.filter((part) => typeof part === 'string').join('')
  const [first = ''] = texts.split('\n')
  const problem = messageOf(error).replace(/; nothing was sent$/, '')
  return first.startsWith('did you mean') ? `${problem}; ${first}` : problem
}

function unknownNames(problems: readonly string[]): SvcError {
  const count = pluralize(problems.length, 'employee name is', 'employee names are')
  return new SvcError('rejected', `${count} unknown or ambiguous; nothing was sent`, {
    lines: firstOf(problems, mostNames),
    hint: say`write exact names or ids into the file; see them with:\n  ${svc`employees list --limit all`}`,
  })
}
