/** Command lines of any bulk operation, made of what it says of its items and slots. */
import { bulkOperations, endOf, type BulkOperation } from '../../src/api/operations.ts'
import {
  columnSlot,
  commandOf,
  operationOf,
  slotsOfOperation,
} from '../../src/bulk/operations/operations.ts'
import { labelOf, type KeyedSlot } from '../../src/bulk/operations/operation.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import type { Stage } from './stage.ts'

/** A command without the options that any bulk command may have. */
export type Typed = Pick<Job, 'operation' | 'words' | 'ids' | 'parties' | 'wanted' | 'condition'>

const nobody = (): undefined => undefined

/** The ids in any order. */
const shuffled = (dice: Dice, ids: readonly string[]): string[] => dice.some(ids, ids.length)

const absent = (dice: Dice, least: number, most: number): string[] =>
  Array.from({ length: dice.whole(least, most) }, () => dice.hex(24))

/** Ids in any letter case, some of them twice, as lines or as a column of a table. */
function idFile(stage: Stage, dice: Dice, ids: readonly string[]): string[] {
  const typed = ids.map((id) => (dice.chance(0.1) ? id.toUpperCase() : id))
  const lines = [...typed, ...dice.some(typed, 2)]
  if (dice.chance(0.6)) return ['--file', stage.file(lines)]
  const rows = lines.map((id, n) => `Müller ${n};${id};"王; ""${n}"""`)
  const table = ['"Kunden, März"', 'Name;Contact ID;Note', ...rows, 'Nobody;no id;']
  return ['--file', stage.file(table, 'csv'), '--skip-invalid']
}

/** The words and parties of the slots that are typed. */
interface TypedSlots {
  /** Lists, which are arguments. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly parties: Readonly<Record<string, string>>
  readonly condition: string | undefined
}

function partyOf(stage: Stage, dice: Dice, { kind }: KeyedSlot): string {
  const { lists: list, employees: employee, free: contact, tickets: ticket } = stage.stock
  return dice.pick({ list, employee, contact, ticket, flag: [''] }[kind])
}

function typeSlots(stage: Stage, dice: Dice, rows: readonly KeyedSlot[]): TypedSlots {
  const before: string[] = []
  const after: string[] = []
  const parties: Record<string, string> = {}
  let condition: string | undefined
  for (const row of rows) {
    if (row.kind === 'flag') {
      if (dice.chance(0.5)) after.push(labelOf(row))
      continue
    }
    const party = partyOf(stage, dice, row)
    if (row.preposition === undefined) condition = party
    else parties[row.key] = party
    if (row.place === 'argument') before.push(party)
    else after.push(labelOf(row), party)
  }
  return { before, after, parties, condition }
}

/** The things that an operation works on. Most of those that it removes are used by no other step. */
function thingsFor(stage: Stage, dice: Dice, operation: BulkOperation, list?: string): string[] {
  const { free, busy, tickets } = stage.stock
  if (operationOf(operation).items.kind === 'ticket') return dice.some(tickets, dice.whole(1, 6))
  if (endOf(operation) === undefined) {
    const members = stage.membersOf(list ?? '')
    return [
      ...dice.some(free, dice.whole(1, 12)),
      ...dice.some(busy, 2),
      ...dice.some(members, dice.whole(0, 6)),
    ]
  }
  const own = [...stage.takeFree(dice, dice.whole(1, 14)), ...dice.some(busy, dice.whole(0, 2))]
  return dice.chance(0.2) ? [...own, ...free.slice(0, 3)] : own
}

/** A file of ids, all with the same parties. */
export function typeIds(stage: Stage, dice: Dice, operation: BulkOperation): Typed {
  const rows = slotsOfOperation(operation)
  const { before, after, parties, condition } = typeSlots(stage, dice, rows)
  const list = rows.find(({ kind }) => kind === 'list')
  const things = thingsFor(stage, dice, operation, list && parties[list.key])
  const ids = [...new Set([...things, ...absent(dice, 0, 3)])]
  const target = columnSlot(operation)
  const words = [...commandOf(operation).split(' '), ...before]
  return {
    operation,
    words: [...words, ...idFile(stage, dice, shuffled(dice, ids)), ...after],
    ids,
    parties,
    wanted: target === undefined ? nobody : () => parties[target.key],
    condition,
  }
}

/** The command on a file of ids that is there. */
export function typeFile(
  stage: Stage,
  dice: Dice,
  operation: BulkOperation,
  file: string,
  ids: readonly string[],
): Typed {
  const rows = slotsOfOperation(operation)
  const { before, after, parties, condition } = typeSlots(stage, dice, rows)
  const words = [...commandOf(operation).split(' '), ...before, '--file', file, ...after]
  return { operation, words, ids, parties, wanted: nobody, condition }
}

/** Second parties of pairs. Where both are of one kind, no thing is on both sides. */
function pairsFor(stage: Stage, dice: Dice, operation: BulkOperation): Map<string, string> {
  const { items } = operationOf(operation)
  const target = columnSlot(operation)
  if (target === undefined || target.kind !== items.kind) {
    const { employees, lists } = stage.stock
    const things = thingsFor(stage, dice, operation)
    const others = target?.kind === 'list' ? lists : employees
    return new Map(things.map((id) => [id, dice.pick(others)]))
  }
  const count = dice.whole(2, 7)
  const things =
    items.kind === 'ticket' ? dice.some(stage.stock.tickets, count) : stage.takeFree(dice, count)
  const others = things.splice(0, dice.whole(1, Math.min(3, things.length - 1)))
  return new Map(things.map((id) => [id, dice.pick(others)]))
}

function typePairs(stage: Stage, dice: Dice, operation: BulkOperation): Typed {
  const pairs = pairsFor(stage, dice, operation)
  const { columns } = operationOf(operation).items.pairs ?? { columns: [] }
  const lines = [columns.join(','), ...[...pairs].map((pair) => pair.join(','))]
  const flags = slotsOfOperation(operation).filter(({ kind }) => kind === 'flag')
  const { after } = typeSlots(stage, dice, flags)
  return {
    operation,
    words: [...commandOf(operation).split(' '), '--file', stage.file(lines, 'csv'), ...after],
    ids: [...pairs.keys()],
    parties: {},
    wanted: (id) => pairs.get(id),
    condition: undefined,
  }
}

/** A file for an operation, of pairs or of ids. */
export function typeMany(stage: Stage, dice: Dice, operation: BulkOperation): Typed {
  if (operationOf(operation).items.pairs === undefined) return typeIds(stage, dice, operation)
  const target = columnSlot(operation)
  const isForIds = target !== undefined && target.isPerItem !== true
  return isForIds && dice.chance(0.25)
    ? typeIds(stage, dice, operation)
    : typePairs(stage, dice, operation)
}

/** One change on the command line itself. */
export function typeOne(stage: Stage, dice: Dice, operation: BulkOperation): Typed | undefined {
  const target = columnSlot(operation)
  const [[id, other] = []] = pairsFor(stage, dice, operation)
  if (target === undefined || id === undefined || other === undefined) return undefined
  return {
    operation,
    words: [...commandOf(operation).split(' '), id, labelOf(target), other],
    ids: [id],
    parties: { [target.key]: other },
    wanted: () => other,
    condition: undefined,
  }
}

/** Operations with a form for one thing. */
export const singleOperations = bulkOperations.filter(
  (name) => operationOf(name).items.pairs !== undefined,
)
