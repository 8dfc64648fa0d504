/** A network disk that creates a file exclusively and loses the answer: the creation is made again, and finds the file. */
import type { FileHandle } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import type { Disk } from '../../src/world.ts'

const world = await createBulkWorld({ contacts: 400 })

/** A disk that loses the answer of one exclusive creation, by its number from 1, and what that created. */
function losing(number: number) {
  let count = 0
  let lost: string | undefined
  async function create<T extends FileHandle | void>(
    path: string,
    work: () => Promise<T>,
  ): Promise<T> {
    count += 1
    const result = await work()
    if (count !== number) return result
    lost = path
    await result?.close()
    throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' })
  }
  const disk = (real: Disk): Disk => ({
    ...real,
    promises: {
      ...real.promises,
      open: (...words) =>
        words[1] === 'wx'
          ? create(String(words[0]), () => real.promises.open(...words))
          : real.promises.open(...words),
      link: (from, to) => create(String(to), () => real.promises.link(from, to)),
    },
  })
  return { disk, lost: () => lost }
}

test('whichever it is, the run is done or ends with 10, and can be repeated', async () => {
  const names = new Set<string>()
  for (let number = 1; ; number += 1) {
    const { disk, lost } = losing(number)
    const [rejects, receipts] = [world.output('txt'), world.output()]
    const files = `--skip-invalid --rejects ${rejects} --receipts ${receipts}`
    const line = `contacts delete ${world.fresh(2).join(' ')} --once job --yes ${world.state()}`
    const { code, stderr } = await world.svc(`${line} ${files}`, { disk })
    const path = lost()
    if (path === undefined) break
    expect({ path, code, stderr }).toEqual({
      path,
      // A lock is read again after its creation.
      code: path.endsWith('/lock') ? 0 : 10,
      stderr: expect.not.stringContaining('defect') as string,
    })
    expect((await world.bulk(line)).summary).toMatchObject({ exitCode: 0, result: { deleted: 2 } })
    names.add(path.replace(/^.*[/]/, '').replaceAll(/[0-9a-f]{16}|out-\d+|\d+T\d+Z-\w+/g, '…'))
  }
  expect([...names].sort()).toEqual([
    '.….ndjson.….….part',
    '.….txt.….part',
    'ids',
    'journal.new',
    'lines',
    'lock',
    'lock.….new',
    'name.new.…',
    'run.json',
    '….ndjson',
    '….txt',
  ])
})
