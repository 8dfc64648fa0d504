/**
 * The files of a run beside its journal: `ids` (the ids as they are sent, one per line; a pair per line for merge and
 * assign; to undo assigns the expected assignee too), `lines` (their line numbers in the input) and `run.json`. The journal's first line has the checksum of each, so
 * that one that was changed afterwards is noticed before anything is sent.
 */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileError } from '../../errno.ts'
import { SvcError, messageOf, systemCode, usageError } from '../../errors.ts'
import { idLength } from '../../ids/id.ts'
import { IdTable } from '../../ids/id-table.ts'
import type { Pair } from '../../ids/pairs.ts'
import { writeNew } from '../../output/whole-file.ts'
import { idPattern } from '../../values.ts'
import type { DiskHost } from '../../world.ts'
import type { Batches } from './batches.ts'
import { chunksOf, linePieces, readPart, readRecordedText } from './disk.ts'
import type { BeginEvent } from './events.ts'
import { itemsSha256, pairItems, tableItems, type Items } from './items.ts'
import { otherVersion, parseRunFile, type RunFile } from './run.ts'

export type Sums = BeginEvent['sums']

/** Writes the three files, of a shard those of its part, each on disk when this resolves, but for their names. */
export async function writeRunFiles(
  host: DiskHost,
  dir: string,
  run: RunFile,
  { items, batches: { from, to } }: { readonly items: Items; readonly batches: Pick<Batches, 'from' | 'to'> },
): Promise<Sums> {
  const ids = await writeSummed(host, join(dir, 'ids'), items.encode(from, to))
  const lines = await writeSummed(host, join(dir, 'lines'), lineNumbers(items, from, to))
  const description = await writeSummed(host, join(dir, 'run.json'), [Buffer.from(`${JSON.stringify(run, null, 2)}\n`)])
  return { run: description, ids, lines }
}

async function writeSummed(host: DiskHost, path: string, pieces: Iterable<Uint8Array>): Promise<string> {
  const sum = createHash('sha256')
  function* summed(): Generator<Uint8Array> {
    for (const piece of pieces) {
      sum.update(piece)
      yield piece
    }
  }
  await writeNew(host, path, summed())
  return sum.digest('hex')
}

function* lineNumbers(items: Items, from: number, to: number): Generator<Buffer> {
  const atOnce = 8192
  for (let start = from; start < to; start += atOnce) {
    let text = ''
    for (let index = start; index < Math.min(start + atOnce, to); index += 1) text += `${items.line(index)}\n`
    yield Buffer.from(text, 'latin1')
  }
}

/** Exit 2: nothing of that id or name is in the state folder. */
export function missingRun(run: string, stateDir: string): SvcError {
  return usageError(`there is no run ${run} in ${stateDir}`, 'see those that are there with: svc runs list')
}

/** `run.json` of a run's folder. Throws exit 2 when there is no such folder, or it is of another format, exit 10 when it cannot be read. */
export function readRunFile(host: DiskHost, dir: string, run: string): { run: RunFile; sum: string } {
  try {
    const stat = host.disk.lstatSync(dir)
    if (!stat.isDirectory()) throw new SvcError('local', `run ${run} is damaged: not a folder: ${dir}`, { run })
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileError('local', `run ${run} cannot be read`, error).with({ run })
    throw missingRun(run, dirname(dirname(dir)))
  }
  const path = join(dir, 'run.json')
  const text = readRecordedText(host, path, run, 1 << 20)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SvcError('local', `run ${run} is damaged: ${path} is not JSON: ${messageOf(error)}`, { run })
  }
  const other = otherVersion(value)
  if (other !== undefined) {
    const what = `run ${run} was recorded by svc ${other}, in a format that this version does not read`
    throw new SvcError('usage', what, { hint: `nothing was sent; only svc ${other} can finish it`, run })
  }
  const parsed = parseRunFile(value)
  if ('problem' in parsed) throw new SvcError('local', `run ${run} is damaged: ${path}: ${parsed.problem}`, { run })
  if (parsed.run !== run) throw new SvcError('local', `run ${run} is damaged: ${path} is of run ${parsed.run}`, { run })
  return { run: parsed, sum: createHash('sha256').update(text, 'utf8').digest('hex') }
}

/** The ids of a run with their lines, or its pairs, in memory. Throws exit 10 when they are not what was recorded. */
export async function readItems(host: DiskHost, dir: string, run: RunFile, sums: Sums): Promise<Items> {
  const lines = await readLines(host, dir, run, sums)
  const isPairs = run.kind === 'pairs'
  const items = isPairs
    ? pairItems(await readPairs(host, dir, run, lines))
    : tableItems(await readIds(host, dir, run, lines))
  if (items.size !== run.items) throw changed(dir, run, `${items.size} ${run.kind} instead of ${run.items}`)
  if (itemsSha256(items) !== run.input.sha256) throw changed(dir, run, 'another checksum')
  return items
}

const idsAtOnce = 4096
const idBytes = idLength + 1

/** A run's ids where they lie, for reading: only their lines take memory. Throws exit 10 if they were changed. */
export async function openIds(host: DiskHost, dir: string, run: RunFile, sums: Sums): Promise<Items> {
  const path = join(dir, 'ids')
  const { size } = readPart(host, path, run.run, { most: 0, from: 0 })
  if (size !== run.items * idBytes) throw changed(dir, run, `${size} bytes instead of ${run.items * idBytes}`)
  const sum = createHash('sha256')
  for await (const chunk of chunksOf(host, path, run.run)) sum.update(chunk)
  if (sum.digest('hex') !== run.input.sha256) throw changed(dir, run, 'another checksum')
  const lines = await readLines(host, dir, run, sums)
  let first = -1
  let block = ''
  const id = (position: number): string => {
    const start = position - (position % idsAtOnce)
    if (start !== first) {
      const { bytes } = readPart(host, path, run.run, { most: idsAtOnce * idBytes, from: start * idBytes })
      block = bytes.toString('latin1')
      first = start
    }
    return block.slice((position - start) * idBytes, (position - start) * idBytes + idLength)
  }
  const ids = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => id(from + i))
  return {
    size: run.items,
    id,
    ids,
    json: (from, to) => Buffer.from(JSON.stringify(ids(from, to))),
    encode: (from, to) => [
      Buffer.from(
        ids(from, to)
          .map((each) => `${each}\n`)
          .join(''),
      ),
    ],
    other: () => undefined,
    line: (position) => lines[position] ?? 0,
    // One after the other: who only reads looks for none.
    indexOf: (wanted) => lines.findIndex((_, position) => id(position).toLowerCase() === wanted.toLowerCase()),
  }
}

async function readLines(host: DiskHost, dir: string, run: RunFile, sums: Sums): Promise<Uint32Array> {
  const path = join(dir, 'lines')
  const damaged = (): SvcError => changed(dir, run, 'the line numbers are missing or damaged')
  // A line takes two bytes: nothing is made room for that is not there.
  if (readPart(host, path, run.run, { most: 0, from: 0 }).size < run.items * 2) throw damaged()
  const lines = new Uint32Array(run.items)
  const sum = createHash('sha256')
  let [count, digits, line] = [0, 0, 0]
  for await (const chunk of chunksOf(host, path, run.run)) {
    sum.update(chunk)
    for (const byte of chunk) {
      const digit = byte - 0x30
      if (digit >= 0 && digit <= 9 && digits < 15) {
        line = line * 10 + digit
        digits += 1
      } else if (byte === 0x0a && digits > 0) {
        lines[count] = line
        count += 1
        digits = 0
        line = 0
      } else throw damaged()
    }
  }
  if (count !== run.items || digits > 0) throw damaged()
  if (sum.digest('hex') !== sums.lines) throw changed(dir, run, 'the line numbers were changed')
  return lines
}

async function readIds(host: DiskHost, dir: string, run: RunFile, lines: Uint32Array): Promise<IdTable> {
  const table = new IdTable()
  table.expect(run.items)
  await eachItem(host, dir, run, (id) => {
    if (!idPattern.test(id) || !table.addText(id, lines[table.size] ?? 0)) {
      throw changed(dir, run, `line ${table.size + 1} is not an id, or is there twice`)
    }
  })
  return table
}

async function readPairs(host: DiskHost, dir: string, run: RunFile, lines: Uint32Array): Promise<Pair[]> {
  const pairs: Pair[] = []
  await eachItem(host, dir, run, (text) => {
    const [id, other, expected, more] = text.split(' ')
    const isWhole = more === undefined && (expected === undefined) === (run.undoes === undefined)
    if (id === undefined || other === undefined || other === '' || !isWhole) {
      throw changed(dir, run, `line ${pairs.length + 1} is not a pair`)
    }
    pairs.push({ id, other, line: lines[pairs.length] ?? 0, ...(expected === undefined ? {} : { expected }) })
  })
  return pairs
}

async function eachItem(host: DiskHost, dir: string, run: RunFile, onItem: (text: string) => void): Promise<void> {
  for await (const piece of linePieces(host, join(dir, 'ids'), run.run)) piece.forEach(onItem)
}

function changed(dir: string, run: RunFile, why: string): SvcError {
  return new SvcError('local', `the ids of run ${run.run} are not the recorded ones: ${why}`, {
    hint: join(dir, 'ids'),
    run: run.run,
  })
}
