/**
 * Removes the files of runs, and with them their names. Runs that are finished go by their age; others only if a person names them, and says yes. A run
 * that a process works on stays.
 */
import { fileProblem } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import { firstOf } from '../words.ts'
import type { RunFile } from './file.ts'
import type { RunTools } from './jobs/job.ts'
import { isFinished, type ListedRun, type Runs } from './list.ts'
import { isRunId, timeOfId, undoName, type RunPlace } from './names.ts'
import { takeRun } from './take.ts'

type PruneTools = Pick<
  RunTools,
  'host' | 'messages' | 'runs' | 'questions' | 'signals' | 'note' | 'warn'
>

/** The most unfinished runs that a question names. */
const mostNamed = 5
/** Milliseconds after which what never began is removed, and finished runs of one change. */
const day = 24 * 60 * 60_000
const oldChange = 90 * day
/** How many old runs of one change a command removes. */
const mostRemoved = 20

/** Whether a list says that a run can go without a question. */
const isOver = ({ isFinished: isDone, isUndone, holder, problem }: ListedRun): boolean =>
  isDone && !isUndone && holder === undefined && problem === undefined

/** Removes the finished runs that began longer ago, and returns them. `dryRun`: only returns them. */
export async function pruneOld(
  tools: PruneTools,
  { olderThan, dryRun = false }: { readonly olderThan: number; readonly dryRun?: boolean },
): Promise<ListedRun[]> {
  const runs = await tools.runs()
  const before = tools.host.now() - olderThan
  const all = await runs.list()
  const old = all.filter(({ startedAt }) => startedAt < before)
  for (const { problem, path } of old) {
    if (problem !== undefined) tools.warn(`${problem}; it was not removed: ${path}`)
  }
  const wanted = old.filter((each) => isOver(each) || isUndoneForGood(each, all))
  if (dryRun) return withUndos(wanted, all)
  const removed: RunPlace[] = []
  for (const each of wanted) removed.push(...(await removeRun(tools, each, false)))
  await removeUnbegun(tools, runs)
  return removedOf(all, removed)
}

/** A run that was undone goes when its undo is finished. */
function isUndoneForGood(listed: ListedRun, all: readonly ListedRun[]): boolean {
  const { isUndone, holder } = listed
  return isUndone && holder === undefined && undoOf(listed, all)?.isFinished === true
}

function undoOf({ run }: ListedRun, all: readonly ListedRun[]): ListedRun | undefined {
  const name = undoName(run).toLowerCase()
  return all.find((each) => each.run.toLowerCase() === name)
}

/** Runs and their undos, which go with them whatever their age, newest first. */
function withUndos(runs: readonly ListedRun[], all: readonly ListedRun[]): ListedRun[] {
  const gone = new Set(runs.flatMap((each) => [each, undoOf(each, all)]))
  return all.filter((each) => gone.has(each))
}

const removedOf = (all: readonly ListedRun[], removed: readonly RunPlace[]): ListedRun[] =>
  all.filter(({ path }) => removed.some((each) => each.path === path))

/** Removes the named runs, whatever their state; asks first where something is left or unknown. Throws exit 9. */
export async function pruneNamed(
  tools: PruneTools,
  places: readonly RunPlace[],
  dryRun = false,
): Promise<ListedRun[]> {
  const runs = await tools.runs()
  const all = await runs.list()
  const wanted = places.map(({ run, path }) => {
    const listed = all.find((each) => each.path === path)
    if (listed === undefined) throw runs.missing(run)
    return listed
  })
  if (dryRun) return withUndos(wanted, all)
  const unfinished = wanted.filter((each) => !isOver(each) && !isUndoneForGood(each, all))
  if (unfinished.length > 0) await ask(tools, unfinished)
  const removed: RunPlace[] = []
  for (const each of wanted) {
    removed.push(...(await removeRun(tools, each, unfinished.includes(each))))
  }
  return removedOf(all, removed)
}

async function ask(tools: PruneTools, unfinished: readonly ListedRun[]): Promise<void> {
  const names = firstOf(
    unfinished.map(({ run }) => run),
    mostNamed,
  ).join(', ')
  const [has, it] =
    unfinished.length === 1 ? ['run has', 'it is'] : ['runs have', 'they are']
  await tools.questions.confirm({
    kind: 'yes-no',
    message: `${unfinished.length} ${has} something left to send or to find out (${names}), and cannot be resumed once ${it} removed. Remove anyway?`,
  })
}

/** Removes files in which no run began: a process that was killed, or a question that was declined, leaves them. */
async function removeUnbegun(tools: PruneTools, runs: Runs): Promise<void> {
  const { host } = runs
  for (const place of await runs.places()) {
    const stats = host.disk.statSync(place.path, { throwIfNoEntry: false })
    const isYoung = stats === undefined || host.now() - stats.mtimeMs < day
    if (isYoung || (await runs.look(place)) !== undefined) continue
    await removeRun(tools, place, true)
  }
}

/** After a run: removes finished nameless runs of one change that are older than 90 days, some at a time. What cannot be removed stays, for the next run. */
export async function removeOldChanges(tools: PruneTools): Promise<void> {
  try {
    await removeSome(tools)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    tools.note(`old runs were not removed: ${error.message}`)
  }
}

async function removeSome(tools: PruneTools): Promise<void> {
  const quiet = { ...tools, warn: () => undefined }
  const runs = await tools.runs()
  const before = tools.host.now() - oldChange
  const old = (await runs.places()).filter(
    ({ run }) => isRunId(run) && timeOfId(run) < before,
  )
  let left = mostRemoved
  for (const place of old) {
    const listed = left > 0 ? await runs.look(place) : undefined
    const isOfOne = listed?.summary?.input.unique === 1
    if (listed === undefined || !isOfOne || !isOver(listed)) continue
    if ((await removeRun(quiet, listed, false)).length > 0) left -= 1
  }
}

/** Removes a run, with its undo if there is one, and returns the files that are gone. If none, a warning says why, for example that a process has begun to work on it. */
async function removeRun(
  tools: PruneTools,
  { run, path }: RunPlace,
  isAsked: boolean,
): Promise<RunPlace[]> {
  const runs = await tools.runs()
  const taken: RunFile[] = []
  try {
    for (const place of [{ run, path }, runs.placeOf(undoName(run))]) {
      const file = await takeToRemove(tools, place, isAsked)
      if (file !== undefined) taken.push(file)
      else if (place.path === path) return []
    }
    for (const file of taken) await file.remove()
    return taken.map(({ place }) => place)
  } catch (error) {
    if (!(error instanceof SvcError) && systemCode(error) === undefined) throw error
    tools.warn(`run ${run} was not removed: ${fileProblem(error)}`)
    return []
  } finally {
    for (const file of taken) {
      file.free()
      await file.close()
    }
  }
}

/** Undefined if there is no such file, or somebody has opened the run again since it was listed. */
async function takeToRemove(
  tools: PruneTools,
  place: RunPlace,
  isAsked: boolean,
): Promise<RunFile | undefined> {
  const taken = await takeRun(tools, place, {
    isToRemove: isAsked,
    isToClaim: (log) => isAsked || isFinished(log) || log.recorded?.undone !== undefined,
  })
  if (taken?.isHeld !== false) return taken?.file
  await taken.file.close()
  return undefined
}
