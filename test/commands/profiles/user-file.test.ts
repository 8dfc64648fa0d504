/** What `svc profiles` writes; modes and content are in test/commands/profiles/add.txt. */
import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { editUserFile } from '../../../src/commands/profiles/user-file.ts'
import { world } from '../../support/config-world.ts'
import { refusal } from '../../support/inputs.ts'

it('writes nothing that it would not read', async () => {
  const where = world()
  const path = where.write('config.json', {})
  const { message } = await refusal(() =>
    editUserFile(where.host, (present) => ({ ...present, current: 3 as never })),
  )
  expect(message).toContain('current must be text')
  expect(readFileSync(path, 'utf8')).toBe('{}')
  expect(readdirSync(where.config)).toEqual(['config.json'])
})

it('of two commands at the same moment, the one that asks longer writes nothing', async () => {
  const where = world()
  const change = (current: string, meanwhile?: () => Promise<unknown>) =>
    editUserFile(where.host, async (file) => {
      await meanwhile?.()
      return { ...file, current }
    })
  // The first time without a file, then with one.
  for (const [slow, quick] of [
    ['a', 'b'],
    ['c', 'd'],
  ] as const) {
    const error = await refusal(() => change(slow, () => change(quick)))
    expect([error.exitCode, error.message]).toEqual([
      2,
      expect.stringContaining('config.json; nothing was written'),
    ])
    expect(JSON.parse(readFileSync(`${where.config}/config.json`, 'utf8'))).toEqual({
      current: quick,
      profiles: {},
    })
  }
  const all = await Promise.allSettled(['x', 'y', 'z'].map((name) => change(name)))
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(readdirSync(where.config)).toEqual(['config.json'])
})
