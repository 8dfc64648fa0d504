import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editUserFile } from '../../../src/commands/profiles/file.ts'
import { readUserFile } from '../../../src/config/file.ts'
import { problem, world, type World } from '../../support/config-world.ts'

type Raw = Readonly<Record<string, unknown>>

async function change({ host }: World, edit: (raw: Raw) => Raw): Promise<void> {
  await editUserFile(host, (file) => edit(file?.raw ?? {}))
}

/** One more profile. */
const adding =
  (name: string) =>
  (raw: Raw): Raw => ({
    ...raw,
    profiles: {
      ...(raw.profiles as object),
      [name]: { baseUrl: 'https://x.example', apiKey: 'k', secretFile: 'x' },
    },
  })

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('writing the configuration', () => {
  it('makes folder and file for nobody else, and leaves nothing beside it', async () => {
    const where = world()
    await change(where, adding('a'))
    await change(where, adding('b'))
    expect(modeOf(where.config)).toBe(0o700)
    expect(modeOf(join(where.config, 'config.json'))).toBe(0o600)
    expect(readdirSync(where.config)).toEqual(['config.json'])
    const file = readUserFile(where.host)
    expect([...(file?.content.profiles.keys() ?? [])]).toEqual(['a', 'b'])
  })

  it('writes nothing that it would not read', async () => {
    const where = world()
    const path = where.write('config.json', {})
    const { message } = await problem(() => change(where, () => ({ current: 3 })))
    expect(message).toContain('current must be text')
    expect(readFileSync(path, 'utf8')).toBe('{}')
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })
})
