/** Where compiled code may be kept: it is run, so nobody else may write there, and no command fails for it. */
import { chmodSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import type { PathLike, StatSyncOptions, Stats } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Disk } from '../../src/world.ts'
import { loadKeptCode } from '../../src/program/kept-code.ts'
import { ownFolder } from '../ending.ts'
import { realHost } from '../host.ts'

/** The disk as it is, but for the folder of temporary files, into which everybody may write. */
function diskOf(home: string): Disk {
  function lstat(path: PathLike, options?: StatSyncOptions): Stats | undefined {
    const stats = lstatSync(path, { throwIfNoEntry: options?.throwIfNoEntry ?? true })
    if (stats !== undefined && !String(path).startsWith(home)) stats.mode &= ~0o022
    return stats
  }
  return { ...realHost.disk, lstatSync: lstat as Disk['lstatSync'] }
}

/** The folders that were named to Node. */
async function keptIn(
  home: string,
  env: Readonly<Record<string, string>> = { HOME: home },
): Promise<string[]> {
  const folders: string[] = []
  const keepCode = (folder: string) => Promise.resolve(void folders.push(folder))
  await loadKeptCode({ ...realHost, platform: 'linux', env, disk: diskOf(home), keepCode })
  return folders
}

const home = (): string => ownFolder('kept-code')

test('in the cache folder of the user, which is made for this user alone', async () => {
  const own = home()
  const folder = join(own, '.cache/svc/code')
  expect(await keptIn(own)).toEqual([folder])
  expect(lstatSync(folder).mode & 0o777).toBe(0o700)
  expect(await keptIn(own)).toEqual([folder])
})

test('nowhere without a home or with SVC_NO_CACHE', async () => {
  const own = home()
  expect(await keptIn(own, {})).toEqual([])
  expect(await keptIn(own, { HOME: own, SVC_NO_CACHE: '1' })).toEqual([])
  expect(existsSync(join(own, '.cache'))).toBe(false)
})

test('nowhere that others can write, be it a folder above, and nothing is made there', async () => {
  for (const open of ['.', '.cache', '.cache/svc']) {
    const own = home()
    const above = join(own, open)
    mkdirSync(above, { recursive: true, mode: 0o700 })
    chmodSync(above, 0o770)
    expect(await keptIn(own)).toEqual([])
    expect(existsSync(join(own, '.cache/svc/code'))).toBe(false)
  }
  const own = home()
  expect(await keptIn(own)).toHaveLength(1)
  chmodSync(join(own, '.cache/svc/code'), 0o777)
  expect(await keptIn(own)).toEqual([])
})

test('nowhere where it cannot be made', async () => {
  const own = home()
  writeFileSync(join(own, '.cache'), '')
  expect(await keptIn(own)).toEqual([])
})
