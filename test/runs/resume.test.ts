/** Resuming a run: what is sent again, what is not, and what is found in its file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { table } from '../table.ts'
import { createBulkWorld, figuresIn, runFile } from './bulk-world.ts'
import { hold } from './recorded-run.ts'
import { bury, linesIn, rewrite } from './run-files.ts'

const world = await createBulkWorld()
const { svc, bulk, since, begun: stopped, file, fresh, unsent, shown } = world

const deletion = (ids: readonly string[], size = 2): string =>
  `contacts delete --file ${file('ids', ids)} --yes batches-of=${size}`

describe('resume', () => {
  it('--last takes the newest unfinished run, and where there is none it is exit 2', async () => {
    const old = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const newer = await bulk(`${deletion(fresh(6))} --concurrency 1 ${old.state}`, {
      faults: 'contacts.delete:2=401',
    })
    const finished = await bulk(`${deletion(fresh(1))} ${old.state}`)
    for (const run of [newer.summary.run, old.run]) {
      const { code, summary } = await bulk(`runs resume --last --yes ${old.state}`)
      expect([code, summary.run, summary.resumed]).toEqual([0, run, true])
    }
    const stderr = await unsent(`runs resume --last --yes ${old.state}`, 2)
    expect(stderr).toContain('there is no unfinished run on')
    expect(stderr).toContain(finished.summary.run)
    await unsent(`runs resume ${old.run} --last ${old.state}`, 2)
    // The owner of that run, and whether it is done, is unknown.
    const { summary } = await bulk(`${deletion(fresh(1))} ${old.state}`)
    rewrite(runFile(old.state, summary.run ?? ''), (lines) =>
      lines.filter(({ t }) => t !== 'run' && t !== 'free'),
    )
    for (const line of ['resume --yes', 'resume --outcome error --yes', 'show', 'export', 'undo'])
      expect(await unsent(`runs ${line} --last ${old.state}`, 2)).toContain(
        `run ${summary.run} cannot be read`,
      )
  })

  it('counts the time of all sessions, not what lies between', async () => {
    const { run, state } = await stopped(
      'contacts.delete:1+=delay,after=60ms contacts.delete:2=401',
      deletion(fresh(4)),
    )
    // A day later, for both.
    const day = 24 * 60 * 60 * 1000
    const { summary } = await bulk(`runs resume ${run} --yes ${state}`, {
      fast: false,
      clockOffset: day,
      faults: '*=clock,ahead=24h',
    })
    expect(summary.durationMs).toBeGreaterThan(100)
    expect(summary.durationMs).toBeLessThan(day)
    expect((await shown(run, state)).durationMs).toBe(summary.durationMs)
  })
})

it('a refusal that stopped the run burns no batch, however often it is repeated', async () => {
  const line = `${deletion(fresh(6))} --once deployed --concurrency 1 ${world.state()}`
  for (let repetition = 0; repetition < 4; repetition += 1) {
    const { ended, sent } = await since(() => world.under('contacts.delete=404,body=html', line))
    expect([ended.code, sent]).toEqual([1, 1])
    const result = { deleted: 0, error: 2, notAttempted: 4 }
    expect(ended.summary).toMatchObject({ stopReason: 'refused', result })
    expect(ended.summary.resume).toContain(`svc runs resume ${ended.summary.run}`)
  }
  const result = { deleted: 6, error: 0 }
  expect(await bulk(line)).toMatchObject({ code: 0, summary: { result } })
})

/** Deletes of so many contacts under faults, two by two; then a resume: its options, exit code, requests and result. */
const resumed = table(`
  a batch that was refused with 401                                  | contacts.delete:2=401                        | 6  |                   | 0 | 2 | deleted 6
  a batch that was refused with 403                                  | contacts.delete:2=403                        | 6  |                   | 0 | 2 | deleted 6
  every batch since the last success, where refusals stopped the run | contacts.delete:2+=404                       | 10 |                   | 0 | 4 | deleted 10
  no batch that was refused before a success                         | contacts.delete:2=404 contacts.delete:4+=404 | 14 |                   | 3 | 4 | error 2
  no batch whose answer does not add up                              | contacts.delete:2=wrong-sums                 | 6  |                   | 3 | 0 | unknown 2
  with --outcome unknown a batch whose answer does not add up        | contacts.delete:2=wrong-sums                 | 6  | --outcome unknown | 0 | 1 | deleted 4, gone 2, unknown 0
  with --outcome error refused batches, and unsent ones              | contacts.delete:1=422 contacts.delete:3=401  | 8  | --outcome error   | 0 | 3 | deleted 8
`)

it.each(resumed)('a resume sends %s', async (_, faults, count, options, code, requests, result) => {
  const { run, state } = await stopped(faults ?? '', deletion(fresh(Number(count))))
  const line = `runs resume ${run} ${options} --yes ${state}`
  const { ended, sent } = await since(() => bulk(line))
  expect([ended.code, sent]).toEqual([Number(code), Number(requests)])
  expect(ended.summary).toMatchObject({ run, resume: null, result: figuresIn(result) })
})

it('a run that another process works on is refused: exit 11', async () => {
  const line = deletion(fresh(4))
  const { run, state, path } = await stopped('contacts.delete:2=401', line)
  const held = await hold(path)
  const resume = `runs resume ${run} --yes`
  for (const words of [resume, `${resume} --outcome error`, line])
    expect(await unsent(`${words} ${state}`, 7)).toContain('is in use by process')
  for (const words of [`runs show ${run} --json`, `runs export ${run} -o csv`])
    expect(await unsent(`${words} ${state}`, 0)).toContain(
      'is working on this run; this is its progress',
    )
  await held.release()
})

describe('the file that is found', () => {
  it('names drafts of a process that was killed: they are removed, and no other file', async () => {
    const { run, state, path } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const draft = join(world.folder, '.svc-0123456789abcdef.part')
    const other = file('mine.csv', ['mine'])
    writeFileSync(draft, 'half')
    const line = { t: 'file', path: join(world.folder, 'r.csv'), draft, sha256: 'ab'.repeat(32) }
    // In place of its `free`.
    rewrite(path, (lines) => [...lines.slice(0, -1), { ...lines.at(-1), ...line }])
    bury(path)
    expect((await bulk(`runs resume ${run} --yes ${state}`)).code).toBe(0)
    expect([existsSync(draft), existsSync(other)]).toEqual([false, true])
  })

  it('after a power loss took the last lines, the batches of which no answer is left count as sent, for each later session', async () => {
    const { run, state, path } = await stopped('', deletion(fresh(6)))
    const text = readFileSync(path, 'utf8')
    // As pages that were never written, where the third batch was; the end of the session is left behind them.
    const from = text.indexOf('{"s"', text.search(/.*"t":"try","b":3/))
    const to = text.search(/\n.*"t":"free"/)
    writeFileSync(path, text.slice(0, from) + '\0'.repeat(to - from) + text.slice(to))
    const again = `runs resume ${run} --yes ${state}`
    expect((await world.under('contacts.delete=401', again)).summary.result).toMatchObject({
      deleted: 4,
      unknown: 2,
    })
    expect((await bulk(again)).summary.result).toMatchObject({ deleted: 4, gone: 2, notFound: 0 })
  })

  it('a file of which only the first line is left never began', async () => {
    const { run, state, path } = await stopped('', deletion(fresh(1)))
    rewrite(path, (lines) => lines.slice(0, 1))
    for (const verb of ['show', 'export'])
      expect(await unsent(`runs ${verb} ${run} ${state}`, 2)).toContain(
        `run ${run} never began, or was removed`,
      )
    expect(linesIn(path)).toHaveLength(1)
  })

  it('a run whose last failure left nothing was not stopped: list, check and show say the same', async () => {
    const pairs = file('pairs', ['source,target', `${'0'.repeat(24)},${fresh(1)[0] ?? ''}`])
    const merge = `contacts merge --file ${pairs} --once stopped-at-its-end --yes`
    const { run, state, summary } = await stopped('', merge)
    const said = { status: 'partial', exitCode: 3, left: 0 }
    expect([summary, await shown(run, state)]).toMatchObject([said, said])
    expect(JSON.parse((await svc(`runs list --json ${state}`)).stdout)).toMatchObject([said])
    const check = `runs check stopped-at-its-end --within 1d --json ${state}`
    expect(JSON.parse((await svc(check)).stdout)).toMatchObject([{ exitCode: 3 }])
  })
})

it('a run that begins while the clock is behind has the id of a later second than the newest', async () => {
  const state = world.state()
  const at = async (now: number): Promise<string> =>
    (await bulk(`${deletion(fresh(1))} ${state}`, { now })).summary.run ?? ''
  const noon = Date.parse('2026-03-01T12:00:00Z')
  const [first, second] = [await at(noon), await at(noon - 60_000)]
  expect([first.slice(0, 16), second.slice(0, 16)]).toEqual([
    '20260301T120000Z',
    '20260301T120001Z',
  ])
})
