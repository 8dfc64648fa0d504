/**
 * The files of a run beside its journal: `ids` (the ids as they are sent, one per line; a pair per line for merge and
 * assign; to undo assigns the expected assignee too), `lines` (their line numbers in the input) and `run.json`. The journal's first line has the checksum of each, so
 * that one that was changed afterwards is noticed before anything is sent.
 */
import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { fileError } from '../../errno.ts'
import * as v from 'valibot'
import { SvcError, messageOf, systemCode } from '../../errors.ts'
import type { Batches } from './batches.ts'
import { readRecordedText, writeNew } from './disk.ts'
import type { Items } from './items.ts'
import { parseRunFile, type RunFile } from './run.ts'

/** SHA-256 of each file, in hexadecimal. */
export interface Sums {
  readonly run: string
  readonly ids: string
  readonly lines: string
}

/** Writes the three files, of a shard those of its part, each on disk when this resolves, but for their names. */
export async function writeRunFiles(
  dir: string,
  run: RunFile,
  items: Items,
  { from, to }: Pick<Batches, 'from' | 'to'> = { from: 0, to: items.size },
): Promise<Sums> {
  const ids = await writeSummed(join(dir, 'ids'), items.encode(from, to))
  const lines = await writeSummed(join(dir, 'lines'), lineNumbers(items, from, to))
  const description = await writeSummed(join(dir, 'run.json'), [Buffer.from(`${JSON.stringify(run, null, 2)}\n`)])
  return { run: description, ids, lines }
}

async function writeSummed(path: string, pieces: Iterable<Uint8Array>): Promise<string> {
  const sum = createHash('sha256')
  function* summed(): Generator<Uint8Array> {
    for (const piece of pieces) {
      sum.update(piece)
      yield piece
    }
  }
  await writeNew(path, summed())
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

/** What version 1.0 wrote. */
const EarlierRun = v.object({ schema: v.literal('svc.run/1'), version: v.pipe(v.string(), v.regex(/^1\.0\.\d+$/)) })

/** `run.json` of a run's folder. Throws exit 2 when there is no such folder, or it is of version 1.0, exit 10 when it cannot be read. */
export function readRunFile(dir: string, run: string): { run: RunFile; sum: string } {
  try {
    const stat = lstatSync(dir)
    if (!stat.isDirectory()) throw new SvcError('local', `run ${run} is damaged: not a folder: ${dir}`, { run })
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileError('local', `run ${run} cannot be read`, error).with({ run })
    throw new SvcError('usage', `there is no run ${run}`, { hint: 'see them with: svc runs list' })
  }
  const path = join(dir, 'run.json')
  const text = readRecordedText(path, run, 1 << 20)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SvcError('local', `run ${run} is damaged: ${path} is not JSON: ${messageOf(error)}`, { run })
  }
  if (v.is(EarlierRun, value)) {
    const { version } = value
    throw new SvcError('usage', `run ${run} was recorded by svc ${version}, and only that version can finish it`, {
      hint: `install svc ${version}, then\nsvc runs resume ${run}`,
      run,
    })
  }
  const parsed = parseRunFile(value)
  if (typeof parsed === 'string') throw new SvcError('local', `run ${run} is damaged: ${path}: ${parsed}`, { run })
  if (parsed.run !== run) throw new SvcError('local', `run ${run} is damaged: ${path} is of run ${parsed.run}`, { run })
  return { run: parsed, sum: createHash('sha256').update(text, 'utf8').digest('hex') }
}
