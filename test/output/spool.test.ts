import * as fs from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Spool } from '../../src/output/spool.ts'
import { ownFolder } from '../ending.ts'

const computer = {
  hostname: 'here',
  uptime: 1,
  userName: undefined,
  temporaryFolder: tmpdir(),
  signals: {},
}

/** Counts reads of the file. */
function openSpool() {
  let reads = 0
  const readSync = ((...words: Parameters<typeof fs.readSync>) =>
    (reads += 1) && fs.readSync(...words)) as typeof fs.readSync
  const spool = new Spool({ disk: { ...fs, readSync }, computer, randomBytes })
  return { spool, reads: () => reads }
}

it('gives back what was pushed, whatever was read before and is still to come', () => {
  const step = fc.record({
    push: fc.nat(150_000),
    from: fc.nat(99),
    size: fc.nat(70_000),
    isNext: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { spool } = openSpool()
      let [all, last] = [Buffer.alloc(0), 0]
      for (const { push, from, size, isNext } of steps) {
        const bytes = randomBytes(push)
        all = Buffer.concat([all, bytes])
        spool.push(bytes)
        const start = isNext ? last : Math.floor((all.length * from) / 100)
        last = Math.min(all.length, start + size)
        expect(spool.read(start, last).equals(all.subarray(start, last))).toBe(true)
      }
      spool.close()
    }),
    { numRuns: 30 },
  )
})

it('reads texts that follow one another together', () => {
  const { spool, reads } = openSpool()
  for (let n = 0; n < 6000; n += 1) spool.push(Buffer.alloc(100, n))
  for (let n = 0; n < 5000; n += 1) expect(spool.read(n * 100, n * 100 + 100)[99]).toBe(n % 256)
  expect(reads()).toBeLessThan(20)
  spool.close()
})

it('its file is readable by this user alone, and has no name any more', () => {
  const folder = ownFolder('spool')
  const opened: string[] = []
  const openSync = ((...words: Parameters<typeof fs.openSync>) => {
    opened.push(String(words[1]), Number(words[2]).toString(8))
    return fs.openSync(...words)
  }) as typeof fs.openSync
  const spool = new Spool({
    disk: { ...fs, openSync },
    computer: { ...computer, temporaryFolder: folder },
    randomBytes,
  })
  spool.push(Buffer.alloc(300_000))
  expect([opened, fs.readdirSync(folder)]).toEqual([['wx+', '600'], []])
  spool.close()
})
