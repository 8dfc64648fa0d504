/** A message of the service that looks like lines of doctor, and a disk on which no run could begin. */
import { expect, it } from 'vitest'
import type { Disk } from '../../src/host.ts'
import { answering, envFor, http } from '../support/loopback.ts'
import { realHost } from '../support/real-host.ts'
import { createSandboxWorld, createWorld } from '../support/svc.ts'

it('a message with line breaks stays in its line', async () => {
  const message = 'no\nnote: the service answers, and accepts the key'
  const server = await answering((socket) => {
    socket.end(http(400, JSON.stringify({ code: 40001, message })))
  })
  const { svc } = createWorld(envFor(server.baseUrl))
  const { code, stdout, stderr } = await svc('doctor')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('error: no\\u{a}note: the service answers')
  expect(stderr).not.toMatch(/^note: the service answers/m)
})

it('a full disk is a no', async () => {
  const { svc } = await createSandboxWorld()
  const statfsSync = () => ({ blocks: 16, bfree: 0 })
  const disk = { ...realHost.disk, statfsSync } as unknown as Disk
  const { code, stderr } = await svc('doctor', { disk })
  expect([code, stderr]).toEqual([1, expect.stringContaining('the record of runs is full')])
})
