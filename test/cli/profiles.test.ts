/** What `svc profiles` writes; modes and content are in test/commands/profiles/add.txt. */
import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { editUserFile } from '../../src/cli/profiles.ts'
import { world } from '../support/config-world.ts'
import { refusal } from '../support/inputs.ts'

it('writes nothing that it would not read', async () => {
  const where = world()
  const path = where.write('config.json', {})
  const { message } = await refusal(() => editUserFile(where.host, () => ({ current: 3 })))
  expect(message).toContain('current must be text')
  expect(readFileSync(path, 'utf8')).toBe('{}')
  expect(readdirSync(where.config)).toEqual(['config.json'])
})
