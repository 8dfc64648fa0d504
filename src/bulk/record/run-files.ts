/**
 * The files of a run beside its journal: `ids` (the ids as they are sent, one per line; a pair per line for merge and assign; to undo
 * assigns the expected assignee too), `lines` (their line numbers in the input) and `run.json`. The journal's first line has the checksum
 * of each, so that one that was changed afterwards is noticed before anything is sent. `sessions/from-job.ts` has them written when a run
 * begins, and `runs/recorded.ts` reads them for whatever continues or shows a run.
 */
import { say, svc } from '../../message.ts'
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { keptError } from '../../errno.ts'
import { SvcError, messageOf, systemCode, usageError } from '../../errors.ts'
import { IdTable } from '../../input/id-table.ts'
import type { Pair } from '../../input/pairs.ts'
import { isThere, writeNew } from '../../disk/whole.ts'
import { idPattern } from '../../values.ts'
import type { DiskHost } from '../../world.ts'
import type { Batches } from './batches.ts'
import { chunksOf, readRecordedText } from './recorded-files.ts'
import type { BeginEvent } from './events.ts'
import { pairItems, type Items } from './items.ts'
import { journalName } from './journal.ts'
import { otherVersion, parseRunFile, type RunFile } from './run.ts'

/** Checksums of the three files, as the journal's first line has them. */
export type Sums = BeginEvent['sums']

/** Writes the three files, each on disk when this resolves, but for their names. */
export async function writeRunFiles(
  host: DiskHost,
  dir: string,
  run: RunFile,
  {
    items,
    batches: { from, to },
  }: { readonly items: Items; readonly batches: Pick<Batches, 'from' | 'to'> },
): Promise<Sums> {
  const ids = await writeSummed(host, join(dir, 'ids'), items.encode(from, to))
  const lines = await writeSummed(host, join(dir, 'lines'), lineNumbers(items, from, to))
  const description = await writeSummed(host, join(dir, 'run.json'), [
    Buffer.from(`${JSON.stringify(run, null, 2)}\n`),
  ])
  return { run: description, ids, lines }
}

async function writeSummed(
  host: DiskHost,
  path: string,
  pieces: Iterable<Uint8Array>,
): Promise<string> {
  const sum = createHash('sha256')
  function* sumUp(): Generator<Uint8Array> {
    for (const piece of pieces) {
      sum.update(piece)
      yield piece
    }
  }
  await writeNew(host, path, sumUp())
  return sum.digest('hex')
}

function* lineNumbers(items: Items, from: number, to: number): Generator<Buffer> {
  const atOnce = 8192
  for (let start = from; start < to; start += atOnce) {
    let text = ''
    for (let index = start; index < Math.min(start + atOnce, to); index += 1)
      text += `${items.line(index)}\n`
    yield Buffer.from(text, 'latin1')
  }
}

/** Exit 2: nothing of that id or name is in the state folder. */
export function missingRun(run: string, stateDir: string): SvcError {
  return usageError(
    `there is no run ${run} in ${stateDir}`,
    say`see those that are there with: ${svc`runs list`}`,
  )
}

/** Exit 2: a folder that a run was to have, or that is left of one. */
export function neverBegan(run: string): SvcError {
  return usageError(
    `run ${run} never began, or was removed`,
    say`see the others with: ${svc`runs list`}`,
  )
}

/** A run exists when its journal does. Throws exit 10, or 2 where this user may not look. */
export function hasBegun(host: DiskHost, dir: string): boolean {
  try {
    return isThere(host, join(dir, journalName))
  } catch (error) {
    const run = basename(dir)
    throw keptError(`run ${run} cannot be read: ${dir}`, error).with({ run })
  }
}

/** `run.json` of a run's folder. Throws exit 2 when there is no such run, or it is of another format, exit 10 or 2 when it cannot be read. */
export function readRunFile(
  host: DiskHost,
  dir: string,
  run: string,
): { run: RunFile; sum: string } {
  try {
    const stat = host.disk.lstatSync(dir)
    if (!stat.isDirectory())
      throw new SvcError('local', `run ${run} is damaged: not a folder: ${dir}`, { run })
    if (!hasBegun(host, dir)) throw neverBegan(run)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      throw keptError(`run ${run} cannot be read: ${dir}`, error).with({ run })
    throw missingRun(run, dirname(dirname(dir)))
  }
  const path = join(dir, 'run.json')
  const text = readRecordedText(host, path, run, 1 << 20)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SvcError('local', `run ${run} is damaged: ${path} is not JSON: ${messageOf(error)}`, {
      run,
    })
  }
  const other = otherVersion(value)
  if (other !== undefined) {
    const what = `run ${run} was recorded by svc ${other}, in a format that this version does not read`
    throw new SvcError('usage', what, {
      hint: `nothing was sent; only svc ${other} can finish it`,
      run,
    })
  }
  const parsed = parseRunFile(value)
  if (parsed.problem !== undefined)
    throw new SvcError('local', `run ${run} is damaged: ${path}: ${parsed.problem}`, { run })
  const file = parsed.run
  if (file.run !== run)
    throw new SvcError('local', `run ${run} is damaged: ${path} is of run ${file.run}`, { run })
  return { run: file, sum: createHash('sha256').update(text, 'utf8').digest('hex') }
}

/** The ids of a run with their lines, or its pairs, in memory. Throws exit 10 when they are not what was recorded. */
export async function readItems(
  host: DiskHost,
  dir: string,
  run: RunFile,
  sums: Sums,
): Promise<Items> {
  const numbers = new Uint32Array(run.items)
  let count = 0
  let number = 0
  for await (const bytes of recordedBytes(host, join(dir, 'lines'), run.run, sums.lines)) {
    for (const byte of bytes) {
      if (byte !== 0x0a) {
        number = number * 10 + byte - 0x30
        continue
      }
      numbers[count] = number
      count += 1
      number = 0
    }
  }
  const table = new IdTable()
  const pairs: Pair[] = []
  const takeId = (text: string): void => {
    // The checksum tells what was no id, or there twice.
    if (idPattern.test(text)) table.addText(text, numbers[table.size] ?? 0)
  }
  const takePair = (text: string): void => {
    const [id = '', other = '', expected] = text.split(' ')
    const line = numbers[pairs.length] ?? 0
    pairs.push({
      id,
      other,
      line,
      ...(expected === undefined ? {} : { expected }),
    })
  }
  const take = run.kind === 'ids' ? takeId : takePair
  let rest = ''
  for await (const bytes of recordedBytes(host, join(dir, 'ids'), run.run, sums.ids)) {
    const lines = (rest + bytes.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(take)
  }
  return run.kind === 'pairs' ? pairItems(pairs) : table
}

/** The bytes of a file. Throws exit 10 at the end of one that is not what was recorded. */
async function* recordedBytes(
  host: DiskHost,
  path: string,
  run: string,
  sum: string,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const bytes of chunksOf(host, path, run)) {
    hash.update(bytes)
    yield bytes
  }
  if (hash.digest('hex') === sum) return
  throw new SvcError('local', `run ${run} is damaged: ${path} was changed after the run began`, {
    run,
  })
}
