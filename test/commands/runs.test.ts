/** svc runs list, show, export, prune. */
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ReceiptDocument } from '../../src/views/documents.ts'
import { createBulkWorld, linesOf, recordedRuns, runFile, runsFolder } from '../runs/bulk-world.ts'
import { bury, rewrite, sessionOf, writeOf } from '../runs/run-files.ts'

const world = await createBulkWorld({ contacts: 200 })
const { svc, bulk, file, free, busy, sandbox } = world
const state = world.state()
const folder = runsFolder(state)

const ids = [...free.slice(0, 4), ...busy.slice(0, 1), ...world.absent(1)]
const first = await bulk(`contacts delete --file ${file('ids', ids)} --yes batches-of=3 ${state}`)
sandbox.setFaults('contacts.delete:1=401')
const second = await bulk(`contacts delete ${free[10]} --yes ${state}`)
sandbox.setFaults()
const tickets = [...sandbox.store.tickets.all()].filter(
  ({ status, assigneeId }) => status === 'active' && assigneeId !== null,
)
const third = await bulk(
  `tickets assign --file ${file('t', [String(tickets[0]?.['id'])])} --to ${sandbox.examples.employee} ${state}`,
)
const [name, stoppedName, assignName] = [first, second, third].map(
  ({ summary }) => summary.run ?? '',
)

interface Listed {
  readonly run: string
  readonly status: string
  readonly left: number | null
}

describe('runs list', () => {
  it('is an array, newest first', async () => {
    const { code, stdout } = await svc(`runs list --json ${state}`)
    const listed = JSON.parse(stdout) as Listed[]
    expect(code).toBe(0)
    expect(listed.map(({ run }) => run)).toEqual([assignName, stoppedName, name])
    expect(listed[2]).toMatchObject({
      name: null,
      by: `${userInfo().username}@${hostname()}`,
      host: new URL(sandbox.baseUrl).host,
      result: first.summary.result,
      exitCode: 3,
    })
    expect(listed[1]).toMatchObject({ status: 'stopped', left: 1, exitCode: 4 })
    expect(listed[0]).toMatchObject({ target: sandbox.examples.employee, exitCode: 0 })
  })

  it('a reason of more than 500 characters is refused', async () => {
    const line = `contacts delete ${free[11]} --yes --reason ${'x'.repeat(501)}`
    expect(await svc(line)).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('runs of a time', () => {
  const own = world.state()
  const day = 86_400_000
  const begin = Date.now()
  const at = (days: number): string => new Date(begin + days * day).toISOString()
  // When all of it is over.
  const later = { clockOffset: 10 * day }
  const listed = async (words: string): Promise<string[]> =>
    (JSON.parse((await svc(`runs list --json ${words} ${own}`, later)).stdout) as Listed[]).map(
      ({ run }) => run,
    )

  it('a run belongs to each time in which it worked', async () => {
    sandbox.setFaults('contacts.delete:1=401')
    const { summary: resumed } = await bulk(`contacts delete ${free[40]} --yes ${own}`)
    sandbox.setFaults()
    const { summary: short } = await bulk(`lists add-contacts VIP ${free[41]} ${own}`)
    const [long, other] = [resumed.run ?? '', short.run ?? '']
    await world.minutesOn(3 * 24 * 60, '', (options) =>
      svc(`runs resume ${long} --yes ${own}`, options),
    )
    expect(await listed(`--until ${at(-1)}`)).toEqual([])
    expect(await listed(`--since ${at(-1)} --until ${at(1)}`)).toEqual([other, long])
    expect(await listed(`--since ${at(2)}`)).toEqual([long])
    expect(await listed(`--since ${at(4)}`)).toEqual([])
    expect(await listed('--operation lists.add-contacts')).toEqual([other])
    // Each receipt has the time of its answer.
    const { stdout } = await svc(`runs export ${long} -o ndjson ${own}`, later)
    expect(linesOf<ReceiptDocument>(stdout)).toMatchObject([
      {
        id: free[40],
        outcome: 'deleted',
        at: expect.stringMatching(new RegExp(`^${at(3).slice(0, 10)}T`)) as string,
      },
    ])
  })

  it('a span begins with its first millisecond, and ends before its last', async () => {
    const { summary } = await bulk(`contacts delete ${free[42]} --yes ${own}`)
    const run = summary.run ?? ''
    const { startedAt, endedAt } = summary as unknown as { startedAt: string; endedAt: string }
    const plus = (time: string): string => new Date(Date.parse(time) + 1).toISOString()
    for (const [words, isIn] of [
      [`--since ${startedAt}`, true],
      [`--since ${endedAt}`, true],
      [`--since ${plus(endedAt)}`, false],
      [`--until ${startedAt}`, false],
      [`--until ${plus(startedAt)}`, true],
    ] as const)
      expect([words, (await listed(words)).includes(run)]).toEqual([words, isIn])
    expect(await svc(`runs prune ${run} ${own}`)).toMatchObject({ code: 0 })
  })

  it('a run that was killed worked until its last line, and a damaged one at any time since its start', async () => {
    const [killed = ''] = await listed('--operation contacts.delete')
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
})

it('--last knows no run of another service', async () => {
  const env = { SVC_BASE_URL: `${sandbox.baseUrl}/other` }
  for (const command of ['show', 'export', 'resume', 'resume --outcome error']) {
    const { code, stdout, stderr } = await svc(`runs ${command} --last ${state}`, { env })
    expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: '' })
    expect(stderr).toMatch(/there is no (unfinished )?run on/)
  }
})

describe('runs prune', () => {
  it('removes finished runs that are older, and what never began; damaged runs are named and stay', async () => {
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
    expect((await svc(`runs prune nightly ${other}`)).code).toBe(9)
    expect((await svc(`runs prune nightly --yes ${other}`)).code).toBe(0)
    expect((await svc(`contacts delete ${free[21]} --yes --once nightly ${other}`)).code).toBe(0)
    expect((await svc(`runs prune ${other}`)).code).toBe(2)
  })

  it('leaves other files of the folder alone', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    const { code, stdout } = await svc(`runs prune --older-than 0s -o ids ${state}`)
    expect(code).toBe(0)
    expect(new Set(stdout.trimEnd().split('\n'))).toEqual(new Set([name, assignName]))
    expect((await svc(`runs prune ${stoppedName} --yes ${state}`)).code).toBe(0)
    expect(readdirSync(folder)).toEqual(['notes.txt'])
  })
})
