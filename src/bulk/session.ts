/**
 * The phases of a run: read → claim → permit → ask → record → send → conclude → project. New, repeated, resumed and reopened runs, undos, applied
 * plans and a single merge or assign differ in where their items come from, and go through the same phases.
 *
 * `read.ts`, `undo.ts` and `plans/apply.ts` make a job; `open.ts` claims its run; `telling/question.ts` asks; `record/write-run.ts` records; `send.ts` sends;
 * `conclude.ts` ends. Commands on many ids and on recorded runs call `startSession`, and `cli/bulk-command.ts` calls `changeOne` for one change.
 */
import { begin } from './begin.ts'
import { createJob, type Job, type JobParts, type OneEnding } from './job.ts'
import { hold, type EndedRun } from './open.ts'
import { isDone } from './operations/outcome.ts'
import type { RunOutput } from '../output/result.ts'
import { allReceipts } from './outcomes/receipt.ts'
import type { NewStart } from './parties.ts'
import { readJob } from './read.ts'
import type { ParameterValues } from './record/header.ts'
import { readRecord } from './record/read-run.ts'
import { goOn, resume, resumptionOf, type ResumeStart } from './resume.ts'
import { checkSame } from './same.ts'
import { endUnsent, outputOf, showPruned } from './telling/preview.ts'
import type { BulkTools } from './tools.ts'
import { readUndo, type UndoStart } from './undo.ts'

/** A plan that was read from its file. */
export interface ApplyStart {
  readonly kind: 'apply'
  readonly parts: JobParts
}

export type Start = NewStart | ApplyStart | ResumeStart | UndoStart

/** Takes a command to the end of its run. With `--plan` or `--dry-run` nothing is sent: the result is a plan file, or a description of the run. */
export async function startSession(tools: BulkTools, start: Start): Promise<RunOutput> {
  const ending =
    start.kind === 'resume'
      ? await resume(tools, start)
      : await follow(tools, await readStart(tools, start))
  if (ending.kind !== 'run') return ending
  const { concluded, recorded } = ending
  const { isSilent } = concluded
  return { ...outputOf(concluded, allReceipts(recorded.state)), isSilent }
}

/** A dry run of one change. Its verb shows it. */
interface OnePreview {
  readonly kind: 'preview'
  readonly parameters: ParameterValues
}

/** Takes a single change to its end, or a dry run to a preview. */
export async function changeOne(
  tools: BulkTools,
  start: NewStart,
): Promise<OneEnding | OnePreview> {
  const job = await readJob(tools, start)
  if (job.options.dryRun === true) {
    return { kind: 'preview', parameters: (await job.contents()).parameters }
  }
  const ending = await follow(tools, job)
  if (ending.kind !== 'run') throw new TypeError('one change ended without a run')
  const { state } = ending.recorded
  const { outcomes, problem } = state.judge(1)
  const { failure } = ending.concluded
  const [outcome] = outcomes
  // The change was made even if its record failed, so its result and exit code stay.
  if (outcome !== undefined && isDone(outcome) && failure?.category === 'local') {
    tools.warn(`the change was made, but its record is incomplete: ${failure.message}`)
  }
  const { parameters } = state
  return { kind: 'one', parameters, state: state.of(1), outcome, problem, failure }
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

/** Starts a new run for a job, or resumes the run of its name. */
async function follow(tools: BulkTools, job: Job): Promise<EndedRun | RunOutput> {
  const unsent = await endUnsent(tools, job)
  if (unsent !== undefined) return unsent
  const runs = await tools.runs()
  await runs.prepare()
  const { name, options } = job
  if (name === undefined) return begin(tools, job)
  const profile = await tools.profile()
  const dir = await runs.makeFolder(name, false)
  const session = await hold(tools, { run: name, dir, takeOver: options.takeOver })
  const { number } = session.place.claim
  const record = await readRecord(tools.host, dir, name, { session: number })
  if (record.kind === 'free') return begin(tools, job, session)
  if (record.kind === 'pruned') {
    const { header, summary } = record
    const keys = new Set(summary.keys)
    checkSame({ run: name, header, keys }, profile, options.newKey, job)
    return showPruned(tools, job, record)
  }
  const { recorded } = record
  checkSame(recorded, profile, options.newKey, job)
  return goOn(tools, session, recorded, resumptionOf(job, true))
}
