/** The tour of `npm run demo`, as a reader of a pipe sees it. If red, the first thing that a newcomer runs fails. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { root } from '../support/svc.ts'
import { ownFolder } from '../support/ending.ts'

const folder = ownFolder('demo-test')

/** Lines that a terminal window shows at once on most screens. */
const screen = 40

test('the tour runs to its end, fits on a screen and leaves no file behind', async () => {
  const words = ['bin/svc.js', 'sandbox', 'exec', '--', 'sh', 'tools/demo/tour.sh']
  // Settings of the person who runs it must play no part.
  const env = { ...process.env, TMPDIR: folder, HOME: folder, SVC_PROFILE: 'prod' }
  const child = spawn(process.execPath, words, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ])
  expect(code).toBe(0)
  expect(stderr).toContain('the sandbox has stopped')
  // A command of the tour, and below it its result.
  expect(stdout).toMatch(/^\$ svc lists add-contacts [^$]*\ndone +3 /m)
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(screen)
  expect(stdout, 'colors in a pipe').not.toContain('\u001b')
  expect(readdirSync(folder)).toEqual([])
})
