/** Other uses of a recorded run: it is shown, closed, undone, removed. */
import type { Job } from './job.ts'
import { belongsTo, nameOf, type RunRecord } from './record.ts'
import { hasOpenIds } from './open-ids.ts'
import { endedRun, waitForRest, type EndedRun, type Tools } from './run.ts'
import * as say from './sentences.ts'
import { close, remove } from './turn.ts'

/** Shows a run as it is recorded. */
export async function showRun(tools: Tools, asked: RunRecord): Promise<EndedRun> {
  const run = tools.runs.whole(asked)
  return endedRun(await tools.operation(run.record.job.operation), run)
}

/** Closes a run, after a question. Looks at neither base URL nor key, because it sends nothing. */
export async function closeRun(tools: Tools, asked: RunRecord): Promise<void> {
  if (!hasOpenIds(asked)) return tools.note(say.nothingOpenNote(asked))
  const record = await waitForRest(tools, asked)
  await (await tools.questions()).confirm(say.closeQuestion(record))
  await close(tools.runs, record)
  tools.note(say.closedNote(record))
}

/** Returns the job that undoes a run. Throws exit 2 if it cannot be undone, or changed nothing. */
export async function undoJob(tools: Tools, record: RunRecord): Promise<Job> {
  const profile = await tools.profile()
  if (!belongsTo(record.job, profile)) throw say.foreignError(record, profile)
  const operation = await tools.operation(record.job.operation)
  if (operation.undo === undefined) throw say.notUndoneError(record)
  if (record.due > 0) throw say.unfinishedError(record)
  const job = operation.undo(tools.runs.whole(record).batches, tools.note)
  if (job.items.length === 0) throw say.notUndoneError(record)
  return { ...job, operation, undoes: record.id }
}

/** Removes a run in which nothing is due, after a question. */
export async function removeRun(tools: Tools, asked: RunRecord): Promise<void> {
  if (asked.due > 0) throw say.unfinishedError(asked)
  const record = await waitForRest(tools, asked)
  await (await tools.questions()).confirm(say.removeQuestion([record]))
  await remove(tools.runs, [record])
  tools.note(`run ${nameOf(record)} is removed`)
}

/** Removes all runs that ended before a time, after a question; not those with something due or open. */
export async function removeOlderRuns(tools: Tools, before: number): Promise<void> {
  const older = tools.runs.list().filter(({ begun, ended }) => (ended ?? begun) < before)
  const old = older.filter((record) => !record.isWorking && !hasOpenIds(record))
  tools.note(say.olderNote(old.length, older.length - old.length))
  if (old.length === 0) return
  await (await tools.questions()).confirm(say.removeQuestion(old))
  await remove(tools.runs, old)
  tools.note(say.removedNote(old.length))
}
