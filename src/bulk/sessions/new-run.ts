/** A run that begins: found, asked about, recorded, and only then sent. */
import { keyEnding, type Profile } from '../../config/profile.ts'
import { SvcError } from '../../errors.ts'
import { currentActor, jobAddress } from '../record/actor.ts'
import { numbers } from '../record/batches.ts'
import { confirm, describeRun } from '../telling/confirm.ts'
import { aboutPeople } from '../telling/who.ts'
import { askPermit } from './permit.ts'
import { execute } from './execute.ts'
import type { Holdings } from './holdings.ts'
import { jobFacts } from './job.ts'
import { createJournal, type Journal } from '../record/journal.ts'
import { writeName } from '../runs/names.ts'
import { noFiles } from '../files/output-file.ts'
import type { Cut, Plan } from './plan.ts'
import { writeRunFiles } from '../record/run-files.ts'
import { keyFingerprint, type RunFile } from '../record/run.ts'
import { withTarget } from '../operations/operations.ts'
import { RunState } from '../outcomes/state.ts'
import { listRuns, makeRunFolder, removeRun, type ListedRun } from '../runs/store.ts'
import { absolutePaths } from './outputs.ts'
import type { BulkTarget, BulkTools, Target, RunOutput } from '../tools.ts'
import { acceptedBy } from '../outcomes/totals.ts'

/** `others`: the second parties of pairs by their names. */
export async function find({ names = new Set() }: Plan, wanted: BulkTarget) {
  const target = await wanted.find?.()
  const ifAssignee = await wanted.ifAssignee?.()
  return { target, ifAssignee, others: await wanted.resolve?.(names) }
}

export interface NewRun {
  readonly tools: BulkTools
  readonly held: Holdings
  readonly plan: Plan
  readonly wanted: BulkTarget
  readonly profile: Profile
  readonly stateDir: string
}

type Resume = (stateDir: string, run: RunFile) => Promise<RunOutput>

/** `resume` resumes another run with the options of this command line. */
export async function startNew(parts: NewRun, resume: Resume): Promise<RunOutput> {
  const { tools, held, plan, wanted, profile, stateDir } = parts
  const { options, operation, concurrency } = plan
  // Everything that can be known here is known before anybody is asked, and long before the first request.
  const { once, rate, maxDelete } = options
  const permit = await askPermit(tools, { operation, input: plan.input, once, signed: plan.file, rate, maxDelete })
  const found = await find(plan, wanted)
  const cut = plan.cut(found.others)
  const resumed = await resumeInstead(parts, { cut, target: found.target }, resume)
  if (resumed !== undefined) return resumed
  const { target } = found
  const state = stateOf(plan, cut, target)
  const todo = cut.chain?.order ?? [...numbers(cut.batches.total)]
  const folder = await makeFolder(tools, held, stateDir)
  const about = (columns: number): Promise<string[]> => aboutPeople(tools, { ...plan, ...cut, ...wanted }, columns)
  await confirm(tools, profile, { state, todo, target, about, isUndo: plan.undoes !== undefined })
  await held.recheck()
  plan.file?.checkTime()
  const outputs = await held.openOutputs(plan, folder.run)
  const { signatures } = permit
  const run = { ...describe(parts, cut, found, folder.run), plan: plan.file && { ...plan.file.recorded, signatures } }
  const journal = await record(parts, run, cut, folder)
  await held.recordDrafts(outputs, journal)
  await removeOld(tools, folder.stateDir)
  await held.placeRejects(plan.rejects, journal, noFiles)
  return execute(tools, {
    run,
    held,
    state,
    todo,
    options: { ...options, concurrency, rate: permit.rate },
    journal,
    ...outputs,
    files: noFiles,
    durationBefore: undefined,
  })
}

/** How many runs are looked at for one with the same ids. */
const mostRuns = 50

/** Resumes the unfinished run if the person at the terminal says so, else notes the command. Throws exit 11 if busy. */
async function resumeInstead(
  { tools, plan, profile, stateDir }: NewRun,
  { cut, target }: { readonly cut: Cut; readonly target: Target | undefined },
  resume: Resume,
): Promise<RunOutput | undefined> {
  if (plan.undoes !== undefined) return undefined
  const { once, takeOver } = plan.options
  const isSame = ({ run, end }: ListedRun): boolean =>
    (end === undefined || end.left !== 0) &&
    run?.operation === plan.operation &&
    run.baseUrl === profile.baseUrl &&
    run.target?.id === target?.id &&
    run.input.sha256 === cut.input.sha256
  const same = (await listRuns(tools.host, stateDir, mostRuns)).find(isSame)
  if (same?.run === undefined) return undefined
  const command = `svc runs resume ${same.run.once?.name ?? same.id}`
  if (same.holder !== undefined && takeOver !== true) {
    throw new SvcError('busy', `run ${same.id} is working on these ids; nothing was sent`, {
      hint: `wait until it ends; if it died:\n  ${command} --take-over`,
      run: same.id,
    })
  }
  const words = `${describeRun(tools, same.run)} has the same ids and is not finished`
  const question = `R${words.slice(1)}. Resume it, instead of a new run?`
  const answer = once === undefined ? await tools.ask(question) : undefined
  if (answer === undefined) tools.note(`${words}; this is a new run. To resume that one instead:\n  ${command}`)
  return answer === true ? resume(stateDir, same.run) : undefined
}

/** A folder that is locked, and goes again unless the run begins. */
async function makeFolder({ host }: BulkTools, held: Holdings, stateDir: string) {
  const folder = { stateDir, ...(await makeRunFolder(host, stateDir)), hasBegun: false }
  held.add(async () => {
    // A process that lost the lock touches nothing any more.
    if (!folder.hasBegun && !held.lost.aborted) await removeRun(folder.dir, folder.run)
  })
  await held.takeRun(folder.dir, folder.run)
  return folder
}

type RunFolder = Awaited<ReturnType<typeof makeFolder>>

/** The run has begun, and has its name, when this resolves. */
async function record({ tools, held }: NewRun, run: RunFile, cut: Cut, folder: RunFolder): Promise<Journal> {
  const { stateDir, run: id, dir } = folder
  const sums = await writeRunFiles(dir, run, cut.items, cut.batches)
  await createJournal(dir, { t: 'begin', at: tools.host.now(), schema: 'svc.run/3', run: id, sums })
  await held.check()
  if (run.once !== undefined) await writeName(stateDir, { schema: 'svc.name/1', name: run.once.name, run: id })
  folder.hasBegun = true
  return held.openJournal(dir, id)
}

/** Runs that ended longer ago than the configuration says that they are kept. */
async function removeOld(tools: BulkTools, stateDir: string): Promise<void> {
  const { keepRuns } = (await tools.configuration()).settings
  if (keepRuns.value === undefined) return
  const { pruneEnded } = await import('./prune.ts')
  await pruneEnded(tools, stateDir, keepRuns.value)
}

export function stateOf({ operation, options, concurrency }: Plan, cut: Cut, target?: Target): RunState {
  const { batches, chain } = cut
  const items = withTarget(operation, cut.items, target)
  return new RunState({ operation, items, batches, chain, isolate: options.isolate, concurrency })
}

type Found = Awaited<ReturnType<typeof find>>

function describe({ tools, plan, wanted, profile }: NewRun, cut: Cut, found: Found, id: string): RunFile {
  const { options, operation, concurrency } = plan
  return {
    schema: 'svc.run/3',
    run: id,
    operation,
    target: found.target === undefined ? null : { id: found.target.id, name: found.target.name },
    baseUrl: profile.baseUrl,
    profile: profile.name ?? null,
    key: { fingerprint: keyFingerprint(profile.apiKey), ending: keyEnding(profile.apiKey) },
    options: {
      batchSize: cut.batches.size,
      concurrency,
      isolate: options.isolate,
      accept: acceptedBy(options),
      maxFailures: options.maxFailures,
      rate: options.rate,
      shard: options.shard === undefined ? undefined : `${options.shard.index}/${options.shard.count}`,
      ifAssignee: found.ifAssignee?.id,
    },
    input: cut.input,
    items: cut.batches.to - cut.batches.from,
    kind: cut.items.pairs === undefined ? 'ids' : 'pairs',
    startedAt: new Date(tools.host.now()).toISOString(),
    by: currentActor(tools.host),
    reason: options.reason,
    job: jobAddress(tools.host),
    version: tools.version,
    once: jobFacts(plan, wanted),
    source: plan.source,
    files: absolutePaths(options),
    undoes: plan.undoes,
  }
}
