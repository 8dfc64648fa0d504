/**
 * Endings without a request that changes anything: a dry run, a plan, an empty input, a name whose run was pruned. They read the input and use words in
 * the same way as a run, so that a dry run says what the run would say. `session.ts` chooses among them; `plans/write-plan.ts` writes the plan.
 */
import type { Profile } from '../../config/profile.ts'
import { SvcError, usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import type { RunOutput } from '../../output/result.ts'
import { pluralize } from '../../words.ts'
import { UserFiles } from '../files.ts'
import type { Header } from '../record/header.ts'
import { Items } from '../record/items.ts'
import { newState, type Job } from '../job.ts'
import { operationOf, targetName } from '../operations/operations.ts'
import {
  rowsOf,
  rowsOfInput,
  rowsThatCount,
  summaryOf,
  type Summary,
} from '../outcomes/summary.ts'
import { describeCount, onProfile, toParties, withConditions } from './question.ts'
import type { KeptSummary } from '../record/read-run.ts'
import type { BulkTools, Contents } from '../tools.ts'
import { aboutPeople } from './who.ts'

/** Ends a job that sends nothing; undefined for one to be sent. */
export async function endUnsent(
  tools: BulkTools,
  job: Job,
): Promise<RunOutput | undefined> {
  const { options, input, undoes, name } = job
  const isEmpty = input.unique === 0
  if (options.dryRun === true) return showUnsent(tools, job)
  // With a name, an empty input (a quiet night) is a run too.
  const isSent = isEmpty
    ? name !== undefined && undoes === undefined
    : options.plan === undefined
  return isSent ? undefined : showUnsent(tools, job)
}

/** A dry run, a plan, or a job with nothing to send. */
async function showUnsent(tools: BulkTools, job: Job): Promise<RunOutput> {
  const { input, options } = job
  const { annotate, receipts, plan } = options
  const isDry = options.dryRun === true
  const isEmpty = input.unique === 0
  for (const note of job.notes ?? []) tools.note(note)
  const contents = isEmpty ? emptyContents(job) : await job.contents()
  const isPlan = plan !== undefined && !isDry && !isEmpty
  const written = isPlan ? await tools.writePlan(plan, { ...job, ...contents }) : {}
  if (isEmpty && !isDry) tools.note(emptyWords(job))
  const profile = await profileIfAny(tools)
  if (isDry || isPlan) await tellPreview(tools, job, contents, profile)
  const { document, rows } = summaryOfPreview(job, contents, profile)
  if (!isPlan) {
    const files = new UserFiles(tools, {
      named: { annotate, receipts: isDry ? undefined : receipts },
      annotation: job.annotation,
      isUnsent: isDry,
    })
    await files.check()
    await files.write(newState(job, contents))
  }
  return outputOf({ document: { ...document, ...written }, rows })
}

/** The output of a summary. */
export const outputOf = (
  { document, rows }: Pick<Summary, 'rows'> & Pick<KeptSummary, 'document'>,
  receipts: RunOutput['receipts'] = [],
): RunOutput => ({
  kind: 'one',
  json: document,
  rows,
  exitCode: document.exitCode,
  receipts,
})

const emptyContents = ({ input }: Job): Contents => ({
  parameters: {},
  items: Items.ofIds([], () => 0),
  input,
})

/** Why nothing is sent. */
function emptyWords({ options, undoes }: Job): string {
  if (undoes !== undefined) return 'there is nothing to undo'
  const plan = options.plan === undefined ? '' : ', so no plan was written'
  return `the input is empty; there is nothing to do${plan}`
}

/** Describes a dry run in words. */
async function tellPreview(
  tools: BulkTools,
  job: Job,
  contents: Contents,
  profile: Profile | undefined,
): Promise<void> {
  const { operation, options } = job
  const { parameters, items } = contents
  const requests = pluralize(newState(job, contents).batches.total, 'request')
  const { rate } = (await tools.configuration()).settings
  const pace = rate.value === undefined ? '' : `, at most ${rate.value} per second`
  const where = `${toParties(operation, parameters)}${onProfile(profile)}${withConditions(operation, parameters)}`
  tools.note(
    `dry run: ${describeCount(operation, items.size)} in ${requests}${pace}${where}; nothing is sent`,
  )
  const meant = { ...job, ...contents }
  for (const text of await aboutPeople(tools, meant, tools.host.columns())) tools.note(text)
  if (options.once !== undefined) {
    const used = await (await tools.runs()).look(options.once)
    tools.note(
      `the name "${options.once}" is ${used === undefined ? 'free' : 'used by a run'}`,
    )
  }
}

function summaryOfPreview(
  job: Job,
  contents: Contents,
  profile: Profile | undefined,
): Pick<Summary, 'document' | 'rows'> {
  const { operation, options, undoes } = job
  const { parameters, input, items } = contents
  const about = {
    run: null,
    name: null,
    profile: profile?.name ?? null,
    startedAt: null,
    endedAt: null,
    host: profile === undefined ? null : new URL(profile.baseUrl).host,
    target: targetName(operation, parameters) ?? null,
    by: null,
    reason: options.reason ?? null,
  }
  const isPart = undoes !== undefined && (input.leftOut ?? 0) > 0
  const ending = { dryRun: options.dryRun === true || options.plan !== undefined, isPart }
  const state = newState(job, contents)
  const isGivenBack = undoes !== undefined && items.kind === 'pairs'
  const change = `would be ${isGivenBack ? 'changed back' : operationOf(operation).words.done}`
  const rows = rowsThatCount([[change, items.size]])
  const { document } = summaryOf({ about, input, state, ending, durationMs: 0 })
  return { document, rows: [...rows, ...rowsOfInput(input)] }
}

/** A dry run with only ids needs no credentials. If there are credentials, it says for which service it is. */
async function profileIfAny(tools: BulkTools): Promise<Profile | undefined> {
  try {
    return (await tools.configuration()).profile()
  } catch (error) {
    if (error instanceof SvcError && error.category === 'config') return undefined
    throw error
  }
}

/** The record of a run was pruned; its summary was kept for a repeated command. */
export function showPruned(
  tools: BulkTools,
  job: Job,
  { header, summary }: { readonly header: Header; readonly summary: KeptSummary },
): RunOutput {
  const { document, endedAt } = summary
  const { left } = document
  const rows = rowsOf(header, document.result)
  const name = header.name ?? ''
  if (left > 0 || job.one !== undefined) {
    const how =
      left > 0 ? ' before it was done' : ', together with what the service answered'
    throw usageError(
      `the run named "${name}" was removed${how}; nothing was sent`,
      say`use another name for a new run; to see what was kept:\n  ${svc`runs show ${name}`}`,
    )
  }
  const day = new Date(endedAt ?? Date.parse(header.startedAt)).toISOString().slice(0, 10)
  tools.note(`done on ${day}; nothing was sent, and its receipts have since been removed`)
  for (const path of [job.options.receipts, job.options.annotate]) {
    if (path !== undefined)
      tools.warn(`"${path}" was not written: the record of run ${name} was removed`)
  }
  return { ...outputOf({ document, rows }), isSilent: tools.messages.quiet }
}
