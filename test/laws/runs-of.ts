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
  /** What a fault is given for. */
  readonly name: BulkOperation
}

type Examples = BulkWorld['sandbox']['examples']

/** The slot that sentences and names of runs are about; undefined for an operation without. */
export const targetOf = (name: BulkOperation): KeyedSlot | undefined =>
  slotsOfOperation(name).find(({ preposition }) => preposition !== undefined)

/** A value for each kind of slot. */
export const exampleOf: Readonly<Record<Slot['kind'], (examples: Examples) => string>> = {
  list: ({ list }) => list,
  employee: ({ employee }) => employee,
  contact: ({ contactsWithoutChats: [contact = ''] }) => contact,
  flag: () => '',
}

/** Data of a seed is the same each time: what one world did has not happened in another. */
export async function createOperationWorld(name: BulkOperation): Promise<OperationWorld> {
  const world = await createBulkWorld()
  const { sandbox, free, file } = world
  const { items } = operationOf(name)
  const { examples } = sandbox
  const target = targetOf(name)
  const value = target && exampleOf[target.kind](examples)
  // Contacts that are on the list can be added to it and removed from it.
  const members = [...sandbox.store.memberIds(examples.list)].filter((id) => free.includes(id))
  const contacts = target?.kind === 'list' ? members : free
  const things = items.kind === 'ticket' ? examples.assignableTickets : contacts
  const argument = target?.kind === 'list' ? ` ${value}` : ''
  const option = target === undefined || argument !== '' ? '' : ` ${labelOf(target)} ${value}`
  const base = `${commandOf(name)}${argument}`
  const input = (rows: readonly string[]): string => `--file ${file('input.csv', rows)}`
  const idsOf = (count: number, absent = false): string[] => [
    ...things.slice(0, count),
    ...(absent ? world.absent(1) : []),
  ]
  const isOfEmployees = target?.kind === 'employee'
  const others = isOfEmployees
    ? Array.from({ length: 50 }, () => examples.employee)
    : contacts.slice(50)
  const onIds = (ids: readonly string[]): string => `${base} ${input(['id', ...ids])}${option}`
  const command: OperationWorld['command'] = (count, { absent = false } = {}) => {
    const ids = idsOf(count, absent)
    if (items.pairs === undefined) return onIds(ids)
    const rows = ids.map((id, place) => `${id},${others[place]}`)
    return `${base} ${input([items.pairs.columns.join(), ...rows])}`
  }
  const onTarget: OperationWorld['onTarget'] =
    target === undefined || target.isPerItem === true ? undefined : (count) => onIds(idsOf(count))
  const withParty = slotsOfOperation(name).flatMap((row) => {
    const { kind } = row
    if (kind !== 'list' && kind !== 'employee') return []
    const id = exampleOf[kind](examples)
    const line = row.key === target?.key ? onTarget?.(2) : `${command(2)} ${labelOf(row)} ${id}`
    return line === undefined ? [] : [{ kind, id, line }]
  })
  return {
    ...world,
    name,
    command,
    onTarget,
    withParty,
    onlyWith: slotsOfOperation(name)
      .filter(({ key }) => key !== target?.key)
      .map((row) => {
        const typed = row.kind === 'flag' ? '' : ` ${exampleOf[row.kind](examples)}`
        return { label: labelOf(row), words: `${labelOf(row)}${typed}` }
      }),
  }
}
