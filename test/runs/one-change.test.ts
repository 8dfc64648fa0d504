/** One change that a command line names is a run of one: recorded and repeated as any run, and said as one change. */
import { describe, expect, it } from 'vitest'
import { errorOf, type Options } from '../svc.ts'
import type { ReceiptDocument } from '../../src/views/documents.ts'
import { createBulkWorld, linesOf } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, sandbox, file, since, unsent, taker } = world
const { examples } = sandbox
const tickets = [...examples.assignableTickets]

const nextContact = () => world.fresh(1).join('')

/** A change, its command, and who has the thing now. */
interface Change {
  readonly id: string
  readonly other: string
  readonly line: string
}

function newMerge(): Change {
  const [id, other] = [nextContact(), nextContact()]
  return { id, other, line: `contacts merge ${id} --into ${other} --yes` }
}

function newAssign(): Change {
  const id = tickets.shift() ?? ''
  const other = taker(id)
  return { id, other, line: `tickets assign ${id} --to ${other}` }
}

const operations = [
  { name: 'contacts.merge', newChange: newMerge, members: ['contact', 'mergedContactId'] },
  {
    name: 'tickets.assign',
    newChange: newAssign,
    members: ['chatId', 'newAssigneeId', 'previousAssigneeId', 'ticketId'],
  },
] as const

const json = (text: string) => JSON.parse(text) as Record<string, unknown>

const under = async (faults: string, line: string, options?: Options) => {
  const ended = await svc(line, { faults, fast: true, ...options })
  return ended
}

describe.each(operations)('$name of one', ({ name, newChange, members }) => {
  it('is recorded, listed, shown and exported as a run, and printed as a change', async () => {
    const { id, other, line } = newChange()
    const state = world.state()
    const changed = await svc(`${line} --reason "asked for, 4711" --json ${state}`)
    expect([changed.code, changed.stderr]).toEqual([0, ''])
    expect(Object.keys(json(changed.stdout)).sort()).toEqual(members)
    const [run = {}, ...others] = JSON.parse(
      (await svc(`runs list --json ${state}`)).stdout,
    ) as Record<string, unknown>[]
    expect([others, run]).toEqual([
      [],
      expect.objectContaining({
        operation: name,
        reason: 'asked for, 4711',
        ids: 1,
        result: expect.objectContaining({ done: 1 }) as unknown,
        left: 0,
        exitCode: 0,
      }),
    ])
    const shown = json((await svc(`runs show --last --json ${state}`)).stdout)
    expect(shown).toMatchObject({
      run: run['run'],
      operation: name,
      reason: 'asked for, 4711',
      input: { read: 1, unique: 1 },
      result: { done: 1 },
    })
    const exported = await svc(`runs export --last -o ndjson ${state}`)
    expect(linesOf<ReceiptDocument>(exported.stdout)).toMatchObject([{ id, outcome: 'done' }])
    expect((await svc(`runs export --last -o csv ${state}`)).stdout).toContain(id)
    expect(other).not.toBe('')
  })

  it('is repeated under its name without a request, and the name is for nothing else', async () => {
    const { line } = newChange()
    const named = `${line} --once one --json --error-format json ${world.state()}`
    const first = await svc(named)
    const { ended, sent } = await since(() => svc(named))
    expect([first.code, ended.code, sent]).toEqual([0, 0, 0])
    expect(json(first.stdout)).toMatchObject(json(ended.stdout))
    expect(ended.stderr).toMatch(/done on \d{4}-\d\d-\d\d; nothing was sent/)
    const other = await since(() => svc(named.replace(line, newChange().line)))
    expect([other.ended.code, other.ended.stdout, other.sent]).toEqual([2, '', 0])
    expect(errorOf(other.ended)['message']).toContain(
      'the name "one" belongs to a run of a different job',
    )
  })

  it('a refused change is repeated with its error, without a request; runs resume --outcome sends it again', async () => {
    const { line } = newChange()
    const named = `${line} --once one --json --error-format json`
    const state = world.state()
    const first = await under(`${name}:1=400`, `${named} ${state}`)
    const { ended, sent } = await since(() => svc(`${named} ${state}`))
    expect([first.code, ended.code, sent]).toEqual([6, 6, 0])
    expect(errorOf(ended)).toMatchObject({
      category: 'rejected',
      httpStatus: 400,
      message: errorOf(first)['message'],
    })
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
  expect(await svc(`${line} ${state}`)).toMatchObject({ code: 6 })
  const { ended, sent } = await since(() => svc(`${line} --json --error-format json ${state}`))
  expect([ended.code, sent]).toEqual([6, 0])
  expect(errorOf(ended)['message']).toContain("the ticket's assignee is not known: it could not be")
})

it.each([
  ['foreign-ids', -1],
  ['foreign-assignee', -2],
])('an answer about another change (%s) is not shown: the ticket is read', async (fault, at) => {
  const { employee, assignableTickets } = sandbox.examples
  const line = `tickets assign ${assignableTickets.at(at) ?? ''} --to ${employee} --json ${world.state()}`
  const { code, stdout, stderr } = await under(`tickets.assign:1=${fault}`, line)
  expect([code, json(stdout)['newAssigneeId']]).toEqual([0, employee])
  expect(stderr).toContain('the answer was lost')
})
