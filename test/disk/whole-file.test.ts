/** A file that is written whole: what stays after a success and after a failure, and which error is told. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeWhole, type DraftHost } from '../../src/disk/whole-file.ts'
import { ownFolder } from '../ending.ts'
import { realHost } from '../host.ts'

/** The real disk, on which removing does this. */
function hostRemoving(rm: () => Promise<void>): DraftHost {
  const disk = { ...realHost.disk, promises: { ...realHost.disk.promises, rm } }
  return { disk, randomBytes: realHost.randomBytes }
}

const failing = (message: string) => () => Promise.reject(new Error(message))

test('a file that came to its place is not followed by a removal', async () => {
  const path = join(ownFolder('disk'), 'table.csv')
  const host = hostRemoving(failing('something was removed'))
  await writeWhole(host, { path, what: 'the table' }, (draft) => draft.write(Buffer.from('a\n')))
  expect(readFileSync(path, 'utf8')).toBe('a\n')
})

test('after a failure no draft is left, and the first error is told', async () => {
  const folder = ownFolder('disk')
  const file = { path: join(folder, 'table.csv'), what: 'the table' }
  await expect(writeWhole(realHost, file, failing('no more rows'))).rejects.toThrow('no more rows')
  expect(readdirSync(folder)).toEqual([])
  const onBrokenDisk = writeWhole(hostRemoving(failing('no removal')), file, failing('full'))
  await expect(onBrokenDisk).rejects.toThrow('full')
})
