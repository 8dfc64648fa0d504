/** A run that begins: found, asked about, recorded, and only then sent. */
import type { BulkOutput, OutcomeRow } from '../output/result.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { numbers } from './batches.ts'
import { confirm } from './confirm.ts'
import { execute } from './execute.ts'
import type { Holdings } from './holdings.ts'
import { withOther } from './items.ts'
import { jobFacts } from './job.ts'
import { createJournal, type Journal } from './journal.ts'
import { writeName } from './names.ts'
import { noFiles, ownTag } from './output-file.ts'
import type { Cut, Plan } from './plan.ts'
import { countItems, writeRunFiles } from './run-files.ts'
import { keyFingerprint, type RunFile } from './run.ts'
import { RunState } from './state.ts'
import { makeRunFolder, removeRun } from './store.ts'
import type { BulkTarget, BulkTools, Named } from './tools.ts'
import { acceptedBy } from './totals.ts'

export interface Found {
  readonly target: Named | undefined
  readonly ifAssignee: Named | undefined
}

export async function find(wanted: BulkTarget): Promise<Found> {
  return { target: await wanted.find?.(), ifAssignee: await wanted.ifAssignee?.() }
}

export interface NewRun {
  readonly tools: BulkTools
  readonly held: Holdings
  readonly plan: Plan
  readonly wanted: BulkTarget
  readonly profile: Profile
  /** Undefined when the run is not recorded. */
  readonly stateDir: string | undefined
}

export async function startNew(parts: NewRun): Promise<BulkOutput<OutcomeRow>> {
  const { tools, held, plan, wanted, profile, stateDir } = parts
  const { options, operation, concurrency, annotation } = plan
  // Everything that can be known here is known before anybody is asked, and long before the first request.
  const { client } = await tools.api()
  const rate = shareOf(options.rate, options.shard?.count)
  client.pace.limit(rate)
  const found = await find(wanted)
  const cut = await plan.cut()
  const { items, batches, chain, input } = cut
  const folder = stateDir === undefined ? undefined : await makeFolder(tools, held, stateDir)
  const count = batches.to - batches.from
  const { target } = found
  await confirm(tools, profile, { operation, count, items, first: batches.from, target, run: undefined })
  await held.recheck()
  const tag = folder?.run ?? ownTag(tools.host)
  const outputs = await held.openOutputs({ receipts: options.receipts, annotation }, tag, noFiles)
  const journal = folder === undefined ? undefined : await record(parts, cut, found, folder)
  if (folder !== undefined) await removeOld(tools, folder.stateDir)
  await held.placeRejects(plan.rejects, journal, noFiles)
  return execute(tools, {
    run: folder === undefined ? undefined : { id: folder.run, name: options.once },
    held,
    state: stateOf(plan, cut, found.target),
    todo: chain?.order ?? [...numbers(batches.total)],
    plan: {
      target: found.target?.id,
      ifAssignee: found.ifAssignee?.id,
      concurrency,
      maxFailures: options.maxFailures,
      deadline: options.deadline,
      rate,
    },
    journal,
    ...outputs,
    files: noFiles,
    input,
    profile: profile.name ?? null,
    ending: { accept: acceptedBy(options), once: options.once !== undefined },
    durationBefore: 0,
  })
}

/** The part of a rate that is this run's, when all shards together are to keep to it. */
export function shareOf(rate: number | undefined, shards = 1): number | undefined {
  return rate === undefined ? undefined : rate / shards
}

interface RunFolder {
  readonly stateDir: string
  readonly run: string
  readonly dir: string
  hasBegun: boolean
}

/** A folder that is locked, and goes again unless the run begins. */
async function makeFolder({ host }: BulkTools, held: Holdings, stateDir: string): Promise<RunFolder> {
  const folder = { stateDir, ...(await makeRunFolder(host, stateDir)), hasBegun: false }
  held.add(async () => {
    if (!folder.hasBegun) await removeRun(folder.dir, folder.run)
  })
  await held.takeRun(folder.dir, folder.run)
  return folder
}

/** The run has begun, and has its name, when this resolves. */
async function record(parts: NewRun, cut: Cut, found: Found, folder: RunFolder): Promise<Journal> {
  const { tools, held } = parts
  const { stateDir, run: id, dir } = folder
  const run = describe(parts, cut, found, id)
  const sums = await writeRunFiles(dir, run, cut.recorded)
  await createJournal(dir, { t: 'begin', at: tools.host.now(), schema: 'svc.run/2', run: id, sums })
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

/** `target`: as it was found. */
export function stateOf({ operation, options, concurrency }: Plan, cut: Cut, target?: Named): RunState {
  const { batches, chain } = cut
  // With `--to` every ticket has the same second party.
  const hasOneOther = operation === 'tickets.assign' && target !== undefined
  const items = hasOneOther ? withOther(cut.items, target.id) : cut.items
  return new RunState({ operation, items, batches, chain, isolate: options.isolate, concurrency })
}

function describe({ tools, plan, wanted, profile }: NewRun, cut: Cut, found: Found, id: string): RunFile {
  const { options, operation, concurrency } = plan
  const once = jobFacts(plan, wanted)
  return {
    schema: 'svc.run/2',
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
    items: countItems(cut.recorded),
    kind: cut.recorded.kind,
    startedAt: new Date(tools.host.now()).toISOString(),
    version: tools.version,
    ...(once === undefined ? {} : { once }),
    source: plan.source,
    ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
  }
}
