/** A hundred kills in CI; `npm run kill-test -- --kills 1000` before a release. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { start } from '../bulk/spawned.ts'
import { root } from '../svc.ts'

it('SIGKILL at random moments: nothing lost, doubled or falsely claimed', { timeout: 300_000 }, async () => {
  const { code, stdout, stderr } = await start(process.execPath, [
    join(root, 'tools/crash/kill.mjs'),
    '--kills',
    '100',
  ]).ended
  expect({ code, stderr, last: stdout.trimEnd().split('\n').at(-1) }, stdout).toEqual({
    code: 0,
    stderr: '',
    last: '100 kills, 0 lost, 0 doubled, 0 falsely claimed, 0 claimed too weakly',
  })
})
