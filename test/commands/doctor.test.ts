/** A message of the service that looks like lines of doctor. */
import { expect, it } from 'vitest'
import { answering, envFor, http } from '../support/loopback.ts'
import { createWorld } from '../support/svc.ts'

it('a message with line breaks stays in its line', async () => {
  const message = 'no\nnote: the service answers, and accepts the key'
  const server = await answering((socket) => {
    socket.end(http(400, JSON.stringify({ code: 40001, message })))
  })
  const { svc } = createWorld(envFor(server.baseUrl))
  const { code, stderr } = await svc('doctor')
  expect(code).toBe(1)
  expect(stderr).toContain('error: no\\u{a}note: the service answers')
  expect(stderr).not.toMatch(/^note: the service answers/m)
})
