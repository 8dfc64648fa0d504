/** Folders that are made. If red, others can read them, or a failure is taken for success. */
import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../src/disk/folders.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith, realHost } from '../support/real-host.ts'

test('folders that are missing are made, for this user alone; where there can be none it fails', () => {
  const { disk } = realHost
  const here = ownFolder('folder')
  chmodSync(here, 0o700)
  const path = join(here, 'a', 'b')
  for (const _ of ['made', 'there']) makeFolders(realHost, path)
  for (const each of [join(here, 'a'), path]) expect(statSync(each).mode & 0o777).toBe(0o700)
  // Another svc was faster.
  const faster = (folder: string): void => {
    mkdirSync(folder)
    throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' })
  }
  const isFaster = { ...disk, mkdirSync: faster as typeof disk.mkdirSync }
  makeFolders(hostWith({ disk: isFaster }), `${path}/c`)
  symlinkSync(join(here, 'nothing'), join(path, 'dangling'))
  for (const wrong of [join(path, 'dangling', 'x'), '/proc/svc-cannot-make-this/x'])
    expect(() => makeFolders(realHost, wrong)).toThrow(/^E[A-Z]+: /)
})
