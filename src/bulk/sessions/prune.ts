/** Removing recorded runs: what a `--once` name promises is kept, and what a process works on stays. */
import { join } from 'node:path'
import { fileProblem } from '../../errno.ts'
import { SvcError, systemCode } from '../../errors.ts'
import { formatDuration } from '../../values.ts'
import { groupDigits } from '../../words.ts'
import { syncFolder } from '../../disk/folder.ts'
import type { DiskHost } from '../../world.ts'
import { SessionLocks } from './session-locks.ts'
import { operationOf } from '../operations/operations.ts'
import { journalName } from '../record/journal.ts'
import {
  isPlanName,
  isRecorded,
  listNames,
  readName,
  removeName,
  writeName,
} from '../runs/names.ts'
import { readRecorded, recordedSummary } from '../runs/recorded.ts'
import { isRunId, beganAt } from '../record/run.ts'
import { listRuns, removeRun, type ListedRun } from '../runs/store.ts'
import type { BulkTools } from '../tools.ts'

export type PruneTools = Pick<
  BulkTools,
  'host' | 'configuration' | 'confirm' | 'signal' | 'note' | 'warn'
>

export interface PruneOptions {
  /** Milliseconds. */
  readonly olderThan: number
  readonly names?: true
  readonly takeOver?: true
  readonly dryRun?: true
}

/** Removes runs, and returns those that it removed, or would remove. Throws exit 9 when unfinished ones are to stay. */
export async function pruneRuns(tools: PruneTools, options: PruneOptions): Promise<ListedRun[]> {
  const { olderThan, dryRun = false } = options
  const { host } = tools
  const stateDir = (await tools.configuration()).stateDir.value
  const before = host.now() - olderThan
  const isFree = ({ holder }: ListedRun): boolean =>
    holder === undefined || options.takeOver === true
  const old = (await listRuns(host, stateDir)).filter(
    (listed) => listed.beganAt < before && isFree(listed),
  )
  const unfinished = dryRun ? new Set<ListedRun>() : await askForUnfinished(tools, stateDir, old)
  const removed: ListedRun[] = []
  for (const listed of old) {
    const onlySettled = listed.run !== undefined && !unfinished.has(listed)
    if (dryRun || (await pruneRun(tools, stateDir, listed, { ...options, onlySettled })))
      removed.push(listed)
  }
  if (options.names === true) await pruneNames(tools, stateDir, before, dryRun)
  // A folder that holds no run is removed without a word.
  return removed.filter(({ run, problem }) => run !== undefined || problem !== undefined)
}

/**
 * For a new run, where a setting says how long runs are kept: removes those that ended before that and have nothing left to do or
 * to find out. What cannot be removed stays, with a note: it is no reason not to start.
 */
export async function pruneEnded(
  { host, signal, note }: Pick<PruneTools, 'host' | 'signal' | 'note'>,
  stateDir: string,
  keepRuns: number,
): Promise<void> {
  const before = host.now() - keepRuns
  let removed = 0
  try {
    for (const listed of await listRuns(host, stateDir)) {
      const { holder, end, run } = listed
      if (
        signal.aborted ||
        holder !== undefined ||
        end === undefined ||
        end.left > 0 ||
        run?.isOne === true ||
        end.at >= before
      )
        continue
      if (
        await pruneRun({ host, signal, note, warn: note }, stateDir, listed, { onlySettled: true })
      )
        removed += 1
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    note(`old runs were not removed: ${error.message}`)
  }
  if (removed === 0) return
  const runs = removed === 1 ? '1 run' : `${groupDigits(removed)} runs`
  note(`removed ${runs} that ended more than ${formatDuration(keepRuns)} ago (keepRuns)`)
}

/** Nothing is left to send or to find out. Throws exit 2 or 10 for a run that cannot be read. */
async function isSettled(host: DiskHost, stateDir: string, id: string): Promise<boolean> {
  const recorded = await readRecorded(host, stateDir, id)
  const { left, exitCode } = recordedSummary(recorded)
  const { outcomes } = recorded.state.totals()
  const { isolates } = operationOf(recorded.run.operation)
  if (left > 0 || outcomes.unknown + outcomes['not-attempted'] > 0) return false
  return exitCode === 0 || isolates === undefined || outcomes[isolates.outcome] === 0
}

/** The runs that only the answer to a question lets go. */
async function askForUnfinished(tools: PruneTools, stateDir: string, runs: readonly ListedRun[]) {
  const unfinished = new Set<ListedRun>()
  for (const each of runs) {
    const isReadable = each.run !== undefined || each.isEarlier === true
    const isDone = isReadable && (await isSettled(tools.host, stateDir, each.id).catch(onlyKnown))
    if (isReadable && !isDone) unfinished.add(each)
  }
  const { size } = unfinished
  if (size === 0) return unfinished
  const [count, gone, it] =
    size === 1
      ? ['1 run has', 'it is', 'it']
      : [`${groupDigits(size)} runs have`, 'they are', 'them']
  await tools.confirm({
    kind: 'yes-no',
    message: `${count} something left to send or to find out, which is not possible once ${gone} removed. Remove ${it}?`,
  })
  return unfinished
}

/** False, with a warning, when a process began to work on it meanwhile. */
async function pruneRun(
  tools: Pick<PruneTools, 'host' | 'signal' | 'note' | 'warn'>,
  stateDir: string,
  listed: ListedRun,
  {
    names,
    takeOver,
    onlySettled,
  }: Pick<PruneOptions, 'names' | 'takeOver'> & { readonly onlySettled: boolean },
): Promise<boolean> {
  const { host } = tools
  const { id, dir, run } = listed
  const locks = new SessionLocks(tools, takeOver)
  try {
    const name = await nameOf(host, stateDir, listed)
    if (name !== undefined) await locks.takeName(stateDir, name)
    await locks.takeRun(dir, id)
    // Somebody may have opened it again since it was listed.
    if (onlySettled && !(await isSettled(host, stateDir, id))) return false
    const owned =
      name !== undefined && readName(host, stateDir, name)?.run === id ? name : undefined
    const isFreed = names === true && (owned === undefined || !isPlanName(owned))
    if (owned !== undefined) {
      // The record of its name speaks once the run is gone: it has the summary, or nothing but that.
      const pruned =
        isFreed || run === undefined ? undefined : await summaryToKeep(host, stateDir, id)
      await writeName(host, stateDir, { schema: 'svc.name/1', name: owned, run: id, pruned })
    }
    // From here on it is no run any more, whatever of the rest is still there after a crash, and its name's record counts.
    await host.disk.promises.rm(join(dir, journalName), { force: true })
    await syncFolder(host, dir)
    if (owned !== undefined && isFreed) await removeName(host, stateDir, owned)
    await removeRun(host, dir, id)
    return true
  } catch (error) {
    tools.warn(`run ${id} was not removed: ${whyNot(error)}`)
    return false
  } finally {
    await locks.release()
  }
}

function onlyKnown(error: unknown): false {
  if (error instanceof SvcError) return false
  throw error
}

function whyNot(error: unknown): string {
  if (error instanceof SvcError || systemCode(error) !== undefined) return fileProblem(error)
  throw error
}

/** The name that a run has; of a damaged one only the records of names tell. */
async function nameOf(
  host: DiskHost,
  stateDir: string,
  { id, run, problem }: ListedRun,
): Promise<string | undefined> {
  if (run !== undefined || problem === undefined) return run?.once?.name
  return (await listNames(host, stateDir)).find((record) => record.run === id)?.name
}

async function summaryToKeep(host: PruneTools['host'], stateDir: string, id: string) {
  const recorded = await readRecorded(host, stateDir, id)
  const { document, rows, exitCode } = recordedSummary(recorded)
  const doneAt = new Date(recorded.end?.at ?? host.now()).toISOString()
  const keys = [...recorded.keys]
  return {
    at: host.now(),
    doneAt,
    summary: document,
    rows: [...rows],
    exitCode,
    description: recorded.run,
    keys,
  }
}

/** Frees names whose runs are gone, and says how many; with `isDry` only that. */
async function pruneNames(
  tools: PruneTools,
  stateDir: string,
  before: number,
  isDry: boolean,
): Promise<void> {
  let freed = 0
  for (const { name, run } of await listNames(tools.host, stateDir)) {
    if (
      !isRunId(run) ||
      isRecorded(tools.host, stateDir, run) ||
      beganAt(run) >= before ||
      isPlanName(name)
    )
      continue
    freed += 1
    if (isDry) continue
    const locks = new SessionLocks(tools)
    try {
      await locks.takeName(stateDir, name)
      // Another process may have freed it meanwhile, and a new run taken it.
      if (readName(tools.host, stateDir, name)?.run === run)
        await removeName(tools.host, stateDir, name)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      tools.warn(`the name "${name}" was not freed: ${error.message}`)
      freed -= 1
    } finally {
      await locks.release()
    }
  }
  if (freed > 0)
    tools.note(`${freed} ${freed === 1 ? 'name' : 'names'} ${isDry ? 'would be freed' : 'freed'}`)
}
