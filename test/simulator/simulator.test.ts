/** The simulator's own promises: a seed is the same world each time, and no seed shows a false claim. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { figure } from '../figures/figure.ts'
import { root } from '../svc.ts'

function simulate(...words: readonly string[]): { status: number | null; stdout: string } {
  const tool = join(root, 'tools/simulate/simulate.mjs')
  return spawnSync(process.execPath, [tool, ...words], { encoding: 'utf8', maxBuffer: 2 ** 28 })
}

it('a seed gives the same log each time, to the byte', () => {
  const [first, second] = [1, 2].map(() => simulate('--seed', '11', '--hours', '0.3', '--log').stdout)
  expect(first).toContain('svc ')
  expect(second).toBe(first)
})

it('nothing that is said in a few worlds is false', () => {
  const { status, stdout } = simulate('--seed', '1', '--hours', '3')
  expect(stdout).toMatch(/ 0 false\n$/)
  expect(status).toBe(0)
  figure('claims judged in simulated worlds', Number(/(\d+) claims/.exec(stdout)?.[1]))
})

it('a mistake that is planted is found, and the seed that shows it shows it again', () => {
  // Each of the others stands in the program exactly once, or this ends with an error.
  const { status, stdout } = simulate('--planted', '--only', 'never says deleted')
  expect(stdout).toMatch(/^never says deleted: --seed \d+ --hours 1, .*, again by it: FALSE/)
  expect(status).toBe(0)
})

it('what a SIGKILL leaves of a real process at a write, the simulator has left of its own', () => {
  const { status, stdout } = simulate('--real', '6', '--seed', '1')
  expect(stdout).toMatch(/^seeds 1 to 6: [1-6] killed, 0 end otherwise as real processes\n$/)
  expect(status).toBe(0)
})

it('of a false claim the steps stay that show it', () => {
  const plant = ['--plant', 'never says deleted', '--steps', 'delete', '--seed', '1', '--hours', '0.1']
  const { stdout } = simulate(...plant, '--shrink')
  const [, kept = ''] = /^shrunk, again: .* --keep (\d+) --log$/m.exec(stdout) ?? []
  expect(simulate(...plant, '--keep', kept).stdout).toContain('is claimed to be gone')
})
