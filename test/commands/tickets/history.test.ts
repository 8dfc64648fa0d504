/** `svc tickets history`: messages in an order that the sandbox never gives. All else is in test/commands/tickets/history.txt. */
import { expect, test } from 'vitest'
import { answering, http } from '../../support/loopback.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const { tickets } = sandbox.examples

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
