/** A file system without hard links, as FAT is: a lock is then created in place. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { takeLock } from '../../src/disk/take.ts'
import { temporaryFolder } from '../input/inputs.ts'
import { hostOn, machineWith } from './lock-world.ts'

const numbers = [1, 2, 3, 4, 5]
const machine = machineWith(new Map(numbers.map((pid) => [pid, '1'])))
let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
  vi.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }))
  syncBuiltinESMExports()
  return () => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
    folder.remove()
  }
})

it('of five at once, one gets the lock, and it leaves nothing behind', async () => {
  const results = await Promise.allSettled(
    numbers.map((pid) => takeLock(hostOn(machine, pid), folder.path, { what: 'run R' })),
  )
  const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const errors = results.flatMap((result) =>
    result.status === 'rejected' ? [String(result.reason)] : [],
  )
  expect(locks).toHaveLength(1)
  expect(errors.filter((error) => error.includes('run R is in use by process'))).toHaveLength(4)
  expect(readdirSync(folder.path)).toEqual(['lock'])
  for (const lock of locks) {
    lock.recheck()
    await lock.check()
    await lock.release()
  }
  expect(readdirSync(folder.path)).toEqual([])
})

it('a lock that is empty for a few moments is looked at again', async () => {
  const path = join(folder.path, 'lock')
  writeFileSync(path, '')
  let moments = 0
  const sleep = (): Promise<void> => {
    moments += 1
    if (moments === 4) rmSync(path)
    return Promise.resolve()
  }
  const lock = await takeLock({ ...hostOn(machine, 1), sleep }, folder.path, { what: 'run R' })
  expect(moments).toBe(4)
  await lock.release()
})
