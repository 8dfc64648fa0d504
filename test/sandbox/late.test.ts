/** Requests that are carried out after the client has gone, or after it was told something else. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { parseFaults } from '../../src/sandbox/faults/language.ts'
import { startSandbox, type Sandbox } from './watched.ts'
import { ask, bearer, type Ask, type Got } from './client.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.close())

const rw = { apiKey: 'pk_sandbox_rw', apiSecret: 'sk_sandbox_rw_opens_nothing_but_the_sandbox' }
const ids = (from: number, to: number): string[] => sandbox.examples.contactsWithoutChats.slice(from, to)
const remove = (contactIds: readonly string[], more: Partial<Ask> = {}): Promise<Got> =>
  ask(sandbox.baseUrl, rw, { path: '/v1/contacts/bulk-delete', body: { contactIds }, ...more })
const gone = async (work: Promise<Got>): Promise<string> => {
  try {
    return String((await work).status)
  } catch {
    return 'no answer'
  }
}

test('late: no answer, and carried out after the client gave up', async () => {
  sandbox.setFaults('contacts.delete:1=late(300ms)')
  const wanted = ids(0, 2)
  expect(await gone(remove(wanted, { timeout: 60 }))).toBe('no answer')
  expect(sandbox.record.entries[0]).toMatchObject({ applied: false, fault: 'contacts.delete:1=late(300ms)' })
  expect(sandbox.store.hasContact(wanted[0] ?? '')).toBe(true)
  await sandbox.settle()
  expect(sandbox.record.deletedIds()).toEqual(new Set(wanted))
  expect(sandbox.record.entries[0]).toMatchObject({ status: 'dropped', applied: true, deleted: wanted })
})

test('an assign that is applied late: over what somebody else assigned, unless the employee has the ticket', async () => {
  const [ticket = ''] = sandbox.examples.assignableTickets
  const [first = '', second = ''] = sandbox.store.employees
    .filter(
      ({ id, status, channels }) =>
        status === 'active' && channels.length === 5 && id !== sandbox.store.tickets.assigneeOf(ticket),
    )
    .map(({ id }) => id)
  const assign = { method: 'PATCH', path: `/v1/tickets/${ticket}/assignee`, body: { newAssigneeId: first } }
  sandbox.setFaults('tickets.assign=drop-before(late=600ms)')
  for (const [theirs, applied] of [
    [second, true],
    [first, false],
  ] as const) {
    expect(await gone(ask(sandbox.baseUrl, rw, assign))).toBe('no answer')
    if (sandbox.store.tickets.assigneeOf(ticket) !== theirs) sandbox.store.tickets.assign(ticket, theirs)
    await sandbox.settle()
    expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(first)
    expect(sandbox.record.entries.at(-1)).toMatchObject({ status: 'dropped', applied })
  }
})

describe('late= behind any other fault', () => {
  test.each([
    ['503(retry-after=1, late=300ms)', '503'],
    ['500(late=300ms)', '500'],
    ['drop-before(late=300ms)', 'no answer'],
    ['reset(late=300ms)', 'no answer'],
    ['html(late=300ms)', '200'],
  ])('%s', async (fault, answer) => {
    sandbox.setFaults(`contacts.delete:1=${fault}`)
    expect(await gone(remove(ids(0, 1)))).toBe(answer)
    expect(sandbox.record.deletedIds().size).toBe(0)
    await sandbox.settle()
    expect(sandbox.record.deletedIds().size).toBe(1)
  })
})

test.each([
  ['503(retry-after=2, apply)', 503, '2'],
  ['500(apply)', 500, undefined],
])('%s: carried out, and answered like that', async (fault, status, retryAfter) => {
  sandbox.setFaults(`contacts.delete:1=${fault}`)
  const got = await remove(ids(0, 2))
  expect([got.status, got.headers['retry-after']]).toEqual([status, retryAfter])
  expect(sandbox.record.deletedIds()).toEqual(new Set(ids(0, 2)))
})

test('over HTTP one can wait for it', async () => {
  sandbox.setFaults('contacts.delete=late(100ms)')
  await gone(remove(ids(0, 1), { timeout: 30 }))
  const got = await ask(sandbox.baseUrl, rw, { path: '/_sandbox/settled', headers: bearer(sandbox) })
  expect([got.status, got.text, sandbox.record.deletedIds().size]).toEqual([200, '{"settled":true}', 1])
})

test.each(['*=late', '*=late(soon)', '*=503(late=soon)'])('%s is a usage error', (spec) => {
  expect(() => parseFaults(spec, 1)).toThrow(SvcError)
})
