/** A few worlds of each mode. `npm run simulate` plays as many as it is told. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { bundle } from '../../tools/harness/program.mjs'
import { outcomes, type Outcome } from '../../src/runs/engine.ts'
import { ownFolder } from '../support/ending.ts'
import { root } from '../support/svc.ts'
import { modes, play, type Mode } from './episodes.ts'

/** Seeds of a mode. */
const seeds: Readonly<Record<Mode, number>> = {
  crash: 6,
  race: 5,
  close: 5,
  damage: 6,
  disk: 6,
  receipts: 6,
}

const workerPath = join(ownFolder('simulator'), 'process.mjs')
beforeAll(() => bundle(workerPath, "import './test/simulator/process.ts'", [], false))

const reached = new Set<Outcome>()
it.each(modes)('%s: no claim is false, and nothing is sent twice', async (mode) => {
  const {
    wrong,
    episodes,
    receipts,
    outcomes: found,
  } = await play(mode, 1, seeds[mode], workerPath)
  for (const outcome of found) reached.add(outcome)
  expect([wrong, episodes, receipts > 0]).toEqual([[], seeds[mode], true])
})

it('these worlds reach every outcome', () => {
  expect([...reached].sort()).toEqual([...outcomes].sort())
})

it('a runs folder whose maker was killed is still there after a power cut', async () => {
  const { wrong, receipts } = await play('receipts', 7_000_848, 1, workerPath)
  expect([wrong, receipts]).toEqual([[], 1])
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
