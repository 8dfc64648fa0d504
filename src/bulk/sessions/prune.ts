/** Removing recorded runs: what a `--once` name promises is kept, and what a process works on stays. */
import { join } from 'node:path'
import { fileProblem } from '../../errno.ts'
import { SvcError, systemCode } from '../../errors.ts'
import { formatDuration } from '../../values.ts'
import { grouped } from '../../words.ts'
import { syncFolder } from '../../folder.ts'
import type { Host } from '../../host.ts'
import type { DiskHost } from '../../world.ts'
import { SessionLocks } from './session-locks.ts'
import { operationOf } from '../operations/operations.ts'
import { journalName } from '../record/journal.ts'
import { isPlanName, isRecorded, listNames, readName, removeName, writeName, type NameRecord } from '../runs/names.ts'
import { readRecorded, recordedSummary } from '../runs/recorded.ts'
import { readEnd } from '../record/replay.ts'
import { isRunId, beganAt } from '../record/run.ts'
import { listRuns, removeRun, type ListedRun } from '../runs/store.ts'
import type { BulkTools } from '../tools.ts'

export type PruneTools = Pick<BulkTools, 'host' | 'configuration' | 'confirm' | 'signal' | 'note' | 'warn'>

export interface PruneOptions {
  /** Milliseconds. */
  readonly olderThan: number
  readonly names?: true
  readonly takeOver?: true
  readonly dryRun?: true
}

/** Removes runs, and returns those that it removed, or would remove. Throws exit 9 when unfinished ones are to stay. */
export async function pruneRuns(tools: PruneTools, options: PruneOptions): Promise<ListedRun[]> {
  const stateDir = (await tools.configuration()).stateDir.value
  const before = tools.host.now() - options.olderThan
  const isHeld = ({ holder }: ListedRun): boolean => holder !== undefined && options.takeOver !== true
  const old = (await listRuns(tools.host, stateDir)).filter((run) => run.beganAt < before && !isHeld(run))
  // A folder that holds no run is removed without a word.
  const shown = old.filter(({ run, problem }) => run !== undefined || problem !== undefined)
  if (options.dryRun === true) {
    if (options.names === true) await pruneNames(tools, stateDir, before, true)
    return shown
  }
  const asked = await askForUnfinished(tools, stateDir, shown)
  const removed = new Set<ListedRun>()
  for (const listed of old) {
    const onlySettled = listed.run !== undefined && !asked.has(listed)
    if (await pruneRun(tools, stateDir, listed, { ...options, onlySettled })) removed.add(listed)
  }
  if (options.names === true) await pruneNames(tools, stateDir, before, false)
  return shown.filter((listed) => removed.has(listed))
}

/**
 * For a new run, where the configuration says how long runs are kept: removes those that ended before that and have nothing
 * left to do or to find out. What cannot be removed stays, with a note: it is no reason not to start.
 */
export async function pruneEnded(
  { host, signal, note }: Pick<PruneTools, 'host' | 'signal' | 'note'>,
  stateDir: string,
  olderThan: number,
): Promise<void> {
  const before = host.now() - olderThan
  let removed = 0
  try {
    for (const listed of await listRuns(host, stateDir)) {
      const { holder, end } = listed
      if (signal.aborted || holder !== undefined || end === undefined || end.at >= before) continue
      if (!(await isSettled(host, stateDir, listed))) continue
      const tools = { host, signal, note, warn: note }
      if (await pruneRun(tools, stateDir, listed, { onlySettled: true })) removed += 1
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    note(`old runs were not removed: ${error.message}`)
  }
  if (removed === 0) return
  const runs = removed === 1 ? '1 run' : `${grouped(removed)} runs`
  note(`removed ${runs} that ended more than ${formatDuration(olderThan)} ago (keepRuns in the configuration file)`)
}

/** Nothing is left to send or to find out, as far as the run can be read. */
async function isSettled(
  host: DiskHost,
  stateDir: string,
  { dir, id, run }: Pick<ListedRun, 'dir' | 'id' | 'run'>,
): Promise<boolean> {
  try {
    const end = readEnd(host, dir, id)
    const count = (outcome: string): number => end?.result[outcome] ?? 0
    if (end?.left !== 0 || count('unknown') + count('notAttempted') > 0) return false
    const { isolates } = run === undefined ? {} : operationOf(run.operation)
    if (end.exitCode === 0 || isolates === undefined) return true
    // The last line does not tell which of the failed ids are known to be missing.
    const { state } = await readRecorded(host, stateDir, id)
    state.closeAll()
    return state.totals().outcomes[isolates] === 0
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return false
  }
}

/** The runs that only the answer to a question lets go. */
async function askForUnfinished(tools: PruneTools, stateDir: string, runs: readonly ListedRun[]) {
  const unfinished = new Set<ListedRun>()
  for (const each of runs) {
    const isReadable = each.run !== undefined || each.isEarlier === true
    if (isReadable && !(await isSettled(tools.host, stateDir, each))) unfinished.add(each)
  }
  if (unfinished.size === 0) return unfinished
  const { size } = unfinished
  const [count, gone, it] =
    size === 1 ? ['1 run has', 'it is', 'it'] : [`${grouped(size)} runs have`, 'they are', 'them']
  await tools.confirm({
    kind: 'yes-no',
    message: `${count} something left to send or to find out, which is not possible once ${gone} removed. Remove ${it}?`,
  })
  return unfinished
}

/** False, with a warning, when a process began to work on it meanwhile. */
async function pruneRun(
  tools: Omit<PruneTools, 'configuration' | 'confirm'>,
  stateDir: string,
  listed: ListedRun,
  { names, takeOver, onlySettled }: Pick<PruneOptions, 'names' | 'takeOver'> & { readonly onlySettled: boolean },
): Promise<boolean> {
  const { id, dir } = listed
  const locks = new SessionLocks(tools, takeOver)
  try {
    const name = await nameOf(tools.host, stateDir, listed)
    if (name !== undefined) await locks.takeName(stateDir, name)
    await locks.takeRun(dir, id)
    // Somebody may have opened it again since it was listed.
    if (onlySettled && !(await isSettled(tools.host, stateDir, listed))) return false
    const owned = name !== undefined && readName(tools.host, stateDir, name)?.run === id ? name : undefined
    const isFreed = names === true && (owned === undefined || !isPlanName(owned))
    const isKept = !isFreed && listed.run !== undefined
    if (owned !== undefined) {
      // The record of its name speaks once the run is gone: it has the summary, or nothing but that.
      const pruned = isKept ? await keptOf(tools.host, stateDir, id) : undefined
      await writeName(tools.host, stateDir, { schema: 'svc.name/1', name: owned, run: id, pruned })
    }
    // From here on it is no run any more, whatever of the rest is still there after a crash, and its name's record counts.
    await tools.host.disk.promises.rm(join(dir, journalName), { force: true })
    await syncFolder(tools.host, dir)
    if (owned !== undefined && isFreed) await removeName(tools.host, stateDir, owned)
    await removeRun(tools.host, dir, id)
    return true
  } catch (error) {
    tools.warn(`run ${id} was not removed: ${whyNot(error)}`)
    return false
  } finally {
    await locks.release()
  }
}

function whyNot(error: unknown): string {
  if (error instanceof SvcError || systemCode(error) !== undefined) return fileProblem(error)
  throw error
}

/** The name that a run has; of a damaged one only the records of names tell. */
async function nameOf(host: DiskHost, stateDir: string, { id, run, problem }: ListedRun): Promise<string | undefined> {
  if (run !== undefined || problem === undefined) return run?.once?.name
  return (await listNames(host, stateDir)).find((record) => record.run === id)?.name
}

async function keptOf(host: Pick<Host, 'disk' | 'now'>, stateDir: string, id: string): Promise<NameRecord['pruned']> {
  const recorded = await readRecorded(host, stateDir, id)
  const { document, rows, exitCode } = recordedSummary(recorded)
  const doneAt = new Date(recorded.end?.at ?? host.now()).toISOString()
  const keys = [...recorded.keys]
  return { at: host.now(), doneAt, summary: document, rows: [...rows], exitCode, description: recorded.run, keys }
}

/** Frees names whose runs are gone, and says how many; with `isDry` only that. */
async function pruneNames(tools: PruneTools, stateDir: string, before: number, isDry: boolean): Promise<void> {
  let freed = 0
  for (const { name, run } of await listNames(tools.host, stateDir)) {
    if (!isRunId(run) || isRecorded(tools.host, stateDir, run) || beganAt(run) >= before || isPlanName(name)) continue
    freed += 1
    if (isDry) continue
    const locks = new SessionLocks(tools)
    try {
      await locks.takeName(stateDir, name)
      // Another process may have freed it meanwhile, and a new run taken it.
      if (readName(tools.host, stateDir, name)?.run === run) await removeName(tools.host, stateDir, name)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      tools.warn(`the name "${name}" was not freed: ${error.message}`)
      freed -= 1
    } finally {
      await locks.release()
    }
  }
  if (freed > 0) tools.note(`${freed} ${freed === 1 ? 'name' : 'names'} ${isDry ? 'would be freed' : 'freed'}`)
}
