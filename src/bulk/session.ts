/**
 * The way of a run: read → claim → permit → ask → record → send → conclude → project. New and repeated runs, resumed and reopened ones, undos, applied plans
 * and one merge or assign differ in where their items come from, and take the same way.
 *
 * `read.ts`, `undo.ts` and `plans/apply.ts` make a job; `open.ts` claims its run; `telling/question.ts` asks; `record/write-run.ts` records; `send.ts` sends;
 * `conclude.ts` ends. `cli/bulk-command.ts` calls `startSession` for commands on many ids and on recorded runs, and `changeOne` for one change.
 */
import { begin } from './begin.ts'
import { createJob, type Job, type JobParts, type OneEnding } from './job.ts'
import { hold, type EndedRun } from './open.ts'
import { isDone } from './operations/outcome.ts'
import type { RunOutput } from '../output/result.ts'
import { allReceipts } from './outcomes/receipt.ts'
import type { NewStart } from './parties.ts'
import { readJob } from './read.ts'
import { readRecord } from './record/read-run.ts'
import { goOn, resume, resumptionOf, type ResumeStart } from './resume.ts'
import { checkSameJob } from './same-job.ts'
import { endUnsent, previewOf, showPruned, type Preview } from './telling/preview.ts'
import type { BulkTools } from './tools.ts'
import { readUndo, type UndoStart } from './undo.ts'

/** A plan that was read from its file. */
export interface ApplyStart {
  readonly kind: 'apply'
  readonly parts: JobParts
}

export type Start = NewStart | ApplyStart | ResumeStart | UndoStart

/** Leads a command to the end of its run, or to a preview for the one who writes or shows it. */
export async function startSession(
  tools: BulkTools,
  start: Start,
): Promise<RunOutput | Preview> {
  const ending = await follow(tools, start)
  if (ending.kind !== 'run') return ending
  const { document, rows, isSilent } = ending.concluded
  const receipts = allReceipts(ending.recorded.state)
  return {
    kind: 'one',
    json: document,
    rows,
    exitCode: document.exitCode,
    receipts,
    isSilent,
  }
}

/** Leads one change to its end; a dry run to a preview. */
export async function changeOne(
  tools: BulkTools,
  start: NewStart,
): Promise<OneEnding | Preview> {
  const ending = await follow(tools, start)
  if (ending.kind === 'preview') return ending
  if (ending.kind !== 'run') throw new TypeError('one change ended without a run')
  const { state } = ending.recorded
  const { outcomes, problem } = state.judge(1)
  const { failure } = ending.concluded
  const [outcome] = outcomes
  // The change was made whatever became of its record, so its result and exit code stay.
  if (outcome !== undefined && isDone(outcome) && failure?.category === 'local') {
    tools.warn(`the change was made, but its record is incomplete: ${failure.message}`)
  }
  return {
    kind: 'one',
    parameters: state.parameters,
    state: state.of(1),
    outcome,
    problem,
    failure,
  }
}

async function follow(
  tools: BulkTools,
  start: Start,
): Promise<EndedRun | RunOutput | Preview> {
  if (start.kind === 'resume') return resume(tools, start)
  const job = await readStart(tools, start)
  const runs = await tools.runs()
  const unsent =
    job.one !== undefined && job.options.dryRun === true
      ? await previewOf(job)
      : await endUnsent(tools, job)
  if (unsent !== undefined) return unsent
  await runs.prepare()
  return job.name === undefined ? begin(tools, job) : useName(tools, job, job.name)
}

function readStart(tools: BulkTools, start: Exclude<Start, ResumeStart>): Promise<Job> {
  switch (start.kind) {
    case 'new':
      return readJob(tools, start)
    case 'apply':
      return createJob(tools, start.parts)
    case 'undo':
      return readUndo(tools, start)
  }
}

/** A named job: a new run, or a repetition that goes on with the one of this name. */
async function useName(
  tools: BulkTools,
  job: Job,
  name: string,
): Promise<EndedRun | RunOutput> {
  const { host } = tools
  const runs = await tools.runs()
  const profile = await tools.profile()
  runs.refuseEarlierName(name)
  const dir = await runs.makeFolder(name, false)
  const session = await hold(tools, name, dir, job.options.takeOver)
  const record = await readRecord(host, dir, name, { session: session.place.claim.number })
  if (record.kind === 'free') return begin(tools, job, session)
  const keys = record.kind === 'run' ? record.recorded.keys : new Set(record.summary.keys)
  const { header } = record.kind === 'run' ? record.recorded : record
  checkSameJob({ name, header, keys }, job, profile)
  if (record.kind === 'pruned') return showPruned(tools, job, record)
  return goOn(tools, session, record.recorded, resumptionOf(job, true))
}
