/** Where a request holds one thing, a refusal is that thing's own: the others go on, and the run is finished. */
import { expect, it } from 'vitest'
import { createBulkWorld, receiptsOf } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, file, output, sandbox } = world
const { store } = sandbox
const nobodys = world.absent(14)
const open = sandbox.examples.assignableTickets
const [to = '', other = ''] = world.able

/** A handover of these tickets, one after the other. */
const handover = (ids: readonly string[], more = `--to ${to}`): string =>
  `tickets assign --file ${file('t.txt', ids)} --concurrency 1 ${more}`

it('a handover with tickets in it that are refused is finished', async () => {
  const ids = [...nobodys.slice(0, 9), ...open.slice(0, 6), ...nobodys.slice(9, 14)]
  const { code, summary } = await bulk(handover(ids))
  const result = { done: 6, error: 14, notAttempted: 0 }
  expect(code).toBe(3)
  expect(summary).toMatchObject({ status: 'partial', stopReason: null, resume: null, result })
})

it.each([
  ['401', 4, 'auth'],
  ['403', 4, 'forbidden'],
  ['429', 7, 'failures'],
])('%s is about all of them', async (fault, code, stopReason) => {
  const line = handover(open.slice(6, 16), `--to ${other} --wait 0s`)
  const ended = await bulk(line, { faults: `tickets.assign:1+=${fault}` })
  expect([ended.code, ended.summary.stopReason]).toEqual([code, stopReason])
  expect(ended.summary.result['notAttempted']).toBeGreaterThan(0)
})

it('a ticket that was refused after a lost answer, and cannot be read again, stops nothing', async () => {
  const line = handover(open.slice(16, 19), `--to ${other}`)
  const faults = 'tickets.assign:1=500 tickets.assign:2=404 tickets.history:3=302'
  const { summary } = await bulk(line, { faults })
  expect([summary.stopReason, summary.result]).toMatchObject([null, { done: 2, unknown: 1 }])
})

it('a refusal of an earlier session does not stop one that sends nothing', async () => {
  const [ticket = ''] = open.slice(19)
  const was = store.tickets.assigneeOf(ticket) ?? ''
  const line = handover([ticket], `--to ${other} --if-assignee ${was} ${world.state()}`)
  const first = await bulk(line, { faults: 'tickets.assign:1=403' })
  const second = await bulk(line, { faults: 'tickets.history:1=302' })
  expect([first, second].map(({ summary }) => summary.stopReason)).toEqual(['forbidden', null])
})

it('a ticket that is still new is an error, although its assignee is a condition that nobody can judge', async () => {
  const still = [...store.tickets.all()].find(({ status }) => status === 'new')
  const ticket = String(still?.['id'])
  const [receipts, state] = [output(), world.state()]
  const more = `--to ${to} --if-assignee ${to} --receipts ${receipts} ${state}`
  const ended = await bulk(handover([ticket], more))
  const summary = { resume: null, result: { error: 1, notAttempted: 0 } }
  expect(ended).toMatchObject({ code: 3, summary })
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
    const line = `tickets assign --file ${csv} ${more} --receipts ${receipts}`
    const { code, summary } = await bulk(line)
    expect([code, summary.resume]).toEqual([0, null])
    expect(sandbox.record.of('tickets.assign')).toHaveLength(writes)
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
  expect([code, summary.input]).toMatchObject([0, { read: 4, unique: 2, duplicates: 2 }])
  expect(ids.map((id) => store.tickets.assigneeOf(id))).toEqual([to, to])
})

it.each<[string, number, (count: number) => string, RegExp]>([
  [
    'tickets that are refused',
    3,
    (count) => handover(world.absent(count)),
    /^warning: .*: refused: /,
  ],
  [
    'pairs that contradict others',
    2,
    (count) => {
      const pairs = world.free.slice(0, count).map((id) => `${id},${id}`)
      return `contacts merge --file ${file('m.csv', ['source,target', ...pairs])}`
    },
    /^line \d+/,
  ],
  [
    'employee names that nobody has',
    2,
    (count) => {
      const rows = open.slice(0, count).map((id, n) => `${id},Nobody ${n}`)
      return `tickets assign --file ${file('e.csv', ['ticket,employee', ...rows])}`
    },
    /"Nobody /,
  ],
])('of %s, twenty are told one by one', async (_, code, lineOf, each) => {
  for (const count of [20, 21]) {
    const ended = await world.svc(`${lineOf(count)} ${world.state()}`)
    const lines = ended.stderr.split('\n').map((text) => text.trim())
    expect([ended.code, lines.filter((text) => each.test(text)).length]).toEqual([code, 20])
    expect(lines.filter((text) => text.includes('and 1 more'))).toHaveLength(count - 20)
  }
})
