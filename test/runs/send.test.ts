/** What is recorded of an attempt, or a next request is sent, is not what its answer or the reading of its ticket shows. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createBulkWorld } from '../support/bulk-world.ts'
import { table } from '../support/table.ts'

const world = await createBulkWorld()
const { sandbox, begun, fresh } = world
const { tickets, employee, assignableTickets } = sandbox.examples
const [own = '', ...others] = assignableTickets
const [other = ''] = world.able.filter((id) => id !== employee)

/** The command of a row: a delete of two contacts, or an assign of this ticket. */
const lines: Readonly<Record<string, () => string>> = {
  delete: () => `contacts delete ${fresh(2).join(' ')} --yes`,
  assign: () => `tickets assign ${own} --to ${world.taker(own)}`,
  'assign if': () =>
    `tickets assign ${own} --to ${world.taker(own)} --if-assignee ${world.taker(own, world.taker(own))}`,
  twice: () => `contacts delete ${fresh(2).join(' ')} --yes --wait 30s`,
  again: () => `tickets assign ${own} --to ${sandbox.store.tickets.assigneeOf(own)}`,
  closed: () => `tickets assign ${tickets.closed} --to ${world.taker(tickets.closed)}`,
  unassigned: () => `tickets assign ${tickets.unassigned} --to ${other}`,
  others: () => `tickets assign ${others.at(-1)} --to ${world.taker(others.at(-1) ?? '')}`,
}

const lost = 'the connection was closed before the answer was complete'

/** The results of the first part: outcome, `due`, status, code and message, and what the reading showed. */
function resultsIn(path: string): string[] {
  const results = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ t }) => t === 'res')
  return results.map(({ t: _t, at: _at, b: _b, c: _c, o, due, m, seen, ...facts }) => {
    const message = typeof m === 'string' ? m.replace(lost, 'lost') : ''
    const { assigneeBefore, assigneeAfter, ...numbers } = facts
    const isChanged = assigneeBefore !== undefined && assigneeAfter !== undefined
    const words = [o, due === true ? 'due' : '', ...Object.values(numbers), message, seen ?? '']
    return [...words, isChanged ? 'with both assignees' : '']
      .filter((word) => word !== '')
      .join(' ')
  })
}

it.each(
  table(`
  delete     | | done
  delete     | contacts.delete=400 | error 400 40001 Validation error
  delete     | contacts.delete=401 | not-attempted due 401 40121 Invalid API credentials
  delete     | contacts.delete=403 | not-attempted due 403 40361 API key scope is not sufficient
  delete     | contacts.delete=404 | error 404 40400 Not Found
  delete     | contacts.delete=429,retry-after=90 | not-attempted due 429 42900 Too Many Requests
  delete     | contacts.delete=503 | unknown due 503 50300 Service Unavailable
  delete     | contacts.delete=302 | unknown due 302 it redirects to an unnamed address, which svc never follows
  delete     | contacts.delete=drop-before | unknown due lost
  delete     | contacts.delete=wrong-sums | unknown due 200 the answer does not add up: deletedCount 3 + notFoundIds 0 + blockedIds 0 is 3, but 2 were sent
  twice      | contacts.delete:1=drop-after-apply contacts.delete:2=400 | unknown due lost | unknown 400 40001 Validation error
  twice      | contacts.delete:1=drop-after-apply contacts.delete:2=429,retry-after=90 | unknown due lost | unknown due 429 42900 Too Many Requests
  again      | | done it has this assignee
  assign if  | | kept 6400000376ded2c460000000 has the ticket
  assign if  | tickets.history=404 | error 404 40400 the ticket could not be read: Not Found
  assign if  | tickets.history=403 | not-attempted due 403 40361 API key scope is not sufficient
  assign if  | tickets.history=500 | not-attempted due 500 50001 Internal server error
  assign     | tickets.history=404 | done with both assignees
  assign     | tickets.history=401 | not-attempted due 401 40121 Invalid API credentials
  assign     | tickets.history=429,retry-after=90 | not-attempted due 429 42900 Too Many Requests
  closed     | | error 400 40001 Validation error: the ticket is not active the ticket is closed
  unassigned | | error 400 40001 Validation error: the ticket has no assignee nobody has it
  assign     | tickets.assign=drop-before | unknown due lost | unknown due lost
  assign     | tickets.assign=drop-before tickets.history:2=404 | unknown due lost | unknown 404 40400 the ticket could not be read: Not Found
  assign     | tickets.assign=drop-before tickets.history:2=500 | unknown due lost
  others     | tickets.assign=drop-after-apply | unknown due lost | done it has this assignee
  assign     | tickets.assign=403 | not-attempted due 403 40361 API key scope is not sufficient
  assign     | tickets.assign=400 | error 400 40001 Validation error
`),
)('%s under %s: %s', async (kind = '', faults = '', ...results) => {
  const { path } = await begun(faults, `--wait 0s ${lines[kind]?.() ?? ''}`)
  expect(resultsIn(path)).toEqual(results)
})
