/** `--since` with messages that are not in order, which the sandbox never gives. */
import { expect, test } from 'vitest'
import { answering, http } from '../../support/loopback.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const { tickets } = sandbox.examples

/** Messages by their days in March. */
const chunkOf = (days: readonly number[], next?: string) => ({
  ticket: { id: tickets.active, status: 'active' },
  messages: days.map((day) => ({ id: `m${day}`, sentAt: `2026-03-0${day}T00:00:00Z` })),
  ...(next === undefined ? {} : { nextChunkStartMessageId: next }),
})

test('--since reads on after an older message, because a newer one may come in the next chunk', async () => {
  const server = await answering((socket, request) => {
    const isNext = request.includes('chunkLastMessageId')
    const chunk = isNext ? chunkOf([5]) : chunkOf([9, 1], 'm5')
    socket.write(http(200, JSON.stringify({ data: chunk })))
  })
  const env = { SVC_BASE_URL: server.baseUrl }
  const { stdout } = await svc(
    `tickets history ${tickets.active} --since 2026-03-02T00:00:00Z -o ids`,
    { env },
  )
  expect(stdout).toBe('m9\nm5\n')
})
