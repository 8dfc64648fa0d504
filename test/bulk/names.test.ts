/** The names of jobs that are done once, on disk. What a command with --once does has once.test.ts. */
import { createHash } from 'node:crypto'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  checkJobName,
  lockName,
  readName,
  writeName,
  type NameEntry,
} from '../../src/bulk/runs/names.ts'
import { prepareFolders } from '../../src/bulk/runs/store.ts'
import { refusal } from '../input/inputs.ts'
import { host, hostAt, stateFolders } from './recorded.ts'

const folders = stateFolders()
afterEach(() => {
  vi.restoreAllMocks()
})

const take = (stateDir: string, name: string) =>
  lockName(hostAt(), stateDir, { name, takeOver: false, signal: new AbortController().signal })

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

  it('lies in a private folder that is not called like it', async () => {
    const { stateDir, names, place, path } = await folder('../../etc')
    const lock = await take(stateDir, '../../etc')
    await writeName(host, stateDir, { ...record, name: '../../etc' })
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
    expect(await refusal(() => readName(host, stateDir, 'nightly'))).toMatchObject({
      exitCode: 10,
      message: expect.stringContaining('the record of the name "nightly" is damaged') as string,
      details: { hint: `nothing was sent; it is in ${path}` },
    })
  })
})
