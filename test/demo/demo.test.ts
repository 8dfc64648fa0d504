/** The tour of `npm run demo`, as a reader of a pipe sees it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { root } from '../svc.ts'
import { ownFolder } from '../ending.ts'

const folder = ownFolder('demo-test')

async function demo(env: NodeJS.ProcessEnv = {}) {
  const words = ['bin/svc.js', 'sandbox', 'exec', '--', 'sh', 'tools/demo/tour.sh']
  const child = spawn(process.execPath, words, {
    cwd: root,
    // Settings of the person who runs it must play no part.
    env: {
      ...process.env,
      TMPDIR: folder,
      HOME: folder,
      SVC_OUTPUT: 'json',
      SVC_PROFILE: 'prod',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, stdout, stderr }
}

test('the tour shows each step as typed with its result, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await demo()
  const note = 'note: Showing 250 of 280 members. Use --limit all for all of them.\n'
  expect({ code, stderr }).toEqual({ code: 0, stderr: note })
  expect(stdout).toMatch(
    /\n\$ svc lists add-contacts "Spring campaign" --file ids\.txt --receipts added\.csv -v\n[^$]*\nok +250\n +added +250\n/,
  )
  // Steps that are to fail say so, and no other does.
  expect(stdout.match(/^\(exit code \d+\)$/gm)).toEqual([
    '(exit code 3)',
    '(exit code 5)',
    '(exit code 2)',
  ])
  expect(stdout).not.toContain('\u001b')
  expect(readdirSync(folder)).toEqual([])
})
