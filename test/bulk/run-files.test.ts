/** The files beside a journal: what is written of a run's ids, and that no byte of it can change unnoticed. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readRecorded } from '../../src/bulk/runs/recorded.ts'
import { readItems, readRunFile } from '../../src/bulk/record/run-files.ts'
import { isRunId, newRunId } from '../../src/bulk/record/run.ts'
import { SvcError } from '../../src/errors.ts'
import { figure, howMany } from '../figures/figure.ts'
import { idOf, refusal } from '../input/inputs.ts'
import { host, events, makeRun, stateFolders, table, writeEvents, type Made } from './recorded.ts'

const folders = stateFolders()
afterEach(() => {
  vi.restoreAllMocks()
})

/** Ids and their lines as they are read back. */
async function back({
  dir,
  run,
  sums,
}: Made): Promise<readonly (readonly [id: string, line: number])[]> {
  const items = await readItems(host, dir, run, sums)
  return items.slice(0, items.size).map((id, position) => [id, items.line(position)] as const)
}

describe('a run', () => {
  it('has private files with everything that resuming needs, and is read back', async () => {
    const made = await makeRun(folders.next())
    expect(readdirSync(made.dir).toSorted()).toEqual(['ids', 'journal.ndjson', 'lines', 'run.json'])
    for (const name of readdirSync(made.dir))
      expect(statSync(join(made.dir, name)).mode & 0o777).toBe(0o600)
    const ids = [...table(5)]
    expect(readFileSync(join(made.dir, 'ids'), 'utf8')).toBe(ids.map((id) => `${id}\n`).join(''))
    expect(readFileSync(join(made.dir, 'lines'), 'utf8')).toBe('7\n8\n9\n10\n11\n')
    const { run, sum } = readRunFile(host, made.dir, made.id)
    expect(run).toEqual(made.run)
    expect(sum).toBe(made.sums.run)
    expect(await back(made)).toEqual(ids.map((id, n) => [id, n + 7]))
  })

  it('is named by the second it began in, and by nothing that could lead elsewhere', () => {
    expect(newRunId(Date.parse('2026-03-01T10:15:00.999Z'), 0x7f3a / 0x10000)).toBe(
      '20260301T101500Z-7f3a',
    )
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

/** `npm run figures -- journal` changes every byte, each in several ways. */
const step = howMany('CUT_STEP', 5)

describe('any byte that was changed after the run began', () => {
  /** What reading it back comes to: its exit code, or 0. */
  const codeOf = ({ dir, id }: Made): Promise<number> =>
    readRecorded(host, dir, id).then(
      () => 0,
      (error: unknown) => {
        if (error instanceof SvcError) return error.exitCode
        throw error
      },
    )

  it.each(['run.json', 'ids', 'lines'])('of %s stops everything', async (name) => {
    const made = await makeRun(folders.next(), {
      change: {
        operation: 'lists.add-contacts',
        parameters: { list: { id: idOf(9), name: 'VIP' } },
      },
    })
    await writeEvents(made, events.slice(0, 4))
    expect(await codeOf(made)).toBe(0)
    const path = join(made.dir, name)
    const good = readFileSync(path)
    for (let at = 0; at < good.length; at += step) {
      const flips = [0x01, 0x02, 0x03, 0x10, 0x20, 0x80]
      for (const flip of step === 1 ? flips : [flips[at % flips.length] ?? 1]) {
        const changed = Buffer.from(good)
        changed[at] = (changed[at] ?? 0) ^ flip
        writeFileSync(path, changed)
        // The digit of its version: a record of another one.
        const code = /"svc\.run\/[0-46-9]"/.test(changed.toString('latin1')) ? 2 : 10
        expect({ at, flip, code: await codeOf(made) }).toEqual({ at, flip, code })
        figure('changed bytes of the files of a run noticed', 1)
      }
    }
    for (const changed of [
      Buffer.alloc(0),
      good.subarray(0, -2),
      Buffer.concat([good, Buffer.from('\n')]),
    ]) {
      writeFileSync(path, changed)
      expect(await codeOf(made)).toBe(10)
    }
    writeFileSync(path, good)
    expect(await codeOf(made)).toBe(0)
  })

  it('files of another run do not fit', async () => {
    const one = await makeRun(folders.next())
    const other = await makeRun(folders.next(), { items: table(6) })
    for (const name of ['ids', 'lines', 'run.json'])
      writeFileSync(join(one.dir, name), readFileSync(join(other.dir, name)))
    expect((await refusal(readRecorded(host, one.dir, one.id))).message).toContain(
      `is of run ${other.id}`,
    )
    const path = join(one.dir, 'run.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace(other.id, one.id))
    expect((await refusal(readRecorded(host, one.dir, one.id))).exitCode).toBe(10)
  })
})
