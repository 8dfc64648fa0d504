/**
 * Removes recorded runs. The promises of a name are kept, and a run that a process works on stays. `runs prune` calls it.
 */
import { fileProblem } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import { lastSession } from '../disk/claim.ts'
import { syncFolder } from '../disk/whole.ts'
import { firstOf, pluralize } from '../words.ts'
import { Journal } from './record/journal.ts'
import { endedSummary, readRecord } from './record/read-run.ts'
import { removeContents, writeSummary } from './record/write-run.ts'
import { isRunId, timeOfId } from './record/names.ts'
import { inSession, type OpenSession } from './open.ts'
import type { ListedRun } from './record/runs.ts'
import type { BulkTools } from './tools.ts'

/** The most unfinished runs that a question names. */
const mostNamed = 5

export type PruneTools = Pick<
  BulkTools,
  'host' | 'runs' | 'questions' | 'signals' | 'note' | 'warn' | 'messages'
>

export interface PruneOptions {
  /** Milliseconds. */
  readonly olderThan: number
  readonly takeOver?: true
  readonly dryRun?: true
}

/**
 * Removes runs, and returns those that it removed, or would remove. A damaged run stays, with a warning: it may be the only trace of what was
 * sent, and its name must not become free. Throws exit 9 if the person keeps unfinished ones.
 */
export async function pruneRuns(
  tools: PruneTools,
  options: PruneOptions,
): Promise<ListedRun[]> {
  const { olderThan, dryRun = false, takeOver } = options
  const before = tools.host.now() - olderThan
  const listed = await (await tools.runs()).list()
  const old = listed.filter(({ startedAt, holder, isPruned, problem, run }) => {
    const isFree = holder === undefined || takeOver === true
    // The remains of a named run stay for good.
    const isKept = problem !== undefined || (isPruned && !isRunId(run))
    return isFree && !isKept && startedAt < before
  })
  for (const { dir, problem, startedAt } of listed) {
    if (problem === undefined || startedAt >= before) continue
    tools.warn(`${problem}; it was not removed, and its files are in ${dir}`)
  }
  const unfinished = old.filter((each) => !isSettled(each))
  if (dryRun) return old
  if (unfinished.length > 0) await ask(tools, unfinished)
  const removed: ListedRun[] = []
  for (const each of old) {
    const isAsked = unfinished.includes(each)
    if (await pruneRun(tools, each, { takeOver, isAsked })) removed.push(each)
  }
  await removeUnbegun(tools, before)
  return removed
}

/** Removes folders without a name in which no run began: a process that was killed leaves them. */
async function removeUnbegun(tools: PruneTools, before: number): Promise<void> {
  const runs = await tools.runs()
  for (const run of await runs.all()) {
    if (!isRunId(run) || timeOfId(run) >= before) continue
    const dir = runs.folderOf(run)
    const isUnbegun = (await runs.look(run)) === undefined
    if (!isUnbegun || lastSession(tools.host, dir).kind === 'held') continue
    await pruneRun(tools, { run, dir }, { isAsked: false })
  }
}

/** Whether nothing is left to send or to find out. An unreadable run may have something left. */
function isSettled({ summary, header }: Pick<ListedRun, 'summary' | 'header'>): boolean {
  if (summary === undefined || summary.document.left > 0) return false
  const { unknown = 0, notAttempted = 0, undetermined = 0 } = summary.document.result
  const isAccepted = header?.options.accept?.includes('undetermined') === true
  return unknown === 0 && notAttempted === 0 && (undetermined === 0 || isAccepted)
}

async function ask(tools: PruneTools, unfinished: readonly ListedRun[]): Promise<void> {
  const count = pluralize(unfinished.length, 'run has', 'runs have')
  const isOne = unfinished.length === 1
  const runs = unfinished.map(({ run }) => run)
  const names = firstOf(runs, mostNamed).join(', ')
  await tools.questions.confirm({
    kind: 'yes-no',
    message: `${count} something left to send or to find out (${names}), and cannot be resumed once ${isOne ? 'it is' : 'they are'} removed. Remove ${isOne ? 'it' : 'them'}?`,
  })
}

/** Whether it was removed. If not, a warning says why, for example that a process has begun to work on it. */
async function pruneRun(
  tools: Pick<PruneTools, 'host' | 'runs' | 'signals' | 'note' | 'warn' | 'messages'>,
  { run, dir }: Pick<ListedRun, 'run' | 'dir'>,
  {
    takeOver,
    isAsked,
  }: { readonly takeOver?: true | undefined; readonly isAsked: boolean },
): Promise<boolean> {
  const { host } = tools
  try {
    return await inSession(tools, { run, dir, takeOver }, async (session) => {
      if (!(await closeRecord(tools, session, isAsked))) return false
      session.place.claim.check()
      if (isRunId(run)) {
        await host.disk.promises.rm(dir, { recursive: true, force: true })
      }
      return true
    })
  } catch (error) {
    if (!(error instanceof SvcError) && systemCode(error) === undefined) throw error
    tools.warn(`run ${run} was not removed: ${fileProblem(error)}`)
    return false
  }
}

/** Writes the summary and the last line of a run, and removes the rest. False if somebody has opened it again since it was listed. */
async function closeRecord(
  { host, runs, messages }: Pick<PruneTools, 'host' | 'runs' | 'messages'>,
  session: OpenSession,
  isAsked: boolean,
): Promise<boolean> {
  const { place } = session
  const { run, dir, claim } = place
  const record = await readRecord(host, dir, run, { session: claim.number })
  if (record.kind === 'run') {
    const { recorded } = record
    const now = await (await runs()).look(run)
    if (!isAsked && (now === undefined || !isSettled(now))) return false
    // The command's own summary stays: it knows what that command accepted.
    if (endedSummary(host, dir, run, recorded.sum) === undefined) {
      await writeSummary(host, place, { recorded, summary: recorded.summary() })
    }
    const journal = await Journal.open(host, place, recorded.isUnended, messages.redactor)
    await journal.end({ t: 'end', at: host.now(), pruned: true })
    session.hasLine = true
    await syncFolder(host, dir)
  }
  await removeContents(host, place)
  return true
}
