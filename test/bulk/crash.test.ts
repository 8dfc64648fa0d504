/** The crash tools, short; `npm run crash` has them long. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { start } from './spawned.ts'
import { ownFolder } from '../ending.ts'
import { keygenHere } from '../plans/plan-world.ts'
import { root } from '../svc.ts'

const good = '0 lost, 0 doubled, 0 falsely claimed, 0 claimed too weakly'

it.each([
  ['SIGKILL at random moments: nothing lost, doubled or falsely claimed', 'kill.mjs --kills 2', `2 kills, ${good}`],
  ['under random faults nothing false is claimed', 'chaos.mjs --runs 4', `4 chaos runs, ${good}`],
])('%s', { timeout: 240_000 }, async (_promise, line, last) => {
  const [tool = '', ...words] = line.split(' ')
  const { code, stdout, stderr } = await start(process.execPath, [join(root, 'tools/crash', tool), ...words]).ended
  expect({ code, stderr, last: stdout.trimEnd().split('\n').at(-1) }, stdout).toEqual({ code: 0, stderr: '', last })
})

it('SIGKILL while a run is removed: its name tells what is true, run or no run', { timeout: 300_000 }, async () => {
  const words = [join(root, 'tools/crash/prune-kills.mjs'), '--every', '60']
  const { code, stdout } = await start(process.execPath, words).ended
  expect({ code, last: stdout.trimEnd().split('\n').at(-1) }, stdout).toEqual({
    code: 0,
    last: expect.stringMatching(/^\d+ kills, 0 names that told something false$/) as string,
  })
})

it('SIGKILL while a plan is applied, and two at once: it is applied exactly once', { timeout: 300_000 }, async () => {
  const keygen = keygenHere(ownFolder('keygen'))
  const words = [join(root, 'tools/crash/plans.mjs'), '--every', '50', '--pairs', '1', '--keygen', keygen]
  const { code, stdout } = await start(process.execPath, words).ended
  const last = expect.stringMatching(/^\d+ kills and 1 pairs .*, 0 plans not applied exactly once$/) as string
  expect({ code, last: stdout.trimEnd().split('\n').at(-1) }, stdout).toEqual({ code: 0, last })
})
