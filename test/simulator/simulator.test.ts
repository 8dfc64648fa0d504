/** A few worlds of each mode. `npm run simulate` plays as many as it is told. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../svc.ts'
import { modes, play, type Mode } from './episodes.ts'

/** Seeds of a mode: a seed of `crash` is a world for each step of a command. */
const seeds: Readonly<Record<Mode, number>> = {
  crash: 1,
  race: 6,
  damage: 6,
  undo: 8,
  disk: 4,
  merges: 8,
}

it.each(modes)('%s: no claim is false, and nothing is sent twice', async (mode) => {
  const { wrong, episodes, receipts } = await play(mode, 1, seeds[mode])
  expect([wrong, episodes > 0, receipts > 0]).toEqual([[], true, true])
})

it('the mistakes that the simulator plants fit the code', () => {
  const script = `
    import { checkReplacements } from './tools/harness/program.mjs'
    import { planted } from './tools/simulate/planted.mjs'
    checkReplacements(planted.flatMap(({ edits }) => edits))`
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})
