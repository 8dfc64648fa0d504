/** Endings without a request: a dry run, an empty input, a name whose run was removed. */
import { SvcError, usageError } from '../../errors.ts'
import { grouped } from '../../words.ts'
import type { Profile } from '../../config/profile.ts'
import { counted, onProfile, toTarget } from '../telling/confirm.ts'
import { aboutPeople, alreadyThere } from '../telling/who.ts'
import { checkSameJob } from './job.ts'
import { checkFormat, readName, type NameRecord } from '../runs/names.ts'
import { Holdings } from './holdings.ts'
import { find, stateOf } from './new-run.ts'
import { noFiles, OutputFile } from '../files/output-file.ts'
import { wholeInput } from './permit.ts'
import type { Cut, Plan } from './plan.ts'
import { writeEmpty } from './report.ts'
import { parseRunFile } from '../record/run.ts'
import type { Receipt } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'
import { summaryOf, type Summary } from '../outcomes/summary.ts'
import type { BulkTarget, BulkTools, Target, RunOutput } from '../tools.ts'

export function ended(
  summary: Pick<Summary, 'document' | 'rows' | 'exitCode'> & { readonly isSilent?: boolean },
  receipts: Iterable<Receipt> = [],
): RunOutput {
  return {
    kind: 'bulk',
    receipts: {
      async *[Symbol.asyncIterator]() {
        yield* receipts
      },
    },
    summary: () => Promise.resolve(summary),
  }
}

function unsentSummary(plan: Plan, state: RunState, profile: Profile | undefined, target?: Target): Summary {
  return summaryOf({
    run: undefined,
    profile: profile?.name ?? null,
    facts: {
      startedAt: null,
      endedAt: null,
      host: profile === undefined ? null : new URL(profile.baseUrl).host,
      target: target?.name ?? target?.id ?? null,
      by: null,
      reason: plan.options.reason ?? null,
      job: null,
    },
    input: plan.input,
    state,
    ending: { dryRun: plan.options.dryRun === true || plan.options.plan !== undefined },
    durationMs: 0,
  })
}

export async function dryRun(tools: BulkTools, plan: Plan, wanted: BulkTarget): Promise<RunOutput> {
  const { operation, options } = plan
  await placeRejects(tools, plan)
  const found = await find(plan, wanted)
  const cut = plan.cut(found.others)
  const state = stateOf(plan, cut, found.target)
  const profile = await profileIfAny(tools)
  const { batches } = cut
  const count = batches.to - batches.from
  if (options.plan !== undefined) {
    const asked = { ...options, plan: options.plan }
    await tools.writePlan({ ...cut, ...found, operation, options: asked, people: wanted.people, source: plan.source })
  }
  const requests = `${grouped(batches.total)} ${batches.total === 1 ? 'request' : 'requests'}`
  const where = `${toTarget(operation, found.target)}${onProfile(profile)}`
  const { rate, shard } = options
  const pace = rate === undefined ? '' : `, at most ${rate / (shard?.count ?? 1)} per second`
  tools.note(`dry run: ${counted(operation, count)} in ${requests}${pace}${where}; nothing is sent`)
  if (count > 0) tools.note(`first ${cut.items.id(batches.from)}, last ${cut.items.id(batches.to - 1)}`)
  if (profile !== undefined && found.target !== undefined) {
    const members = wanted.members?.(found.target.id)
    if (members !== undefined) tools.note(await alreadyThere(members, cut))
  }
  for (const text of await aboutPeople(tools, { ...plan, ...cut, ...wanted }, tools.host.columns())) tools.note(text)
  await annotateUnsent(tools, plan, cut, state)
  if (options.once !== undefined) {
    const used = readName((await tools.configuration()).stateDir.value, options.once)
    tools.note(`the name "${options.once}" is ${used === undefined ? 'free' : `used by run ${used.run}`}`)
  }
  return ended(unsentSummary({ ...plan, input: cut.input }, state, profile, found.target))
}

async function annotateUnsent({ host, note }: BulkTools, { annotation }: Plan, cut: Cut, state: RunState) {
  if (annotation === undefined) return
  const file = await OutputFile.open(host, { path: annotation.table.path, kind: 'annotate' })
  try {
    await annotation.write(file, state, cut.input.otherShards !== undefined, true)
    await file.finish(host.now())
    await file.place(noFiles)
    note(`wrote "${annotation.table.path}"${annotation.table.note}`)
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Throws exit 2 for an input without any id unless it is allowed; under a used name it is a mistake all the same. */
export async function refuseEmpty(tools: BulkTools, { options, input, undoes }: Plan): Promise<void> {
  const { once, allowEmpty } = options
  if (input.unique > 0 || input.otherShards !== undefined || undoes !== undefined) return
  const used = once === undefined ? undefined : readName((await tools.configuration()).stateDir.value, once)
  if (used !== undefined) {
    throw usageError(
      `the input is empty, and the name "${once}" belongs to run ${used.run}; nothing was sent`,
      `a command that failed leaves an empty input; to resume that run:\n  svc runs resume ${once}`,
    )
  }
  if (allowEmpty === true) return
  throw usageError(
    'the input is empty: there is no id in it; nothing was sent',
    'a command that failed leaves an empty input; if it may be empty, add --allow-empty',
  )
}

/** No ids: a summary of zeros, and a receipts file with nothing but a header. An empty input claims no name. */
export async function nothingToDo(tools: BulkTools, plan: Plan): Promise<RunOutput> {
  const { input, operation, options } = plan
  // The other shards of the input count all the same.
  if (input.otherShards !== undefined) await tools.permit({ operation, ids: wholeInput(input), once: options.once })
  const empty = `${input.otherShards === undefined ? 'the input' : 'this shard'} is empty; there is nothing to do`
  const none = options.plan === undefined ? '' : ', so no plan was written'
  tools.note(plan.undoes === undefined ? empty + none : 'there is nothing to undo')
  await placeRejects(tools, plan)
  const profile = await profileIfAny(tools)
  const cut = plan.cut()
  const state = stateOf(plan, cut)
  const summary = unsentSummary(plan, state, profile)
  const held = new Holdings(tools)
  try {
    const outputs = await held.openOutputs(plan)
    await writeEmpty(tools, { run: { input }, state, ...outputs, files: noFiles })
  } finally {
    await held.release()
  }
  return ended(summary)
}

async function placeRejects({ host }: BulkTools, { rejects }: Plan): Promise<void> {
  await rejects?.finish(host.now())
  await rejects?.place(noFiles)
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

function removed({ name, run }: NameRecord, how: string): SvcError {
  return new SvcError('usage', `run ${run} of the name "${name}" was removed${how}; nothing was sent`, {
    hint: 'use another name for a new run, or free this one (with the names of other runs of that age):\n  svc runs prune --older-than 1s --names',
    run,
  })
}

/** The record of the run was removed; its summary was kept for a repeated command. */
export function showPruned(
  tools: BulkTools,
  record: NameRecord,
  job: { readonly plan: Plan; readonly wanted: BulkTarget; readonly profile: Profile },
): RunOutput {
  const { pruned, name } = record
  if (pruned === undefined) throw removed(record, ', and nothing was kept of it')
  checkFormat(name, pruned.description)
  const run = parseRunFile(pruned.description)
  if ('problem' in run) throw new TypeError(`the record of "${name}" cannot be read`)
  checkSameJob(run, new Set(pruned.keys ?? [run.key.fingerprint]), job)
  const { summary, rows, doneAt } = pruned
  // Neither finished nor resumable: no repetition helps, and a scheduler must not take it for done.
  if (summary['resume'] !== null) throw removed(record, ' before it was done')
  tools.note(`done on ${doneAt.slice(0, 10)}; nothing was sent, and its receipts were removed since then`)
  for (const path of [job.plan.options.receipts, job.plan.options.annotate]) {
    if (path !== undefined) tools.warn(`"${path}" was not written: the record of run ${run.run} was removed`)
  }
  return ended({ document: summary, rows: [...rows], exitCode: pruned.exitCode, isSilent: tools.messages.quiet })
}
