/** A third person changes a list while svc reads it. */
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'
import { chooseMove, move } from './third-person.ts'

test('a read of members has everybody who stayed, or is incomplete', async () => {
  const codes = new Set<number>()
  for (const [seed, others] of [1, 1, 2, 2, 4, 8].entries()) {
    const moved = new Set<string>()
    let n = 0
    const world = await createSandboxWorld({ contacts: 700, seed, onRequest: () => changeEvery() })
    const [company] = world.sandbox.companies
    const { list } = world.sandbox.examples
    const changeEvery = (): void => {
      n += 1
      if (n % others !== 0 || company === undefined) return
      const change = chooseMove(company, list, seed, n)
      moved.add(change.contact)
      move(company, change, Date.now())
    }
    const before = world.sandbox.store.memberIds(list)
    const { code, stdout } = await world.svc('lists members VIP -o ids')
    codes.add(code)
    const read = new Set(stdout.split('\n'))
    const missing = [...before].filter((id) => !moved.has(id) && !read.has(id))
    const isIncomplete = /\n#incomplete: .*\n$/.test(stdout)
    expect(code).toBe(isIncomplete ? 7 : 0)
    expect(isIncomplete ? [] : missing).toEqual([])
  }
  expect(codes).toEqual(new Set([0, 7]))
})
