/** Command lines for any bulk operation, made of what its description says, against a sandbox of its own. */
import type { BulkOperation } from '../../src/api/operations.ts'
import { commandOf, operationOf } from '../../src/bulk/operations/operations.ts'
import { createBulkWorld, type BulkWorld } from '../bulk/bulk-world.ts'

export interface OperationWorld extends BulkWorld {
  /** The command on so many things that exist, or on one more that does not. */
  readonly command: (count: number, more?: { readonly absent?: boolean }) => string
  /** The same on the one list or employee that they have in common; undefined for an operation without. */
  readonly onTarget: ((count: number) => string) | undefined
  /** What a fault is given for. */
  readonly name: BulkOperation
}

/** Data of a seed is the same each time: what one world did has not happened in another. */
export async function createOperationWorld(name: BulkOperation): Promise<OperationWorld> {
  const world = await createBulkWorld()
  const { sandbox, free, file } = world
  const { pairs, target, words } = operationOf(name)
  const { list, employee, assignableTickets } = sandbox.examples
  // Whoever is on the list can be added to it and removed from it.
  const members = [...sandbox.store.memberIds(list)].filter((id) => free.includes(id))
  const contacts = target === 'list' ? members : free
  const things = words.thing === 'ticket' ? assignableTickets : contacts
  const base = `${commandOf(name)}${target === 'list' ? ` ${list}` : ''}`
  const input = (rows: readonly string[]): string => `--file ${file('input.csv', rows)}`
  const idsOf = (count: number, absent = false): string[] => [
    ...things.slice(0, count),
    ...(absent ? world.absent(1) : []),
  ]
  const others =
    target === 'employee' ? Array.from({ length: 50 }, () => employee) : contacts.slice(50)
  return {
    ...world,
    name,
    command(count, { absent = false } = {}) {
      const ids = idsOf(count, absent)
      const rows =
        pairs === undefined
          ? ['id', ...ids]
          : [pairs.columns.join(), ...ids.map((id, i) => `${id},${others[i]}`)]
      return `${base} ${input(rows)}`
    },
    onTarget:
      target === 'none'
        ? undefined
        : (count) =>
            `${base} ${input(['id', ...idsOf(count)])}${target === 'employee' ? ` --to ${employee}` : ''}`,
  }
}
