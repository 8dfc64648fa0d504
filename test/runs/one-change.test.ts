/** One change that a command line names is a run of one: recorded and repeated as any run, and said as one change. */
import { describe, expect, it } from 'vitest'
import type { Receipt as ReceiptDocument } from '../../src/runs/receipts.ts'
import { createBulkWorld, linesOf } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, sandbox, file, since, unsent, taker } = world
const { examples } = sandbox
const tickets = [...examples.assignableTickets]

/** For each operation a change of its own: what it is about, and its command. */
const operations = [
  {
    name: 'contacts.merge',
    newChange() {
      const [id = '', other = ''] = world.fresh(2)
      return { id, line: `contacts merge ${id} --into ${other} --yes` }
    },
    members: ['contact', 'mergedContactId'],
  },
  {
    name: 'tickets.assign',
    newChange() {
      const id = tickets.shift() ?? ''
      return { id, line: `tickets assign ${id} --to ${taker(id)}` }
    },
    members: ['chatId', 'newAssigneeId', 'previousAssigneeId', 'ticketId'],
  },
] as const

const json = (text: string) => JSON.parse(text) as Record<string, unknown>

describe.each(operations)('$name of one', ({ name, newChange, members }) => {
  it('is recorded, listed, shown and exported as a run, and printed as a change', async () => {
    const { id, line } = newChange()
    const state = world.state()
    const changed = await svc(`${line} --reason "asked for, 4711" --json ${state}`)
    expect([changed.code, changed.stderr]).toEqual([0, ''])
    expect(Object.keys(json(changed.stdout)).sort()).toEqual(members)
    const said = { operation: name, reason: 'asked for, 4711', result: { done: 1 }, left: 0 }
    const listed = JSON.parse((await svc(`runs list --json ${state}`)).stdout) as { run: string }[]
    expect(listed).toMatchObject([{ ...said, ids: 1, exitCode: 0 }])
    const { run } = listed[0] ?? {}
    const input = { read: 1, unique: 1 }
    expect(await world.shown('--last', state)).toMatchObject({ ...said, run, input })
    const exported = await svc(`runs export --last -o ndjson ${state}`)
    expect(linesOf<ReceiptDocument>(exported.stdout)).toMatchObject([{ id, outcome: 'done' }])
    expect((await svc(`runs export --last -o csv ${state}`)).stdout).toContain(id)
  })

  it('is repeated under its name without a request, and the name is for nothing else', async () => {
    const { line } = newChange()
    const named = `${line} --once one --json ${world.state()}`
    const first = await svc(named)
    const { ended, sent } = await since(() => svc(named))
    expect([first.code, ended.code, sent]).toEqual([0, 0, 0])
    expect(json(first.stdout)).toMatchObject(json(ended.stdout))
    expect(ended.stderr).toMatch(/done on \d{4}-\d\d-\d\d; nothing was sent/)
    const other = await unsent(named.replace(line, newChange().line), 2)
    expect(other).toContain('the name "one" belongs to a run of a different job')
  })

  it('a refused change is repeated with its error, without a request; runs resume --outcome sends it again', async () => {
    const { line } = newChange()
    const named = `${line} --once one --json`
    const state = world.state()
    const first = await svc(`${named} ${state}`, { faults: `${name}:1=400`, fast: true })
    const { ended, sent } = await since(() => svc(`${named} ${state}`))
    expect([first.code, ended.code, sent]).toEqual([1, 1, 0])
    expect(ended.stderr).toContain(/^error: .*/m.exec(first.stderr)?.[0])
    const retried = await svc(`runs resume one --outcome error --yes --json ${state}`)
    expect(json(retried.stdout)).toMatchObject({ result: { done: 1 }, exitCode: 0 })
    expect((await svc(`${named} ${state}`)).code).toBe(0)
  })

  it('a state folder that cannot be written is exit 2, and nothing is sent', async () => {
    const { line } = newChange()
    const state = `--state-dir ${file('a-file', [])}/state`
    expect(await unsent(`${line} ${state}`, 2)).toContain('state folder')
  })
})

it('an assign whose ticket could not be read says so each time, and never that nobody has it', async () => {
  const { employee, aiEmployee } = sandbox.examples
  const ticket = '0123456789abcdef01234567'
  const line = `tickets assign ${ticket} --to ${employee} --if-assignee ${aiEmployee} --once unread`
  const state = world.state()
  expect(await svc(`${line} ${state}`)).toMatchObject({ code: 1 })
  const { ended, sent } = await since(() => svc(`${line} --json ${state}`))
  expect([ended.code, sent]).toEqual([1, 0])
  expect(ended.stderr).toContain("the ticket's assignee is not known: it could not be")
})

it.each([
  ['foreign-ids', -1],
  ['foreign-assignee', -2],
])('an answer about another change (%s) is not shown: the ticket is read', async (fault, at) => {
  const { employee, assignableTickets } = sandbox.examples
  const line = `tickets assign ${assignableTickets.at(at) ?? ''} --to ${employee} --json ${world.state()}`
  const faults = `tickets.assign:1=${fault}`
  const { code, stdout, stderr } = await svc(line, { faults, fast: true })
  expect([code, json(stdout)['newAssigneeId']]).toEqual([0, employee])
  expect(stderr).toContain('the answer was lost')
})
