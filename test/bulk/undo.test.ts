/** svc runs undo: what a run of assigns certainly changed goes back, as a run of its own, and nothing else does. */
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requestCanLand } from '../../src/api/limits.ts'
import { figure, howMany } from '../figures/figure.ts'
import { typing, type Options } from '../svc.ts'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'

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

/** The next request to assign this ticket was received, and lost. */
async function lost(ticket: string): Promise<void> {
  const before = sandbox.record.entries.length
  const isLost = (): boolean =>
    sandbox.record.entries
      .slice(before)
      .some(({ method, path, status }) => method === 'PATCH' && path.includes(ticket) && status !== 'pending')
  while (!isLost()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const minutesLater = <T>(work: (options: Options) => Promise<T>): Promise<T> => world.minutesOn(7, '', work)

const since = <T>(work: () => Promise<T>) => world.since(work, 'PATCH')

describe('what goes back', () => {
  it('each ticket to who had it, in a run of its own that can be undone too', async () => {
    const ids = tickets.slice(0, 3)
    const before = assigneesOf(ids)
    const { run, state } = await begun(ids.map((id) => `${id},${taker(id)}`))
    const after = assigneesOf(ids)
    const receipts = output()
    const undone = await bulk(`runs undo ${run} --receipts ${receipts} ${state}`)
    expect(undone.stderr).toContain(`"message":"run ${run} changed 3 tickets that can be given back"}\n`)
    expect(undone.stderr).toContain(`"wrote \\"${receipts}\\" (run ${undone.summary.run ?? ''})"`)
    expect(undone).toMatchObject({
      code: 0,
      summary: { operation: 'tickets.assign', status: 'complete', input: { unique: 3 }, result: { done: 3 } },
    })
    expect(undone.summary.run).not.toBe(run)
    expect(assigneesOf(ids)).toEqual(before)
    expect(receiptsOf(receipts)).toMatchObject(
      ids.map((id, i) => ({ id, line: i + 1, outcome: 'done', before: after[i], after: before[i] })),
    )
    const last = await bulk(`runs undo --last ${state}`)
    expect(last.summary.result).toMatchObject({ done: 3 })
    expect(assigneesOf(ids)).toEqual(after)
  })

  it('with one employee for all and ids in capitals; a second undo finds it done', async () => {
    const ids = tickets.slice(3, 6)
    const before = assigneesOf(ids)
    const to = able.find((id) => !before.includes(id)) ?? ''
    const { run, state } = await begun(
      ids.map((id) => id.toUpperCase()),
      '',
      `--to ${to}`,
    )
    for (const writes of [3, 0]) {
      const { ended, sent } = await since(() => bulk(`runs undo ${run} ${state}`))
      expect([ended.code, ended.summary.result['done'], sent]).toEqual([0, 3, writes])
      expect(ended.stderr.includes('nothing was changed: each ticket already had')).toBe(writes === 0)
      expect(assigneesOf(ids)).toEqual(before)
    }
  })

  it('only what this run certainly changed: neither what was so already, nor what failed, nor what is unknown', async () => {
    const ids = tickets.slice(6, 10)
    const [changed = '', already = '', failed = '', unknown = ''] = ids
    const before = assigneesOf(ids)
    const { run, state, summary } = await begun(
      [
        `${changed},${taker(changed)}`,
        `${already},${before[1]}`,
        `${failed},${taker(failed)}`,
        `${unknown},${taker(unknown)}`,
      ],
      'tickets.assign:2=400, tickets.assign:3=drop-after-apply, tickets.history:5+=500',
      '--retries 0',
    )
    expect(summary.result).toMatchObject({ done: 2, error: 1, unknown: 1 })
    const kept = store.tickets.assigneeOf(unknown)
    const { ended, sent } = await since(() => bulk(`runs undo ${run} ${state}`))
    expect([sent, ended.code, ended.summary.input.unique]).toEqual([1, 0, 1])
    const left = [already, failed, unknown].map((id) => `\\n  ${id}`).join('')
    expect(ended.stderr).toContain(`3 tickets left out: no answer says that the run changed the assignee:${left}"`)
    expect(assigneesOf(ids)).toEqual([...before.slice(0, 3), kept])
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
    expect([ended.code, sent, ended.summary]).toEqual([7, 1, expect.objectContaining({ exitCode: 7 })])
    const journal = readFileSync(join(state.split(' ')[1] ?? '', 'runs', run, 'journal.ndjson'), 'utf8')
    const times = /"signed":(\d+),"service":([\d.]+)/.exec(journal)?.slice(1).map(Number) ?? []
    const from = new Date(Math.max(...times) + requestCanLand).toISOString()
    expect(ended.stderr).toContain(
      `1 ticket left out: an attempt whose answer was lost can still take effect:\\n  ${late}\\n`,
    )
    expect(ended.stderr).toContain(`from ${from} on, by the service's clock:\\n  svc runs undo ${run}`)
    // A gateway without a Date says nothing about the service's clock, and this machine's is an hour ahead.
    sandbox.setFaults('lists.list=301, lists.list=no-date')
    const gateway = await since(() => svc(`runs undo ${run} ${state}`, { clockOffset: 3_600_000 }))
    sandbox.setFaults()
    expect([gateway.ended.code, gateway.sent]).toEqual([7, 0])
    const slow = await bulk(`runs undo ${run} --dry-run ${state}`, { env: { SVC_RATE: '5/s' } })
    expect([slow.code, slow.stderr]).toEqual([0, expect.stringContaining('at most 5 per second')])
    await sandbox.settle()
    expect((await minutesLater((later) => bulk(`runs undo ${run} ${state}`, later))).code).toBe(0)
    expect(assigneesOf(ids)).toEqual(before)
  })

  it('at random: nothing that somebody else assigned, and nothing that comes back', { timeout: 600_000 }, async () => {
    const episodes = howMany('UNDO', 2)
    const faults = ['', 'drop-before', 'drop-after-apply', 'drop-before(late=150ms)', '500(late=150ms)', '500(apply)']
    const seen = { taken: 0, cameBack: 0, given: 0 }
    for (let episode = 0; episode < episodes * faults.length; episode += 1) {
      const ticket = tickets[18 + (episode % (tickets.length - 18))] ?? ''
      const before = store.tickets.assigneeOf(ticket)
      const to = taker(ticket)
      const fault = faults[episode % faults.length] ?? ''
      const interferes = Math.random() < 0.5
      const more = `${interferes ? 'tickets.history:2=delay(60ms, before)' : ''}, tickets.assign:1=${fault}`
      const working = begun([`${ticket},${to}`], fault === '' ? '' : more)
      let isTheirs = false
      if (interferes && fault !== '') {
        await lost(ticket)
        isTheirs = store.tickets.assigneeOf(ticket) !== to
        if (isTheirs) store.tickets.assign(ticket, to)
      }
      const { run, state } = await working
      const isLater = Math.random() < 0.5
      if (isLater) await sandbox.settle()
      const undo = (later?: Options) => bulk(`runs undo ${run} ${state}`, later)
      const { sent } = await since(() => (isLater ? minutesLater(undo) : undo()))
      await sandbox.settle()
      if (sent > 0) seen.given += 1
      if (sent > 0 && isTheirs) seen.taken += 1
      if (sent > 0 && store.tickets.assigneeOf(ticket) !== before) seen.cameBack += 1
    }
    figure('undone assigns', seen.given)
    figure('changes of others that were undone', seen.taken)
    figure('undone assigns that came back', seen.cameBack)
    expect(seen).toEqual({ taken: 0, cameBack: 0, given: expect.any(Number) as number })
    expect(seen.given).toBeGreaterThan(0)
  })
})

it('goes on, and writes what was asked for, when `keepRuns` removes the run that it undoes', async () => {
  const mine = tickets.slice(96, 98)
  const before = assigneesOf(mine)
  const { run, state } = await begun(mine.map((ticket) => `${ticket},${taker(ticket)}`))
  const receipts = output()
  const days = 3 * 24 * 60
  const { code, stderr } = await world.minutesOn(days, '', (options) =>
    svc(`runs undo ${run} ${state} --yes --receipts ${receipts}`, { ...options, env: { SVC_KEEP_RUNS: '1d' } }),
  )
  expect([code, stderr]).toEqual([0, expect.stringContaining('removed 1 run that ended more than 1d ago')])
  expect(assigneesOf(mine)).toEqual(before)
  expect(readFileSync(receipts, 'utf8').trimEnd().split('\n')).toHaveLength(mine.length)
})

describe('while the assignee is the one that the run set', () => {
  it('a ticket that someone else took meanwhile is left to them', async () => {
    const ids = tickets.slice(11, 13)
    const [first = '', second = ''] = ids
    const before = assigneesOf(ids)
    const { run, state } = await begun(ids.map((id) => `${id},${taker(id)}`))
    const someone = taker(first, before[0] ?? '')
    await svc(`tickets assign ${first} --to ${someone}`)
    const { ended, sent } = await since(() => bulk(`runs undo ${run} ${state}`))
    expect([sent, ended.code]).toEqual([1, 3])
    expect(ended.summary.errors).toMatchObject([
      { message: 'the ticket has another assignee now, so it was left alone' },
    ])
    expect(assigneesOf([first, second])).toEqual([someone, before[1]])
  })

  it('also when an interrupted undo is resumed', async () => {
    const ids = tickets.slice(13, 15)
    const [first = ''] = ids
    const before = assigneesOf(ids)
    const { run, state } = await begun(ids.map((id) => `${id},${taker(id)}`))
    sandbox.setFaults('tickets.assign:1=401')
    const stopped = await bulk(`runs undo ${run} ${state}`)
    sandbox.setFaults()
    expect([stopped.code, stopped.summary.stopReason]).toEqual([4, 'auth'])
    const someone = taker(first, before[0] ?? '')
    await svc(`tickets assign ${first} --to ${someone}`)
    const { ended } = await since(() => bulk(`runs resume ${stopped.summary.run} ${state}`))
    expect([ended.code, ended.summary.result]).toEqual([3, expect.objectContaining({ done: 1, error: 1 })])
    expect(assigneesOf(ids)).toEqual([someone, before[1]])
  })
})

/** The environment of a protected profile with the name prod. */
function protectedProfile() {
  const [key] = sandbox.keys
  const profile = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret, protected: true }
  const config = file('config.json', [JSON.stringify({ current: 'prod', profiles: { prod: profile } })])
  chmodSync(config, 0o600)
  return { SVC_CONFIG: config, SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined }
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

  it('two at the same moment: one gives the tickets back, the other says so and sends nothing', async () => {
    const ids = tickets.slice(33, 36)
    const before = assigneesOf(ids)
    const { run, state } = await begun(ids.map((id) => `${id},${taker(id)}`))
    sandbox.setFaults('tickets.history=delay(300ms, before)')
    const { ended, sent } = await since(() =>
      Promise.all([1, 2].map(() => svc(`runs undo ${run} ${state}`, { fast: true }))),
    )
    sandbox.setFaults()
    const slower = ended.find(({ code }) => code === 11)
    expect(ended.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 11])
    expect(slower?.stderr).toMatch(new RegExp(`^error: the undoing of run ${run} is in use by [^\n]*\n`))
    expect([sent, assigneesOf(ids)]).toEqual([3, before])
  })

  it('with nothing to undo it says so and ends with 0', async () => {
    const { run, state } = await begun([`${ticket},${store.tickets.assigneeOf(ticket)}`])
    const receipts = output()
    const { ended, sent } = await since(() => bulk(`runs undo ${run} --receipts ${receipts} ${state}`))
    expect([ended.code, sent, ended.summary.run, ended.summary.input.unique]).toEqual([0, 0, null, 0])
    expect(ended.stderr).toContain('there is nothing to undo')
    expect(receiptsOf(receipts)).toEqual([])
  })

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
