import { spawn } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { takeLock } from '../../src/bulk/locks/take.ts'
import { readUserFile } from '../../src/config/load.ts'
import { change as changeFile } from '../../src/commands/profiles/change.ts'
import { problem, twoProfiles, world, type World } from './world.ts'

type Raw = Readonly<Record<string, unknown>>

async function change(where: World, edit: (raw: Raw) => Raw, config?: string): Promise<void> {
  await changeFile(where.host, config === undefined ? {} : { config }, 'by hand', (file) => edit(file?.raw ?? {}))
}

/** One more profile. */
function adding(name: string): (raw: Raw) => Raw {
  return (raw) => ({
    ...raw,
    profiles: { ...(raw.profiles as object), [name]: { baseUrl: 'https://x.example', apiKey: 'k', secretEnv: 'X' } },
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

  it('keeps everything else as it was, in its order', async () => {
    const where = world()
    const path = where.write('config.json', { defaults: { output: 'csv' }, ...twoProfiles })
    await change(where, (raw) => ({ ...raw, current: 'prod' }))
    expect(readFileSync(path, 'utf8')).toBe(
      `${JSON.stringify({ defaults: { output: 'csv' }, ...twoProfiles, current: 'prod' }, null, 2)}\n`,
    )
  })

  it('follows no link that waits under the name of the lock', async () => {
    const where = world()
    const target = where.plant('victim', 'untouched')
    const path = where.write('config.json', {})
    symlinkSync(target, `${path}.lock`)
    expect(await problem(() => change(where, adding('a')))).toMatchObject({ exitCode: 10 })
    expect(readFileSync(target, 'utf8')).toBe('untouched')
  })

  it('writes nothing that it would not read', async () => {
    const where = world()
    const path = where.write('config.json', {})
    expect((await problem(() => change(where, () => ({ current: 3 })))).message).toContain('nothing was written')
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
  it('lose nothing within one process', async () => {
    const where = world()
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`)
    await Promise.all(names.map((name) => change(where, adding(name))))
    expect([...((await readUserFile(where.host, {}))?.content.profiles.keys() ?? [])].sort()).toEqual([...names].sort())
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })

  it('lose nothing in processes of their own', async () => {
    const where = world()
    const script = await bundledWriter(where)
    const runs = [0, 1, 2].map((writer) => exitOf(script, [where.home, `w${writer}`, '8']))
    expect(await Promise.all(runs)).toEqual([0, 0, 0])
    const found = [...((await readUserFile(where.host, {}))?.content.profiles.keys() ?? [])]
    expect(found.length).toBe(24)
    expect(readdirSync(where.config)).toEqual(['config.json'])
  }, 30_000)

  it('do not wait for one that was killed', async () => {
    const where = world()
    const path = where.write('config.json', {})
    const host = { ...where.host, isRunning: () => false }
    await takeLock({ ...host, pid: 2 ** 22 + 1 }, where.config, { what: path, file: 'config.json.lock' })
    await change({ ...where, host }, adding('a'))
    expect(readdirSync(where.config)).toEqual(['config.json'])
    expect(Object.keys((await readUserFile(where.host, {}))?.raw ?? {})).toEqual(['profiles'])
  })

  it('wait for one that takes long, as on a busy machine', async () => {
    const where = world()
    const path = where.write('config.json', {})
    const slow = { ...where.host, pid: 2 ** 22 + 1 }
    const lock = await takeLock(slow, where.config, { what: path, file: 'config.json.lock', second: 85 })
    const changing = change(where, adding('a'))
    await where.host.sleep(1500)
    await lock.release()
    await changing
    expect(Object.keys((await readUserFile(where.host, {}))?.raw ?? {})).toEqual(['profiles'])
  })

  it('do not write once the lock is lost', async () => {
    const where = world()
    const path = where.write('config.json', {})
    const edit = (raw: Raw): Raw => {
      rmSync(`${path}.lock`)
      return { ...raw, current: 'x' }
    }
    expect(await problem(() => change(where, edit))).toMatchObject({ exitCode: 11 })
    expect(readFileSync(path, 'utf8')).toBe('{}')
    expect(readdirSync(where.config)).toEqual(['config.json'])
  })
})

/** A program that adds `n` profiles, one after the other. */
async function bundledWriter(where: World): Promise<string> {
  const outfile = join(where.folder, 'writer.cjs')
  await build({
    stdin: {
      contents: `
        import { change } from './change.ts'
        const [home, prefix, count] = process.argv.slice(2)
        import { nodeHost } from '../../host.ts'
        const host = { ...nodeHost(process), env: { HOME: home }, platform: 'linux', cwd: () => '/', isRunning: () => true }
        async function main() {
          for (let i = 0; i < Number(count); i += 1) {
            await change(host, {}, '', (file) => ({
              ...file?.raw,
              profiles: { ...file?.raw.profiles, [prefix + '-' + i]: { baseUrl: 'https://x.example', apiKey: 'k', secretEnv: 'X' } },
            }))
          }
        }
        main()
      `,
      resolveDir: join(import.meta.dirname, '..', '..', 'src', 'commands', 'profiles'),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['typescript'],
    outfile,
    logLevel: 'error',
  })
  return outfile
}

function exitOf(script: string, args: string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('error', reject)
    child.on('close', resolve)
  })
}
