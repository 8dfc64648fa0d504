/** `svc sandbox exec` without a command: the person's own shell, whose commands go to a sandbox. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bin, startSvc } from '../../support/spawned.ts'
import { envFor } from '../../support/loopback.ts'
import { createWorld } from '../../support/svc.ts'

const { folder } = createWorld()
symlinkSync(bin, join(folder, 'svc'))
const inPath = { HOME: folder, SHELL: '/bin/sh', PATH: `${folder}:${process.env['PATH'] ?? ''}` }

const begun = 'note: commands go to a new sandbox at http://127.0.0.1:'

test('its commands go to the sandbox, and a note says where they go afterwards', async () => {
  const { code, stdout, stderr } = await startSvc('sandbox exec', {
    env: { ...inPath, ...envFor('http://127.0.0.1:1') },
    stdin: 'svc lists list --limit 1 -o ids\nexit 6\n',
  }).ended
  expect([code, stdout]).toEqual([6, '64002b3881a0fa394c00012b\n'])
  expect(stderr).toContain(begun)
  expect(stderr).toMatch(/note: the sandbox has stopped; commands go to 127.0.0.1:1 again\n$/)
})

test('another service is refused, whatever a start-up file says', async () => {
  const { code, stderr } = await startSvc('sandbox exec', {
    env: inPath,
    stdin: 'export SVC_BASE_URL=https://api.example.com\nsvc lists list\n',
  }).ended
  expect([code, stderr]).toEqual([2, expect.stringContaining('but SVC_SANDBOX allows only')])
  expect(stderr).toMatch(/note: the sandbox has stopped; no other service is set up\n$/)
})
