/**
 * What is claimed under faults is what the sandbox did, over the whole engine: receipts, summaries and notes. Each fault with each operation,
 * with its requests and its exit code, is in faults/matrix.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { createBulkWorld, receiptsOf, tally } from './bulk-world.ts'

const world = await createBulkWorld()
const { bulk, file, free, busy, sandbox, svc, fresh, output } = world

/** Faults after which the service may have done the work. */
const lostAnswers = ['drop-after-apply', 'drop-mid', '502(apply)', 'wrong-shape']

describe('delete', () => {
  async function deletion(fault: string, ids: readonly string[], more = '') {
    sandbox.setFaults(`contacts.delete:1=${fault}`)
    const before = sandbox.record.entries.length
    const path = output()
    const run = await bulk(`contacts delete --file ${file('ids', ids)} --yes ${more} --receipts ${path}`)
    sandbox.setFaults()
    const deleted = new Set(sandbox.record.entries.slice(before).flatMap((entry) => entry.deleted ?? []))
    return { ...run, receipts: receiptsOf(path), deleted }
  }

  it.each(lostAnswers)('%s: absent after a lost answer is gone, not deleted', async (fault) => {
    const [absent = ''] = world.absent(1)
    const ids = [...fresh(3), absent, busy[0] ?? '']
    const { code, receipts, summary, deleted, stderr } = await deletion(fault, ids)
    expect(receipts.map(({ outcome }) => outcome)).toEqual(['gone', 'gone', 'gone', 'gone', 'blocked'])
    expect(receipts.every(({ attempts }) => attempts === 2)).toBe(true)
    expect(deleted).toEqual(new Set(ids.slice(0, 3)))
    expect(summary).toMatchObject({
      goneIds: ids.slice(0, 4),
      notFoundIds: [],
      result: { deleted: 0, gone: 4, blocked: 1 },
      batches: { retried: 1 },
    })
    expect(stderr).toContain('between 0 and 4 were deleted')
    expect(code).toBe(3)
  })

  it.each([
    ['drop-after-apply', 2, 0, 'gone gone', 0],
    // Only an answer that was lost in silence tells that it was done.
    ['500(apply)', 2, 0, 'gone gone', 3],
    ['503(apply, retry-after=0)', 1, 1, 'gone gone', 3],
    ['503(apply, retry-after=0) --retries 0', 1, 0, 'unknown', 7],
    ['apply-half', 4, 0, 'gone gone deleted deleted', 0],
    ['429(retry-after=0)', 1, 1, 'deleted not-found', 3],
  ])('%s, %i contacts and %i that are none: %s, exit %i', async (what, there, absent, outcomes, code) => {
    const [fault = '', retries] = what.split(' --')
    const more = retries === undefined ? '' : `--${retries}`
    const run = await deletion(fault, [...fresh(there), ...world.absent(absent)], more)
    expect([run.receipts.map(({ outcome }) => outcome).join(' '), run.code]).toEqual([outcomes, code])
  })
})

describe('add', () => {
  const { emptyList: list } = sandbox.examples

  it('skipped of a batch whose answer was lost may have been added by it', async () => {
    const ids = free.slice(-10)
    await bulk(`lists add-contacts ${list} --file ${file('some', ids.slice(0, 2))}`)
    sandbox.setFaults('lists.add-contacts:1=drop-after-apply')
    const { code, summary } = await bulk(
      `lists add-contacts ${list} --file ${file('ids', [...ids, ...world.absent(1)])}`,
    )
    sandbox.setFaults()
    expect(summary.result).toMatchObject({ added: 0, skipped: 0, addedOrSkipped: 10, failed: 1 })
    expect(code).toBe(3)
    expect([...sandbox.store.memberIds(list)].filter((id) => ids.includes(id))).toHaveLength(10)
  })

  it('without a lost answer added and skipped are told apart', async () => {
    const { code, summary } = await bulk(`lists add-contacts ${list} --file ${file('ids', free.slice(-12))}`)
    expect(code).toBe(0)
    expect(summary.result).toMatchObject({ added: 2, skipped: 10, addedOrSkipped: 0, failed: 0 })
  })

  it('some do not exist: the batch is undetermined, and a note names --isolate', async () => {
    const path = output()
    const { code, stderr } = await bulk(
      `lists add-contacts ${list} --file ${file('ids', [...free.slice(-2), ...world.absent(1)])} --receipts ${path}`,
    )
    expect(code).toBe(3)
    expect(tally(receiptsOf(path))).toEqual({ undetermined: 3 })
    expect(stderr).toContain('--isolate')
  })
})

const tickets = [...sandbox.store.tickets.all()]
  .filter(({ status, current, assigneeId }) => status === 'active' && current === true && assigneeId !== null)
  .map(({ id }) => String(id))
const able = await (async () => {
  const { stdout } = await svc('employees list --json')
  return (JSON.parse(stdout) as { id: string; status: string; channels: string[] }[])
    .filter(({ status, channels }) => status === 'active' && channels.length === 5)
    .map(({ id }) => id)
})()

describe('assign', () => {
  let next = 0
  /** A ticket that no other test touches, and an employee who does not have it yet. */
  function change(): { ticket: string; from: string; to: string } {
    const ticket = tickets[(next += 1)] ?? ''
    const from = sandbox.store.tickets.assigneeOf(ticket) ?? ''
    return { ticket, from, to: able.find((id) => id !== from) ?? '' }
  }

  async function assigning(faults: string, changes: readonly { ticket: string; to: string }[], more = '') {
    const before = sandbox.record.entries.length
    sandbox.setFaults(faults)
    const path = output()
    const csv = file('a.csv', ['ticket,employee', ...changes.map(({ ticket, to }) => `${ticket},${to}`)])
    const run = await bulk(`tickets assign --file ${csv} ${more} --receipts ${path}`)
    sandbox.setFaults()
    const entries = sandbox.record.entries.slice(before)
    return {
      ...run,
      receipts: receiptsOf(path),
      changed: entries.filter((entry) => entry.assigned !== undefined).length,
      writes: entries.filter((entry) => entry.operation === 'tickets.assign').length,
    }
  }

  it('reads first, changes, and says who had the ticket', async () => {
    const it = change()
    const { code, receipts } = await assigning('', [it])
    expect(code).toBe(0)
    expect(receipts[0]).toMatchObject({ outcome: 'done', before: it.from, after: it.to, attempts: 1 })
  })

  it.each(['', able[0] ?? ''])(
    'a ticket that has the employee already is done without a write, if %s',
    async (expected) => {
      const { ticket, from } = change()
      const condition = expected === '' ? '' : `--if-assignee ${expected}`
      const { code, receipts, writes, summary } = await assigning('', [{ ticket, to: from }], condition)
      expect({ code, writes, resume: summary.resume }).toEqual({ code: 0, writes: 0, resume: null })
      expect(receipts[0]).toMatchObject({ outcome: 'done', attempts: 0 })
    },
  )

  it.each([
    ['refused after a lost attempt: not sent a third time', 'tickets.assign:1=drop-before, tickets.assign:2+=400', 2],
    ['a reading that fails afterwards tells nothing', 'tickets.assign:1=drop-after-apply, tickets.history:2+=500', 1],
  ])('%s, and unknown', async (_, faults, sent) => {
    const { code, writes, receipts } = await assigning(faults, [change()])
    expect({ code, writes, outcome: receipts[0]?.outcome }).toEqual({ code: 7, writes: sent, outcome: 'unknown' })
  })

  it('someone else changed it meanwhile: never overwritten', async () => {
    const it = change()
    const other = able.find((id) => id !== it.from && id !== it.to) ?? ''
    // Carried out without an answer; before the reading afterwards somebody else comes in.
    sandbox.setFaults('tickets.assign:1=drop-after-apply, tickets.history:2=delay(400ms, before)')
    const path = output()
    const csv = file('a.csv', ['ticket,employee', `${it.ticket},${it.to}`])
    const run = bulk(`tickets assign --file ${csv} --receipts ${path}`)
    while (sandbox.store.tickets.assigneeOf(it.ticket) !== it.to) await new Promise((resolve) => setTimeout(resolve, 5))
    sandbox.store.tickets.assign(it.ticket, other)
    const { code } = await run
    sandbox.setFaults()
    expect(code).toBe(7)
    const message = expect.stringContaining('this change may have been made before that') as string
    expect(receiptsOf(path)[0]).toMatchObject({ outcome: 'unknown', message })
    expect(sandbox.store.tickets.assigneeOf(it.ticket)).toBe(other)
  })

  it('a reading that fails beforehand does not keep it from being sent; a note says so', async () => {
    const { code, changed, stderr } = await assigning('tickets.history:1=403(code=40352)', [change()])
    expect({ code, changed }).toEqual({ code: 0, changed: 1 })
    expect(stderr).toContain('1 ticket could not be read before the change')
  })

  it('--if-assignee: somebody else has it, nothing is sent', async () => {
    const it = change()
    const before = sandbox.record.of('tickets.assign').length
    const other = able.find((id) => id !== it.from && id !== it.to) ?? ''
    const { code, summary } = await bulk(
      `tickets assign --file ${file('t', [it.ticket])} --to ${it.to} --if-assignee ${other}`,
    )
    expect({ code, result: summary.result, resume: summary.resume }).toMatchObject({
      code: 3,
      result: { error: 1 },
      resume: null,
    })
    expect(sandbox.record.of('tickets.assign')).toHaveLength(before)
  })
})

describe('merge', () => {
  it('is never sent again after a lost answer; both contacts are named', async () => {
    const [a = '', b = '', c = '', d = ''] = fresh(4)
    const before = sandbox.record.entries.length
    sandbox.setFaults('contacts.merge:1=drop-after-apply')
    const { code, summary, stderr } = await bulk(
      `contacts merge --file ${file('p.csv', ['source,target', `${a},${b}`, `${c},${d}`])} --yes`,
    )
    sandbox.setFaults()
    expect(code).toBe(7)
    expect(summary).toMatchObject({ result: { done: 1, unknown: 1 }, unknownIds: [a], resume: null })
    expect(stderr).toContain(`${a} into ${b}`)
    expect(sandbox.record.entries.slice(before).map(({ merged }) => merged?.source)).toEqual([a, c])
  })

  it('chains run target last, and stop where a link is missing', async () => {
    const [a = '', b = '', c = '', d = ''] = fresh(4)
    const csv = file('p.csv', ['source,target', `${c},${d}`, `${b},${c}`, `${a},${b}`])
    const before = sandbox.record.entries.length
    const whole = await bulk(`contacts merge --file ${csv} --yes --concurrency 3`)
    expect(whole).toMatchObject({ code: 0, summary: { result: { done: 3 } } })
    expect(sandbox.record.entries.slice(before).map(({ merged }) => merged?.source)).toEqual([a, b, c])

    const [e = '', f = '', g = ''] = fresh(3)
    const path = output()
    sandbox.setFaults('contacts.merge:1=400')
    const broken = await bulk(
      `contacts merge --file ${file('p.csv', [`${f},${g}`, `${e},${f}`])} --yes --receipts ${path}`,
    )
    sandbox.setFaults()
    expect(broken).toMatchObject({ code: 3, summary: { result: { error: 2 }, resume: null } })
    expect(receiptsOf(path)[0]).toMatchObject({
      id: f,
      outcome: 'error',
      attempts: 0,
      message: 'not sent: an earlier merge of its chain was refused',
    })
  })
})
