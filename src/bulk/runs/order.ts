/** The order in which the runs of a state folder began: each has a number, one more than the largest before it. */
import { join } from 'node:path'
import { SvcError } from '../../errors.ts'
import { readRecordedText } from '../../disk/files.ts'
import type { DiskHost } from '../../world.ts'
import { sequenceIn } from '../record/run.ts'
import { listNames } from './names.ts'
import { lookAt, runFolder, runIds, type ListedRun, type StoreHost } from './store.ts'

/** The number of a new run. Runs that were removed count as long as the record of their name is there. */
export async function nextSequence(host: StoreHost, stateDir: string): Promise<number> {
  const recorded = (await numbersOf(host, stateDir)).map(({ sequence }) => sequence)
  const removed = (await listNames(host, stateDir)).map(({ pruned }) =>
    sequenceIn(pruned?.description),
  )
  return [...recorded, ...removed].reduce((largest, each) => Math.max(largest, each), 0) + 1
}

/** The runs that began last, at most so many, the last first. */
export async function lastRuns(
  host: StoreHost,
  stateDir: string,
  most: number,
): Promise<ListedRun[]> {
  const numbers = await numbersOf(host, stateDir)
  const last = numbers
    .sort((a, b) => b.sequence - a.sequence || (b.id > a.id ? 1 : -1))
    .slice(0, most)
  return Promise.all(last.map(({ id }) => lookAt(host, stateDir, id)))
}

async function numbersOf(host: StoreHost, stateDir: string) {
  const ids = await runIds(host, stateDir)
  return ids.map((id) => ({ id, sequence: readSequence(host, stateDir, id) }))
}

/** The number in `run.json`; 0 where it cannot be read. */
function readSequence(host: DiskHost, stateDir: string, id: string): number {
  const path = join(runFolder(stateDir, id), 'run.json')
  try {
    return sequenceIn(JSON.parse(readRecordedText(host, path, id, 1 << 20)))
  } catch (error) {
    if (error instanceof SvcError || error instanceof SyntaxError) return 0
    throw error
  }
}
