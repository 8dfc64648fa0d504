/** A file that is written whole: what stays after a success and after a failure, and which error is told. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeWhole, type DraftHost } from '../../src/output/whole.ts'
import { ownFolder } from '../ending.ts'
import { realHost } from '../host.ts'
import { countedCalls } from '../runs/disks.ts'

/** The real disk, on which removing does this. */
function hostRemoving(rm: () => Promise<void>): DraftHost {
  const disk = { ...realHost.disk, promises: { ...realHost.disk.promises, rm } }
  return { disk, randomBytes: realHost.randomBytes }
}

const failing = (message: string) => () => Promise.reject(new Error(message))

async function* broken(message: string) {
  yield Buffer.from('a')
  await failing(message)()
}

/** A file in a folder of its own. */
function fileIn(folder = ownFolder('disk'), name = 'table.csv') {
  return { path: join(folder, name), what: 'the table' }
}

const write = (host: DraftHost, file: Parameters<typeof writeWhole>[1], text = 'a\n') =>
  writeWhole(host, file, [Buffer.from(text)])

test('a file that came to its place is not followed by a removal', async () => {
  const file = fileIn()
  await write(hostRemoving(failing('something was removed')), file)
  expect(readFileSync(file.path, 'utf8')).toBe('a\n')
})

test('after a failure no draft is left, and the first error is told', async () => {
  const folder = ownFolder('disk')
  const file = fileIn(folder)
  await expect(writeWhole(realHost, file, broken('no more rows'))).rejects.toThrow('no more rows')
  expect(readdirSync(folder)).toEqual([])
  const onBrokenDisk = writeWhole(hostRemoving(failing('no removal')), file, broken('full'))
  await expect(onBrokenDisk).rejects.toThrow('full')
})

test('a file is for its user alone, on disk before it comes to its place, and there for good after it', async () => {
  const file = fileIn()
  const { calls, change } = countedCalls()
  await write({ ...realHost, disk: change(realHost.disk) }, file)
  expect(calls).toEqual(['sync file', 'link', 'sync folder'])
  expect(statSync(file.path).mode & 0o777).toBe(0o600)
})
