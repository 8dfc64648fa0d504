/** The names of jobs that are done once, on disk. What a command with --once does has once.test.ts. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkJobName, Names, type NameEntry } from '../../src/bulk/runs/names.ts'
import { prepareFolders } from '../../src/bulk/runs/folders.ts'
import { refusal } from '../input/inputs.ts'
import { ownFolder } from '../ending.ts'
import { buildBulk } from './child.ts'
import { host, hostAt, stateFolders } from './recorded.ts'

const folders = stateFolders()
afterEach(() => {
  vi.restoreAllMocks()
})

const take = (stateDir: string, name: string) =>
  new Names(hostAt(), () => stateDir).lock(name, {
    takeOver: false,
    signal: new AbortController().signal,
  })

/** A state folder, and where it keeps what is known of a name. */
async function folder(
  name = 'nightly',
): Promise<{ stateDir: string; names: string; place: string; path: string }> {
  const stateDir = folders.next()
  await prepareFolders(hostAt(), stateDir)
  const names = join(stateDir, 'names')
  const place = join(names, createHash('sha256').update(name.toLowerCase()).digest('hex'))
  return { stateDir, names, place, path: join(place, 'name.json') }
}

const record: NameEntry = { schema: 'svc.name/1', name: 'nightly', run: '20260301T101500Z-7f3a' }

describe('a name', () => {
  it.each(['a', '0', 'A-b_c.d', 'x'.repeat(64)])('%s', (text) => {
    expect(checkJobName(text)).toBe(text)
  })

  it.each([
    '',
    ' ',
    '-a',
    '.a',
    '_a',
    'a b',
    'a/b',
    'a\\b',
    'a\n',
    'é',
    'ａ',
    'x'.repeat(65),
    '20260301T101500Z-7f3a',
  ])('not %j', (text) => {
    expect(() => checkJobName(text)).toThrow('--once takes a name')
  })

  it.each(['plan-', 'Plan-', 'PLAN-'])('of a plan is no name: %s', (start) => {
    expect(() => checkJobName(start + '0aF9'.repeat(10))).toThrow("that is no run's and no plan's")
    expect(checkJobName(start + '0af9'.repeat(9))).toBe(start + '0af9'.repeat(9))
  })

  it('that was left to another run is not freed with the first one', async () => {
    const { stateDir, path } = await folder()
    const names = new Names(host, () => stateDir)
    const lock = await take(stateDir, 'nightly')
    await names.write(record)
    await names.forgetRun('nightly', '20260301T101500Z-0000')
    expect(names.read('nightly')).toMatchObject({ run: record.run })
    await names.forgetRun('nightly', record.run)
    expect([names.read('nightly'), existsSync(path)]).toEqual([undefined, false])
    await lock.release()
  })

  it('lies in a private folder that is not called like it', async () => {
    const { stateDir, names, place, path } = await folder('../../etc')
    const lock = await take(stateDir, '../../etc')
    await new Names(host, () => stateDir).write({ ...record, name: '../../etc' })
    await lock.release()
    expect(readdirSync(names)).toEqual([place.slice(names.length + 1)])
    expect(readdirSync(place)).toEqual(['name.json'])
    expect([names, place, path].map((one) => statSync(one).mode & 0o777)).toEqual([
      0o700, 0o700, 0o600,
    ])
  })
})

describe('what is recorded of a name', () => {
  it.each([
    ['nothing', ''],
    ['half of it', '{"schema":"svc.name/1","name":"nig'],
    ['another schema', '{"schema":"svc.name/2","name":"nightly","run":"20260301T101500Z-7f3a"}'],
    ['no run', '{"schema":"svc.name/1","name":"nightly"}'],
  ])('that has %s is exit 10, and never a free name', async (_, content) => {
    const { stateDir, path } = await folder()
    await (await take(stateDir, 'nightly')).release()
    writeFileSync(path, content)
    expect(await refusal(() => new Names(host, () => stateDir).read('nightly'))).toMatchObject({
      exitCode: 10,
      message: expect.stringContaining('the record of the name "nightly" is damaged') as string,
      details: { hint: `nothing was sent; it is in ${path}` },
    })
  })
})

/** What is in the way of a user 65532 whose state folder it is: owner and mode of a part of the record of a name. */
const obstacles = [
  ['names', 0, 0o700],
  ['names', 65532, 0o000],
  ['place', 0, 0o700],
  ['place', 0, 0o755],
  ['place', 65532, 0o500],
  ['path', 0, 0o600],
] as const

describe.runIf(process.geteuid?.() === 0)('a record of another user, or one without rights', () => {
  it('is exit 2, which no scheduler repeats on, and names the path', async () => {
    const all = ownFolder('rights')
    chmodSync(all, 0o755)
    const stateDirs = obstacles.map(([part, owner, mode], at) => {
      const stateDir = join(all, String(at))
      const names = join(stateDir, 'names')
      const place = join(names, createHash('sha256').update('nightly').digest('hex'))
      const path = join(place, 'name.json')
      mkdirSync(place, { recursive: true, mode: 0o700 })
      writeFileSync(path, JSON.stringify(record), { mode: 0o600 })
      for (const each of [stateDir, names, place, path]) chownSync(each, 65532, 65532)
      const inTheWay = { names, place, path }[part]
      chownSync(inTheWay, owner, owner)
      chmodSync(inTheWay, mode)
      return stateDir
    })
    const program = buildBulk('bulk/runs/names.ts', 'host.ts')
    const script = `import { Names, nodeHost } from './bulk.mjs'
    process.setgroups([65532])
    process.setgid(65532)
    process.setuid(65532)
    const host = nodeHost(process)
    const { signal } = new AbortController()
    const told = async (work) => {
      try {
        await work()
        return 'nothing'
      } catch ({ exitCode, message }) {
        return exitCode + ' ' + message
      }
    }
    for (const stateDir of process.argv.slice(2)) {
      const damaged = []
      const names = new Names(host, () => stateDir)
      console.log(JSON.stringify({
        lock: await told(async () => (await names.lock('nightly', { signal })).release()),
        read: await told(() => names.read('nightly')),
        list: await told(() => names.list((path, problem) => damaged.push(path + ' ' + problem))),
        damaged,
      }).replaceAll(stateDir, '').replaceAll(/[0-9a-f]{64}/g, 'HASH'))
    }`
    const { stdout } = await program.start(script, stateDirs).finished
    program.remove()
    const denied = 'permission denied'
    const read = `2 the record of the name "nightly" cannot be read: /names/HASH/name.json: ${denied}`
    const lock = `2 the lock of the name "nightly" cannot be taken: /names/HASH/lock: ${denied}`
    const whole = `2 the name "nightly" cannot be recorded: /names/HASH: ${denied}`
    const list = `2 the names cannot be listed: /names: ${denied}`
    const [none, damaged] = ['nothing', [`/names/HASH ${denied}`]]
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { lock: whole, read, list, damaged: [] },
      { lock: whole, read, list, damaged: [] },
      { lock, read, list: none, damaged },
      { lock, read: none, list: none, damaged: [] },
      { lock, read: none, list: none, damaged: [] },
      { lock: none, read, list: none, damaged },
    ])
  })
})
