/** `svc lists …` against the sandbox over real HTTP. */
import { describe, expect, test } from 'vitest'
import type { ContactList } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()
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

describe('lists create', () => {
  const family = '👩‍👩‍👧‍👦'
  test.each([
    ['n'.repeat(100), 'd'.repeat(1000)],
    ['😀'.repeat(100), '😀'.repeat(1000)],
    [family.repeat(13), ''],
  ])('a name of %j and a description of %j come back as they were sent', async (name, description) => {
    const { code, stdout } = await svc(['lists', 'create', '--name', name, '--description', description, '--json'])
    expect(code).toBe(0)
    expect(json(stdout)).toMatchObject({ name, description, contactsCount: 0 })
  })
})
