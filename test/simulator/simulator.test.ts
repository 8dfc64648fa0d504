/** The simulator's own promises: a seed is the same world each time, and no seed shows a false claim. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { figure } from '../figures/figure.ts'
import { root } from '../svc.ts'
import { stepNames } from './traffic.ts'
// @ts-expect-error -- a tool, which has no types
import * as harness from '../../tools/harness/program.mjs'
// @ts-expect-error -- a tool, which has no types
import * as mistakes from '../../tools/simulate/planted.mjs'

interface Edit {
  readonly file: string
  readonly from: string
}

/** A row of the list; a test finds it, by its file and words, or else the simulator. */
interface Mistake {
  readonly edits: readonly Edit[]
  readonly test?: string
  readonly words?: string
  readonly steps?: string
}

const { checkReplacements } = harness as { checkReplacements: (edits: readonly Edit[]) => void }
const { planted } = mistakes as { planted: ReadonlyMap<string, Mistake> }

function simulate(...words: readonly string[]): { status: number | null; stdout: string } {
  const tool = join(root, 'tools/simulate/simulate.mjs')
  const own = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const
  const { status, stdout } = spawnSync(process.execPath, [tool, ...words], own)
  return { status, stdout }
}

it('nothing that is said in a slow world of hours is false, and its seed gives the same log again', () => {
  const [first, second] = [1, 2].map(() => simulate('--seed', '4', '--hours', '0.3', '--log'))
  const stdout = first?.stdout ?? ''
  expect(stdout).toMatch(/svc [^]*: \d+\.\d hours, .* 0 false\n$/)
  expect(second).toEqual(first)
  expect(second?.status).toBe(0)
  figure('claims judged in simulated worlds', Number(/(\d+) claims/.exec(stdout)?.[1]))
})

/** A file of tests, and the texts beside it, in which some have the names of their cases: transcripts in a folder. */
function textsOf(test: string): string {
  const path = join(root, 'test', test)
  const folder = existsSync(path) ? path : dirname(path)
  const texts = readdirSync(folder).filter((name) => name.endsWith('.txt'))
  const paths = [`${path}.test.ts`, ...texts.map((name) => join(folder, name))]
  return paths.map((each) => readFileSync(each, 'utf8')).join('\n')
}

it.each([...planted])(
  '%s: this mistake can be planted, what it changes stands in the program once, and who finds it is there',
  (_, { edits, test, words = '', steps = '' }) => {
    expect(() => checkReplacements(edits)).not.toThrow()
    expect(test === undefined ? '' : textsOf(test)).toContain(words)
    expect([...stepNames, '']).toEqual(expect.arrayContaining(steps.split(',')))
  },
)

it('a mistake that is planted is found, and the steps that show it show it again', () => {
  const plant = [
    '--plant',
    'never says deleted',
    '--steps',
    'contacts.delete',
    '--seed',
    '1',
    '--hours',
    '0.03',
  ]
  const { status, stdout } = simulate(...plant, '--shrink')
  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/^FALSE seed 1, .* claimed to be gone/),
  ])
  const [, kept = ''] = /^shrunk, again: .* --keep (\d+) --log$/m.exec(stdout) ?? []
  expect(simulate(...plant, '--keep', kept).stdout).toContain('claimed to be gone')
})

it('a SIGKILL at a write leaves the same files of a real process and of a simulated one', () => {
  const { status, stdout } = simulate('--real', '2', '--seed', '50')
  expect(stdout).toMatch(
    /^seeds 50 to 51: [12] killed, 0 end otherwise as real processes \([0-2] as after a kill at a write near by\)\n$/,
  )
  expect(status).toBe(0)
})
