/**
 * Endings without a request that changes anything: a dry run, a plan, an empty input, a name whose run was removed. They go through the
 * same reading and the same words as a run, so that a dry run says what the run would say. `session.ts` chooses among them;
 * `plans/write-plan.ts` is handed the plan.
 */
import { say, svc } from '../../message.ts'
import { SvcError, usageError } from '../../errors.ts'
import { pluralize } from '../../words.ts'
import type { Profile } from '../../config/profile.ts'
import { describeCount, onProfile, toTarget, withConditions } from '../telling/confirm.ts'
import { warnOfAssignees, aboutPeople, countPresent } from '../telling/who.ts'
import { checkFormat, type NameEntry } from '../runs/names.ts'
import type { RunStore } from '../runs/store.ts'
import { rowsOf, summaryOf, type Summary } from '../outcomes/summary.ts'
import { operationOf, targetOf } from '../operations/operations.ts'
import { parseRunFile } from '../record/run.ts'
import type { BulkTools } from '../tools.ts'
import { contentsOf, emptyContents, type Contents, type Job } from './job.ts'
import { Outputs, type NamedFiles } from './outputs.ts'
import { checkSameJob } from './from-job.ts'
import type { Ending, SessionContext } from './start.ts'

/** A job whose contents were found, and that is not sent: it is shown, or written into a plan. */
export interface Preview {
  readonly kind: 'preview'
  readonly job: Job
  readonly contents: Contents
  readonly profile: Profile | undefined
}

/** Ends a job that sends nothing; undefined for one to be sent. Throws exit 2 for an input without any id, unless that is allowed. */
export async function endUnsent(
  context: SessionContext,
  job: Job,
): Promise<Ending | Preview | undefined> {
  const { tools, teller } = context
  const { options, input, late, undoes } = job
  const { plan } = options
  refuseEmpty(context.store, job)
  const isDry = options.dryRun === true
  const isEmpty = !isDry && input.unique === 0
  // A quiet night is a run too, of no ids, when it has a name.
  const isNamed = options.once !== undefined && undoes === undefined
  if (!isDry && (!isEmpty || isNamed) && plan === undefined) return undefined
  const named = filesOf(job, isEmpty)
  const outputs = new Outputs({
    ...context,
    ...job,
    id: undefined,
    named,
    isSending: true,
  })
  const contents = isEmpty ? emptyContents(job) : await contentsOf(job)
  const profile = await profileIfAny(tools)
  const preview: Preview = { kind: 'preview', job, contents, profile }
  if (!isEmpty && !isDry) return preview
  if (isEmpty) teller.note(emptyWords(job))
  const summary = isEmpty ? summaryOfPreview(preview) : await tellPreview(tools, preview)
  await outputs.open()
  await outputs.place(await outputs.finish(contents.state, undefined, isDry))
  return {
    kind: 'ending',
    receipts: [],
    conclude: () => Promise.resolve(isEmpty ? teller.late(late, summary) : summary),
  }
}

/** The files of a job that sends nothing: an undo of nothing has none. */
function filesOf({ options, undoes }: Job, isEmpty: boolean): NamedFiles {
  const { receipts, annotate, dryRun } = options
  const isWritten = isEmpty && undoes === undefined
  return {
    ...(isWritten && { receipts }),
    ...((isEmpty || dryRun === true) && { annotate }),
  }
}

/** Why nothing is sent. */
function emptyWords({ options, undoes }: Job): string {
  if (undoes !== undefined) return 'there is nothing to undo'
  const plan = options.plan === undefined ? '' : ', so no plan was written'
  return `the input is empty; there is nothing to do${plan}`
}

/** One change that is not sent, for its command to show. */
export async function previewOne(job: Job): Promise<Preview> {
  return {
    kind: 'preview',
    job,
    contents: await contentsOf(job),
    profile: undefined,
  }
}

/** Tells a dry run in words, and returns its summary. */
export async function tellPreview(tools: BulkTools, preview: Preview): Promise<Summary> {
  const { job, contents, profile } = preview
  const { operation, options } = job
  const { batches, parameters } = contents
  const count = batches.to - batches.from
  const requests = pluralize(batches.total, 'request')
  const { rate, once } = options
  const pace = rate === undefined ? '' : `, at most ${rate} per second`
  const target = toTarget(operation, targetOf(operation, parameters))
  const where = `${target}${onProfile(profile)}${withConditions(operation, parameters)}`
  tools.note(
    `dry run: ${describeCount(operation, count)} in ${requests}${pace}${where}; nothing is sent`,
  )
  const { present: readPresent } = operationOf(operation)
  const members = profile === undefined ? undefined : readPresent?.(await tools.api(), parameters)
  const present = members === undefined ? undefined : await countPresent(members, contents)
  if (present !== undefined) tools.note(present.words)
  if (profile !== undefined) await warnOfAssignees(tools, operation, contents)
  for (const text of await aboutPeople(tools, { ...job, ...contents }, tools.host.columns())) {
    tools.note(text)
  }
  if (once !== undefined) {
    const used = (await tools.store()).names.read(once)
    tools.note(`the name "${once}" is ${used === undefined ? 'free' : `used by run ${used.run}`}`)
  }
  return summaryOfPreview(preview, present?.count)
}

/** `present`: how many of the ids need no change, as far as reading told. */
function summaryOfPreview(
  { job: { operation, options, undoes }, contents, profile }: Preview,
  present = 0,
): Summary {
  const { parameters, input, state, batches } = contents
  const target = targetOf(operation, parameters)
  const about = {
    run: null,
    name: null,
    profile: profile?.name ?? null,
    startedAt: null,
    endedAt: null,
    host: profile === undefined ? null : new URL(profile.baseUrl).host,
    target: target?.name ?? target?.id ?? null,
    by: null,
    reason: options.reason ?? null,
  }
  const ending = { dryRun: options.dryRun === true || options.plan !== undefined }
  const change = `would be ${undoes === undefined ? operationOf(operation).words.done : 'given back'}`
  const rows = rowsOf(
    { [change]: batches.to - batches.from - present, 'on the list already': present },
    input,
  )
  return {
    ...summaryOf({
      about,
      input,
      state,
      ending,
      durationMs: 0,
    }),
    rows,
  }
}

/** Throws exit 2 for an input without any id, unless that is allowed. Whether it is the job of a used name is compared later. */
function refuseEmpty(store: RunStore, { options, input, undoes }: Job): void {
  const { once, allowEmpty } = options
  if (input.unique > 0 || undoes !== undefined) return
  if (allowEmpty === true) return
  const used = once === undefined ? undefined : store.names.read(once)
  if (used !== undefined) {
    throw usageError(
      `the input is empty, and the name "${once}" belongs to run ${used.run}; nothing was sent`,
      say`a command that failed leaves an empty input; to resume that run:\n  ${svc`runs resume ${used.name}`}`,
    )
  }
  throw usageError(
    'the input is empty: there is no id in it; nothing was sent',
    'a command that failed leaves an empty input; if it may be empty, add --allow-empty',
  )
}

/** A plan over ids alone needs no credentials; one with them says for whom it is. */
async function profileIfAny(tools: BulkTools): Promise<Profile | undefined> {
  try {
    return (await tools.configuration()).profile()
  } catch (error) {
    if (error instanceof SvcError && error.category === 'config') return undefined
    throw error
  }
}

/** Exit 2 for a name whose run is gone: to send again could do a second time what it did. */
function removedError({ name, run }: NameEntry, how: string): SvcError {
  return new SvcError(
    'usage',
    `run ${run} of the name "${name}" was removed${how}; nothing was sent`,
    {
      hint: say`use another name for a new run, or free this one (with the names of other runs of that age):\n  ${svc`runs prune --older-than 1s --names`}`,
      run,
    },
  )
}

/** The record of the run was removed; its summary was kept for a repeated command. */
export async function showPruned(
  { tools, locks, service, teller }: SessionContext,
  record: NameEntry,
  job: Job,
): Promise<Ending> {
  await locks.release()
  const profile = await service.profile()
  const { pruned, name } = record
  if (job.one !== undefined) throw removedError(record, ', and with it what the service answered')
  if (pruned === undefined) throw removedError(record, ', and nothing was kept of it')
  checkFormat(name, pruned.description)
  const parsed = parseRunFile(pruned.description)
  if (parsed.problem !== undefined) throw new TypeError(`the record of "${name}" cannot be read`)
  const { run } = parsed
  const keys = new Set(pruned.keys ?? [run.key.fingerprint])
  checkSameJob({ run, keys }, job, profile)
  const { summary, rows, doneAt } = pruned
  // Neither finished nor resumable: no repetition helps, and a scheduler must not take it for done.
  if (summary['resume'] !== null) throw removedError(record, ' before it was done')
  teller.note(
    `done on ${doneAt.slice(0, 10)}; nothing was sent, and its receipts were removed since then`,
  )
  for (const path of [job.options.receipts, job.options.annotate]) {
    if (path !== undefined) {
      tools.warn(`"${path}" was not written: the record of run ${run.run} was removed`)
    }
  }
  const { exitCode } = pruned
  const shown = {
    document: summary,
    rows,
    exitCode,
    isSilent: teller.isQuiet,
  }
  return {
    kind: 'ending',
    receipts: [],
    conclude: () => Promise.resolve(shown),
  }
}
