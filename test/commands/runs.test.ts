/** Runs that were killed or damaged, in svc runs list and prune. All else is in test/transcripts/runs.txt. */
import { existsSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createBulkWorld, recordedRuns, runFile } from '../runs/bulk-world.ts'
import { bury, rewrite, sessionOf, writeOf } from '../runs/run-files.ts'

const world = await createBulkWorld({ contacts: 200 })
const { svc, bulk, free, sandbox } = world

interface Listed {
  readonly run: string
  readonly status: string
}

it('a run that was killed worked until its last line, and a damaged one at any time since its start', async () => {
  const own = world.state()
  const begin = Date.now()
  const at = (days: number): string => new Date(begin + days * 86_400_000).toISOString()
  // When all of it is over.
  const later = { clockOffset: 10 * 86_400_000 }
  const listed = async (words: string): Promise<string[]> =>
    (JSON.parse((await svc(`runs list --json ${words} ${own}`, later)).stdout) as Listed[]).map(
      ({ run }) => run,
    )
  sandbox.setFaults('contacts.delete:1=401')
  await bulk(`contacts delete ${free[40]} --yes ${own}`)
  sandbox.setFaults()
  const [killed = ''] = await listed('')
  await world.minutesOn(3 * 24 * 60, '', (options) =>
    svc(`runs resume ${killed} --yes ${own}`, options),
  )
  const path = runFile(own, killed)
  rewrite(path, (lines) => lines.filter(({ t }) => t !== 'end' && t !== 'free'))
  bury(path)
  expect(await listed(`--since ${at(2)}`)).toEqual([killed])
  expect(await listed(`--since ${at(4)}`)).toEqual([])
  // Its operation is not known either.
  rewrite(path, (lines) => lines.filter(({ t }) => t !== 'run'))
  expect(await listed(`--since ${at(4)}`)).toEqual([killed])
  expect(await listed(`--until ${at(-1)}`)).toEqual([])
  expect(await listed('--operation lists.add-contacts')).toContain(killed)
})

it('prune removes finished runs that are older, and what never began; damaged runs are named and stay', async () => {
  const other = world.state()
  const { summary } = await bulk(`contacts delete ${free[20]} --yes ${other}`)
  const damaged = ['20200101T000000Z-00aa', 'nightly']
  for (const run of damaged) {
    const lines = [sessionOf(), { t: 'try', b: 1, a: 1 }, { t: 'free' }]
    writeFileSync(runFile(other, run), writeOf('0000000a', lines))
  }
  // A killed process left a file in which no run began: that goes without a word, once it is a day old.
  const [old, young] = ['20200101T000000Z-00bb', '20200101T000000Z-00cc'] as const
  for (const run of [old, young]) {
    writeFileSync(runFile(other, run), writeOf('0000000a', [sessionOf(), { t: 'free' }]))
  }
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
  utimesSync(runFile(other, old), twoDaysAgo, twoDaysAgo)
  const listed = JSON.parse((await svc(`runs list --json ${other}`)).stdout) as Listed[]
  expect(listed.map(({ status }) => status).sort()).toEqual(['complete', 'damaged', 'damaged'])

  const planned = await svc(`runs prune --older-than 0s --dry-run -o ids ${other}`)
  expect(planned).toMatchObject({ code: 0, stdout: `${summary.run}\n` })
  expect(planned.stderr).toContain('1 run would be removed')
  expect(existsSync(runFile(other, old))).toBe(true)
  const pruned = await svc(`runs prune --older-than 0s -o ids ${other}`)
  expect(pruned).toMatchObject({ code: 0, stdout: `${summary.run}\n` })
  expect(recordedRuns(other).sort()).toEqual([young, ...damaged].sort())
  expect(pruned.stderr).toContain(`run ${damaged[0]} has a damaged head; it was not removed`)
  // Its name is not free: what was sent under it is not known.
  const again = await svc(`contacts delete ${free[21]} --yes --once nightly ${other}`)
  expect(again).toMatchObject({ code: 2, stdout: '' })
  // By its name it goes, once a person has said yes.
  expect((await svc(`runs prune nightly ${other}`)).code).toBe(2)
  expect((await svc(`runs prune nightly --yes ${other}`)).code).toBe(0)
  expect((await svc(`contacts delete ${free[21]} --yes --once nightly ${other}`)).code).toBe(0)
  expect((await svc(`runs prune ${other}`)).code).toBe(2)
})
