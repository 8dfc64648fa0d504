/** A run that begins: found, asked about, recorded, and only then sent. */
import type { BulkOutput, OutcomeRow } from '../output/result.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { numbers } from './batches.ts'
import { confirm } from './confirm.ts'
import { execute } from './execute.ts'
import { Holdings } from './holdings.ts'
import { withOther } from './items.ts'
import { jobFacts } from './job.ts'
import { createJournal } from './journal.ts'
import { takeLock } from './lock.ts'
import { writeName } from './names.ts'
import type { OpenRun } from './open-run.ts'
import { noFiles } from './output-file.ts'
import type { Cut, Plan } from './plan.ts'
import { countItems, writeRunFiles } from './run-files.ts'
import { keyFingerprint, type RunFile } from './run.ts'
import { RunState } from './state.ts'
import { makeRunFolder, removeRun } from './store.ts'
import type { BulkTarget, BulkTools, Named } from './tools.ts'

/** The target as it was found. */
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
  readonly stateDir: string
}

export async function startNew(parts: NewRun): Promise<BulkOutput<OutcomeRow>> {
  const { tools, held, plan, wanted, profile, stateDir } = parts
  // Everything that can be known here is known before anybody is asked, and long before the first request.
  await tools.api()
  const found = await find(wanted)
  const cut = await plan.cut()
  const { run: id, dir } = await makeRunFolder(tools.host, stateDir)
  let hasBegun = false
  held.add(async () => {
    if (!hasBegun) await removeRun(dir, id)
  })
  held.addLock(await takeLock(tools.host, dir, { what: `run ${id}`, run: id }))
  await confirm(tools, profile, { ...facts(plan, cut, found), run: undefined })
  await held.recheck()
  const { receipts: path } = plan.options
  const receipts = path === undefined ? undefined : await held.openReceipts(path, { tag: id, files: noFiles })
  const run = describe(parts, cut, found, id)
  const sums = await writeRunFiles(dir, run, cut.recorded)
  await createJournal(dir, { t: 'begin', at: tools.host.now(), schema: 'svc.run/2', run: id, sums })
  await held.check()
  if (run.once !== undefined) await writeName(stateDir, { schema: 'svc.name/1', name: run.once.name, run: id })
  hasBegun = true
  const journal = await held.openJournal(dir, id)
  await held.placeRejects(plan.rejects, { journal, files: noFiles, at: tools.host.now() })
  const items = itemsFor(plan, cut, found)
  return execute(tools, {
    ...opened(plan, cut, found),
    run: { id, name: run.once?.name },
    state: stateOf(plan, cut, items),
    journal,
    guard: held,
    receipts,
    files: noFiles,
    profile: profile.name ?? null,
    release: () => held.release(),
  })
}

export async function startUnrecorded(
  tools: BulkTools,
  plan: Plan,
  wanted: BulkTarget,
  profile: Profile,
): Promise<BulkOutput<OutcomeRow>> {
  await tools.api()
  const found = await find(wanted)
  const cut = await plan.cut()
  await confirm(tools, profile, { ...facts(plan, cut, found), run: undefined })
  const held = new Holdings()
  try {
    const { receipts: path } = plan.options
    const tag = `${tools.host.pid}-${tools.host.now()}`
    const receipts = path === undefined ? undefined : await held.openReceipts(path, { tag, files: noFiles })
    await held.placeRejects(plan.rejects, { journal: undefined, files: noFiles, at: tools.host.now() })
    return await execute(tools, {
      ...opened(plan, cut, found),
      run: undefined,
      state: stateOf(plan, cut, itemsFor(plan, cut, found)),
      journal: undefined,
      guard: undefined,
      receipts,
      files: noFiles,
      profile: profile.name ?? null,
      release: () => held.release(),
    })
  } catch (error) {
    await held.release()
    throw error
  }
}

function facts({ operation }: Plan, { batches }: Cut, { target }: Found) {
  return { operation, count: batches.to - batches.from, target }
}

/** With `--to` every ticket has the same second party. */
export function itemsFor({ operation }: Plan, { items }: Cut, { target }: Found): Cut['items'] {
  return operation === 'tickets.assign' && target !== undefined ? withOther(items, target.id) : items
}

export function stateOf({ operation, options, concurrency }: Plan, cut: Cut, items: Cut['items']): RunState {
  return new RunState({
    operation,
    items,
    batches: cut.batches,
    chain: cut.chain,
    isolate: options.isolate,
    concurrency,
  })
}

/** What a new run is sent with. */
function opened(
  plan: Plan,
  cut: Cut,
  found: Found,
): Pick<OpenRun, 'todo' | 'plan' | 'input' | 'ending' | 'durationBefore'> {
  const { options, operation, concurrency } = plan
  return {
    todo: cut.chain?.order ?? [...numbers(cut.batches.total)],
    plan: {
      target: operation === 'lists.add-contacts' ? found.target?.id : undefined,
      isolate: options.isolate === true,
      ifAssignee: found.ifAssignee?.id,
      concurrency,
      maxFailures: options.maxFailures,
      deadline: options.deadline,
    },
    input: cut.input,
    ending: {
      ignoreNotFound: options.ignoreNotFound,
      ignoreBlocked: options.ignoreBlocked,
      once: options.once !== undefined,
    },
    durationBefore: 0,
  }
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
      ignoreNotFound: options.ignoreNotFound,
      ignoreBlocked: options.ignoreBlocked,
      maxFailures: options.maxFailures,
      shard: options.shard === undefined ? undefined : `${options.shard.index}/${options.shard.count}`,
      ifAssignee: found.ifAssignee?.id,
    },
    input: cut.input,
    items: countItems(cut.recorded),
    kind: cut.recorded.kind,
    startedAt: new Date(tools.host.now()).toISOString(),
    version: tools.version,
    ...(once === undefined ? {} : { once }),
  }
}
