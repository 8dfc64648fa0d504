/** Resuming a run: what is sent again, what is not, and what is found in its folder. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { headerName } from '../../src/bulk/record/read-run.ts'
import { typing } from '../svc.ts'
import type { SummaryDocument } from '../../src/bulk/outcomes/summary-document.ts'
import { createBulkWorld, type BulkWorld } from './bulk-world.ts'
import { hold, writeLines } from './recorded-run.ts'

const world = await createBulkWorld()
const { svc, bulk, since, begun: stopped, file, sandbox, fresh } = world

const deletion = (ids: readonly string[], size = 2): string =>
  `contacts delete --file ${file('ids', ids)} --yes batches-of=${size}`

it('a run that is taken over after its second request sends nothing more and sums nothing up', async () => {
  let requests = 0
  const other: BulkWorld = await createBulkWorld({
    contacts: 50,
    onRequest() {
      requests += 1
      // As another process does that watched it for a minute.
      if (requests === 2) rmSync(join(runs, readdirSync(runs)[0] ?? '', 'session.1'))
    },
  })
  const state = other.state()
  const runs = join(state.split(' ')[1] ?? '', 'runs')
  const ids = other.file('ids', other.free.slice(0, 8))
  const line = `contacts delete --file ${ids} --yes batches-of=1 --concurrency 1 ${state}`
  const ended = await other.svc(line)
  expect([ended.code, ended.stdout, requests]).toEqual([11, '', 2])
  expect(ended.stderr).toContain(`svc runs show ${readdirSync(runs)[0]}`)
})

describe('a new run with the ids of an unfinished one', () => {
  it('asks on a terminal, and Enter alone resumes the other one', async () => {
    const line = deletion(fresh(6)).replace(' --yes', '')
    const { run, state } = await stopped('contacts.delete:2=401', `${line} --yes`)
    // Each question opens the terminal anew.
    const inTurn = (...all: ReturnType<typeof typing>[]) => ({
      terminal: () => all.shift()?.terminal(),
    })
    const no = typing('n')
    const other = await bulk(`${line} ${state}`, inTurn(no, typing('6')))
    expect(no.shown().replaceAll(/\s+/g, ' ')).toMatch(
      /Run \S+ \(.*\) has the same ids and is not finished\. Resume it/,
    )
    expect(other.summary.run).not.toBe(run)
    const { ended, sent } = await since(() =>
      bulk(`${line} ${state}`, inTurn(typing(''), typing('4'))),
    )
    expect([ended.code, ended.summary.run, sent]).toEqual([3, run, 2])
  })
})

describe('resume', () => {
  it('--last takes the newest run whatever its state, and never another', async () => {
    const old = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const last = () => since(() => svc(`runs resume --last --yes ${old.state}`))
    sandbox.setFaults('contacts.delete:2=401')
    const newer = await bulk(`${deletion(fresh(6))} --concurrency 1 ${old.state}`)
    sandbox.setFaults()
    expect((await bulk(`runs resume --last --yes ${old.state}`)).summary.run).toBe(
      newer.summary.run,
    )
    const { ended, sent } = await last()
    expect([ended.code, ended.stdout, sent]).toEqual([2, '', 0])
    expect(ended.stderr).toMatch(
      new RegExp(
        `nothing is left to do in run ${newer.summary.run}, .*\n {2}to see the others:\n {4}svc runs list`,
      ),
    )
    expect((await svc(`runs resume ${old.run} --last ${old.state}`)).code).toBe(2)
    expect((await svc(`runs resume ${old.run} --yes ${old.state}`)).code).toBe(0)
    // The owner of that run, and whether it is done, is unknown.
    const [{ summary }, dir] = [await bulk(`${deletion(fresh(1))} ${old.state}`), dirname(old.dir)]
    writeFileSync(join(dir, summary.run ?? '', headerName), '{')
    for (const line of ['resume --yes', 'resume --outcome error --yes', 'show', 'export', 'undo']) {
      const { code, stdout, stderr } = await svc(`runs ${line} --last ${old.state}`)
      expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: '' })
      expect(stderr).toContain(`run ${summary.run} cannot be read`)
    }
  })

  it('another service is refused, another key needs --new-key', async () => {
    const { run, state } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    // Two services behind one origin are two.
    for (const SVC_BASE_URL of ['http://127.0.0.1:9', `${sandbox.baseUrl}/staging`])
      expect(
        await svc(`runs resume ${run} --yes ${state}`, { env: { SVC_BASE_URL } }),
      ).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('the base URL: ') as string,
      })
    const { stderr } = await svc(`runs resume --last --yes ${state}`, {
      env: { SVC_BASE_URL: `${sandbox.baseUrl}/staging` },
    })
    expect(stderr).toContain('there is no run')
    const env = world.as('second-company')
    const refused = await svc(`runs resume ${run} --yes ${state}`, { env })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--new-key')
    // The second company does not have these contacts, which is what --new-key is asked for.
    const { summary } = await bulk(`runs resume ${run} --yes --new-key ${state}`, { env })
    expect(summary.result).toMatchObject({ deleted: 2, notFound: 2 })
  })

  it('counts the time of all sessions, not what lies between', async () => {
    const { run, state } = await stopped(
      'contacts.delete:1+=delay,after=60ms contacts.delete:2=401',
      deletion(fresh(4)),
    )
    // A day later, for both.
    const day = 24 * 60 * 60 * 1000
    sandbox.setFaults('*=clock,ahead=24h')
    const { stdout } = await svc(`runs resume ${run} --yes --json ${state}`, { clockOffset: day })
    sandbox.setFaults()
    const { durationMs } = JSON.parse(stdout) as { durationMs: number }
    expect(durationMs).toBeGreaterThan(100)
    expect(durationMs).toBeLessThan(day)
    const shown = JSON.parse(
      (await svc(`runs show ${run} --json ${state}`)).stdout,
    ) as SummaryDocument
    expect(shown.durationMs).toBeLessThan(day)
  })
})

describe('a refusal that stopped the run', () => {
  it('burns no batch, however often it is repeated', async () => {
    const line = `${deletion(fresh(6))} --once deployed --concurrency 1 ${world.state()}`
    for (let repetition = 0; repetition < 4; repetition += 1) {
      sandbox.setFaults('contacts.delete=404,body=html')
      const { ended, sent } = await since(() => bulk(line))
      sandbox.setFaults()
      expect([ended.code, sent]).toEqual([6, 1])
      expect(ended.summary).toMatchObject({
        stopReason: 'refused',
        result: { deleted: 0, error: 2, notAttempted: 4 },
        resume: expect.stringContaining(`svc runs resume ${ended.summary.run}`) as string,
      })
    }
    expect(await bulk(line)).toMatchObject({
      code: 0,
      summary: { result: { deleted: 6, error: 0 } },
    })
  })

  it('after successes, too: every batch since the last one is sent again', async () => {
    const { run, state, summary } = await stopped('contacts.delete:2+=404', deletion(fresh(10)))
    expect(summary).toMatchObject({
      stopReason: 'failures',
      exitCode: 7,
      result: { deleted: 2, error: 6, notAttempted: 2 },
    })
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect([ended.code, sent]).toEqual([0, 4])
    expect(ended.summary.result).toMatchObject({ deleted: 10 })
  })
})

it('a refusal before a success was about its batch, and stopped nothing', async () => {
  const { run, state } = await stopped(
    'contacts.delete:2=404 contacts.delete:4+=404',
    deletion(fresh(14)),
  )
  const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
  expect([ended.code, sent, ended.summary.result['error']]).toEqual([3, 4, 2])
})

it.each([401, 403])('a batch that was refused with %d is sent again', async (status) => {
  const { run, state } = await stopped(`contacts.delete:2=${status}`, deletion(fresh(6)))
  const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
  expect([ended.code, sent, ended.summary.result['deleted']]).toEqual([0, 2, 6])
})

describe('an answer that does not add up', () => {
  it('is not sent again by itself: the command that does stands in the summary and in a note, and can be typed', async () => {
    const { run, state, code, summary, stderr } = await stopped(
      'contacts.delete:2=wrong-sums',
      deletion(fresh(6)),
    )
    const command = `svc runs resume ${run} --outcome unknown ${state}`
    expect([code, summary.resume]).toEqual([7, command])
    expect(summary.result).toMatchObject({ deleted: 4, unknown: 2 })
    expect(stderr).toContain(
      `some answers could not be understood; to send those batches again:\n  ${command}`,
    )
    const shown = await svc(`runs show ${run} --json ${state}`)
    expect((JSON.parse(shown.stdout) as SummaryDocument).resume).toBe(command)
    const { ended, sent } = await since(() => bulk(`runs resume ${run} --yes ${state}`))
    expect([ended.code, sent, ended.summary.resume]).toEqual([7, 0, command])
    expect(await bulk(`${command.replace('svc ', '')} --yes ${state}`)).toMatchObject({
      code: 0,
      summary: { run, result: { deleted: 4, gone: 2, unknown: 0 }, resume: null },
    })
  })
})

it('a run that another process works on is refused: exit 11', async () => {
  const line = deletion(fresh(4))
  const { run, state, dir } = await stopped('contacts.delete:2=401', line)
  const claim = await hold(dir)
  for (const [words, told] of [
    [`runs resume ${run} --yes`, 'is in use by process'],
    [`runs resume ${run} --outcome error --yes`, 'is in use by process'],
    [line, `error: run ${run} is working on these ids; nothing was sent\n`],
  ] as const) {
    const { ended, sent } = await since(() => svc(`${words} ${state}`))
    expect([words, ended.code, sent]).toEqual([words, 11, 0])
    expect(ended.stderr).toContain(told)
  }
  for (const words of [`runs show ${run} --json`, `runs export ${run} -o csv`]) {
    const { code, stderr } = await svc(`${words} ${state}`)
    expect([words, code]).toEqual([words, 0])
    expect(stderr).toContain('is working on this run; this is its progress')
  }
  claim.release(0)
})

it('another operation or order with the ids of an unfinished run is another job', async () => {
  const ids = fresh(4)
  const { state } = await stopped('contacts.delete:2=401', deletion(ids))
  const note = async (line: string) =>
    (await bulk(`${line} ${state}`)).stderr.includes('not finished')
  expect(await note(deletion(ids.toReversed()))).toBe(false)
  const env = { SVC_BASE_URL: `${sandbox.baseUrl}/other` }
  expect((await bulk(`${deletion(ids)} ${state}`, { env })).stderr).not.toContain('not finished')
  const { emptyList, list } = sandbox.examples
  const add = (to: string) => `lists add-contacts ${to} --file ${file('add', ids)} --yes`
  sandbox.setFaults('lists.add-contacts:1=401')
  await bulk(`${add(emptyList)} ${state}`)
  sandbox.setFaults()
  expect(await note(add(list))).toBe(false)
  expect(await note(add(emptyList))).toBe(true)
  expect(await note(`lists add-contacts VIP --file ${file('ids', ids)}`)).toBe(false)
})

describe('the journal that is found', () => {
  it('names files of a process that was killed: its drafts are removed, and no other file', async () => {
    const { run, state, dir } = await stopped('contacts.delete:2=401', deletion(fresh(4)))
    const path = join(world.folder, 'r.csv')
    const draft = join(world.folder, `r.csv.${run.toLowerCase()}-0123456789abcdef.part`)
    const other = file('mine.csv', ['mine'])
    writeFileSync(draft, 'half')
    writeLines(dir, [{ t: 'file', n: 1, at: 0, path, sha256: 'ab'.repeat(32) }])
    expect((await bulk(`runs resume ${run} --yes ${state}`)).code).toBe(0)
    expect([existsSync(draft), existsSync(other)]).toEqual([false, true])
  })

  it('after a power loss took the last lines, the next batches count as sent, for each later session', async () => {
    const { run, state, dir } = await stopped('', deletion(fresh(6)))
    const path = join(dir, 'journal.ndjson')
    const lines = readFileSync(path, 'utf8').split(/(?<=\n)/)
    // As pages that were never written, where the third batch was.
    const answered = lines.findIndex((line) => /^\{"t":"res",.*"b":2,/.test(line))
    writeFileSync(path, `${lines.slice(0, answered + 1).join('')}${'\0'.repeat(200)}\n`)
    const again = `runs resume ${run} --yes ${state}`
    expect((await world.under('contacts.delete=401', again)).summary.result).toMatchObject({
      deleted: 4,
      unknown: 2,
    })
    expect((await bulk(again)).summary.result).toMatchObject({ deleted: 4, gone: 2, notFound: 0 })
  })

  it('a journal without its first line is damaged', async () => {
    const { run, state, dir } = await stopped('', deletion(fresh(1)))
    const path = join(dir, 'journal.ndjson')
    const bytes = readFileSync(path)
    for (const length of [0, bytes.indexOf('\n')]) {
      writeFileSync(path, bytes.subarray(0, length))
      for (const verb of ['resume', 'show', 'export']) {
        const { ended, sent } = await since(() => svc(`runs ${verb} ${run} ${state}`))
        expect([verb, ended.code, ended.stdout, sent]).toEqual([verb, 2, '', 0])
        expect(ended.stderr).toContain('is damaged: the first line of its journal')
      }
    }
  })

  it('a run whose last failure left nothing was not stopped: list, check and show say the same', async () => {
    const pairs = file('pairs', ['source,target', `${'0'.repeat(24)},${fresh(1)[0] ?? ''}`])
    const merge = `contacts merge --file ${pairs} --once stopped-at-its-end --yes`
    const { run, state, summary } = await stopped('', merge)
    expect(summary).toMatchObject({ status: 'partial', exitCode: 3, left: 0 })
    const shown = JSON.parse(
      (await svc(`runs show ${run} --json ${state}`)).stdout,
    ) as SummaryDocument
    const row = { status: shown.status, exitCode: shown.exitCode, left: 0 }
    expect(JSON.parse((await svc(`runs list --json ${state}`)).stdout)).toMatchObject([row])
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
