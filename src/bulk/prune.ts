/** Removing recorded runs: what a `--once` name promises is kept, and what a process works on stays. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileProblem } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import { formatDuration } from '../values.ts'
import { grouped } from '../words.ts'
import { LazyList } from '../output/json.ts'
import { syncFolder } from './disk.ts'
import type { EndEvent } from './events.ts'
import { Holdings } from './holdings.ts'
import { journalName } from './journal.ts'
import { listNames, readName, removeName, writeName } from './names.ts'
import { readRecorded, recordedSummary } from './recorded.ts'
import { readEnd } from './replay.ts'
import { isRunId, beganAt } from './run.ts'
import { listRuns, removeRun, type ListedRun } from './store.ts'
import type { BulkTools } from './tools.ts'

export type PruneTools = Pick<BulkTools, 'host' | 'configuration' | 'confirm' | 'signal' | 'note' | 'warn'>

type RemoveTools = Pick<PruneTools, 'host' | 'signal' | 'note' | 'warn'>

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
  await askForUnfinished(tools, shown)
  const removed = new Set<ListedRun>()
  for (const listed of old) if (await pruneRun(tools, stateDir, listed, options)) removed.add(listed)
  if (options.names === true) await pruneNames(tools, stateDir, before, false)
  return shown.filter((listed) => removed.has(listed))
}

/**
 * For a new run, where the configuration says how long runs are kept: removes those that ended before that and have nothing
 * left to do or to find out. What cannot be removed stays, with a note: it is no reason not to start.
 */
export async function pruneEnded(
  { host, signal, note }: Pick<RemoveTools, 'host' | 'signal' | 'note'>,
  stateDir: string,
  olderThan: number,
): Promise<void> {
  const before = host.now() - olderThan
  let removed = 0
  try {
    for (const listed of await listRuns(host, stateDir)) {
      const { holder, end } = listed
      if (signal.aborted || holder !== undefined || !isSettled(end) || end.at >= before) continue
      const tools = { host, signal, note, warn: note }
      if (await pruneRun(tools, stateDir, listed, { onlyEnded: true })) removed += 1
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    note(`old runs were not removed: ${error.message}`)
  }
  if (removed === 0) return
  const runs = removed === 1 ? '1 run' : `${grouped(removed)} runs`
  note(`removed ${runs} that ended more than ${formatDuration(olderThan)} ago (keepRuns in the configuration file)`)
}

/** Nothing is left to send, and nothing is unknown, which `runs retry` can still find out. */
function isSettled(end: EndEvent | undefined): end is EndEvent {
  return end?.left === 0 && (end.result['unknown'] ?? 0) === 0
}

async function askForUnfinished(tools: PruneTools, runs: readonly ListedRun[]): Promise<void> {
  const unfinished = runs.filter(({ run, end }) => run !== undefined && (end === undefined || end.left !== 0))
  if (unfinished.length === 0) return
  const count = unfinished.length === 1 ? '1 run is' : `${grouped(unfinished.length)} runs are`
  await tools.confirm({
    kind: 'yes-no',
    message: `${count} unfinished and cannot be resumed once removed. Remove ${unfinished.length === 1 ? 'it' : 'them'}?`,
  })
}

/** False, with a warning, when a process began to work on it meanwhile. */
async function pruneRun(
  tools: RemoveTools,
  stateDir: string,
  { id, dir, run }: ListedRun,
  { names, takeOver, onlyEnded }: Pick<PruneOptions, 'names' | 'takeOver'> & { readonly onlyEnded?: true },
): Promise<boolean> {
  const held = new Holdings(tools, takeOver)
  const name = run?.once?.name
  try {
    if (name !== undefined) await held.takeName(stateDir, name)
    await held.takeRun(dir, id)
    // Somebody may have opened it again since it was listed.
    if (onlyEnded === true && !isSettled(readEnd(dir, id))) return false
    if (name !== undefined && readName(stateDir, name)?.run === id) {
      if (names === true) await removeName(stateDir, name)
      else await keepSummary(stateDir, id, name, tools.host.now())
    }
    // Without its journal it is no run any more, whatever of the rest is still there after a crash.
    await rm(join(dir, journalName), { force: true })
    await syncFolder(dir)
    await removeRun(dir, id)
    return true
  } catch (error) {
    if (!(error instanceof SvcError) && systemCode(error) === undefined) throw error
    tools.warn(`run ${id} was not removed: ${error instanceof SvcError ? error.message : fileProblem(error)}`)
    return false
  } finally {
    await held.release()
  }
}

async function keepSummary(stateDir: string, id: string, name: string, now: number): Promise<void> {
  const recorded = await readRecorded(stateDir, id)
  const { document, rows, exitCode } = recordedSummary(recorded)
  const doneAt = new Date(recorded.end?.at ?? now).toISOString()
  const summary = withoutLongLists(document)
  const pruned = { at: now, doneAt, summary, rows: [...rows], exitCode, description: recorded.run }
  await writeName(stateDir, { schema: 'svc.name/1', name, run: id, pruned })
}

/** Ids that the record of a name holds at most: what is kept of a run for good has to be small. */
const mostKeptIds = 100_000

/** The summary with its ids, or, when they are too many to keep, with its counts alone. */
function withoutLongLists(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const lists = Object.values(document).filter((value) => value instanceof LazyList)
  let room = mostKeptIds
  const fits = lists.every((list) => {
    for (const _ of list) if ((room -= 1) < 0) return false
    return true
  })
  if (fits) return { ...document }
  return Object.fromEntries(Object.entries(document).filter(([, value]) => !(value instanceof LazyList)))
}

/** Names whose runs were removed before. */
/** Frees names whose runs are gone, and says how many; with `isDry` only that. */
async function pruneNames(tools: PruneTools, stateDir: string, before: number, isDry: boolean): Promise<void> {
  let freed = 0
  for (const { name, run, pruned } of await listNames(stateDir)) {
    if (pruned === undefined || !isRunId(run) || beganAt(run) >= before) continue
    freed += 1
    if (isDry) continue
    const held = new Holdings(tools)
    try {
      await held.takeName(stateDir, name)
      await removeName(stateDir, name)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      tools.warn(`the name "${name}" was not freed: ${error.message}`)
      freed -= 1
    } finally {
      await held.release()
    }
  }
  if (freed > 0) tools.note(`${freed} ${freed === 1 ? 'name' : 'names'} ${isDry ? 'would be freed' : 'freed'}`)
}
