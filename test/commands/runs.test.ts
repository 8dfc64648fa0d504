/** svc runs list, show, export, prune. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { typing } from '../svc.ts'
import { createBulkWorld } from '../bulk/bulk-world.ts'

const world = await createBulkWorld({ contacts: 200 })
const { svc, bulk, file, free, busy, sandbox } = world
const state = world.state()
const folder = join(state.replace('--state-dir ', ''), 'runs')

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

test('runs check still knows of a run that was pruned', async () => {
  const own = world.state()
  expect(
    (await svc(`contacts delete ${world.absent(1)[0]} --yes --once night-1 ${own}`)).code,
  ).toBe(3)
  expect((await svc(`runs prune --older-than 1ms --yes ${own}`)).code).toBe(0)
  const { code, stdout, stderr } = await svc(`runs check night-1 --within 1d --json ${own}`)
  expect([code, stderr]).toEqual([3, ''])
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'night-1', exitCode: 3 }])
})

test('a run that was pruned ended when it ended, and not when it was removed', async () => {
  const own = world.state()
  const done = await bulk(`contacts delete ${free[50]} --yes --once night-2 ${own}`)
  const later = { clockOffset: 3 * 86_400_000 }
  expect((await svc(`runs prune --older-than 1d --yes ${own}`, later)).code).toBe(0)
  const { stdout } = await svc(`runs list --json ${own}`, later)
  const { endedAt } = done.summary as { endedAt?: string }
  expect(JSON.parse(stdout)).toMatchObject([{ endedAt }])
  // The name and the summary stay for good, whatever its age.
  const again = await svc(`runs prune --older-than 1ms --yes ${own}`, later)
  expect(again).toMatchObject({ code: 0, stdout: '' })
  expect(again.stderr).toContain('no runs are that old')
  const repeated = await svc(`contacts delete ${free[50]} --yes --once night-2 ${own}`, later)
  expect([repeated.code, repeated.stderr]).toEqual([0, expect.stringContaining('nothing was sent')])
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
    rmSync(join(own.replace('--state-dir ', ''), 'runs', run), { recursive: true })
  })

  it('a run that was killed worked until its last line; one that cannot be read may have worked at any time', async () => {
    const [killed = ''] = await listed('--operation contacts.delete')
    const dir = join(own.replace('--state-dir ', ''), 'runs', killed)
    const journal = join(dir, 'journal.ndjson')
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n')
    expect(lines.at(-1)).toContain('"t":"end"')
    writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`)
    expect(await listed(`--since ${at(2)}`)).toEqual([killed])
    expect(await listed(`--since ${at(4)}`)).toEqual([])
    // A damaged run may have worked at any time since its start, and, without a header, on any operation of any service.
    writeFileSync(journal, '')
    expect(await listed(`--since ${at(4)}`)).toEqual([killed])
    expect(await listed(`--until ${at(-1)}`)).toEqual([])
    expect(await listed('--operation lists.add-contacts')).not.toContain(killed)
    writeFileSync(join(dir, 'header.json'), '{')
    expect(await listed('--operation lists.add-contacts')).toContain(killed)
  })
})

describe('--last', () => {
  it('knows no run of another service', async () => {
    const env = { SVC_BASE_URL: `${sandbox.baseUrl}/other` }
    for (const command of ['show', 'export', 'resume', 'resume --outcome error']) {
      const { code, stdout, stderr } = await svc(`runs ${command} --last ${state}`, { env })
      expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: '' })
      expect(stderr).toMatch(/there is no (unfinished )?run on/)
    }
  })
})

describe('runs prune', () => {
  it('removes what is older; damaged runs stay, with or without a name, and each is named', async () => {
    const other = world.state()
    const runs = join(other.replace('--state-dir ', ''), 'runs')
    const { summary } = await bulk(`contacts delete ${free[20]} --yes ${other}`)
    const unreadable = '20200101T000000Z-00aa'
    const nightly = '@nightly'
    for (const folder of [unreadable, nightly]) {
      mkdirSync(join(runs, folder), { mode: 0o700 })
      writeFileSync(join(runs, folder, 'header.json'), '{')
      writeFileSync(join(runs, folder, 'journal.ndjson'), '')
    }
    // A killed process left a folder in which no run began: that goes without a word.
    const unbegun = '20200101T000000Z-00bb'
    mkdirSync(join(runs, unbegun), { mode: 0o700 })
    writeFileSync(join(runs, unbegun, 'items'), '')
    const listed = JSON.parse((await svc(`runs list --json ${other}`)).stdout) as Listed[]
    expect(listed.map(({ status }) => status)).toEqual(['damaged', 'complete', 'damaged'])

    const planned = await svc(`runs prune --older-than 0s --dry-run -o ids ${other}`)
    expect(planned).toMatchObject({ code: 0, stdout: `${summary.run}\n` })
    expect(planned.stderr).toContain('1 run would be removed')
    expect(existsSync(join(runs, unbegun))).toBe(true)
    const pruned = await svc(`runs prune --older-than 0s --yes -o ids ${other}`)
    expect(pruned).toMatchObject({ code: 0, stdout: `${summary.run}\n` })
    for (const folder of [unreadable, nightly]) {
      const { stderr } = pruned
      expect(stderr).toContain(`warning: run ${folder.replace('@', '')} is damaged: header.json`)
      expect(stderr).toContain(`it was not removed, and its files are in ${join(runs, folder)}\n`)
    }
    expect(new Set(readdirSync(runs))).toEqual(new Set([unreadable, nightly]))
    // Its name is not free: what was sent under it is not known.
    const again = await svc(`contacts delete ${free[21]} --yes --once nightly ${other}`)
    expect(again).toMatchObject({ code: 2, stdout: '' })
    expect((await svc(`runs prune ${other}`)).code).toBe(2)
  })

  it('asks before it removes unfinished runs', async () => {
    const asked = await svc(`runs prune --older-than 0s ${state}`)
    expect(asked).toMatchObject({ code: 9, stdout: '' })
    expect(asked.stderr).toContain(
      `1 run has something left to send or to find out (${stoppedName})`,
    )
    const terminal = typing('n')
    expect(
      (await svc(`runs prune --older-than 0s ${state}`, { terminal: terminal.terminal })).code,
    ).toBe(9)
    expect(terminal.shown()).toContain('Remove it?')
    expect(new Set(readdirSync(folder))).toEqual(new Set([name, stoppedName, assignName]))
  })

  it('leaves other files of the folder alone', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    const { code, stdout } = await svc(`runs prune --older-than 0s --yes -o ids ${state}`)
    expect(code).toBe(0)
    expect(new Set(stdout.trimEnd().split('\n'))).toEqual(new Set([name, stoppedName, assignName]))
    expect(readdirSync(folder)).toEqual(['notes.txt'])
  })
})
