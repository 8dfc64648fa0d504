/**
 * Journals that are cut at any byte, and of which any bit is flipped: nothing crashes, nothing is claimed that is not so, and no damage goes
 * unnoticed. Every third byte here, every byte for `npm run figures -- journal`.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  encodeLine,
  Journal,
  journalName,
  type JournalLine,
} from '../../src/bulk/record/journal.ts'
import { readRun, type RecordedRun } from '../../src/bulk/record/read-run.ts'
import { SvcError } from '../../src/errors.ts'
import { Redactor } from '../../src/redactor.ts'
import { figure, howMany } from '../figures/figure.ts'
import { host, recordRun } from './recorded-run.ts'

const step = howMany('CUT_STEP', 3)

const answer = (b: number, d: object): JournalLine[] => [
  { t: 'try', n: 1, at: 1, b, a: 1 },
  { t: 'res', n: 1, at: 1, b, a: 1, k: 'answered', s: 200, d },
]
const absent = (ids: readonly string[]) => ({
  deletedCount: 0,
  notFoundIds: ids,
  blockedIds: [],
})
const gone = { deletedCount: 2, notFoundIds: [], blockedIds: [] }

/** Outcomes that say no more than another one. */
const weaker: Readonly<Record<string, readonly string[]>> = {
  deleted: ['unknown'],
  'not-found': ['gone', 'unknown'],
  gone: ['unknown'],
  unknown: [],
  error: ['unknown'],
  'not-attempted': ['unknown'],
}

let dir = ''
let bytes = Buffer.alloc(0)
let whole: readonly string[] = []

const claims = ({ state }: RecordedRun): string[] =>
  [...state.batches.numbers()].flatMap((batch) => state.judge(batch).outcomes)

beforeAll(async () => {
  const run = await recordRun(8, 2)
  dir = run.dir
  const lines: JournalLine[] = [
    ...answer(1, gone),
    ...answer(2, absent(run.ids.slice(2, 4))),
    { t: 'try', n: 1, at: 1, b: 3, a: 1 },
    { t: 'res', n: 1, at: 1, b: 3, a: 1, k: 'ambiguous', s: 500, m: 'no' },
    { t: 'file', n: 1, at: 1, path: '/tmp/out.csv', sha256: 'ab'.repeat(32) },
    { t: 'session', n: 2, at: 1 },
    { t: 'try', n: 2, at: 1, b: 3, a: 2 },
    { t: 'res', n: 2, at: 1, b: 3, a: 2, k: 'answered', s: 200, d: absent(run.ids.slice(4, 6)) },
    ...answer(4, gone).map((line) => ({ ...line, n: 2 })),
    { t: 'end', n: 2, at: 1 },
  ]
  appendFileSync(join(dir, journalName), lines.map(encodeLine).join(''))
  bytes = readFileSync(join(dir, journalName))
  whole = claims(await readRun(host, dir, 'x'))
})

/** The run as a changed journal tells it; undefined for one that is refused. */
async function readChanged(changed: Buffer): Promise<RecordedRun | undefined> {
  writeFileSync(join(dir, journalName), changed)
  try {
    return await readRun(host, dir, 'x')
  } catch (error) {
    if (error instanceof SvcError) return undefined
    throw error
  }
}

describe('a journal', () => {
  it('that ends within a line goes on with a line of its own', async () => {
    writeFileSync(join(dir, journalName), bytes.subarray(0, -5))
    const place = { dir, run: 'x', claim: { number: 3, check: () => undefined } }
    const journal = await Journal.open(host, place, true, new Redactor())
    await journal.end({ t: 'session', at: 1, key: 'another' })
    const run = await readRun(host, dir, 'x')
    expect([run.damagedLines, run.keys.has('another')]).toEqual([1, true])
    writeFileSync(join(dir, journalName), bytes)
  })

  it('says what happened', () => {
    expect(whole).toEqual([
      ...['deleted', 'deleted', 'not-found', 'not-found'],
      ...['gone', 'gone', 'deleted', 'deleted'],
    ])
  })

  it('a journal that is cut claims nothing of the lines after the cut', async () => {
    for (let length = 0; length < bytes.length; length += step) {
      const recorded = await readChanged(bytes.subarray(0, length))
      const isAtEnd = bytes[length - 1] === 0x0a
      expect([length, recorded === undefined]).toEqual([length, length <= bytes.indexOf(0x0a)])
      if (recorded === undefined) continue
      expect([length, recorded.damagedLines]).toEqual([length, isAtEnd ? 0 : 1])
      for (const [i, claim] of claims(recorded).entries()) {
        const isUnsent = claim === 'not-attempted' || claim === 'unknown' || claim === whole[i]
        expect([length, i, isUnsent]).toEqual([length, i, true])
      }
      figure('cuts of the journal', 1)
    }
  })

  it('a journal with a flipped bit is noticed, and claims no more than before', async () => {
    for (let at = 0; at < bytes.length; at += step) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      const recorded = await readChanged(changed)
      expect([at, recorded === undefined]).toEqual([at, at <= bytes.indexOf(0x0a)])
      if (recorded === undefined) continue
      expect([at, recorded.damagedLines > 0]).toEqual([at, true])
      for (const [i, claim] of claims(recorded).entries()) {
        const original = whole[i] ?? ''
        const isWeaker = claim === original || weaker[original]?.includes(claim) === true
        expect([at, i, claim, isWeaker]).toEqual([at, i, claim, true])
      }
      figure('changed bytes of the journal noticed', 1)
    }
  })

  it('a journal whose last line a living process is writing is not damaged', async () => {
    writeFileSync(join(dir, journalName), bytes.subarray(0, -3))
    const { damagedLines } = await readRun(host, dir, 'x', { isHeld: true })
    expect(damagedLines).toBe(0)
  })

  it('a line of a later session stops the writer that reads it', async () => {
    writeFileSync(join(dir, journalName), bytes)
    await expect(readRun(host, dir, 'x', { session: 1 })).rejects.toMatchObject({ exitCode: 11 })
  })
})

describe.each(['header.json', 'items'])('%s', (name) => {
  it('a header or items file with a changed byte is exit 2', async () => {
    writeFileSync(join(dir, journalName), bytes)
    const path = join(dir, name)
    const before = readFileSync(path)
    for (let at = 0; at < before.length; at += step === 1 ? 1 : 7) {
      const changed = Buffer.from(before)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(path, changed)
      await expect(readRun(host, dir, 'x')).rejects.toMatchObject({ exitCode: 2 })
      figure('changed bytes of the files of a run noticed', 1)
    }
    writeFileSync(path, before)
    expect(claims(await readRun(host, dir, 'x'))).toEqual(whole)
  })
})
