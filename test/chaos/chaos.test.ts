/** Fifty chaos runs in CI; `node tools/crash/chaos.mjs --runs 1000` before a release. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { start } from '../bulk/spawned.ts'
import { root } from '../svc.ts'

it('under random faults nothing false is claimed', { timeout: 240_000 }, async () => {
  const { code, stdout, stderr } = await start(process.execPath, [join(root, 'tools/crash/chaos.mjs'), '--runs', '50'])
    .ended
  expect({ code, stderr, last: stdout.trimEnd().split('\n').at(-1) }, stdout).toEqual({
    code: 0,
    stderr: '',
    last: '50 chaos runs, 0 lost, 0 doubled, 0 falsely claimed, 0 claimed too weakly',
  })
})
