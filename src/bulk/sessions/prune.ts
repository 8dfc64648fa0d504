/**
 * Removing recorded runs: what a `--once` name promises is kept, and what a process works on stays. `runs prune` calls `pruneRuns`; a new
 * run calls `pruneEnded` for `keepRuns`, which asks nobody and so takes only what has nothing left in it. `session.ts` makes that second
 * call.
 */
import { join } from 'node:path'
import { fileProblem } from '../../errno.ts'
import { SvcError, systemCode } from '../../errors.ts'
import { formatDuration } from '../../values.ts'
import { pluralize } from '../../words.ts'
import { syncFolder } from '../../disk/whole.ts'
import { SessionLocks } from './session-locks.ts'
import { operationOf } from '../operations/operations.ts'
import { journalName } from '../record/journal.ts'
import { recordedSummary } from '../runs/recorded.ts'
import { beganAt, isPlanName, isRunId } from '../record/run.ts'
import type { ListedRun, RunStore } from '../runs/store.ts'
import type { BulkTools } from '../tools.ts'

export type PruneTools = Pick<BulkTools, 'host' | 'store' | 'confirm' | 'signal' | 'note' | 'warn'>

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
  const store = await tools.store()
  const before = tools.host.now() - olderThan
  const isFree = ({ holder }: ListedRun): boolean =>
    holder === undefined || options.takeOver === true
  const old = (await store.list()).filter((listed) => listed.beganAt < before && isFree(listed))
  const unfinished = dryRun ? new Set<ListedRun>() : await askForUnfinished(tools, store, old)
  const removed: ListedRun[] = []
  for (const listed of old) {
    const onlySettled = listed.run !== undefined && !unfinished.has(listed)
    if (dryRun || (await pruneRun(tools, store, listed, { ...options, onlySettled }))) {
      removed.push(listed)
    }
  }
  if (options.names === true) await pruneNames(tools, store, before, dryRun)
  // A folder that holds no run is removed without a word.
  return removed.filter(holdsRun)
}

/** Whether there is a run in a folder, be it one that cannot be read. */
function holdsRun({ run, problem }: ListedRun): boolean {
  return run !== undefined || problem !== undefined
}

/**
 * For a new run, where a setting says how long runs are kept: removes those that ended before that and have nothing left to do or
 * to find out. What cannot be removed stays, with a note: it is no reason not to start.
 */
export async function pruneEnded(
  { host, signal, note }: Pick<PruneTools, 'host' | 'signal' | 'note'>,
  store: RunStore,
  keepRuns: number,
): Promise<void> {
  const before = host.now() - keepRuns
  let removed = 0
  try {
    for (const listed of await store.list()) {
      const { holder, end, run } = listed
      if (
        signal.aborted ||
        holder !== undefined ||
        end === undefined ||
        end.left > 0 ||
        run?.isOne === true ||
        end.at >= before
      ) {
        continue
      }
      if (
        await pruneRun(
          {
            host,
            signal,
            note,
            warn: note,
          },
          store,
          listed,
          { onlySettled: true },
        )
      ) {
        removed += 1
      }
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    note(`old runs were not removed: ${error.message}`)
  }
  if (removed === 0) return
  note(
    `removed ${pluralize(removed, 'run')} that ended more than ${formatDuration(keepRuns)} ago (keepRuns)`,
  )
}

/** Nothing is left to send or to find out. Throws exit 2 or 10 for a run that cannot be read. */
async function isSettled(store: RunStore, id: string): Promise<boolean> {
  const recorded = await store.read(id)
  const { left, exitCode } = recordedSummary(recorded)
  const { outcomes } = recorded.state.totals()
  const { isolates } = operationOf(recorded.run.operation)
  if (left > 0 || outcomes.unknown + outcomes['not-attempted'] > 0) return false
  // An id of which the service did not say whether it exists can still be found out.
  return exitCode === 0 || isolates === undefined || outcomes[isolates.outcome] === 0
}

/** The runs that only the answer to a question lets go. */
async function askForUnfinished(tools: PruneTools, store: RunStore, runs: readonly ListedRun[]) {
  const unfinished = new Set<ListedRun>()
  for (const each of runs) {
    const isReadable = each.run !== undefined || each.isEarlier === true
    const isDone = isReadable && (await isSettled(store, each.id).catch(onlyKnown))
    if (isReadable && !isDone) unfinished.add(each)
  }
  const { size } = unfinished
  if (size === 0) return unfinished
  const count = pluralize(size, 'run has', 'runs have')
  const gone = size === 1 ? 'it is' : 'they are'
  const it = size === 1 ? 'it' : 'them'
  await tools.confirm({
    kind: 'yes-no',
    message: `${count} something left to send or to find out, which is not possible once ${gone} removed. Remove ${it}?`,
  })
  return unfinished
}

/**
 * Whether it is gone. A warning says why not, such as a process that began to work on it meanwhile, and when something of it is still
 * there.
 */
async function pruneRun(
  tools: Pick<PruneTools, 'host' | 'signal' | 'note' | 'warn'>,
  store: RunStore,
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
  let isGone = false
  try {
    const name = await nameOf(store, listed)
    if (name !== undefined) await locks.takeName(store, name)
    await locks.takeRun(store, id)
    if (!(await mayStillGo(store, listed, onlySettled))) return false
    const owned = name !== undefined && store.names.read(name)?.run === id ? name : undefined
    const isFreed = names === true && (owned === undefined || !isPlanName(owned))
    if (owned !== undefined) {
      // The record of its name speaks once the run is gone: it has the summary, or nothing but that.
      const isKept = !isFreed && run !== undefined
      const pruned = isKept ? await summaryToKeep(store, id, host.now()) : undefined
      await store.names.write({
        name: owned,
        run: id,
        pruned,
      })
    }
    // From here on it is no run any more, whatever of the rest is still there after a crash, and its name's record counts.
    await host.disk.promises.rm(join(dir, journalName), { force: true })
    isGone = holdsRun(listed)
    await syncFolder(host, dir)
    if (owned !== undefined && isFreed) await store.names.remove(owned)
    await store.remove(id)
    return true
  } catch (error) {
    // An undo that looks for it meanwhile puts its lock into the folder, for example, which then cannot be removed.
    const what = isGone ? 'was removed, but not all of its files' : 'was not removed'
    tools.warn(`run ${id} ${what}: ${whyNot(error)}`)
    return isGone
  } finally {
    await locks.release()
  }
}

/** Whether what was listed can be removed still, now that its lock is held. Throws exit 2 or 10 for a run that cannot be read. */
async function mayStillGo(
  store: RunStore,
  listed: ListedRun,
  onlySettled: boolean,
): Promise<boolean> {
  // A run that began in an empty folder since then was not asked about, and its name is not locked.
  if (!holdsRun(listed)) return !holdsRun(await store.look(listed.id))
  // Somebody may have opened it again since it was listed.
  return !onlySettled || isSettled(store, listed.id)
}

/** A run that cannot be read is not settled, as far as anybody knows. */
function onlyKnown(error: unknown): false {
  if (error instanceof SvcError) return false
  throw error
}

/** A reason of this program or of the disk; everything else is a defect, and goes on. */
function whyNot(error: unknown): string {
  if (error instanceof SvcError || systemCode(error) !== undefined) return fileProblem(error)
  throw error
}

/** The name that a run has; of a damaged one only the records of names tell. */
async function nameOf(
  { names }: RunStore,
  { id, run, problem }: ListedRun,
): Promise<string | undefined> {
  if (run !== undefined || problem === undefined) return run?.once?.name
  return (await names.list()).find((entry) => entry.run === id)?.name
}

/** Facts that a repeated `--once` command shows when the run is gone. `now`: in milliseconds since 1970. */
async function summaryToKeep(store: RunStore, id: string, now: number) {
  const recorded = await store.read(id)
  const { document, rows, exitCode } = recordedSummary(recorded)
  const doneAt = new Date(recorded.end?.at ?? now).toISOString()
  const keys = [...recorded.keys]
  return {
    at: now,
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
  store: RunStore,
  before: number,
  isDry: boolean,
): Promise<void> {
  let freed = 0
  for (const { name, run } of await store.names.list()) {
    if (!isRunId(run) || store.isRecorded(run) || beganAt(run) >= before || isPlanName(name)) {
      continue
    }
    freed += 1
    if (isDry) continue
    const locks = new SessionLocks(tools)
    try {
      await locks.takeName(store, name)
      // Another process may have freed it meanwhile, and a new run taken it.
      if (store.names.read(name)?.run === run) await store.names.remove(name)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      tools.warn(`the name "${name}" was not freed: ${error.message}`)
      freed -= 1
    } finally {
      await locks.release()
    }
  }
  if (freed > 0) {
    tools.note(`${freed} ${freed === 1 ? 'name' : 'names'} ${isDry ? 'would be freed' : 'freed'}`)
  }
}
