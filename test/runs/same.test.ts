/** The same command is the same job: it goes on with its unfinished run (docs/run-file.md, "The same command"). */
import { appendFileSync, copyFileSync, rmSync, utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { typing } from '../svc.ts'
import { createBulkWorld, receiptsOf, recordedRuns, runFile } from './bulk-world.ts'
import { deadSession, hold } from './recorded-run.ts'
import { bury, linesIn, rewrite, writeOf } from './run-files.ts'

const world = await createBulkWorld()
const { svc, bulk, since, under, begun, unsent, file, fresh, sandbox } = world
const { store, examples } = sandbox

const deletion = (ids: readonly string[]): string =>
  `contacts delete --file ${file('ids', ids)} --yes batches-of=2 --concurrency 1`

/** A run that a 401 stopped after two of these contacts. */
const stopped = (ids: readonly string[]) => begun('contacts.delete:2=401', deletion(ids))

/** As its process would leave it that was killed at its end: without `free`, or without an `end` too. */
function kill(path: string, lost: readonly string[]): void {
  rewrite(path, (lines) => lines.filter(({ t }) => !lost.includes(t)))
  bury(path)
}

/** What its process would leave that was killed before it sent anything. */
const allButHead = ['read', 'try', 'res', 'file', 'end', 'free']

/** A merge of two contacts, and its state folder. */
function newMerge() {
  const state = world.state()
  return { state, line: `contacts merge ${fresh(2).join(' --into ')} --yes ${state}` }
}

describe('an unfinished run', () => {
  it.each([
    ['in the same order', (ids: readonly string[]) => ids],
    [
      'in another order, letter case, with duplicates',
      (ids: readonly string[]) => [...ids.toReversed().map((id) => id.toUpperCase()), ids[0] ?? ''],
    ],
  ])(
    '%s: the command goes on with it, and receipts are in the order of its input',
    async (_, change) => {
      const ids = fresh(6)
      const { run, state } = await stopped(ids)
      const receipts = world.output()
      const input = change(ids)
      const { ended, sent } = await since(() =>
        bulk(`${deletion(input)} --receipts ${receipts} ${state}`),
      )
      expect([ended.code, sent]).toEqual([0, 2])
      expect(ended.summary).toMatchObject({ run, resumed: true, result: { deleted: 6 } })
      expect(ended.stderr).toMatch(/resuming run .*: 2 of 6 contacts done, 4 left/)
      expect(recordedRuns(state)).toEqual([run])
      const wanted = [...new Set(input.map((id) => id.toLowerCase()))]
      const written = receiptsOf(receipts)
      expect(written.map(({ id }) => id.toLowerCase())).toEqual(wanted)
      expect(written.map(({ line }) => line)).toEqual(wanted.map((__, n) => n + 1))
    },
  )

  it('a no leaves it as it is, and so does a dry run, which says what would happen', async () => {
    const ids = fresh(6)
    const { run, state } = await stopped(ids)
    const asking = `${deletion(ids).replace('--yes', '')} ${state}`
    await unsent(asking, 2, typing('6'))
    const foreseen = await unsent(`${asking} --dry-run`, 0)
    expect(foreseen).toContain('the command would resume it, with 4 contacts left')
    expect(await world.shown(run, state)).toMatchObject({ left: 4, result: { deleted: 2 } })
  })

  it('--new-run begins a new one all the same', async () => {
    const ids = fresh(4)
    const { run, state } = await stopped(ids)
    const { code, summary } = await bulk(`${deletion(ids)} --new-run ${state}`)
    expect([code, summary.resumed]).toEqual([3, false])
    expect(summary.run).not.toBe(run)
    expect(summary.result).toMatchObject({ deleted: 2, notFound: 2 })
    await unsent(`${deletion(ids)} --new-run --once x ${state}`, 2)
  })

  it('of more than eight hours ago is another job', async () => {
    const ids = fresh(4)
    const { run, state } = await stopped(ids)
    const at = (hours: number): void => {
      const time = Date.now() / 1000 - hours * 3600
      utimesSync(runFile(state, run), time, time)
    }
    at(7.9)
    expect(await unsent(`${deletion(ids)} --dry-run ${state}`, 0)).toContain('would resume it')
    at(8.1)
    const { summary } = await bulk(`${deletion(ids)} ${state}`)
    expect([summary.resumed, summary.run === run]).toEqual([false, false])
  })

  it.each<[string, string, string, Readonly<Record<string, string>>, RegExp]>([
    ['under a name', '', '--once job', {}, /is the same job and is not finished[^]*runs resume/],
    [
      'with another key',
      '',
      '',
      world.as('second-company'),
      /the key: \S+ then, \S+ now[^]*--new-key/,
    ],
    [
      'that has a name, without it',
      '--once job',
      '',
      {},
      /svc runs resume job[^]*--once job[^]*--new-run/,
    ],
  ])('%s: exit 2, which names the ways', async (_, before, now, env, told) => {
    const ids = fresh(4)
    const { run, state } = await begun('contacts.delete:2=401', `${deletion(ids)} ${before}`)
    expect(await unsent(`${deletion(ids)} ${now} ${state}`, 2, { env })).toMatch(told)
    expect(recordedRuns(state)).toContain(run)
  })
})

describe('a run with nothing left', () => {
  it.each([
    ['`free`', ['free']],
    ['`end` and `free`', ['end', 'free']],
  ])(
    'of which %s was lost is printed again, with its code, and nothing is sent',
    async (_, lost) => {
      const ids = [...fresh(2), ...world.absent(1)]
      const state = world.state()
      const first = await bulk(`${deletion(ids)} ${state}`)
      kill(runFile(state, first.summary.run ?? ''), lost)
      const { ended, sent } = await since(() => bulk(`${deletion(ids)} ${state}`))
      expect([first.code, ended.code, sent]).toEqual([3, 3, 0])
      const { run, result } = first.summary
      expect(ended.summary).toMatchObject({ run, result, resumed: true })
      // Now it is.
      const third = await bulk(`${deletion(ids)} ${state}`)
      expect(third.summary).toMatchObject({ resumed: false, result: { notFound: 3 } })
    },
  )

  it('of which `free` was lost stays to be printed when a command fails before that', async () => {
    const ids = fresh(2)
    const state = world.state()
    const { summary } = await bulk(`${deletion(ids)} ${state}`)
    kill(runFile(state, summary.run ?? ''), ['free'])
    const taken = file('taken.csv', ['x'])
    await unsent(`${deletion(ids)} --receipts ${taken} ${state}`, 2)
    bury(runFile(state, summary.run ?? ''))
    const { ended, sent } = await since(() => bulk(`${deletion(ids)} ${state}`))
    expect([ended.code, sent, ended.summary.run]).toEqual([0, 0, summary.run])
  })

  it('but with an unknown merge is 3, with the advice to look; --new-run sends it after all', async () => {
    const [source = '', target = ''] = fresh(2)
    const state = world.state()
    const pairs = file('pairs.csv', ['source,target', `${source},${target}`])
    const one = `contacts merge ${source} --into ${target} --yes ${state}`
    for (const [line, code] of [
      [one, 7],
      [`contacts merge --file ${pairs} --yes ${state}`, 3],
    ] as const) {
      const lost = { fast: true, faults: 'contacts.merge:1=drop-before' }
      expect((await svc(`${line} --new-run`, lost)).code).toBe(code)
      expect(await unsent(line, 3)).toContain('--new-run')
    }
    const { ended, sent } = await since(() => svc(`${one} --new-run`))
    expect([ended.code, sent]).toEqual([0, 1])
  })
})

describe('of several runs that are the same', () => {
  it('the one whose first attempt is the latest decides, and undone ones and those without an attempt do not', async () => {
    const ids = fresh(4)
    const { run: old, state } = await stopped(ids)
    // A later one is finished, so the command begins anew.
    const later = await bulk(`${deletion(ids)} --new-run ${state}`)
    const third = await bulk(`${deletion(ids)} ${state}`)
    expect([later.summary.resumed, third.summary.resumed]).toEqual([false, false])
    // Without its attempts, it does not count any more: the first one does.
    for (const { summary } of [later, third]) kill(runFile(state, summary.run ?? ''), allButHead)
    const { summary } = await bulk(`${deletion(ids)} ${state}`)
    expect(summary).toMatchObject({ run: old, resumed: true })
  })

  it('one that is held decides, whichever is later: exit 11', async () => {
    const ids = fresh(4)
    const { run, path, state } = await stopped(ids)
    await bulk(`${deletion(ids)} --new-run ${state}`, { faults: 'contacts.delete:1=401' })
    const held = await hold(path)
    const stderr = await unsent(`${deletion(ids)} ${state}`, 7)
    await held.release()
    expect(stderr).toContain(`run ${run} is in use by process ${process.pid}`)
  })

  it('of two that are held, the one whose first attempt is the latest decides', async () => {
    const ids = fresh(4)
    const { path, state } = await stopped(ids)
    const { summary } = await bulk(`${deletion(ids)} --new-run ${state}`)
    const later = summary.run ?? ''
    const holds = [await hold(path), await hold(runFile(state, later))]
    const stderr = await unsent(`${deletion(ids)} ${state}`, 7)
    for (const each of holds) await each.release()
    expect(stderr).toContain(`run ${later} is in use`)
  })

  it('a merge that was killed in flight has no recorded answer, and says so', async () => {
    const { line, state } = newMerge()
    await svc(line, { faults: 'contacts.merge:1=drop-before', fast: true })
    kill(runFile(state, recordedRuns(state)[0] ?? ''), ['res', 'end', 'free'])
    expect(await unsent(line, 3)).toContain('the outcome is unknown: no answer was recorded')
  })

  it('one that is held and has sent nothing does not decide over one that has, even with --take-over', async () => {
    const { line, state } = newMerge()
    const first = await svc(line, { faults: 'contacts.merge:1=drop-before', fast: true })
    expect(first.code).toBe(7)
    const [old = ''] = recordedRuns(state)
    // Another command began the same job on another machine, and was killed before it sent anything.
    const path = runFile(state, '20260301T101500Z-0000')
    copyFileSync(runFile(state, old), path)
    kill(path, allButHead)
    const elsewhere = { host: 'desk-7', place: 'another pid:[1] time:[2]' }
    rewrite(path, (lines) =>
      lines.map((each) => (each.t === 'session' ? { ...each, ...elsewhere } : each)),
    )
    for (const option of ['', '--take-over'])
      expect(await unsent(`${line} ${option}`, 3, { fast: true })).toContain(old)
    // Without the other one, it is the job, and somebody may still work on it.
    rmSync(runFile(state, old))
    await unsent(line, 7)
  })

  it('one that was killed before it sent anything is as good as a new one', async () => {
    const ids = fresh(4)
    const { run, path, state } = await stopped(ids)
    kill(path, allButHead)
    const foreseen = await unsent(`${deletion(ids)} --dry-run ${state}`, 0)
    expect(foreseen).toContain('the command would resume it, with 4 contacts left')
    // Not for a job with a name, and not for a new run; what they leave behind is finished.
    const named = await bulk(`${deletion(ids)} --once x ${state}`)
    const anew = await bulk(`${deletion(ids)} --new-run ${state}`)
    expect([named.summary.resumed, anew.summary.resumed]).toEqual([false, false])
    const { ended, sent } = await since(() => bulk(`${deletion(ids)} ${state}`))
    expect([ended.summary.run, ended.summary.resumed, sent]).toEqual([run, true, 2])
    await unsent(`runs resume --last --yes ${state}`, 2)
  })

  it('one that has sent nothing is not resumed while the same job is unfinished: exit 2', async () => {
    const { line, state } = newMerge()
    const lost = { faults: 'contacts.merge=drop-before', fast: true }
    expect((await svc(`${line} --once job`, lost)).code).toBe(7)
    kill(runFile(state, 'job'), allButHead)
    expect((await svc(line, lost)).code).toBe(7)
    for (const again of [`${line} --once job`, `runs resume job --yes ${state}`])
      expect(await unsent(again, 2)).toContain('is the same job and is not finished')
  })

  it('one that was undone is none', async () => {
    const [ticket = ''] = examples.assignableTickets
    const state = world.state()
    const line = `tickets assign --file ${file('t', [ticket])} --to ${world.taker(ticket)} ${state}`
    const first = await bulk(line)
    const path = runFile(state, first.summary.run ?? '')
    const lines = linesIn(path)
    const session = deadSession(lines[0]?.s, lines.length)
    appendFileSync(path, writeOf('ffffffff', [session, { t: 'undone', by: 'undo-x' }]))
    const again = await bulk(line)
    expect(again.summary).toMatchObject({ resumed: false, result: { done: 1 } })
    expect(again.summary.run).not.toBe(first.summary.run)
  })

  it('a damaged one is named in a note, and a merge is refused then', async () => {
    const { run, path, state } = await stopped(fresh(4))
    rewrite(path, (lines) => lines.filter(({ t }) => t !== 'run'))
    const other = await bulk(`${deletion(fresh(2))} ${state}`)
    expect([other.code, other.stderr]).toEqual([
      0,
      expect.stringContaining(`run ${run}, from the last 8 hours, is damaged`),
    ])
    const merge = `contacts merge ${fresh(2).join(' --into ')} --yes ${state}`
    expect(await unsent(merge, 2)).toContain('--new-run')
    expect((await svc(`${merge} --new-run`)).code).toBe(0)
  })
})

it('of several at the same moment one sends, and the others end with 11', async () => {
  const state = world.state()
  const line = `${deletion(fresh(8))} ${state}`
  // A command that makes room waits for less than a second.
  sandbox.setFaults('*=delay,before=500ms')
  const { ended, sent } = await since(() => Promise.all([1, 2, 3, 4].map(() => svc(line))))
  sandbox.setFaults()
  const codes = ended.map(({ code }) => code).toSorted((one, other) => one - other)
  expect([codes, sent]).toEqual([[0, 7, 7, 7], 4])
  expect(recordedRuns(state)).toHaveLength(1)
})

it('of several at the same moment one sends, however fast it is; the others wait for it or print its result', async () => {
  const state = world.state()
  const line = `${deletion(fresh(8))} ${state}`
  const { ended, sent } = await since(() => Promise.all([1, 2, 3, 4].map(() => svc(line))))
  expect([ended.filter(({ code }) => code !== 0 && code !== 11), sent]).toEqual([[], 4])
  expect(recordedRuns(state)).toHaveLength(1)
})

it('another condition or another set of ids is another job, and so are another service and another list', async () => {
  const ids = fresh(4)
  const { state } = await stopped(ids)
  const isResumed = async (line: string, faults = '', env = {}): Promise<boolean> =>
    (await under(faults, `${line} ${state}`, { env })).summary.resumed
  expect(await isResumed(deletion(ids.slice(1)))).toBe(false)
  expect(
    await isResumed(deletion(ids), '*=404', { SVC_BASE_URL: `${sandbox.baseUrl}/other` }),
  ).toBe(false)
  const add = (to: string) => `lists add-contacts ${to} --file ${file('add', ids)} --yes`
  expect(await isResumed(add(examples.emptyList), 'lists.add-contacts:1=401')).toBe(false)
  expect(await isResumed(add(examples.list))).toBe(false)
  expect(await isResumed(add(examples.emptyList))).toBe(true)
  const tickets = examples.assignableTickets.slice(4, 6)
  const taken = tickets.map((id) => store.tickets.assigneeOf(id))
  const to = world.able.find((id) => !taken.includes(id)) ?? ''
  const assign = `tickets assign --file ${file('t', tickets)} --to ${to}`
  expect(await isResumed(assign, 'tickets.assign:1+=401')).toBe(false)
  expect(await isResumed(`${assign} --if-assignee ${to}`)).toBe(false)
  expect(await isResumed(assign)).toBe(true)
})
