/** svc runs undo: what a run of assigns certainly changed goes back, as a run of its own, and nothing else does. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JournalEvent } from '../../src/bulk/record/events.ts'
import { encodeEvent } from '../../src/bulk/record/journal.ts'
import { takeLock } from '../../src/disk/take.ts'
import { nodeHost } from '../../src/host.ts'
import { figureOfWait } from '../figures/figure.ts'
import { typing, type Options } from '../svc.ts'
import { createBulkWorld, linesOf, receiptsOf } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, file, sandbox } = world
const { store } = sandbox
const tickets = sandbox.examples.assignableTickets
const able = store.employees
  .filter(({ status, channels }) => status === 'active' && channels.length === 5)
  .map(({ id }) => id)
let outputs = 0
const output = (): string => join(world.folder, `undone-${(outputs += 1)}.ndjson`)

const assigneesOf = (ids: readonly string[]) => ids.map((id) => store.tickets.assigneeOf(id))
const taker = (ticket: string, besides?: string): string =>
  able.find((id) => id !== store.tickets.assigneeOf(ticket) && id !== besides) ?? ''

/** A recorded run of pairs, or of a command of its own, under these faults. */
const begun = (pairs: readonly string[], faults = '', more = '') =>
  world.begun(faults, `tickets assign --file ${file('p.csv', pairs)} ${more}`)

const minutesLater = <T>(work: (options: Options) => Promise<T>): Promise<T> =>
  world.minutesOn(12, '', work)

const since = <T>(work: () => Promise<T>) => world.since(work, 'PATCH')

describe('what goes back', () => {
  it('each ticket to who had it, in a run of its own that can be undone too', async () => {
    const ids = tickets.slice(0, 3)
    const before = assigneesOf(ids)
    const { run, state } = await begun(ids.map((id) => `${id},${taker(id)}`))
    const after = assigneesOf(ids)
    const receipts = output()
    const undone = await bulk(`runs undo ${run} --receipts ${receipts} ${state}`)
    expect(undone.stderr).toContain(
      `"message":"run ${run} changed 3 tickets that can be given back"}\n`,
    )
    expect(undone.stderr).toContain(`"wrote \\"${receipts}\\" (run ${undone.summary.run ?? ''})"`)
    expect(undone).toMatchObject({
      code: 0,
      summary: {
        operation: 'tickets.assign',
        status: 'complete',
        input: { unique: 3 },
        result: { done: 3 },
      },
    })
    expect(undone.summary.run).not.toBe(run)
    expect(assigneesOf(ids)).toEqual(before)
    expect(receiptsOf(receipts)).toMatchObject(
      ids.map((id, i) => ({
        id,
        line: i + 1,
        outcome: 'done',
        before: after[i],
        after: before[i],
      })),
    )
    const last = await bulk(`runs undo --last ${state}`)
    expect(last.summary.result).toMatchObject({ done: 3 })
    expect(assigneesOf(ids)).toEqual(after)
  })

  it('a ticket for which a lost attempt can still land is left out until the time that is told: exit 7', async () => {
    const ids = tickets.slice(16, 18)
    const [late = '', plain = ''] = ids
    const before = assigneesOf(ids)
    // What was lost never arrives: on a busy machine it could before svc looks again.
    const pairs = [late, plain].map((id) => `${id},${taker(id)}`)
    const { run, state, summary } = await begun(pairs, 'tickets.assign:1=drop-before')
    expect(summary.result).toMatchObject({ done: 2 })
    const { ended, sent } = await since(() => bulk(`runs undo ${run} ${state}`))
    expect([ended.code, sent, ended.summary]).toEqual([
      7,
      1,
      expect.objectContaining({ exitCode: 7 }),
    ])
    expect(ended.stderr).toContain(
      `1 ticket left out: an attempt whose answer was lost can still take effect:\\n  ${late}\\n`,
    )
    expect(ended.stderr).toMatch(new RegExp(`from 2\\d{3}-\\S+Z on:\\\\n  svc runs undo ${run}`))
    // Whatever clocks are set to, and whatever a gateway says.
    for (const clockOffset of [3_600_000, 20 * 3_600_000]) {
      sandbox.setFaults('*:1+=301 clock=+20h')
      const undo = await since(() => svc(`runs undo ${run} ${state}`, { clockOffset }))
      sandbox.setFaults()
      figureOfWait(undo.sent)
      expect([undo.ended.code, undo.sent]).toEqual([7, 0])
    }
    await sandbox.settle()
    expect((await minutesLater((later) => bulk(`runs undo ${run} ${state}`, later))).code).toBe(0)
    expect(assigneesOf(ids)).toEqual(before)
  })
})

it('of several tickets for which a lost attempt can still land, the latest time is told', async () => {
  const ids = tickets.slice(76, 79)
  const { run, state } = await begun(
    ids.map((id) => `${id},${taker(id)}`),
    'tickets.assign:1=drop-before tickets.assign:3=400 tickets.assign:4=drop-before',
  )
  // The one in the middle was refused; five minutes on, it is lost too, and then done.
  const retried = await world.minutesOn(5, 'tickets.assign:1=drop-before', (later) =>
    bulk(`runs retry ${run} --outcome error ${state}`, later),
  )
  expect(retried.summary.result).toMatchObject({ done: 3 })
  const from = Date.now() + 15 * 60_000
  const { ended, sent } = await since(() =>
    world.minutesOn(6, '', (later) => svc(`runs undo ${run} ${state}`, later)),
  )
  expect([ended.code, sent]).toEqual([7, 0])
  expect(ended.stderr).toContain(`still take effect:\n  ${ids.join('\n  ')}\n`)
  const [, told = ''] = /from (2\d{3}-\S+Z) on:/.exec(ended.stderr) ?? []
  expect(Date.parse(told)).toBeGreaterThan(from)
})

describe('a gateway or cache with a Date 20 minutes ahead ends no wait', () => {
  const answers = [
    'answer(date=+20m)',
    'answer(age=20m)',
    '200(body=html, date=+20m)',
    '302(body=html, date=+20m)',
    '403(body=html, date=+20m)',
    '404(age=20m)',
    '407(body=html, date=+20m)',
  ]

  it.each(answers.map((answer, place) => [answer, place] as const))(
    '%s after a lost assign: its ticket is left out',
    async (answer, place) => {
      const ids = tickets.slice(60 + 2 * place, 62 + 2 * place)
      const pairs = ids.map((id) => `${id},${taker(id)}`)
      // The first ticket is read, its change is lost, it is read again and changed; the rest is the gateway's.
      const { run, state, summary } = await begun(
        pairs,
        `tickets.assign:1=drop-before, *:5+=${answer}`,
      )
      expect(summary.batches.retried).toBeGreaterThan(0)
      const [lost = ''] = ids
      const before = assigneesOf([lost])
      for (const faults of [`*=${answer}`, '']) {
        sandbox.setFaults(faults)
        const first = sandbox.requests.length
        const ended = await svc(`runs undo ${run} ${state}`)
        sandbox.setFaults()
        figureOfWait(sandbox.requests.slice(first).filter(({ url }) => url.includes(lost)).length)
        expect(ended.code).toBe(7)
        expect(ended.stderr).toContain(
          `1 ticket left out: an attempt whose answer was lost can still take effect:\n  ${lost}\n`,
        )
        expect(assigneesOf([lost])).toEqual(before)
      }
    },
  )
})

it('the 11 minutes are uptime of one boot; on another they begin with the first look', async () => {
  const [ticket = ''] = tickets.slice(18)
  const { run, state } = await begun([`${ticket},${taker(ticket)}`], 'tickets.assign:1=drop-before')
  const minute = 60_000
  const undo = (uptime: number, boot?: string) =>
    since(() =>
      svc(`runs undo ${run} ${state}`, { uptime: uptime * minute, ...(boot && { boot }) }),
    )
  const another = 'b'.repeat(36)
  const endings = [
    await undo(10),
    await undo(1000, another),
    await undo(1010, another),
    await undo(1012, another),
  ]
  for (const { sent } of endings.slice(0, 3)) figureOfWait(sent)
  expect(endings.map(({ ended, sent }) => [ended.code, sent])).toEqual([
    [7, 0],
    [7, 0],
    [7, 0],
    [0, 1],
  ])
})

it('a list too narrow for it says in notes which run each undo belongs to, of five at the most', async () => {
  const ticket = tickets[79] ?? ''
  const { run, state } = await begun([`${ticket},${taker(ticket)}`])
  const runs = [run]
  for (let undo = 1; undo <= 6; undo += 1)
    runs.unshift((await bulk(`runs undo ${runs[0] ?? ''} ${state}`)).summary.run ?? '')
  const notes = runs.slice(0, 5).map((id, at) => `note: ${id} is the undo of ${runs[at + 1] ?? ''}`)
  const listed = async (more: string, columns: number): Promise<string[]> => {
    const isTerminal = { stdout: true }
    const { stderr } = await svc(`runs list ${more} ${state}`, { isTerminal, columns })
    return stderr.split('\n').filter((line) => line.includes('is the undo of'))
  }
  expect((await listed('', 119)).toSorted()).toEqual(notes.toSorted())
  expect(await listed('--limit 2', 119)).toEqual(notes.slice(0, 2))
  for (const wide of [await listed('', 120), await listed('-o csv', 80)]) expect(wide).toEqual([])
})

describe('a change is given back once', () => {
  it('by whichever undo: what was given to the same employee again stays there', async () => {
    const [ticket = ''] = tickets.slice(19)
    const [before] = assigneesOf([ticket])
    const to = taker(ticket)
    const { run, state } = await begun([`${ticket},${to}`])
    const first = await bulk(`runs undo ${run} ${state}`)
    expect([first.code, assigneesOf([ticket])]).toEqual([0, [before]])
    await svc(`tickets assign ${ticket} --to ${to}`)
    const { ended, sent } = await since(() => svc(`runs undo ${run} ${state}`))
    expect([ended.code, sent, assigneesOf([ticket])]).toEqual([0, 0, [to]])
    expect(ended.stderr).toContain(
      `note: 1 ticket left out: run ${first.summary.run} gave it back, or may have:\n  ${ticket}\n  to see what it did:\n  svc runs show ${first.summary.run} ${state}\n`,
    )
  })

  it('by whichever undo, also when the record of that is gone', async () => {
    const [ticket = ''] = tickets
    const { run, state, dir } = await begun([`${ticket},${taker(ticket)}`])
    const undone = await bulk(`runs undo ${run} ${state}`)
    rmSync(join(dir, '..', undone.summary.run ?? ''), { recursive: true })
    const { ended, sent } = await since(() => bulk(`runs undo ${run} ${state}`))
    expect([ended.code, sent, ended.summary.run]).toEqual([0, 0, null])
    expect(ended.stderr).toContain(`run ${undone.summary.run} gave it back, or may have`)
  })

  it('an undo that is not finished keeps its tickets, also one that ended before it sent anything', async () => {
    const ids = tickets.slice(20, 22)
    const { run, state } = await begun(ids.map((id) => `${id},${taker(id)}`))
    const stopped = await world.under('tickets.assign:1=401', `runs undo ${run} ${state}`)
    expect(stopped.code).toBe(4)
    const { ended, sent } = await since(() => svc(`runs undo ${run} ${state}`))
    expect([ended.code, sent]).toEqual([0, 0])
    expect(
      (await bulk(`runs resume ${stopped.summary.run} ${state}`)).summary.result,
    ).toMatchObject({ done: 2 })
  })

  it('what it left alone or what was refused can be given back by another', async () => {
    const [ticket = ''] = tickets.slice(22)
    const { run, state } = await begun([`${ticket},${taker(ticket)}`])
    const refused = await world.under('tickets.assign:1=400', `runs undo ${run} ${state}`)
    expect(refused.code).toBe(3)
    const { ended, sent } = await since(() => svc(`runs undo ${run} ${state}`))
    expect([ended.code, sent]).toEqual([0, 1])
  })
})

describe('what was refused to an undo is free for one undo at a time', () => {
  const mine = tickets.slice(23, 24)
  const [ticket = ''] = mine
  const giveAgain = (to: string) => svc(`tickets assign ${ticket} --to ${to}`)

  async function refusedUndo() {
    const to = taker(ticket)
    const { run, state } = await begun([`${ticket},${to}`])
    const first = await world.under('tickets.assign:1=400', `runs undo ${run} ${state}`)
    expect(first.code).toBe(3)
    return { to, run, state, first: first.summary.run }
  }

  it('a retry of it sends nothing once another undo gave them back', async () => {
    const { to, run, state, first } = await refusedUndo()
    expect((await svc(`runs undo ${run} ${state}`)).code).toBe(0)
    await giveAgain(to)
    const line = `runs retry ${first} --outcome error ${state}`
    const { ended, sent } = await since(() => svc(line))
    expect([ended.code, sent, assigneesOf(mine)]).toEqual([6, 0, [to]])
    expect(ended.stderr).toContain(`another undo of run ${run} has begun since; nothing was sent`)
    // Its record is as it was: nothing of it is left.
    const resumed = await since(() => svc(`runs resume ${first} ${state}`))
    expect([resumed.ended.code, resumed.sent, assigneesOf(mine)]).toEqual([3, 0, [to]])
  })

  it('another undo finds nothing while a retry of it goes on, and none after it', async () => {
    const { to, run, state, first } = await refusedUndo()
    const line = `runs retry ${first} --outcome error ${state}`
    sandbox.setFaults('tickets.assign:1=400')
    expect((await svc(line)).code).toBe(3)
    sandbox.setFaults()
    const dir = join(state.replace('--state-dir ', ''), 'runs', run)
    const lock = await takeLock(nodeHost(process), dir, { what: 'the undoing', file: 'undo' })
    const busy = await since(() => svc(line))
    await lock.release()
    expect([busy.ended.code, busy.sent]).toEqual([11, 0])
    expect((await svc(line)).code).toBe(0)
    await giveAgain(to)
    const { ended, sent } = await since(() => svc(`runs undo ${run} ${state}`))
    expect([ended.code, sent, assigneesOf(mine)]).toEqual([0, 0, [to]])
  })

  it('a retry of it sends nothing when the record that tells of other undos was removed', async () => {
    const { to, run, state, first } = await refusedUndo()
    expect((await svc(`runs undo ${run} ${state}`)).code).toBe(0)
    await giveAgain(to)
    rmSync(join(state.replace('--state-dir ', ''), 'runs', run), { recursive: true })
    const { ended, sent } = await since(() => svc(`runs retry ${first} --outcome error ${state}`))
    expect([ended.code, sent, assigneesOf(mine)]).toEqual([6, 0, [to]])
  })

  it('an undo that ended early sends nothing more when that record was removed', async () => {
    const to = taker(ticket)
    const { run, state } = await begun([`${ticket},${to}`])
    const first = await world.under('tickets.assign:1=401', `runs undo ${run} ${state}`)
    expect([first.code, first.summary.resume === null]).toEqual([4, false])
    rmSync(join(state.replace('--state-dir ', ''), 'runs', run), { recursive: true })
    const { ended, sent } = await since(() => svc(`runs resume ${first.summary.run} ${state}`))
    expect([ended.code, sent, assigneesOf(mine)]).toEqual([6, 0, [to]])
  })
})

it('a part goes back by the exported table: tickets of nobody and unchanged ones are left out', async () => {
  const mine = tickets.slice(30, 34)
  const [first = '', second = '', , same = ''] = mine
  const before = assigneesOf(mine)
  const { run, state } = await begun(
    mine.map((id) => `${id},${id === same ? store.tickets.assigneeOf(id) : taker(id)}`),
  )
  const after = assigneesOf(mine)
  const table = await svc(`runs export ${run} --outcome done -o csv ${state}`)
  expect(table.stderr).toContain(
    'note: 1 ticket is left out: without an assignee before the run, or not changed by it',
  )
  const [heading = '', ...rows] = table.stdout.trim().split('\n')
  expect([heading.slice(0, 27), rows.length]).toEqual(['ticket,employee,after,line,', 3])
  const back = file('back.csv', [heading, ...rows.slice(0, 1)])
  const line = `tickets assign --file ${back} --if-assignee ${after[0]} ${state}`
  expect((await svc(line)).code).toBe(0)
  expect(assigneesOf(mine)).toEqual([before[0], ...after.slice(1)])
  expect([rows[0], rows[1]]).toEqual([
    expect.stringContaining(`${first},${before[0]},${after[0]},`),
    expect.stringContaining(`${second},${before[1]},${after[1]},`),
  ])
  const all = await svc(`runs export ${run} -o csv ${state}`)
  expect(all.stdout.trim().split('\n')).toHaveLength(5)
})

it('goes on, and writes what was asked for, when `keepRuns` removes the run that it undoes', async () => {
  const mine = tickets.slice(96, 98)
  const before = assigneesOf(mine)
  const { run, state } = await begun(mine.map((ticket) => `${ticket},${taker(ticket)}`))
  const receipts = output()
  const days = 3 * 24 * 60
  const { code, stderr } = await world.minutesOn(days, '', (options) =>
    svc(`runs undo ${run} ${state} --yes --receipts ${receipts}`, {
      ...options,
      env: { SVC_KEEP_RUNS: '1d' },
    }),
  )
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('removed 1 run that ended more than 1d ago'),
  ])
  expect(assigneesOf(mine)).toEqual(before)
  expect(readFileSync(receipts, 'utf8').trimEnd().split('\n')).toHaveLength(mine.length)
})

it('a condition that cannot be read sends nothing, and does not say that the change was sent', async () => {
  const [ticket = ''] = tickets.slice(24)
  const pairs = file('p.csv', [`${ticket},${taker(ticket)}`])
  const line = `tickets assign --file ${pairs} --if-assignee ${taker(ticket)}`
  sandbox.setFaults('tickets.history:1+=404')
  const { ended, sent } = await since(() => svc(`${line} ${world.state()}`))
  sandbox.setFaults()
  expect([ended.code, sent]).toEqual([3, 0])
  expect(ended.stderr).not.toContain('anyway')
})

describe('while the assignee is the one that the run set', () => {
  it('a ticket that someone else took meanwhile is left to them, also when an interrupted undo is resumed', async () => {
    const ids = tickets.slice(11, 13)
    const [first = ''] = ids
    const before = assigneesOf(ids)
    const { run, state } = await begun(ids.map((id) => `${id},${taker(id)}`))
    const stopped = await world.under('tickets.assign:1=401', `runs undo ${run} ${state}`)
    expect([stopped.code, stopped.summary.stopReason]).toEqual([4, 'auth'])
    const someone = taker(first, before[0] ?? '')
    await svc(`tickets assign ${first} --to ${someone}`)
    const ended = await bulk(`runs resume ${stopped.summary.run} ${state}`)
    expect([ended.code, ended.summary.result]).toEqual([
      3,
      expect.objectContaining({ done: 1, error: 1 }),
    ])
    expect(ended.summary.errors).toMatchObject([
      { message: 'the ticket has another assignee now, so it was left alone' },
    ])
    expect(assigneesOf(ids)).toEqual([someone, before[1]])
  })

  it('nothing goes back while another process undoes the same run: exit 11', async () => {
    const [id = ''] = tickets.slice(13, 14)
    const { run, state, dir } = await begun([`${id},${taker(id)}`])
    const lock = await takeLock(nodeHost(process), dir, { what: 'the undoing', file: 'undo' })
    const { ended, sent } = await since(() => svc(`runs undo ${run} ${state}`))
    await lock.release()
    expect([ended.code, sent]).toEqual([11, 0])
    expect(ended.stderr).toContain(`error: the undoing of run ${run} is in use by `)
  })
})

/** The environment of a protected profile with the name prod. */
function protectedProfile() {
  const [key] = sandbox.keys
  const profile = {
    baseUrl: sandbox.baseUrl,
    apiKey: key?.apiKey,
    apiSecret: key?.apiSecret,
    protected: true,
  }
  const config = file('config.json', [
    JSON.stringify({ current: 'prod', profiles: { prod: profile } }),
  ])
  chmodSync(config, 0o600)
  return {
    SVC_CONFIG: config,
    SVC_BASE_URL: undefined,
    SVC_API_KEY: undefined,
    SVC_API_SECRET: undefined,
  }
}

describe('what it asks and says', () => {
  const [ticket = ''] = tickets.slice(15, 16)

  it('a dry run sends nothing and records nothing; a protected profile asks', async () => {
    const { run, state } = await begun([`${ticket},${taker(ticket)}`])
    const { ended, sent } = await since(() => bulk(`runs undo ${run} --dry-run ${state}`))
    expect([ended.code, sent, ended.summary]).toEqual([
      0,
      0,
      expect.objectContaining({
        run: null,
        dryRun: true,
        result: expect.objectContaining({ notAttempted: 1 }) as unknown,
      }),
    ])
    expect(ended.stderr).toContain('dry run: 1 ticket in 1 request')
    const env = protectedProfile()
    expect(await svc(`runs undo ${run} ${state}`, { env })).toMatchObject({ code: 9, stdout: '' })
    const screen = typing('y')
    expect((await svc(`runs undo ${run} ${state}`, { env, ...screen })).code).toBe(0)
    expect(screen.shown().replaceAll(/\s+/g, ' ')).toContain(`Give ticket ${ticket} back to `)
  })

  it('with nothing to undo it says so, writes no file and ends with 0', async () => {
    const { run, state } = await begun([`${ticket},${store.tickets.assigneeOf(ticket)}`])
    const receipts = output()
    const { ended, sent } = await since(() =>
      bulk(`runs undo ${run} --receipts ${receipts} ${state}`),
    )
    expect([ended.code, sent, ended.summary.run, ended.summary.input.unique]).toEqual([
      0,
      0,
      null,
      0,
    ])
    expect(ended.stderr).toContain('there is nothing to undo')
    expect(existsSync(receipts)).toBe(false)
  })

  it('a ticket that had the same assignee before is not given back', async () => {
    const { run, state, dir } = await begun([`${ticket},${taker(ticket)}`])
    const journal = join(dir, 'journal.ndjson')
    const lines = linesOf<JournalEvent & { c: string }>(readFileSync(journal, 'utf8'))
    const same = lines.map((line) => {
      const { c: _, ...event } = line
      const answer = event.t === 'res' ? (event.d as Record<string, string>) : {}
      answer['previousAssigneeId'] = String(answer['newAssigneeId']).toUpperCase()
      return encodeEvent(event)
    })
    writeFileSync(journal, same.join(''))
    const { ended, sent } = await since(() => bulk(`runs undo ${run} ${state}`))
    expect([ended.code, sent, ended.summary.run]).toEqual([0, 0, null])
    expect(ended.stderr).toContain('there is nothing to undo')
  })

  it.each([
    ['previousAssigneeId', '../contacts'],
    ['previousAssigneeId', ''],
    ['newAssigneeId', 'x'.repeat(24)],
  ])(
    'a ticket whose recorded %s is no id is named, and not given back: "%s"',
    async (field, id) => {
      const { run, state, dir } = await begun([`${ticket},${taker(ticket)}`])
      const journal = join(dir, 'journal.ndjson')
      const lines = linesOf<JournalEvent & { c: string }>(readFileSync(journal, 'utf8'))
      const changed = lines.map((line) => {
        const { c: _, ...event } = line
        if (event.t === 'res') Object.assign(event.d as object, { [field]: id })
        return encodeEvent(event)
      })
      writeFileSync(journal, changed.join(''))
      const { ended, sent } = await since(() => svc(`runs undo ${run} ${state}`))
      expect([ended.code, sent]).toEqual([0, 0])
      expect(ended.stderr).toContain(
        `1 ticket left out: no answer says that the run took it from another employee:\n  ${ticket}\n`,
      )
    },
  )

  it('another service, another key, no such run, receipts that are there: exit 2', async () => {
    const { run, state } = await begun([`${ticket},${taker(ticket)}`])
    const there = file('there.csv', [])
    for (const [line, env] of [
      [`runs undo ${run} ${state}`, { SVC_BASE_URL: 'http://127.0.0.1:9' }],
      [`runs undo ${run} ${state}`, { SVC_API_KEY: 'pk_another_key' }],
      [`runs undo 20200101T000000Z-0000 ${state}`, {}],
      [`runs undo ${state}`, {}],
      [`runs undo ${run} --receipts ${there} ${state}`, {}],
    ] as const) {
      const { ended, sent } = await since(() => svc(line, { env }))
      expect([line, ended.code, ended.stdout, sent]).toEqual([line, 2, '', 0])
    }
  })
})
