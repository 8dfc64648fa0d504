/** Each operation under each kind of fault: how often it is asked, and the exit code. */
import { expect, it } from 'vitest'
import { operations, type OperationName } from '../../../src/api/operations.ts'
import { ownFolder } from '../../support/ending.ts'
import { createSandboxWorld } from '../../support/svc.ts'
import { table } from '../../support/table.ts'

const world = await createSandboxWorld()
const { sandbox } = world
const { list, emptyList, employee, tickets, assignableTickets } = sandbox.examples
let made = 0
/** Contacts that no other command has. */
const fresh = (count: number) => sandbox.examples.contactsWithoutChats.splice(0, count)

const lines: Readonly<Record<OperationName, () => string>> = {
  'lists.list': () => 'lists list --limit 5',
  'lists.get': () => `lists get ${list}`,
  'employees.list': () => 'employees list --limit 5',
  'tickets.history': () => `tickets history ${tickets.long} --limit 5`,
  'lists.create': () => `lists create requests-${(made += 1)}`,
  'lists.update': () => `lists update ${list} --description requests-${(made += 1)}`,
  'lists.add-contacts': () => `lists add-contacts ${emptyList} ${fresh(3).join(' ')}`,
  'contacts.delete': () => `contacts delete ${fresh(3).join(' ')} --yes`,
  'contacts.merge': () => `contacts merge ${fresh(2).join(' --into ')} --yes`,
  'tickets.assign': () => `tickets assign ${assignableTickets[(made += 1)]} --to ${employee}`,
}

/**
 * How often an operation is asked (`many`: more than three) and the exit code, by fault (`1`: of
 * the first request, `1+`: of all). An empty cell is as the first; a merge ends with 3.
 */
const [heading = [], ...faults] = table(`
  (operation)         | others       | create    | merge     | update    | assign    | add       | delete
  1=unknown-fields    | 1, exit 0    |           |           |           |           |           |
  1=absent            | 1, exit 0    |           |           |           |           |           |
  1=other-words       | 1, exit 0    |           |           |           |           |           |
  1=upper-case        | 1, exit 0    |           |           |           |           |           |
  1=429,retry-after=2 | 2, exit 0    |           |           |           |           |           |
  1+=drop-before      | many, exit 7 | 1, exit 1 | 1, exit 3 | many, exit 1 |           |           |
  1=drop-after-apply  | 2, exit 0    | 1, exit 1 | 1, exit 3 |           | 1, exit 0 |           | 2, exit 3
  1=302               | 1, exit 1    | 1, exit 1 | 1, exit 3 | 1, exit 1 | 2, exit 0 | 1, exit 7 | 1, exit 7
  1=missing-data      | 1, exit 1    | 1, exit 1 | 1, exit 3 | 1, exit 1 | 1, exit 0 | 1, exit 7 | 1, exit 7
  1=wrong-sums        | 1, exit 0    |           |           |           |           | 1, exit 7 | 1, exit 7
`)

/** The cell of an operation: its own, which is called as the end of its name, or that of others. */
const expected = (name: OperationName, row: readonly string[]): string =>
  row[heading.findIndex((word) => name.replace('-contacts', '').endsWith(`.${word}`))] ||
  row[1] ||
  ''

it.each(Object.keys(operations) as OperationName[])('%s', async (name) => {
  const told: Record<string, string> = {}
  const changed: number[] = []
  for (const [fault = ''] of faults) {
    const before = sandbox.record.entries.length
    const env = { SVC_STATE_DIR: ownFolder('state') }
    const { code } = await world.svc(lines[name](), {
      env,
      fast: true,
      faults: `${name}:${fault}`,
    })
    const entries = sandbox.record.entries
      .slice(before)
      .filter(({ operation }) => operation === name)
    told[fault] = `${entries.length > 3 ? 'many' : entries.length}, exit ${code}`
    changed.push(entries.filter((entry) => entry.changed.length > 0).length)
  }
  expect(told).toEqual(Object.fromEntries(faults.map((row) => [row[0], expected(name, row)])))
  expect(Math.max(...changed)).toBeLessThanOrEqual(
    operations[name].again === 'harmless' ? Infinity : 1,
  )
})
