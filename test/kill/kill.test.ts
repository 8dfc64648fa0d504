/** A hundred kills in CI, and every third moment of a prune; `npm run kill-test -- --kills 1000` and `npm run figures` before a release. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { start } from '../bulk/spawned.ts'
import { root } from '../svc.ts'

it('SIGKILL at random moments: nothing lost, doubled or falsely claimed', { timeout: 300_000 }, async () => {
  const { code, stdout, stderr } = await start(process.execPath, [
    join(root, 'tools/kill/kill-test.mjs'),
    '--kills',
    '100',
  ]).ended
  expect({ code, stderr, last: stdout.trimEnd().split('\n').at(-1) }, stdout).toEqual({
    code: 0,
    stderr: '',
    last: '100 kills, 0 lost, 0 doubled, 0 falsely claimed, 0 claimed too weakly',
  })
})

it('SIGKILL while a run is removed: its name tells what is true, run or no run', { timeout: 300_000 }, async () => {
  const words = [join(root, 'tools/prune-kills.mjs'), '--every', '3']
  const { code, stdout } = await start(process.execPath, words).ended
  expect({ code, last: stdout.trimEnd().split('\n').at(-1) }, stdout).toEqual({
    code: 0,
    last: expect.stringMatching(/^\d+ kills, 0 names that told something false$/) as string,
  })
})
