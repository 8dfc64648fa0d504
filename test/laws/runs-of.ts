/** Command lines for any bulk operation, made of what its description says, against a sandbox of its own. */
import type { BulkOperation } from '../../src/api/operations.ts'
import { commandOf, operationOf, slotsOfOperation } from '../../src/bulk/operations/operations.ts'
import { labelOf, type KeyedSlot, type Slot } from '../../src/bulk/operations/operation.ts'
import { createBulkWorld, type BulkWorld } from '../bulk/bulk-world.ts'

export interface OperationWorld extends BulkWorld {
  /** The command on so many things that exist, or on one more that does not. */
  readonly command: (count: number, more?: { readonly absent?: boolean }) => string
  /** The same on the one list or employee that they have in common; undefined for an operation without. */
  readonly onTarget: ((count: number) => string) | undefined
  /** Conditions and flags, each as it is typed. */
  readonly onlyWith: readonly { readonly label: string; readonly words: string }[]
  /** Lines on two things with a list's or an employee's id among their words: where a name may stand as well. */
  readonly withParty: readonly {
    readonly kind: 'list' | 'employee'
    readonly id: string
    readonly line: string
  }[]
  /** The operation that a fault is for. */
  readonly name: BulkOperation
}

type Examples = BulkWorld['sandbox']['examples']

/** The slot that sentences and names of runs are about; undefined for an operation without. */
export const targetOf = (name: BulkOperation): KeyedSlot | undefined =>
  slotsOfOperation(name).find(({ preposition }) => preposition !== undefined)

/** Values for each kind of slot. */
const valuesOf: Readonly<Record<Slot['kind'], (examples: Examples) => readonly string[]>> = {
  list: ({ list, emptyList }) => [list, emptyList],
  employee: ({ employee }) => [employee],
  contact: ({ contactsWithoutChats }) => contactsWithoutChats,
  ticket: ({ assignableTickets }) => assignableTickets.toReversed(),
  flag: () => [],
}

/** A value for a slot: two lists of a sentence are never the same one. */
function exampleOf(name: BulkOperation, { key, kind }: KeyedSlot, examples: Examples): string {
  const place = slotsOfOperation(name)
    .filter((slot) => slot.kind === kind && slot.preposition !== undefined)
    .findIndex((slot) => slot.key === key)
  return valuesOf[kind](examples)[Math.max(0, place)] ?? ''
}

/** Data of a seed is the same each time: what one world did has not happened in another. */
export async function createOperationWorld(name: BulkOperation): Promise<OperationWorld> {
  const world = await createBulkWorld()
  const { sandbox, free, file } = world
  const { items } = operationOf(name)
  const { examples } = sandbox
  const target = targetOf(name)
  const typedWords = (slot: KeyedSlot): string =>
    [slot.place === 'argument' ? '' : labelOf(slot), exampleOf(name, slot, examples)]
      .join(' ')
      .trim()
  const slots = slotsOfOperation(name)
  // Contacts that are on the list can be added to it and removed from it.
  const members = sandbox.store.memberIds(examples.list)
  const contacts = target?.kind === 'list' ? free.filter((id) => members.has(id)) : free
  const things = items.kind === 'ticket' ? examples.assignableTickets : contacts
  const base = [
    commandOf(name),
    ...slots.filter(({ place }) => place === 'argument').map(typedWords),
  ].join(' ')
  const option = slots
    .filter(({ place, preposition }) => place !== 'argument' && preposition !== undefined)
    .map((slot) => ` ${typedWords(slot)}`)
    .join('')
  const input = (rows: readonly string[]): string => `--file ${file('input.csv', rows)}`
  const idsOf = (count: number, absent = false): string[] => [
    ...things.slice(0, count),
    ...(absent ? world.absent(1) : []),
  ]
  const others = Array.from({ length: 50 }, (_, place) => {
    const values = target === undefined ? [] : valuesOf[target.kind](examples)
    return target?.kind === 'contact' ? contacts[50 + place] : (values[place] ?? values[0])
  })
  const onIds = (ids: readonly string[]): string => `${base} ${input(['id', ...ids])}${option}`
  const command: OperationWorld['command'] = (count, { absent = false } = {}) => {
    const ids = idsOf(count, absent)
    if (items.pairs === undefined) return onIds(ids)
    const rows = ids.map((id, place) => `${id},${others[place]}`)
    return `${base} ${input([items.pairs.columns.join(), ...rows])}`
  }
  const onTarget: OperationWorld['onTarget'] =
    target === undefined || target.isPerItem === true ? undefined : (count) => onIds(idsOf(count))
  const withParty = slots.flatMap((row) => {
    const { kind } = row
    if (kind !== 'list' && kind !== 'employee') return []
    const id = exampleOf(name, row, examples)
    const line = row.preposition === undefined ? `${command(2)} ${typedWords(row)}` : onTarget?.(2)
    return line === undefined ? [] : [{ kind, id, line }]
  })
  return {
    ...world,
    name,
    command,
    onTarget,
    withParty,
    onlyWith: slots
      .filter(({ preposition }) => preposition === undefined)
      .map((row) => ({ label: labelOf(row), words: typedWords(row) })),
  }
}
