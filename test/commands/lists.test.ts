/** `svc lists …` against the sandbox over real HTTP. */
import { describe, expect, test } from 'vitest'
import type { ContactList, ListMember } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, requestsOf } = await createSandboxWorld()
const { list: vip } = sandbox.examples
const json = (text: string): unknown => JSON.parse(text)

describe('lists list', () => {
  test('gives machines all of them, as the service sent them', async () => {
    const { code, stdout, stderr } = await svc('lists list --json')
    expect([code, stderr]).toEqual([0, ''])
    const lists = json(stdout) as ContactList[]
    expect(lists).toHaveLength(300)
    const stored = [...sandbox.store.allLists()].reverse().map((list) => ({ ...list, memberIds: undefined }))
    expect(lists).toEqual(stored)
  })

  test('lists that others make meanwhile: each row once, and a note', async () => {
    const world = sandbox.store
    const before = new Set([...world.allLists()].map(({ id }) => id))
    const walking = svc('lists list -o ids --page-size 10')
    const seen = sandbox.requests.length
    // As soon as the walk is in flight somebody else writes, ten times.
    for (let made = 0; made < 10;) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (sandbox.requests.length <= seen + made) continue
      world.change('lists.create', { name: `meanwhile ${made}` })
      made += 1
    }
    const { code, stdout, stderr } = await walking
    const ids = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of before) expect(ids).toContain(id)
    expect(stderr).toMatch(
      /note: the number of lists changed from \d+ to \d+ while they were read: some rows may be missing\n/,
    )
  })
})

describe('lists get', () => {
  test('what the search for a name has read is not asked for again', async () => {
    const byName = await requestsOf('lists get VIP --json')
    expect(byName.result.stdout).toBe((await svc(`lists get ${vip} --json`)).stdout)
    const update = await requestsOf('lists update VIP --name x --dry-run')
    expect(update.result).toEqual(await svc(`lists update ${vip} --name x --dry-run`))
    for (const request of [...byName.sent, ...update.sent]) expect(request).toMatch(/^GET \/v1\/lists\?page=/)
  })
})

describe('lists members', () => {
  test('json has the members as the service sends them, ids the contacts', async () => {
    const members = json((await svc('lists members VIP --json')).stdout) as ListMember[]
    expect(members).toHaveLength(280)
    expect(Object.keys(members[0] ?? {})).toEqual(['id', 'contact', 'createdAt'])
    expect(members.map(({ createdAt }) => createdAt ?? '')).toEqual(
      members
        .map(({ createdAt }) => createdAt ?? '')
        .sort()
        .reverse(),
    )
    const ids = (await svc('lists members VIP -o ids')).stdout.trimEnd().split('\n')
    expect(ids).toEqual(members.map(({ contact }) => contact.id))
    expect(new Set(ids)).toEqual(sandbox.store.memberIds(vip))
    expect((await svc('lists members VIP -o ndjson --limit 3')).stdout.trimEnd().split('\n').map(json)).toEqual(
      members.slice(0, 3),
    )
  })
})

describe('lists create', () => {
  const family = '👩‍👩‍👧‍👦'
  test.each([
    ['n', 'd'],
    ['n'.repeat(100), 'd'.repeat(1000)],
    ['😀'.repeat(100), '😀'.repeat(1000)],
    [family.repeat(13), ''],
    [' ', '\n'],
  ])('a name of %j and a description of %j come back as they were sent', async (name, description) => {
    const { code, stdout } = await svc(['lists', 'create', '--name', name, '--description', description, '--json'])
    expect(code).toBe(0)
    expect(json(stdout)).toMatchObject({ name, description, contactsCount: 0 })
  })
})
