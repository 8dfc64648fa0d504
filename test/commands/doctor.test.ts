/** A message of the service that looks like lines of doctor. If red, it passes for a check that svc made. */
import { expect, it } from 'vitest'
import { answering, envFor, http } from '../support/loopback.ts'
import { createWorld } from '../support/svc.ts'

it('a message with line breaks stays in its line', async () => {
  const message = 'no\nok    request       fine\r\nok    versions'
  const server = await answering((socket) => {
    socket.end(http(400, JSON.stringify({ code: 40001, message })))
  })
  const { svc } = createWorld(envFor(server.baseUrl))
  const { code, stdout } = await svc('doctor')
  const states = stdout.match(/^\w+(?= )/gm)
  expect([code, states?.filter((state) => state !== 'info')]).toEqual([
    1,
    ['ok', 'ok', 'FAIL', 'ok', 'ok'],
  ])
  expect(stdout).toContain('no\\u{a}ok    request')
})
