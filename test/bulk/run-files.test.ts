/** The files beside a journal: what is written of a run's ids, and that no byte of it can change unnoticed. */
import fs, { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readRecorded } from '../../src/bulk/runs/recorded.ts'
import { itemsSha256, pairItems } from '../../src/bulk/record/items.ts'
import { readItems, readRunFile, writeRunFiles } from '../../src/bulk/record/run-files.ts'
import { isRunId, keyFingerprint, newRunId } from '../../src/bulk/record/run.ts'
import { sha256 } from '../../src/ids/checksum.ts'
import type { Pair } from '../../src/ids/pairs.ts'
import { SvcError } from '../../src/errors.ts'
import { figure, howMany } from '../figures/figure.ts'
import { idOf, refusal } from '../ids/inputs.ts'
import {
  host,
  describeRun,
  events,
  fileHandles,
  makeRun,
  stateFolders,
  systemError,
  table,
  writeEvents,
  type Made,
} from './recorded.ts'

const folders = stateFolders()
const handles = await fileHandles()
afterEach(() => {
  vi.restoreAllMocks()
})

const pairsOf = (count: number): Pair[] =>
  Array.from({ length: count }, (_, n) => ({ id: idOf(2 * n), other: idOf(2 * n + 1), line: n + 2 }))

/** Ids and their lines as they are read back. */
async function back({ dir, run, sums }: Made): Promise<readonly (readonly [id: string, line: number])[]> {
  const items = await readItems(host, dir, run, sums)
  return items.slice(0, items.size).map((id, position) => [id, items.line(position)] as const)
}

describe('a run', () => {
  it('has private files with everything that resuming needs, and is read back', async () => {
    const made = await makeRun(folders.next())
    expect(readdirSync(made.dir).toSorted()).toEqual(['ids', 'journal.ndjson', 'lines', 'run.json'])
    for (const name of readdirSync(made.dir)) expect(statSync(join(made.dir, name)).mode & 0o777).toBe(0o600)
    const ids = [...table(5)]
    expect(readFileSync(join(made.dir, 'ids'), 'utf8')).toBe(ids.map((id) => `${id}\n`).join(''))
    expect(readFileSync(join(made.dir, 'lines'), 'utf8')).toBe('7\n8\n9\n10\n11\n')
    const { run, sum } = readRunFile(host, made.dir, made.id)
    expect(run).toEqual(made.run)
    expect(sum).toBe(made.sums.run)
    expect(await back(made)).toEqual(ids.map((id, n) => [id, n + 7]))
  })

  it('of a part of the ids', async () => {
    const ids = table(10)
    const made = await makeRun(folders.next(), { items: ids, part: { from: 2, to: 6 } })
    expect(made.run.items).toBe(4)
    expect(await back(made)).toEqual(ids.slice(2, 6).map((id, n) => [id, n + 9]))
  })

  it.each([2, 5_000])('of %i pairs', async (count) => {
    const pairs = pairsOf(count)
    const made = await makeRun(folders.next(), { items: pairItems(pairs) })
    expect((await readItems(host, made.dir, made.run, made.sums)).pairs).toEqual(pairs)
  })

  it('of a hundred thousand ids', async () => {
    const ids = table(100_000)
    const made = await makeRun(folders.next(), { items: ids })
    const items = await readItems(host, made.dir, made.run, made.sums)
    expect([items.size, itemsSha256(items), items.line(99_999)]).toEqual([100_000, sha256(ids.encode()), 100_006])
  })

  it('of which a file cannot be written ends there', async () => {
    const dir = folders.next()
    mkdirSync(dir)
    const items = table(3)
    vi.spyOn(handles, 'sync').mockResolvedValueOnce().mockRejectedValueOnce(systemError('ENOSPC'))
    await expect(
      writeRunFiles(host, dir, describeRun('x', items), { items, batches: { from: 0, to: 3 } }),
    ).rejects.toThrow('ENOSPC')
    expect(readdirSync(dir)).toEqual(['ids'])
  })

  it('never replaces what is there', async () => {
    const made = await makeRun(folders.next())
    await expect(
      writeRunFiles(host, made.dir, made.run, { items: table(5), batches: { from: 0, to: 5 } }),
    ).rejects.toThrow('EEXIST')
  })

  it('keeps of a key what tells it from others, and no more', () => {
    expect(keyFingerprint('pk_live_0123456789abcdef')).toMatch(/^[0-9a-f]{16}$/)
    expect(keyFingerprint('pk_live_0123456789abcdef')).not.toBe(keyFingerprint('pk_live_0123456789abcdeF'))
  })

  it('is named by the second it began in, and by nothing that could lead elsewhere', () => {
    expect(newRunId(Date.parse('2026-03-01T10:15:00.999Z'), 0x7f3a / 0x10000)).toBe('20260301T101500Z-7f3a')
    for (const text of [
      '..',
      '../x',
      '',
      '20260301T101500Z-7f3a/..',
      '20260301T101500Z-7F3A',
      'x20260301T101500Z-7f3a',
      '20260301T101500Z-7f3ax',
    ]) {
      expect({ text, isRun: isRunId(text) }).toEqual({ text, isRun: false })
    }
    expect(isRunId('20260301T101500Z-7f3a')).toBe(true)
  })
})

describe('any byte that was changed after the run began', () => {
  /** What reading it back comes to: its exit code, or 0. */
  const codeOf = ({ stateDir, id }: Made): Promise<number> =>
    readRecorded(host, stateDir, id).then(
      () => 0,
      (error: unknown) => {
        if (error instanceof SvcError) return error.exitCode
        throw error
      },
    )

  it.each(['run.json', 'ids', 'lines'])('of %s stops everything', async (name) => {
    const made = await makeRun(folders.next(), {
      change: { operation: 'lists.add-contacts', target: { id: idOf(9), name: 'VIP' } },
    })
    await writeEvents(made, events.slice(0, 4))
    expect(await codeOf(made)).toBe(0)
    const path = join(made.dir, name)
    const good = readFileSync(path)
    for (let at = 0; at < good.length; at += 1) {
      const flips = [0x01, 0x02, 0x03, 0x10, 0x20, 0x80]
      for (const flip of howMany('CUT_STEP', 0) === 1 ? flips : [flips[at % flips.length] ?? 1]) {
        const changed = Buffer.from(good)
        changed[at] = (changed[at] ?? 0) ^ flip
        writeFileSync(path, changed)
        expect({ at, flip, code: await codeOf(made) }).toEqual({ at, flip, code: 10 })
        figure('changed bytes of the files of a run noticed', 1)
      }
    }
    for (const changed of [Buffer.alloc(0), good.subarray(0, -2), Buffer.concat([good, Buffer.from('\n')])]) {
      writeFileSync(path, changed)
      expect(await codeOf(made)).toBe(10)
    }
    writeFileSync(path, good)
    expect(await codeOf(made)).toBe(0)
  })

  it('and of a file of pairs', async () => {
    const made = await makeRun(folders.next(), { items: pairItems(pairsOf(2)) })
    const path = join(made.dir, 'ids')
    const good = readFileSync(path)
    for (let at = 0; at < good.length; at += 1) {
      const changed = Buffer.from(good)
      changed[at] = (changed[at] ?? 0) ^ 0x01
      writeFileSync(path, changed)
      expect({ at, code: await codeOf(made) }).toEqual({ at, code: 10 })
    }
  })

  it('files of another run do not fit', async () => {
    const one = await makeRun(folders.next())
    const other = await makeRun(folders.next(), { items: table(6) })
    for (const name of ['ids', 'lines', 'run.json'])
      writeFileSync(join(one.dir, name), readFileSync(join(other.dir, name)))
    expect((await refusal(readRecorded(host, one.stateDir, one.id))).message).toContain(`is of run ${other.id}`)
    const path = join(one.dir, 'run.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace(other.id, one.id))
    expect((await refusal(readRecorded(host, one.stateDir, one.id))).exitCode).toBe(10)
  })
})

describe('what is wrong is said', () => {
  it.each([5, 100_000])('of a disk that fails while %i ids are read', async (count) => {
    const made = await makeRun(folders.next(), { items: table(count) })
    // Small files are read at once, large ones in the background.
    const fails = count === 5 ? vi.spyOn(fs, 'readSync') : vi.spyOn(handles, 'read')
    fails.mockImplementation(() => {
      throw systemError('EIO')
    })
    syncBuiltinESMExports()
    const error = await refusal(readItems(host, made.dir, made.run, made.sums))
    fails.mockRestore()
    syncBuiltinESMExports()
    expect(error.message).toMatch(/(ids|lines): the disk reports an error$/)
    expect(error.exitCode).toBe(10)
  })
})
