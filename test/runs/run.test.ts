/** Recorded runs through the command line: how they begin, go on, stop and are undone. What they say is in the transcripts of test/commands/runs. */
import { readFileSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { Receipt } from '../../src/runs/engine.ts'
import type { Disk } from '../../src/host.ts'
import type { NewLine } from '../../src/runs/lines.ts'
import type { Options } from '../support/svc.ts'
import { table } from '../support/table.ts'
import { createBulkWorld, partPath, runsFolder } from '../support/bulk-world.ts'
import { countedCalls } from '../support/disks.ts'
import { textOf } from '../support/records.ts'

const world = await createBulkWorld()
const { bulk, begun, unsent, fresh, since, svc, sandbox } = world
const { list, emptyList, assignableTickets, tickets } = sandbox.examples
afterEach(() => sandbox.setFaults())

const limited: Options = { env: world.as('limited-history') }
const elsewhere: Options = { env: { SVC_BASE_URL: `${sandbox.baseUrl}/other` } }
const deleteOf = (...ids: string[]) => `contacts delete ${ids.join(' ')} --yes`
/** A run of these ids, of which none was sent. */
const stopped = (line: string) => begun('contacts.delete=401 lists.add-contacts=401', line)
async function receiptsOf(run: string, state: string): Promise<Receipt[]> {
  const { stdout } = await svc(`${state} runs export ${run} --json`)
  return JSON.parse(stdout) as Receipt[]
}

describe('--once', () => {
  it('goes on with its run, also with the ids in another order and letter case, and then prints its result again', async () => {
    const [one = '', two = ''] = fresh(2)
    const { state, code } = await stopped(`${deleteOf(one, two)} --once Nightly.1`)
    expect(code).toBe(4)
    const line = `${state} ${deleteOf(two.toUpperCase(), one)} --once nightly.1`
    const done = { run: '@nightly.1', once: 'Nightly.1', outcomes: { done: 2 }, exitCode: 0 }
    expect((await bulk(line)).summary).toMatchObject(done)
    // The end of another command that was stopped meanwhile says nothing of the result.
    const text = readFileSync(partPath(state, '@nightly.1', 2), 'utf8')
    const after = Number.parseInt(text.slice(-11, -3), 16)
    const late: NewLine[] = [
      { t: 'open', pid: 1, host: 'desk', after },
      { t: 'end', stop: 'not-allowed', outcomes: {}, due: 0 },
    ]
    writeFileSync(partPath(state, '@nightly.1', 3), textOf(late, after))
    const { ended, sent } = await since(() => bulk(line))
    expect([sent, ended.summary]).toEqual([0, expect.objectContaining(done)])
  })

  it('a list that was typed as before needs no request', async () => {
    const line = `lists add-contacts VIP ${fresh(1).join('')} --once vip`
    const { state } = await begun('', line)
    expect((await since(() => bulk(`${state} ${line}`))).sent).toBe(0)
  })

  const [one = '', two = ''] = fresh(2)
  it.each(
    table(`
    lists add-contacts ${list} ${one} ${two}                       | its ids differ (it has 1 id, this command 2)
    lists add-contacts ${list} ${two}                              | its ids are others
    lists add-contacts ${emptyList} ${one}                         | it is for
    lists add-contacts ${list} ${one} --accept not-found           | it was begun without --accept
    contacts delete ${one} --yes                                   | it is a run of lists.add-contacts`),
  )('is another job: %s: %s', async (line = '', words = '') => {
    const { state } = await stopped(`lists add-contacts ${list} ${one} --once x`)
    for (const more of ['', '--dry-run'])
      expect(await unsent(`${state} ${line} --once x ${more}`, 2)).toContain(words)
  })

  it('is another job with an input that has no ids', async () => {
    const file = world.file('ids.csv', ['id', ...fresh(2)])
    const line = `contacts delete --file ${file} --yes --once emptied`
    const { state } = await stopped(line)
    writeFileSync(file, 'id\n')
    expect(await unsent(`${state} ${line}`, 2)).toContain('its ids differ (it has 2 ids')
  })

  it('is another job with another --if-assignee', async () => {
    const [ticket] = assignableTickets
    const [ada, robin] = world.able
    const line = `tickets assign ${ticket} --to ${ada} --once x`
    const { state } = await begun('tickets.history=401', line)
    const refused = await unsent(`${state} ${line} --if-assignee ${robin}`, 2)
    expect(refused).toContain('its --if-assignee differs')
  })
})

describe('a run of another key or service', () => {
  it.each([
    ['of another key, stopped', limited, 'began with another key'],
    ['of another service, finished', elsewhere, 'is on 127'],
  ])('is exit 2, and nothing is sent: %s', async (kind, other, words) => {
    const line = `lists add-contacts ${emptyList} ${fresh(1).join('')} --once x`
    const { state } = kind.includes('stopped') ? await stopped(line) : await begun('', line)
    for (const again of [line, `${line} --dry-run`, 'runs resume x --yes', 'runs undo x --yes'])
      expect(await unsent(`${state} ${again}`, 2, other)).toContain(words)
  })

  it('goes on with a new key under the same profile name, and says so', async () => {
    const [apiKey, apiSecret] = ['SVC_API_KEY', 'SVC_API_SECRET'].map((name) => limited.env?.[name])
    const line = `${world.state()} ${deleteOf(...fresh(1))} --once x`
    expect((await bulk(line, { profile: {}, faults: 'contacts.delete=401' })).code).toBe(4)
    const ended = await bulk(line, { profile: { apiKey, apiSecret } })
    expect([ended.code, ended.stderr]).toEqual([
      0,
      expect.stringContaining('this run began with another key'),
    ])
  })
})

describe('open ids', () => {
  it('are looked for once more before the run has its name', async () => {
    const line = deleteOf(...fresh(1))
    const [{ state: other }, own] = [await stopped(line), world.state()]
    const disk = (real: Disk): Disk => ({
      ...real,
      // Another command begins its run in the meantime.
      mkdirSync: ((path: string, options: { mode: number }) => {
        if (path.includes('.new-'))
          real.cpSync(runsFolder(other), runsFolder(own), { recursive: true })
        return real.mkdirSync(path, options)
      }) as Disk['mkdirSync'],
    })
    expect(await unsent(`${own} ${line}`, 2, { disk })).toContain('is open in run')
    expect((await svc(`${own} runs list -o ids`)).stdout.match(/\n/g)).toHaveLength(1)
  })

  it('are no obstacle to an add', async () => {
    const line = `lists add-contacts ${emptyList} ${fresh(1).join('')}`
    const { state } = await stopped(line)
    expect((await bulk(`${state} ${line}`)).code).toBe(0)
  })
})

it('a secret that cannot be used is refused before anything is recorded, in a dry run too', async () => {
  const state = world.state()
  for (const more of ['', '--dry-run']) {
    const env = { SVC_API_SECRET: 'short' }
    const ended = await svc(`${state} ${deleteOf(...fresh(1))} ${more}`, { env })
    expect([ended.code, ended.stdout]).toEqual([4, ''])
  }
  expect((await svc(`${state} runs list -o ids`)).stdout).toBe('')
})

describe('a dry run is refused as its command would be', () => {
  const there = world.file('there.csv', [])
  it.each<[string, string, Options]>([
    ['readOnly', '', { profile: { readOnly: true } }],
    ['maxDelete', '', { profile: { maxDelete: 1 } }],
    ['an existing file', `--receipts ${there}`, {}],
    ['a folder that is not there', '--receipts /nowhere/x.csv', {}],
  ])('%s', async (_, more, options) => {
    const line = `${world.state()} ${deleteOf(...fresh(2))} ${more}`
    const [dry, real] = [
      await unsent(`${line} --dry-run`, 2, options),
      await unsent(line, 2, options),
    ]
    expect(dry).toContain(real.split('\n')[0])
  })

  it('open ids', async () => {
    const line = deleteOf(...fresh(1))
    const { state } = await stopped(line)
    const [dry, real] = [
      await unsent(`${state} ${line} --dry-run`, 2),
      await unsent(`${state} ${line}`, 2),
    ]
    expect(dry).toContain(real.split('\n').find((each) => each.startsWith('error:')))
  })
})

describe('a run stops', () => {
  it.each(
    table(`
    contacts.delete=500                    | delete | 3 | 7 | failures
    contacts.delete=400                    | delete | 3 | 1 | failures
    contacts.delete=401                    | delete | 1 | 4 | not-allowed
    contacts.delete=403                    | delete | 1 | 4 | not-allowed
    contacts.delete=429,retry-after=90     | delete | 1 | 7 | wait
    contacts.delete:1-2=500                | delete | 6 | 7 | due
    contacts.delete:1-2=400                | delete | 6 | 3 | -
    contacts.merge=500                     | merge  | 3 | 7 | failures
    contacts.merge:1-2=500                 | merge  | 6 | 3 | -`),
  )('%s: after %3$s requests', async (faults = '', kind, sent, code, reason) => {
    const pairs = ['source,target', ...fresh(6).map((id) => `${id},${fresh(1).join('')}`)]
    const line =
      kind === 'merge'
        ? `contacts merge --file ${world.file('pairs.csv', pairs)} --yes --wait 0s`
        : `BATCHES_OF=1 ${deleteOf(...fresh(6))} --wait 0s`
    const { ended, sent: requests } = await since(() => begun(faults, line), 'POST')
    const { summary } = ended
    expect([requests, ended.code, summary.stopReason ?? '-'].map(String)).toEqual([
      sent,
      code,
      reason,
    ])
  })

  it('and what was unknown stays so under a refusal', async () => {
    const faults = 'contacts.delete:1=drop-after-apply contacts.delete:2=400'
    const { summary } = await begun(faults, deleteOf(...fresh(2)))
    expect(summary).toMatchObject({ outcomes: { unknown: 2 }, due: 0, exitCode: 3 })
  })

  it('not for merges that are refused', async () => {
    const rows = world.absent(4).map((id, at) => `${id},${world.free.at(-1 - at)}`)
    const file = world.file('pairs.csv', ['source,target', ...rows])
    const { ended, sent } = await since(() => bulk(`contacts merge --file ${file} --yes`))
    expect([sent, ended.code, ended.summary.outcomes]).toEqual([4, 1, { error: 4 }])
  })

  it('not for halves of an add, which find who does not exist', async () => {
    const ids = [...fresh(3), ...world.absent(5)]
    const { summary, code } = await bulk(
      `lists add-contacts ${emptyList} ${ids.join(' ')} --concurrency 1`,
    )
    expect([code, summary.outcomes, summary.added]).toEqual([3, { done: 3, 'not-found': 5 }, 3])
  })
})

describe('a ticket', () => {
  const own = assignableTickets.slice(2).values()
  const next = () => own.next().value ?? ''
  /** Assigns a ticket while there are faults, and then goes on without them. */
  async function assigned(faults: string, more = '') {
    const ticket = next()
    const line = `tickets assign ${ticket} --to ${world.taker(ticket)} --wait 0s ${more}`
    const { state, run, summary, stderr } = await begun(faults, line)
    const [receipt] = await receiptsOf(run, state)
    const resumed = await since(() => bulk(`${state} runs resume ${run} --yes`), 'PATCH')
    return { ticket, state, run, summary, stderr, receipt, resumed }
  }
  const lost = 'tickets.assign=drop-before'

  it('that cannot be read is assigned without a reading', async () => {
    const { summary, state, run } = await assigned('tickets.history=404')
    expect(summary).toMatchObject({ outcomes: { done: 1 }, exitCode: 0 })
    expect((await bulk(`${state} runs undo ${run} --yes`)).summary.outcomes).toEqual({ done: 1 })
  })

  it('whose answer was lost, and that is where it was, is sent again by a later command', async () => {
    const { summary, resumed } = await assigned(lost)
    expect(summary).toMatchObject({ outcomes: { unknown: 1 }, due: 1, exitCode: 7 })
    expect([resumed.sent, resumed.ended.summary.outcomes]).toEqual([1, { done: 1 }])
  })

  it('whose answer was lost, and that cannot be read, is never sent again', async () => {
    const { summary, resumed } = await assigned(`${lost} tickets.history=404`)
    expect(summary).toMatchObject({ outcomes: { unknown: 1 }, due: 0, exitCode: 3 })
    expect(resumed.sent).toBe(0)
  })

  it('that is done by a reading alone cannot be undone', async () => {
    const { summary, state, run } = await assigned('tickets.assign=drop-after-apply')
    expect(summary.outcomes).toEqual({ done: 1 })
    expect(await unsent(`${state} runs undo ${run} --yes`, 2)).toContain('no confirmed change')
  })

  it('that nobody has is not with the employee of --if-assignee', async () => {
    const ticket = tickets.unassigned
    const [ada, robin] = world.able
    const line = `tickets assign ${ticket} --to ${ada} --if-assignee ${robin}`
    const { code, run, state } = await begun('', line)
    const [receipt] = await receiptsOf(run, state)
    expect([code, receipt?.outcome, receipt?.reason]).toEqual([3, 'kept', 'nobody has the ticket'])
  })

  /** Assigns a ticket that somebody else takes while its request is on the way. */
  async function takenMeanwhile(faults: string, more = (_before: string) => '') {
    const ticket = next()
    const before = sandbox.store.tickets.assigneeOf(ticket) ?? ''
    const [thief = ''] = world.able.filter((id) => id !== before)
    sandbox.setFaults(`tickets.assign=delay,before=200ms ${faults}`)
    const line = `tickets assign ${ticket} --to ${world.taker(ticket, thief)} ${more(before)}`
    const assigning = bulk(line)
    await expect.poll(() => sandbox.requests.at(-1)?.url).toContain(`${ticket}/assignee`)
    sandbox.store.tickets.assign(ticket, thief)
    const { summary, stderr } = await assigning
    return { ticket, thief, summary, stderr, owner: sandbox.store.tickets.assigneeOf(ticket) }
  }

  it('that is taken between its reading and its change is told of', async () => {
    const { ticket, thief, summary, stderr } = await takenMeanwhile(
      '',
      (before) => `--if-assignee ${before}`,
    )
    expect(summary.outcomes).toEqual({ done: 1 })
    expect(stderr).toContain(
      `with somebody else by the time of the change:\n  ${ticket}, from ${thief}\n`,
    )
  })

  it('whose answer was lost, and that somebody else has by then, is left to them and not claimed', async () => {
    const { thief, summary, stderr, owner } = await takenMeanwhile(lost)
    expect(summary).toMatchObject({ outcomes: { unknown: 1 }, due: 0, exitCode: 3 })
    expect(stderr).toContain(`1 ticket unknown: an answer was lost, and ${thief} has the ticket`)
    expect(owner).toBe(thief)
  })

  it('goes back once, unless somebody else has it by then', async () => {
    const ticket = next()
    const before = sandbox.store.tickets.assigneeOf(ticket)
    const taker = world.taker(ticket)
    const { state, run } = await begun('', `tickets assign ${ticket} --to ${taker}`)
    const undo = `${state} runs undo ${run} --yes`
    const undone = await since(() => bulk(undo), 'PATCH')
    expect([undone.sent, sandbox.store.tickets.assigneeOf(ticket)]).toEqual([1, before])
    expect(undone.ended.summary).toMatchObject({ undoes: run, outcomes: { done: 1 } })
    expect((await since(() => bulk(undo), 'PATCH')).sent).toBe(0)
    sandbox.store.tickets.assign(ticket, world.taker(ticket, taker))
    const kept = await since(() => bulk(undo), 'PATCH')
    expect([kept.sent, kept.ended.code, kept.ended.summary.outcomes]).toEqual([0, 3, { kept: 1 }])
  })
})

describe('--receipts', () => {
  it('waits until nothing is due, is written by the same --once, and replaced by nothing else', async () => {
    const path = world.output('csv')
    const line = `${deleteOf(...fresh(2))} --once r --receipts ${path}`
    const { state, stderr } = await stopped(line)
    expect(stderr).toContain('the receipts wait')
    expect((await bulk(`${state} runs resume r --yes`)).stderr).toContain(
      `svc runs export @r --out ${path}`,
    )
    for (const outcome of ['once', 'and again']) {
      expect([outcome, (await bulk(`${state} ${line}`)).code]).toEqual([outcome, 0])
      expect(readFileSync(path, 'utf8').match(/,done,/g)).toHaveLength(2)
    }
    expect(await unsent(`${state} ${deleteOf(...fresh(1))} --receipts ${path}`, 2)).toContain(
      'already exists',
    )
  })

  it('that cannot be written at the end is exit 1, with the line that writes it', async () => {
    const path = world.output('csv')
    const disk = (real: Disk): Disk => ({
      ...real,
      linkSync: () => {
        throw Object.assign(new Error('EIO'), { code: 'EIO' })
      },
    })
    const ended = await bulk(`${deleteOf(...fresh(1))} --receipts ${path}`, { disk })
    expect([ended.code, ended.summary.outcomes]).toEqual([1, { done: 1 }])
    expect(ended.stderr).toMatch(/svc runs export delete-\S+ --out /)
  })
})

describe('one change', () => {
  it.each([
    ['contacts delete', deleteOf(...fresh(1))],
    ['lists add-contacts', `lists add-contacts ${list} ${fresh(1).join('')}`],
    ['tickets assign', `tickets assign ${assignableTickets[1]} --to ${world.able.at(-1)}`],
  ])('costs at most six syncs and one rename: %s', async (_, line) => {
    const { calls, change } = countedCalls()
    const state = world.state()
    await bulk(`${state} ${deleteOf(...fresh(1))}`)
    await bulk(`${state} ${line}`, { disk: change })
    expect(calls.filter((each) => each.startsWith('sync')).length).toBeLessThanOrEqual(6)
    expect(calls.filter((each) => each === 'rename')).toHaveLength(1)
  })

  it('whose `end` cannot be written is told as it was made: exit 1, and the same --once tells it again', async () => {
    const line = `${world.state()} ${deleteOf(...fresh(1))} --once e`
    const disk = (real: Disk): Disk => ({
      ...real,
      writeSync: ((file: number, bytes: Buffer) => {
        if (!bytes.includes('"t":"end"')) return real.writeSync(file, bytes)
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      }) as Disk['writeSync'],
    })
    const first = await bulk(line, { disk })
    const { ended, sent } = await since(() => bulk(line))
    expect([first.code, ended.code, sent]).toEqual([1, 0, 0])
    for (const { summary } of [first, ended]) expect(summary.outcomes).toEqual({ done: 1 })
  })

  it('has its own exit code when nobody reads its result', async () => {
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(''), { code: 'EPIPE' })),
    })
    const options = { stdout: gone, faults: 'contacts.delete=400' }
    expect((await svc(`${world.state()} ${deleteOf(...fresh(1))}`, options)).code).toBe(1)
  })
})

it('runs list tells what became of each, newest first, of every service; the names alone with -o ids', async () => {
  const { state, run } = await stopped(deleteOf(...fresh(2)))
  await bulk(`${state} lists add-contacts ${emptyList} ${fresh(1).join('')} --once later`, {
    clockOffset: 5000,
  })
  const { stdout } = await svc(`${state} runs list --json`, elsewhere)
  expect(JSON.parse(stdout)).toMatchObject([
    {
      run: '@later',
      status: 'complete',
      outcomes: { done: 1 },
      due: 0,
      endedAt: expect.any(String) as string,
    },
    { run, status: 'stopped', outcomes: { 'not-attempted': 2 }, due: 2, profile: null },
  ])
  const names = async (more: string) => (await svc(`${state} runs list -o ids ${more}`)).stdout
  expect([await names('--unfinished'), await names('--limit 1')]).toEqual([`${run}\n`, '@later\n'])
})

it('a damaged run sends nothing more, also with a close, and can be removed', async () => {
  const line = `${deleteOf(...fresh(2))} --once d`
  const { state, path } = await stopped(line)
  writeFileSync(path, readFileSync(path, 'utf8').replace('"t":"try"', '"t":"tri"'))
  for (const again of [line, `${line} --dry-run`, 'runs resume d --yes', 'runs undo d --yes'])
    expect(await unsent(`${state} ${again}`, 2)).toContain(`line 4 of ${path} is damaged`)
  expect((await svc(`${state} runs close d --yes`)).code).toBe(0)
  expect((await svc(`${state} runs remove d --yes`)).code).toBe(0)
  expect((await bulk(`${state} ${line}`)).code).toBe(0)
})
