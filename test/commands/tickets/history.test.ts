/** `svc tickets …`: answers in an order that the sandbox never gives, and somebody else who is faster. All else is in test/commands/tickets/history.txt. */
import { expect, test } from 'vitest'
import { answering, http } from '../../support/loopback.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const { tickets, employee, aiEmployee, assignableTickets } = sandbox.examples

const chunkOf = (days: readonly number[], next?: string) => ({
  ticket: { id: tickets.active, status: 'active' },
  messages: days.map((day) => ({ id: `m${day}`, sentAt: `2026-03-0${day}T00:00:00Z` })),
  ...(next === undefined ? {} : { nextChunkStartMessageId: next }),
})

test('a message that is older than those behind it ends nothing', async () => {
  const server = await answering((socket, request) => {
    const chunk = request.includes('chunkLastMessageId') ? chunkOf([5]) : chunkOf([9, 1], 'm5')
    socket.write(http(200, JSON.stringify({ data: chunk })))
  })
  const env = { SVC_BASE_URL: server.baseUrl }
  const { stdout } = await svc(
    `tickets history ${tickets.active} --since 2026-03-02T00:00:00Z -o ids`,
    { env },
  )
  expect(stdout).toBe('m9\nm5\n')
})

/** All are Alice’s. */
let used = 0
test.each([
  ['it was not made', 'tickets.assign=delay,before=200ms tickets.assign=drop-before'],
  ['it was made, and undone', 'tickets.assign=delay,after=200ms tickets.assign=drop-after-apply'],
])(
  'a lost answer, and someone else has the ticket, %s: exit 3, and nothing is overwritten nor claimed',
  async (_what, faults) => {
    const ticket = assignableTickets[used++] ?? ''
    sandbox.setFaults(faults)
    const sent = (): number =>
      sandbox.record.of('tickets.assign').filter(({ path }) => path.includes(ticket)).length
    const assigning = svc(`tickets assign ${ticket} --to ${employee}`, {
      fast: true,
    })
    // The first request was received, and lost.
    while (sent() === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    sandbox.store.tickets.assign(ticket, aiEmployee)
    const { code, stderr } = await assigning
    sandbox.setFaults()
    expect(code).toBe(3)
    expect(stderr).toContain(
      `1 ticket unknown: an answer was lost, and ${aiEmployee} has the ticket`,
    )
    expect(sandbox.store.tickets.assigneeOf(ticket)).toBe(aiEmployee)
    expect(sandbox.record.assignments().filter((one) => one.ticket === ticket).length).toBeLessThan(
      2,
    )
  },
)
