/** Where a request holds one thing, a refusal is that thing's own: the others go on, and the run is finished. */
import { expect, it } from 'vitest'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, file, output, sandbox } = world
const { store } = sandbox
const nobodys = world.absent(14)
const still = [...store.tickets.all()].find(({ status }) => status === 'new')
const open = sandbox.examples.assignableTickets
const [to = '', other = ''] = world.able

it('a handover with tickets in it that are refused is finished', async () => {
  const ids = [...nobodys.slice(0, 9), ...open.slice(0, 6), ...nobodys.slice(9, 14)]
  const line = `tickets assign --file ${file('t.txt', ids)} --to ${to} --concurrency 1`
  expect(await bulk(line)).toMatchObject({
    code: 3,
    summary: {
      status: 'partial',
      stopReason: null,
      resume: null,
      result: { done: 6, error: 14, notAttempted: 0 },
    },
  })
})

it('401, 403 and 429 are about all of them', async () => {
  for (const [fault, code, stopReason] of [
    ['401', 4, 'auth'],
    ['403', 5, 'forbidden'],
    ['429', 7, 'failures'],
  ] as const) {
    const line = `tickets assign --file ${file('t.txt', open.slice(6, 16))} --to ${other} --concurrency 1 --retries 0`
    const ended = await bulk(line, { faults: `tickets.assign:1+=${fault}` })
    expect([ended.summary.stopReason, (ended.summary.result['notAttempted'] ?? 0) > 0]).toEqual([
      stopReason,
      true,
    ])
    expect([fault, [code, 7].includes(ended.code)]).toEqual([fault, true])
  }
})

it('a ticket that was refused after a lost answer, and cannot be read again, stops nothing', async () => {
  const line = `tickets assign --file ${file('t.txt', open.slice(16, 19))} --to ${other} --concurrency 1`
  const faults = 'tickets.assign:1=500 tickets.assign:2=404 tickets.history:3=302'
  const { summary } = await bulk(line, { faults })
  expect([summary.stopReason, summary.result]).toMatchObject([null, { done: 2, unknown: 1 }])
})

it('a refusal of an earlier session does not stop one that sends nothing', async () => {
  const [ticket = ''] = open.slice(19)
  const was = store.tickets.assigneeOf(ticket) ?? ''
  const line = `tickets assign --file ${file('t.txt', [ticket])} --to ${other} --if-assignee ${was} ${world.state()}`
  const first = await bulk(line, { faults: 'tickets.assign:1=403' })
  const second = await bulk(line, { faults: 'tickets.history:1=302' })
  expect([first, second].map(({ summary }) => summary.stopReason)).toEqual(['forbidden', null])
})

it('a ticket that is still new is an error, although its assignee is a condition that nobody can judge', async () => {
  const ticket = String(still?.['id'])
  const receipts = output()
  const state = world.state()
  const ended = await bulk(
    `tickets assign --file ${file('n.txt', [ticket])} --to ${to} --if-assignee ${to} --receipts ${receipts} ${state}`,
  )
  expect(ended).toMatchObject({
    code: 3,
    summary: { resume: null, result: { error: 1, notAttempted: 0 } },
  })
  const message =
    'the ticket could not be read (Validation error: the history is unavailable while the ticket is new), so it was left alone'
  expect(receiptsOf(receipts)).toMatchObject([{ id: ticket, outcome: 'error', message }])
  const again = await bulk(`runs resume ${ended.summary.run} ${state}`)
  expect(again.summary.result).toMatchObject({ error: 1, notAttempted: 0 })
  expect((await world.svc(`runs export ${ended.summary.run} -o ndjson ${state}`)).stdout).toContain(
    message,
  )
})

it.each(['', '--if-assignee'])(
  'a ticket that has the employee already is done without a write %s',
  async (condition) => {
    const [ticket = ''] = open.slice(20)
    const receipts = output()
    const from = store.tickets.assigneeOf(ticket)
    const writes = sandbox.record.of('tickets.assign').length
    const more = condition === '' ? '' : `${condition} ${from === other ? to : other}`
    const csv = file('a.csv', ['ticket,employee', `${ticket},${from}`])
    const { code, summary } = await bulk(
      `tickets assign --file ${csv} ${more} --receipts ${receipts}`,
    )
    expect([code, summary.resume, sandbox.record.of('tickets.assign').length]).toEqual([
      0,
      null,
      writes,
    ])
    expect(receiptsOf(receipts)).toMatchObject([{ outcome: 'done', attempts: 0 }])
  },
)

it('an employee by name, and by an id in whichever letter case, is one: of equal pairs one is kept', async () => {
  const ids = open.slice(30, 32)
  const [first = '', second = ''] = ids
  const { firstName = '', lastName = '' } = store.employees.find(({ id }) => id === to) ?? {}
  const name = `${firstName} ${lastName}`.trim()
  const rows = [`${first},${name}`, `${first},${to.toUpperCase()}`, `${second},${to}`]
  const csv = file('n.csv', ['ticket,employee', ...rows, `${second},${name}`])
  const { code, summary } = await bulk(`tickets assign --file ${csv}`)
  expect([code, summary.input]).toEqual([
    0,
    expect.objectContaining({ read: 4, unique: 2, duplicates: 2 }),
  ])
  expect(ids.map((id) => store.tickets.assigneeOf(id))).toEqual([to, to])
})

/** Messages that list lines, at most twenty. */
const told: readonly (readonly [
  what: string,
  code: number,
  line: (count: number) => string,
  each: RegExp,
])[] = [
  [
    'tickets that are refused',
    3,
    (count) => `tickets assign --file ${file('t.txt', world.absent(count))} --to ${to}`,
    /^warning: .*: refused: /,
  ],
  [
    'pairs that contradict others',
    2,
    (count) =>
      `contacts merge --file ${file('m.csv', ['source,target', ...world.free.slice(0, count).map((id) => `${id},${id}`)])}`,
    /^line \d+/,
  ],
  [
    'employee names that nobody has',
    6,
    (count) =>
      `tickets assign --file ${file('e.csv', ['ticket,employee', ...open.slice(0, count).map((id, n) => `${id},Nobody ${n}`)])}`,
    /"Nobody /,
  ],
]

it.each(told)('of %s, twenty are told one by one', async (_, code, line, each) => {
  for (const count of [20, 21]) {
    const ended = await world.svc(`${line(count)} ${world.state()}`)
    const lines = ended.stderr.split('\n').map((text) => text.trim())
    expect([ended.code, lines.filter((text) => each.test(text)).length]).toEqual([code, 20])
    expect(lines.filter((text) => text.includes('and 1 more'))).toHaveLength(count - 20)
  }
})
