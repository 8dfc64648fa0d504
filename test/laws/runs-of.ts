/** Command lines for each bulk operation, against a sandbox of its own. */
import type { BulkOperation } from '../../src/api/operations.ts'
import { commandOf, operationOf } from '../../src/runs/operations/operations.ts'
import { createBulkWorld } from '../runs/bulk-world.ts'

export type OperationWorld = Awaited<ReturnType<typeof createOperationWorld>>

/** Data of a seed is the same each time: what one world did has not happened in another. */
export async function createOperationWorld(name: BulkOperation) {
  const world = await createBulkWorld()
  const { sandbox, free, file } = world
  const { list, employee, assignableTickets } = sandbox.examples
  const { pairs } = operationOf(name)
  const isAssign = name === 'tickets.assign'
  const things = isAssign ? assignableTickets : free
  const base = `${commandOf(name)}${name === 'lists.add-contacts' ? ` ${list}` : ''}`
  const onFile = (rows: readonly string[]): string => `${base} --file ${file('input.csv', rows)}`
  const onIds = (ids: readonly string[]): string => onFile(['id', ...ids])
  const otherOf = (place: number): string => (isAssign ? employee : (free[50 + place] ?? ''))
  const command = (count: number, { absent = false } = {}): string => {
    const ids = [...things.slice(0, count), ...(absent ? world.absent(1) : [])]
    if (pairs === undefined) return onIds(ids)
    const rows = ids.map((id, place) => `${id},${otherOf(place)}`)
    return onFile([pairs.columns.join(), ...rows])
  }
  const onTarget = {
    'contacts.delete': undefined,
    'contacts.merge': undefined,
    'lists.add-contacts': (count: number) => onIds(things.slice(0, count)),
    'tickets.assign': (count: number) => `${onIds(things.slice(0, count))} --to ${employee}`,
  }[name]
  const condition = `--if-assignee ${employee}`
  const kind = isAssign ? 'employee' : 'list'
  const parties = onTarget === undefined ? [] : [onTarget(2)]
  const withParty = [...parties, ...(isAssign ? [`${command(2)} ${condition}`] : [])].map(
    (line) => ({ kind, id: isAssign ? employee : list, line }) as const,
  )
  return {
    ...world,
    /** The command on so many things that exist, or on one more that does not. */
    command,
    /** The same on the one list or employee that they have in common; undefined for an operation without. */
    onTarget,
    /** Lines on two things with a list's or an employee's id among their words: where a name may stand as well. */
    withParty,
    /** Conditions, each as it is typed. */
    onlyWith: isAssign ? [{ label: '--if-assignee', words: condition }] : [],
  }
}
