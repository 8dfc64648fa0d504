/**
 * Each operation of the service under each kind of fault, through whole commands: how often it is asked, and the exit code. What may be
 * asked again follows from its retry class (docs/reliability.md); which status and which broken answer is of which kind has http/attempt.test.ts,
 * and that no claim is false the simulator.
 */
import { expect, it } from 'vitest'
import { bulkOperations, operations, type OperationName } from '../../src/api/operations.ts'
import { operationOf } from '../../src/runs/operations/operations.ts'
import { createBulkWorld } from '../runs/bulk-world.ts'
import { hasChanged } from '../sandbox/watched.ts'

const world = await createBulkWorld({ contacts: 500 })
const { sandbox, fresh } = world
const { list, emptyList, employee, tickets, assignableTickets } = sandbox.examples
let made = 0

const lines: Readonly<Record<OperationName, () => string>> = {
  'lists.list': () => 'lists list --limit 5',
  'lists.get': () => `lists get ${list}`,
  'employees.list': () => 'employees list --limit 5',
  'tickets.history': () => `tickets history ${tickets.long} --limit 5`,
  'lists.create': () => `lists create --name requests-${(made += 1)}`,
  'lists.update': () => `lists update ${list} --description requests-${(made += 1)}`,
  'lists.add-contacts': () => `lists add-contacts ${emptyList} ${fresh(3).join(' ')}`,
  'contacts.delete': () => `contacts delete ${fresh(3).join(' ')} --yes`,
  'contacts.merge': () => `contacts merge ${fresh(2).join(' --into ')} --yes`,
  'tickets.assign': () => `tickets assign ${assignableTickets[(made += 1)]} --to ${employee}`,
}

/** Requests and exit code of operations that may be repeated, and of those that may not, which are looked for or read instead. */
interface Expected {
  readonly others: string
  readonly create?: string
  readonly merge?: string
  readonly assign?: string
  /** Operations on many ids. */
  readonly bulk?: string
  /** Operations whose second answer cannot tell who did it. */
  readonly convergent?: string
}

/** By fault; `1`: of the first request alone, `1+`: of all. */
const faults: Readonly<Record<string, Expected>> = {
  '1=unknown-fields': { others: '1, exit 0' },
  '1=upper-case': { others: '1, exit 0' },
  '1=404': { others: '1, exit 6' },
  '1=401': { others: '1, exit 4' },
  '1=403': { others: '1, exit 5' },
  // Bulk: of these ids alone; the run came to its end.
  '1=422': { others: '1, exit 6', bulk: '1, exit 3' },
  '1=429,retry-after=2': { others: '2, exit 0' },
  '1+=429': { others: '4, exit 7' },
  '1=drop-before': { others: '2, exit 0', create: '1, exit 7', merge: '1, exit 7' },
  '1+=drop-before': {
    others: '4, exit 7',
    create: '1, exit 7',
    merge: '1, exit 7',
    assign: '3, exit 7',
  },
  '1=drop-after-apply': {
    others: '2, exit 0',
    create: '1, exit 7',
    merge: '1, exit 7',
    assign: '1, exit 0',
  },
  '1+=drop-after-apply': {
    others: '4, exit 7',
    create: '1, exit 7',
    merge: '1, exit 7',
    assign: '1, exit 0',
  },
  // Nothing was certainly deleted, and what is gone followed an answer of the service: a person should look.
  '1=500,apply=yes': {
    others: '2, exit 0',
    convergent: '2, exit 3',
    create: '1, exit 7',
    merge: '1, exit 7',
    assign: '1, exit 0',
  },
  // An answer without sense would make none again.
  '1=302': { others: '1, exit 7', assign: '2, exit 0', bulk: '1, exit 3' },
  '1=missing-data': {
    others: '2, exit 0',
    create: '1, exit 7',
    merge: '1, exit 7',
    assign: '1, exit 0',
  },
  '1=wrong-sums': { others: '1, exit 0', bulk: '1, exit 3' },
}

/** Operations on many ids in a request. */
const many: readonly OperationName[] = bulkOperations.filter(
  (name) => operationOf(name).pairs === undefined,
)

function expected(name: OperationName, { others, bulk, convergent, ...own }: Expected): string {
  if (convergent !== undefined && operations[name].retry === 'convergent') return convergent
  const named = Object.entries(own).find(([verb]) => name.endsWith(verb))?.[1]
  return named ?? (many.includes(name) ? bulk : undefined) ?? others
}

it.each(Object.keys(operations) as OperationName[])('%s', async (name) => {
  const told: Record<string, string> = {}
  const changed: number[] = []
  for (const fault of Object.keys(faults)) {
    sandbox.setFaults(`${name}:${fault}`)
    const before = sandbox.record.entries.length
    const { code } = await world.svc(
      `${lines[name]()} ${many.includes(name) ? world.state() : ''}`,
      { fast: true },
    )
    sandbox.setFaults()
    const entries = sandbox.record.entries
      .slice(before)
      .filter(({ operation }) => operation === name)
    told[fault] = `${entries.length}, exit ${code}`
    changed.push(entries.filter(hasChanged).length)
  }
  expect(told).toEqual(
    Object.fromEntries(
      Object.entries(faults).map(([fault, each]) => [fault, expected(name, each)]),
    ),
  )
  expect(Math.max(...changed)).toBeLessThanOrEqual(operations[name].retry === 'once' ? 1 : 4)
})
