/**
 * Removes the files of runs, and with them their names. Runs that are finished go by their age; others only if a person
 * names them, and says yes. A run that a process works on stays.
 */
import { SvcError, systemCode, fileProblem } from '../errors.ts'
import { isThere } from '../output/whole.ts'
import { firstOf, pluralize } from '../words.ts'
import type { RunFile } from './file.ts'
import type { RunTools } from './jobs/job.ts'
import { isFinished, type ListedRun, type Runs } from './list.ts'
import { isRunId, timeOfId, undoName, type RunPlace } from './names.ts'
import { takeRun } from './take.ts'

/** The most unfinished runs that a question names. */
const mostNamed = 5
/** Milliseconds after which a file in which no run began is removed. */
const day = 24 * 60 * 60_000
/** Milliseconds after which finished runs of one change are removed, and how many of them a command removes. */
const oldChange = 90 * day
const mostRemoved = 20

/** Whether a run can go without a question: it is finished, or was undone and its undo is finished. */
function isOver(listed: ListedRun, all: readonly ListedRun[]) {
  const { isUndone, holder, problem } = listed
  if (holder !== undefined || problem !== undefined) return false
  return isUndone ? undoOf(listed, all)?.isFinished === true : listed.isFinished
}

function undoOf({ run }: ListedRun, all: readonly ListedRun[]): ListedRun | undefined {
  const name = undoName(run).toLowerCase()
  return all.find((each) => each.run.toLowerCase() === name)
}

/**
 * Removes the finished runs that began more than so many milliseconds ago, and returns them. `dryRun`: only returns them.
 */
export async function pruneOld(
  tools: RunTools,
  olderThan: number,
  dryRun = false,
): Promise<ListedRun[]> {
  const runs = await tools.runs()
  const before = tools.host.now() - olderThan
  const all = await runs.list()
  const old = all.filter(({ startedAt }) => startedAt < before)
  for (const { problem, path } of old) {
    if (problem !== undefined) tools.warn(`${problem}; it was not removed: ${path}`)
  }
  const wanted = old.filter((each) => isOver(each, all))
  if (dryRun) return withUndos(wanted, all)
  const removed = await removeAll(tools, all, wanted, [])
  await removeUnbegun(tools, runs)
  return removed
}

/** Removes the named runs, whatever their state; asks first where something is left or unknown. Throws exit 2. */
export async function pruneNamed(
  tools: RunTools,
  names: readonly string[],
  dryRun = false,
): Promise<ListedRun[]> {
  const runs = await tools.runs()
  const places = await Promise.all(names.map((name) => runs.findNamed(name)))
  const all = await runs.list()
  const wanted = places.map(({ run, path }) => {
    const listed = all.find((each) => each.path === path)
    if (listed === undefined) throw runs.missing(run)
    return listed
  })
  if (dryRun) return withUndos(wanted, all)
  const unfinished = wanted.filter((each) => !isOver(each, all))
  if (unfinished.length > 0) {
    const what = pluralize(unfinished.length, 'run is', 'runs are')
    const which = firstOf(
      unfinished.map(({ run }) => run),
      mostNamed,
    ).join(', ')
    await tools.questions.confirm({
      kind: 'yes-no',
      message: `${what} not finished (${which}), and cannot be resumed once removed. Remove anyway?`,
    })
  }
  return removeAll(tools, all, wanted, unfinished)
}

/** Runs and their undos, which go with them whatever their age, newest first. */
function withUndos(runs: readonly ListedRun[], all: readonly ListedRun[]): ListedRun[] {
  const gone = new Set(runs.flatMap((each) => [each, undoOf(each, all)]))
  return all.filter((each) => gone.has(each))
}

/** Removes runs with their undos. `forced`: unfinished ones that a person agreed to remove. Returns all that are gone. */
async function removeAll(
  tools: RunTools,
  all: readonly ListedRun[],
  wanted: readonly ListedRun[],
  forced: readonly ListedRun[],
): Promise<ListedRun[]> {
  const removed: string[] = []
  for (const each of wanted) {
    const isForced = forced.includes(each)
    removed.push(...(await removeRun(tools, each, isForced)))
  }
  return all.filter(({ path }) => removed.includes(path))
}

/** Removes files in which no run began: a process that was killed, or a question that was declined, leaves them. */
async function removeUnbegun(tools: RunTools, runs: Runs) {
  const { host } = runs
  for (const place of await runs.places()) {
    const stats = host.disk.statSync(place.path, { throwIfNoEntry: false })
    const isYoung = stats === undefined || host.now() - stats.mtimeMs < day
    if (isYoung || (await runs.look(place)) !== undefined) continue
    await removeRun(tools, place, true)
  }
}

/**
 * After a run: removes finished nameless runs of one change that are older than 90 days, at most 20 at a time. What cannot be
 * removed stays, for the next run.
 */
export async function removeOldChanges(tools: RunTools): Promise<void> {
  const quiet = { ...tools, warn: () => undefined }
  const before = tools.host.now() - oldChange
  let left = mostRemoved
  try {
    const runs = await tools.runs()
    for (const place of await runs.places()) {
      const isOld = isRunId(place.run) && timeOfId(place.run) < before
      const listed = isOld && left > 0 ? await runs.look(place) : undefined
      const isOfOne = listed?.summary?.input.unique === 1
      // An undone run goes with its undo, which is not looked at here.
      if (listed === undefined || !isOfOne || !isOver(listed, [])) continue
      if ((await removeRun(quiet, listed, false)).length > 0) left -= 1
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    tools.note(`old runs were not removed: ${error.message}`)
  }
}

/**
 * Removes a run, with its undo if there is one, and returns the paths that are gone. If none, a warning says why, for
 * example that a process has begun to work on it.
 */
async function removeRun(tools: RunTools, { run, path }: RunPlace, isForced: boolean) {
  const runs = await tools.runs()
  const taken: RunFile[] = []
  try {
    const file = await takeToRemove(tools, { run, path }, isForced)
    if (file === undefined) return []
    taken.push(file)
    const undo = await takeToRemove(tools, runs.placeOf(undoName(run)), isForced)
    if (undo !== undefined) taken.push(undo)
    for (const file of taken) await file.remove()
    return taken.map(({ place }) => place.path)
  } catch (error) {
    if (!(error instanceof SvcError) && systemCode(error) === undefined) throw error
    // Where the folder could not be synced after it, a power loss may bring a file back.
    tools.warn(`run ${run} may not be removed for good: ${fileProblem(error)}`)
    return taken.map(({ place }) => place.path).filter((each) => !isThere(tools.host, each))
  } finally {
    for (const file of taken) {
      file.free()
      await file.close()
    }
  }
}

/** Undefined if there is no such run, or somebody has opened it again since it was listed. */
async function takeToRemove(
  tools: RunTools,
  place: RunPlace,
  isForced: boolean,
): Promise<RunFile | undefined> {
  const taken = await takeRun(tools, place, {
    isToRemove: isForced,
    decideToClaim: (log) =>
      isForced || isFinished(log) || log.recorded?.undone !== undefined,
  })
  if (taken?.isHeld === true) return taken.file
  await taken?.file.close()
  return undefined
}
