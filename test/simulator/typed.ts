/** Command lines of the bulk operations. */
import { bulkOperations, type BulkOperation } from '../../src/api/operations.ts'
import { commandOf, operationOf } from '../../src/runs/operations/operations.ts'
import type { Dice } from './dice.ts'
import type { Job } from './job.ts'
import type { Stage } from './stage.ts'

/** A command without the options that any bulk command may have. */
export type Typed = Pick<Job, 'operation' | 'words' | 'ids' | 'parties' | 'wanted' | 'condition'>

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

/** The words for what all ids have in common: a list, which is an argument, or an employee, now and then on a condition. */
interface TypedParties {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly parties: Readonly<Record<string, string>>
  readonly to: string | undefined
  readonly condition: string | undefined
}

function typeParties(stage: Stage, dice: Dice, operation: BulkOperation): TypedParties {
  const { lists, employees } = stage.stock
  const none = { before: [], after: [], parties: {}, to: undefined, condition: undefined }
  if (operation === 'lists.add-contacts') {
    const list = dice.pick(lists)
    return { ...none, before: [list], parties: { list } }
  }
  if (operation !== 'tickets.assign') return none
  const to = dice.pick(employees)
  const condition = dice.chance(0.5) ? dice.pick(employees) : undefined
  const words = condition === undefined ? [] : ['--if-assignee', condition]
  return { ...none, after: ['--to', to, ...words], to, condition }
}

/** The things that an operation works on. Most of those that it removes are used by no other step. */
function thingsFor(stage: Stage, dice: Dice, operation: BulkOperation, list = ''): string[] {
  const { free, busy, tickets } = stage.stock
  if (operationOf(operation).item === 'ticket') return dice.some(tickets, dice.whole(1, 6))
  if (operation === 'lists.add-contacts') {
    const members = stage.membersOf(list)
    return [
      ...dice.some(free, dice.whole(1, 12)),
      ...dice.some(busy, 2),
      ...dice.some(members, dice.whole(0, 6)),
    ]
  }
  const own = [...stage.takeFree(dice, dice.whole(1, 14)), ...dice.some(busy, dice.whole(0, 2))]
  return dice.chance(0.2) ? [...own, ...free.slice(0, 3)] : own
}

/** A file of ids, all with the same parties: a new one, or one that is there. */
function typeIds(
  stage: Stage,
  dice: Dice,
  operation: BulkOperation,
  there?: { readonly file: string; readonly ids: readonly string[] },
): Typed {
  const { before, after, to, ...shared } = typeParties(stage, dice, operation)
  const things = there?.ids ?? [
    ...thingsFor(stage, dice, operation, shared.parties['list']),
    ...absent(dice, 0, 3),
  ]
  const ids = [...new Set(things)]
  const file =
    there === undefined ? idFile(stage, dice, shuffled(dice, ids)) : ['--file', there.file]
  const words = [...commandOf(operation).split(' '), ...before, ...file, ...after]
  return { operation, words, ids, ...shared, wanted: () => to }
}

const onContacts = bulkOperations.filter(
  (name) => operationOf(name).item === 'contact' && operationOf(name).pairs === undefined,
)

/** What a person does with the ids of contacts in a file that a command wrote. */
export function typeFile(stage: Stage, dice: Dice, file: string, ids: readonly string[]): Job {
  const typed = typeIds(stage, dice, dice.pick(onContacts), { file, ids })
  return { ...typed, name: undefined, words: [...typed.words, '--yes', '-o', 'ndjson'] }
}

/** Contacts, each with the one that it is merged into, which is no source; tickets, each with an employee. */
function pairsFor(stage: Stage, dice: Dice, operation: BulkOperation): Map<string, string> {
  if (operationOf(operation).item === 'ticket') {
    const tickets = thingsFor(stage, dice, operation)
    return new Map(tickets.map((id) => [id, dice.pick(stage.stock.employees)]))
  }
  const things = stage.takeFree(dice, dice.whole(2, 7))
  const others = things.splice(0, dice.whole(1, Math.min(3, things.length - 1)))
  return new Map(things.map((id) => [id, dice.pick(others)]))
}

function typePairs(
  operation: BulkOperation,
  pairs: ReadonlyMap<string, string>,
  typed: readonly string[],
): Typed {
  const words = [...commandOf(operation).split(' '), ...typed]
  return { operation, words, ids: [...pairs.keys()], parties: {}, wanted: (id) => pairs.get(id) }
}

/** A file for an operation, of pairs or of ids. */
export function typeMany(stage: Stage, dice: Dice, operation: BulkOperation): Typed {
  const isOfIds = operationOf(operation).pairs === undefined
  const isForIds = operation === 'tickets.assign' && dice.chance(0.25)
  if (isOfIds || isForIds) return typeIds(stage, dice, operation)
  const pairs = pairsFor(stage, dice, operation)
  const { columns } = operationOf(operation).pairs ?? { columns: [] }
  const lines = [columns.join(','), ...[...pairs].map((pair) => pair.join(','))]
  return typePairs(operation, pairs, ['--file', stage.file(lines, 'csv')])
}

/** One change on the command line itself. */
export function typeOne(stage: Stage, dice: Dice, operation: BulkOperation): Typed | undefined {
  const [[id, other] = []] = pairsFor(stage, dice, operation)
  if (id === undefined || other === undefined) return undefined
  const flag = operation === 'contacts.merge' ? '--into' : '--to'
  return typePairs(operation, new Map([[id, other]]), [id, flag, other])
}

/** Operations with a form for one thing. */
export const singleOperations = bulkOperations.filter(
  (name) => operationOf(name).pairs !== undefined,
)
