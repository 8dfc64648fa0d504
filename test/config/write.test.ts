import {
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readUserFile } from '../../src/config/load.ts'
import { editUserFile } from '../../src/cli/profiles.ts'
import { buildBulk } from '../runs/child.ts'
import { problem, world, type World } from './world.ts'

type Raw = Readonly<Record<string, unknown>>

async function change(where: World, edit: (raw: Raw) => Raw, config?: string): Promise<void> {
  await editUserFile(where.host, config === undefined ? {} : { config }, 'by hand', (file) =>
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

/** The file by which a process has the turn to replace the file as it is now. */
function turnOf(path: string): string {
  const { ino, ctimeMs } = statSync(path)
  return `${path}.${ino}-${ctimeMs}.turn`
}

/** The same with a clock that runs only while it is asked to wait, and then at once; and how often it was. */
function quick(where: World, during: (looks: number) => void = () => undefined) {
  let now = Date.now()
  const asked = { looks: 0 }
  const sleep = (ms: number) => {
    now += ms
    during((asked.looks += 1))
    return Promise.resolve()
  }
  return { ...where, asked, host: { ...where.host, now: () => now, sleep } }
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

  it('follows no link that waits under the name of a turn', async () => {
    const where = world()
    const target = where.plant('victim', 'untouched')
    symlinkSync(target, turnOf(where.write('config.json', {})))
    await change(quick(where), adding('a'))
    expect(readFileSync(target, 'utf8')).toBe('untouched')
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })

  it('removes drafts that were left behind, and those of no one else', async () => {
    const where = world()
    const path = where.write('config.json', {})
    const draft = (name: string, seconds: number): string => {
      const then = Date.now() / 1000 - seconds
      utimesSync(where.write(name, '{"secret": '), then, then)
      return name
    }
    draft(`config.json.${'0'.repeat(16)}.part`, 61)
    const left = [
      'config.json',
      draft(`config.json.${'1'.repeat(16)}.part`, 50),
      draft('config.json.part', 1e9),
      draft('config.json.mine.part', 1e9),
      draft('other.json.0123456789abcdef.part', 1e9),
    ]
    await change(where, adding('a'))
    expect(readdirSync(where.config)).toEqual(left.toSorted())
    const stranger = { ...where.host, userId: (where.host.userId ?? 0) + 1 }
    await change({ ...where, host: stranger }, adding('b')).catch(() => undefined)
    expect(readdirSync(where.config)).toEqual(left.toSorted())
    expect(readFileSync(path, 'utf8')).toContain('"a"')
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

describe('several at once', () => {
  it('lose nothing in processes of their own', async () => {
    const where = world()
    const program = buildBulk('cli/profiles.ts', 'host.ts')
    const script = `
import { editUserFile, nodeHost } from './bulk.mjs'
const [home, prefix, count] = process.argv.slice(2)
const host = { ...nodeHost(process), env: { HOME: home }, platform: 'linux', cwd: () => '/', isRunning: () => true }
for (let i = 0; i < Number(count); i += 1) {
  await editUserFile(host, {}, '', (file) => {
    const profile = { baseUrl: 'https://x.example', apiKey: 'k', secretEnv: 'X' }
    return { ...file?.raw, profiles: { ...file?.raw.profiles, [prefix + '-' + i]: profile } }
  })
}`
    const writers = ['w0', 'w1', 'w2'].map(
      (prefix) => program.start(script, [where.home, prefix, '8']).finished,
    )
    expect(await Promise.all(writers)).toMatchObject(writers.map(() => ({ code: 0, stderr: '' })))
    program.remove()
    expect((await readUserFile(where.host, {}))?.content.profiles.size).toBe(24)
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })

  it('wait for one that has the turn, and then read the file again', async () => {
    const where = world()
    const path = where.write('config.json', {})
    const turn = turnOf(path)
    writeFileSync(turn, '')
    const others = quick(where, (looks) => {
      if (looks !== 30) return
      where.write('next.json', { current: 'x' })
      renameSync(join(where.config, 'next.json'), path)
      rmSync(turn)
    })
    await change(others, adding('a'))
    expect(others.asked.looks).toBe(30)
    expect((await readUserFile(where.host, {}))?.raw).toMatchObject({ current: 'x' })
  })

  it('wait two seconds for one that was killed in its turn', async () => {
    const where = world()
    writeFileSync(turnOf(where.write('config.json', {})), '')
    const patient = quick(where)
    await change(patient, adding('a'))
    expect(patient.asked.looks).toBeGreaterThan(30)
    expect(patient.asked.looks).toBeLessThan(50)
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })

  it('end with 11 if another is always faster', async () => {
    const where = world()
    where.write('config.json', {})
    const edit = (raw: Raw): Raw => {
      rmSync(join(where.config, 'config.json'))
      where.write('config.json', { current: `a${Math.random()}`.replace('.', '') })
      return raw
    }
    expect(await problem(() => change(quick(where), edit))).toMatchObject({ exitCode: 11 })
  })

  it('do not write over a change that was made meanwhile', async () => {
    const where = world()
    const path = where.write('config.json', {})
    const edit = (raw: Raw): Raw => {
      if (raw['current'] === undefined) where.write('config.json', { current: 'theirs' })
      return { ...raw, profiles: {} }
    }
    await change(quick(where), edit)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ current: 'theirs', profiles: {} })
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })
})
