import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readUserFile } from '../../src/config/load.ts'
import { change as changeFile } from '../../src/commands/profiles/user-file.ts'
import { problem, world, type World } from './world.ts'

type Raw = Readonly<Record<string, unknown>>

async function change(where: World, edit: (raw: Raw) => Raw, config?: string): Promise<void> {
  await changeFile(where.host, config === undefined ? {} : { config }, 'by hand', (file) =>
    edit(file?.raw ?? {}),
  )
}

/** One more profile. */
function adding(name: string): (raw: Raw) => Raw {
  return (raw) => ({
    ...raw,
    profiles: {
      ...(raw.profiles as object),
      [name]: { baseUrl: 'https://x.example', apiKey: 'k', secretEnv: 'X' },
    },
  })
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

describe('writing the configuration', () => {
  it('makes folder and file for nobody else', async () => {
    const where = world()
    await change(where, adding('a'))
    expect(modeOf(where.config)).toBe(0o700)
    expect(modeOf(join(where.config, 'config.json'))).toBe(0o600)
    expect(readdirSync(where.config)).toEqual(['config.json'])
    expect((await readUserFile(where.host, {}))?.content.profiles.has('a')).toBe(true)
  })

  it('writes nothing that it would not read', async () => {
    const where = world()
    const path = where.write('config.json', {})
    expect((await problem(() => change(where, () => ({ current: 3 })))).message).toContain(
      'nothing was written',
    )
    expect(readFileSync(path, 'utf8')).toBe('{}')
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })

  it('says when the place cannot be written', async () => {
    const where = world()
    const file = where.plant('file', '')
    expect(await problem(() => change(where, adding('a'), join(file, 'x.json')))).toMatchObject({
      category: 'local',
      exitCode: 10,
    })
  })
})

it('writes nothing over a change of somebody else', async () => {
  const where = world()
  const path = where.write('config.json', {})
  const edit = (raw: Raw): Raw => {
    where.write('config.json', { current: 'theirs' })
    return { ...raw, current: 'mine' }
  }
  expect(await problem(() => change(where, edit))).toMatchObject({ exitCode: 11 })
  expect(readFileSync(path, 'utf8')).toContain('theirs')
  expect(readdirSync(where.config)).toEqual(['config.json'])
})
