/** svc runs undo: what a run of assigns certainly changed goes back, as a run of its own, and nothing else does. */
import { appendFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { typing } from '../svc.ts'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'
import { deadSession } from './recorded-run.ts'
import { linesIn, rewrite, writeOf } from './run-files.ts'

const world = await createBulkWorld()
const { svc, bulk, file, sandbox, unsent, taker, output } = world
const { store } = sandbox
const tickets = sandbox.examples.assignableTickets

const assigneesOf = (ids: readonly string[]) => ids.map((id) => store.tickets.assigneeOf(id))
/** A recorded run of assigns under these faults: each ticket goes to somebody else, or to the one that `to` names. */
const begun = (ids: readonly string[], { faults = '', more = '', to = taker } = {}) => {
  const rows = ids.map((id) => `${id},${to(id)}`)
  return world.begun(faults, `tickets assign --file ${file('p.csv', rows)} ${more}`)
}

const since = <T>(work: () => Promise<T>) => world.since(work, 'PATCH')

it('each ticket goes back to who had it, in a run of its own that can be undone too', async () => {
  const ids = tickets.slice(0, 3)
  const before = assigneesOf(ids)
  const { run, state } = await begun(ids)
  const after = assigneesOf(ids)
  const receipts = output()
  const undone = await bulk(`runs undo ${run} --receipts ${receipts} ${state}`)
  expect(undone.stderr).toContain(
    `note: run ${run}: 3 tickets to give back, each if its new assignee still has it\n`,
  )
  expect(undone.stderr).toContain(`wrote "${receipts}" (run ${undone.summary.run ?? ''})`)
  expect(undone.code).toBe(0)
  expect(undone.summary).toMatchObject({
    run: `undo-${run}`,
    operation: 'tickets.assign',
    status: 'complete',
    input: { unique: 3 },
    result: { done: 3 },
  })
  expect(assigneesOf(ids)).toEqual(before)
  expect(receiptsOf(receipts)).toMatchObject(
    ids.map((id, i) => {
      return { id, line: i + 1, outcome: 'done', before: after[i], after: before[i] }
    }),
  )
  const again = await bulk(`runs undo --last ${state}`)
  expect([again.code, again.summary.run]).toEqual([0, undone.summary.run])
  expect(assigneesOf(ids)).toEqual(before)
  const back = await bulk(`runs undo ${undone.summary.run} ${state}`)
  expect(back.summary.result).toMatchObject({ done: 3 })
  expect(assigneesOf(ids)).toEqual(after)
})

it.each([
  ['although a later answer said done', '', 40],
  ['and nothing says what became of it', ' tickets.history:3+=400', 42],
])('a ticket that ever lost an answer is named and left alone, %s', async (_, faults, from) => {
  const [kept = '', lost = ''] = tickets.slice(from, from + 2)
  const before = assigneesOf([kept])
  const { run, state } = await begun([kept, lost], {
    faults: `tickets.assign:2=drop-before${faults}`,
  })
  const [, taken] = assigneesOf([kept, lost])
  const undone = await bulk(`runs undo ${run} ${state}`)
  expect([undone.code, undone.summary.input]).toMatchObject([3, { unique: 1, leftOut: 1 }])
  expect(undone.stderr).toContain(`look at each of them:\n  ${lost}\n`)
  expect(assigneesOf([kept, lost])).toEqual([...before, taken])
})

it("an attempt of an unsure session is not the ticket's own: what an answer confirmed goes back", async () => {
  const ids = tickets.slice(44, 46)
  const before = assigneesOf(ids)
  const { run, state, path } = await begun(ids)
  // A process that may have been alive was followed, and nothing was left to send.
  const [first] = linesIn(path)
  const seen = linesIn(path).length
  const session = { ...deadSession(first?.s, seen), unsure: true }
  appendFileSync(path, writeOf('ffffffff', [session, { t: 'free' }]))
  const undone = await bulk(`runs undo ${run} ${state}`)
  expect([undone.code, undone.summary.input.unique]).toEqual([0, 2])
  expect(assigneesOf(ids)).toEqual(before)
})

describe('an undo that was killed between its mark and its beginning', () => {
  it('goes on with `runs undo`, which `runs resume` and the same command name', async () => {
    const ids = tickets.slice(46, 47)
    const before = assigneesOf(ids)
    const pairs = file('p.csv', [`${ids[0]},${taker(ids[0] ?? '')}`])
    const assign = `tickets assign --file ${pairs} --once job`
    const { state, path } = await world.begun('', assign)
    const [first] = linesIn(path)
    const session = deadSession(first?.s, linesIn(path).length)
    appendFileSync(path, writeOf('ffffffff', [session, { t: 'undone', by: 'undo-job' }]))
    for (const line of ['runs resume job', assign])
      expect(await unsent(`${line} ${state}`, 2)).toContain('svc runs undo job')
    const undone = await bulk(`runs undo job ${state}`)
    expect([undone.code, undone.summary.run]).toEqual([0, 'undo-job'])
    expect(assigneesOf(ids)).toEqual(before)
  })

  it('another run of that name has another undo: exit 2', async () => {
    const [one = '', other = ''] = tickets.slice(47, 49)
    const { state, path } = await begun([one], { more: '--once job' })
    await bulk(`runs undo job ${state}`)
    rmSync(path)
    const again = `tickets assign ${other} --to ${taker(other)} --once job ${state}`
    expect((await svc(again)).code).toBe(0)
    const said = 'this name now belongs to the undo of a different run'
    expect(await unsent(`runs undo job ${state}`, 2)).toContain(said)
  })
})

describe('a run is taken back once', () => {
  it('an undo that is repeated goes on with its run, and one that is done sends nothing', async () => {
    const ids = tickets.slice(19, 21)
    const before = assigneesOf(ids)
    const { run, state } = await begun(ids)
    const line = `runs undo ${run} ${state}`
    const stopped = await world.under('tickets.assign:1=401', line)
    expect([stopped.code, stopped.summary.run]).toEqual([4, `undo-${run}`])
    const ended = await bulk(line)
    expect([ended.code, ended.summary.run]).toEqual([0, `undo-${run}`])
    expect(assigneesOf(ids)).toEqual(before)
    // Given to the same employee again, it stays there.
    const [ticket = ''] = ids
    const to = taker(ticket)
    await svc(`tickets assign ${ticket} --to ${to}`)
    const again = await since(() => bulk(line))
    expect([again.ended.code, again.sent, assigneesOf([ticket])]).toEqual([0, 0, [to]])
    expect(again.ended.stderr).toMatch(/done on \d{4}-\d\d-\d\d; nothing was sent/)
  })

  it('whatever became of the run that it takes back', async () => {
    const [ticket = ''] = tickets.slice(22)
    const to = taker(ticket)
    const { run, state, path } = await begun([ticket])
    const [before] = assigneesOf([ticket])
    const refused = await world.under('tickets.assign:1=400', `runs undo ${run} ${state}`)
    expect([refused.code, before]).toEqual([3, to])
    rmSync(path)
    expect((await bulk(`runs resume undo-${run} --outcome error --yes ${state}`)).code).toBe(0)
    expect(assigneesOf([ticket])).not.toEqual([to])
  })
})

it('a part goes back by the exported table: tickets of nobody and unchanged ones are left out', async () => {
  const mine = tickets.slice(30, 34)
  const [first = '', second = '', , same = ''] = mine
  const before = assigneesOf(mine)
  const { run, state } = await begun(mine, {
    to: (id) => (id === same ? store.tickets.assigneeOf(id) : undefined) ?? taker(id),
  })
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

it('a ticket that someone else took meanwhile is left to them, also when an interrupted undo is resumed', async () => {
  const ids = tickets.slice(11, 13)
  const [first = ''] = ids
  const before = assigneesOf(ids)
  const { run, state } = await begun(ids)
  const stopped = await world.under('tickets.assign:1=401', `runs undo ${run} ${state}`)
  expect([stopped.code, stopped.summary.stopReason]).toEqual([4, 'auth'])
  const someone = taker(first, before[0] ?? '')
  await svc(`tickets assign ${first} --to ${someone}`)
  const ended = await bulk(`runs resume ${stopped.summary.run} ${state}`)
  expect([ended.code, ended.summary.result]).toEqual([
    3,
    expect.objectContaining({ done: 1, kept: 1, error: 0 }),
  ])
  expect(assigneesOf(ids)).toEqual([someone, before[1]])
})

describe('its question and its notes', () => {
  const mine = tickets.slice(15, 16)

  it('a dry run sends nothing and records nothing; a protected profile asks', async () => {
    const profile = { protected: true }
    const { run, state } = await begun(mine)
    const { ended, sent } = await since(() => bulk(`runs undo ${run} --dry-run ${state}`))
    expect([ended.code, sent]).toEqual([0, 0])
    expect(ended.summary).toMatchObject({ run: null, dryRun: true, result: { notAttempted: 1 } })
    expect(ended.stderr).toContain('dry run: give ticket ')
    await unsent(`runs undo ${run} ${state}`, 2, { profile })
    const screen = typing('y')
    expect((await svc(`runs undo ${run} ${state}`, { profile, ...screen })).code).toBe(0)
    expect(screen.shown().replaceAll(/\s+/g, ' ')).toContain(`Give ticket ${mine[0]} back to `)
  })

  it('an undo of nothing says so and ends with 0', async () => {
    const { run, state } = await begun(mine, { to: (id) => store.tickets.assigneeOf(id) ?? '' })
    const line = `runs undo ${run} --receipts ${output()} ${state}`
    const { ended, sent } = await since(() => bulk(line))
    expect([ended.code, sent]).toEqual([0, 0])
    expect(ended.summary).toMatchObject({ run: null, input: { unique: 0 } })
    expect(ended.stderr).toContain('there is nothing to undo')
  })

  it.each(['../contacts', '', 'x'.repeat(24)])(
    'a ticket whose recorded previous assignee is no id is not given back: "%s"',
    async (previousAssigneeId) => {
      const { run, state, path } = await begun(mine)
      rewrite(path, (lines) =>
        lines.map((line) =>
          line.t === 'res'
            ? { ...line, d: { ...(line['d'] as object), previousAssigneeId } }
            : line,
        ),
      )
      expect(await unsent(`runs undo ${run} ${state}`, 0)).toContain('there is nothing to undo')
    },
  )

  it('another service, another key, no such run, receipts that are there: exit 2', async () => {
    const { run, state } = await begun(mine)
    for (const [words, env] of [
      [run, { SVC_BASE_URL: 'http://127.0.0.1:9' }],
      [run, { SVC_API_KEY: 'pk_another_key' }],
      ['20200101T000000Z-0000', {}],
      ['', {}],
      [`${run} --receipts ${file('there.csv', [])}`, {}],
    ] as const)
      expect(await unsent(`runs undo ${words} ${state}`, 2, { env })).toMatch(/^error: /m)
  })
})
