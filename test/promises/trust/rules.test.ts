/** The changes that a profile forbids are not sent. What it allows is sent. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { typing } from '../../support/streams.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const world = await createSandboxWorld()
const { list, employee, tickets, assignableTickets, contactsWithoutChats } = world.sandbox.examples
const [contact = '', other = ''] = contactsWithoutChats
const pairs = join(world.folder, 'pairs.csv')
writeFileSync(pairs, `source,target,merge\n${contact},${other},yes\n`)

const writes = [
  `contacts delete ${contact}`,
  'lists create New',
  `lists update ${list} --name New`,
  `lists add-contacts ${list} ${contact}`,
  `contacts merge ${contact} --into ${other}`,
  `contacts merge --file ${pairs}`,
  `tickets assign ${tickets.active} --to ${employee}`,
]

test.each([
  ...writes.map((line) => ['readOnly', line, { readOnly: true }] as const),
  ['maxDelete', writes[0] ?? '', { maxDelete: 0 }] as const,
])('%s forbids: svc %s', async (rule, line, profile) => {
  const { result, requests } = await world.requestsOf(`${line} --yes`, { profile })
  expect({ ...result, changes: requests.filter(({ method }) => method !== 'GET') }).toMatchObject({
    code: 2,
    changes: [],
    stderr: expect.stringContaining(`(${rule}); nothing`) as string,
  })
})

test.each(['lists create', `lists update ${list} --name`])(
  'a name that is taken while %s asks',
  async (words) => {
    const name = `During ${words}`.slice(0, 20)
    const terminal = () => {
      world.sandbox.company.addList(name, '', 0)
      return typing('yes').terminal()
    }
    const asking = { profile: { protected: true }, terminal, env: { TERM: 'xterm' } }
    const { result, requests } = await world.requestsOf(`${words} "${name}"`, asking)
    expect(result).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists') as string,
    })
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([])
  },
)

test('maxDelete allows as many; a run that goes on is judged by the rules of then', async () => {
  const run = (line: string, profile: object, faults?: string) =>
    world.svc(line, { profile, ...(faults !== undefined && { faults }) })
  expect((await run(`${writes[0]} --yes`, { maxDelete: 1 })).code).toBe(0)
  const both = join(world.folder, 'both.txt')
  writeFileSync(both, `${assignableTickets.slice(0, 2).join('\n')}\n`)
  const assign = `tickets assign --file ${both} --to ${employee} --once judged --concurrency 1`
  expect((await run(assign, {}, 'tickets.assign:2=401')).code).toBe(4)
  const readOnly = { readOnly: true }
  const refused = { code: 2, stderr: expect.stringContaining('(readOnly); nothing') as string }
  expect(await run('runs resume judged --yes', readOnly)).toMatchObject(refused)
  expect((await run('runs close judged --yes', readOnly)).code).toBe(0)
})
