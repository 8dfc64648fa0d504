/** What repeating a request means, for each operation: one member decides all that follows. */
import { expect, it } from 'vitest'
import { operations, type OperationName } from '../../src/api/operations.ts'
import { operation as deleteContacts } from '../../src/commands/contacts/delete.ts'
import { operation as mergeContacts } from '../../src/commands/contacts/merge.ts'
import { operation as addContacts } from '../../src/commands/lists/add-contacts.ts'
import { operation as assignTickets } from '../../src/commands/tickets/assign.ts'
import { repetition } from '../../src/http/attempt.ts'

const bulk = [deleteContacts, mergeContacts, addContacts, assignTickets]

/** Without an answer: retried or not, outcome of the ids, connection, a look, shared ids. */
function rowOf(name: OperationName) {
  const { again } = operations[name]
  const { retry, outcome, hasOwnConnection } = repetition[again]
  const page = bulk.find((each) => each.name === name)
  const isLooking = page !== undefined && 'look' in page
  return [
    name.padEnd(18),
    again.padEnd(8),
    retry.padEnd(12),
    (page ? outcome : '').padEnd(10),
    hasOwnConnection ? 'own connection' : 'shared        ',
    page && (isLooking ? 'looks' : '     '),
    page && ('mayShareIds' in page ? 'shares ids' : ''),
  ]
    .join(' | ')
    .trimEnd()
}

it('prints what repeating each operation means', () => {
  const names = Object.keys(operations) as OperationName[]
  expect(`\n${names.map(rowOf).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    lists.list         | harmless | if-temporary |            | shared         |  |
    lists.create       | never    | never        |            | own connection |  |
    lists.get          | harmless | if-temporary |            | shared         |  |
    lists.update       | harmless | if-temporary |            | shared         |  |
    lists.add-contacts | harmless | if-temporary | unanswered | shared         |       | shares ids
    contacts.merge     | never    | never        | unknown    | own connection |       |
    contacts.delete    | harmless | if-temporary | unanswered | shared         |       |
    tickets.history    | harmless | if-temporary |            | shared         |  |
    tickets.assign     | look     | always       | unanswered | own connection | looks |
    employees.list     | harmless | if-temporary |            | shared         |  |
    "
  `)
})
