/** Policies of profiles and machines: what they forbid is not sent, whatever the command line says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld, type Options } from '../svc.ts'

const world = await createSandboxWorld()
const { sandbox, folder } = world
const { examples } = sandbox
const file = join(folder, 'policy.json')
const owner = process.getuid?.()
const machinePolicy = { path: file, owner }
const [contact = '', other = ''] = examples.contactsWithoutChats

function write(policy: unknown, url = sandbox.baseUrl): void {
  writeFileSync(file, JSON.stringify({ schema: 'svc.policy/1', policies: { [url]: policy } }), { mode: 0o600 })
}

/** Under the machine's policy: how it ended, and what the sandbox was asked meanwhile. */
async function underPolicy(line: string | readonly string[], options: Options = {}) {
  const before = sandbox.requests.length
  const result = await world.svc(line, { machinePolicy, ...options })
  return { ...result, requests: sandbox.requests.slice(before).map(({ method, url }) => `${method} ${url}`) }
}

const pairs = join(folder, 'pairs.csv')
writeFileSync(pairs, `source,target\n${contact},${other}\n`)
const tickets = join(folder, 'tickets.txt')
writeFileSync(tickets, `${examples.tickets.active}\n`)
const { list, employee } = examples

/** Every way to a change, with the operation that it is. */
const writes: readonly (readonly [operation: string, line: string])[] = [
  ['lists.create', 'lists create --name New'],
  ['lists.create', 'lists create --name New --if-not-exists'],
  ['lists.create', 'api lists -f name=New'],
  ['lists.update', `lists update ${list} --name New`],
  ['lists.update', `api lists/${list} -X PATCH -f name=New`],
  ['lists.add-contacts', `lists add-contacts ${list} ${contact}`],
  ['lists.add-contacts', `lists add-contacts ${list} ${contact} --no-journal`],
  ['lists.add-contacts', `api lists/${list}/contacts -f contactIds=["${contact}"]`],
  ['lists.add-contacts', 'doctor --check-write'],
  ['contacts.merge', `contacts merge ${contact} --into ${other}`],
  ['contacts.merge', `contacts merge --file ${pairs}`],
  ['contacts.merge', `api contacts/${contact}/merge -f targetContactId=${other}`],
  ['contacts.delete', `contacts delete ${contact}`],
  ['contacts.delete', `contacts delete ${contact} --shard 1/1 --allow-empty --max-delete 9`],
  ['contacts.delete', `api contacts/bulk-delete --body {"contactIds":["${contact}"]}`],
  ['tickets.assign', `tickets assign ${examples.tickets.active} --to ${employee}`],
  ['tickets.assign', `tickets assign --file ${tickets} --to ${employee}`],
  ['tickets.assign', `api tickets/${examples.tickets.active}/assignee -X PATCH -f newAssigneeId=${employee}`],
]
const bulk = ['lists.add-contacts', 'contacts.merge', 'contacts.delete', 'tickets.assign']
const all = ['lists.create', 'lists.update', ...bulk]

/** What each member forbids. */
const members: readonly (readonly [
  member: string,
  policy: object,
  forbids: (operation: string, line: string) => boolean,
])[] = [
  ['readOnly', { readOnly: true }, () => true],
  ['allow', { allow: [] }, () => true],
  ['maxDelete', { maxDelete: 0 }, (operation) => operation === 'contacts.delete'],
  ['requireOnce', { requireOnce: bulk }, (operation) => bulk.includes(operation)],
  [
    'approvals',
    { approvals: Object.fromEntries(bulk.map((name) => [name, 1])), signers: '/etc/svc/signers' },
    (operation) => bulk.includes(operation),
  ],
  [
    'neverDelete',
    { neverDelete: [list] },
    (operation, line) => line.startsWith('api') && /delete|merge/.test(operation),
  ],
]

describe('every way to a change', () => {
  const cases = members.flatMap(([member, policy, forbids]) =>
    writes.filter(([operation, line]) => forbids(operation, line)).map(([, line]) => [member, line, policy] as const),
  )
  test.each(cases)('%s forbids: svc %s', async (member, line, policy) => {
    write(policy)
    const words = line.split(' ').map((word) => (word === 'New' ? `New ${member}` : word))
    const { code, stderr, stdout, requests } = await underPolicy([...words, '--yes'])
    expect(requests.filter((request) => !request.startsWith('GET') || !line.startsWith('doctor'))).toEqual([])
    expect(code).toBe(5)
    expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(`(${member} in ${file} (${sandbox.baseUrl}))`)
  })

  test('what no member forbids is made', async () => {
    write({ allow: all, maxDelete: 1, rate: '50/s', requireOnce: ['contacts.delete'] })
    expect(await underPolicy('lists create --name Allowed')).toMatchObject({ code: 0 })
    const [, , , gone = ''] = examples.contactsWithoutChats
    expect(await underPolicy(`contacts delete ${gone} --once allowed --yes`)).toMatchObject({ code: 0 })
  })
})

describe('lists whose members are never deleted', () => {
  const api = (line: string) => world.svc(`api ${line}`)
  const members = async (): Promise<string[]> =>
    (await world.svc(`lists members ${list} -o ids`)).stdout.trim().split('\n')
  const fresh = examples.contactsWithoutChats.slice(4)

  test('they are errors, named, and never sent', async () => {
    write({ neverDelete: [`name:${'VIP'}`] })
    const [kept = ''] = await members()
    const [a = '', b = ''] = fresh
    const { code, stdout, stderr } = await underPolicy(`contacts delete ${a} ${kept} ${b} --yes -o ndjson`)
    expect(code).toBe(3)
    const rows = stdout
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as { id: string; outcome: string; message: string | null })
    expect(rows.map(({ id, outcome }) => [id, outcome])).toEqual([
      [a, 'deleted'],
      [kept, 'error'],
      [b, 'deleted'],
    ])
    expect(rows[1]?.message).toContain('VIP')
    expect(stderr).toContain(kept)
    expect(sandbox.requests.filter(({ method, body }) => method === 'POST' && body.includes(kept))).toEqual([])
  })
})
