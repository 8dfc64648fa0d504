/** A recorded run that goes on: what is left of it is found, asked about and sent. */
import { usageError } from '../errors.ts'
import { grouped } from '../words.ts'
import type { BulkOutput, OutcomeRow } from '../output/result.ts'
import { keyEnding, type Profile } from '../config/profile.ts'
import { confirm, counted, toTarget } from './confirm.ts'
import type { ReopenEvent, ResumeEvent } from './events.ts'
import { execute } from './execute.ts'
import { tellWait, type Holdings } from './holdings.ts'
import { cutJournal } from './journal.ts'
import { takeLock } from './lock.ts'
import type { Plan } from './plan.ts'
import { endingOf, readRecorded, type RecordedRun } from './recorded.ts'
import { keyFingerprint, type RunFile } from './run.ts'
import { runFolder } from './store.ts'
import type { BulkTools, SessionOptions } from './tools.ts'
import type { GoOnOptions } from './open-run.ts'
import { showAgain } from './without-sending.ts'

/** Takes the lock of a run, reads it, and cuts off what a crash left at the end of its journal. */
export async function openRecorded(
  tools: BulkTools,
  held: Holdings,
  { stateDir, id, takeOver }: { readonly stateDir: string; readonly id: string; readonly takeOver: boolean },
): Promise<RecordedRun> {
  const dir = runFolder(stateDir, id)
  held.addLock(
    await takeLock(tools.host, dir, {
      what: `run ${id}`,
      run: id,
      takeOver,
      signal: tools.signal,
      onWait: tellWait(tools),
    }),
  )
  const recorded = await readRecorded(stateDir, id)
  const { state, replay } = recorded
  if (replay.torn === 0) return recorded
  if (replay.damagedLines === 0) await cutJournal(dir, id, replay.length)
  else {
    const event = { t: 'cut' as const, at: tools.host.now(), b: state.nextOpen() }
    await cutJournal(dir, id, replay.length, event)
    state.cut(event)
  }
  tools.note(
    `the end of the journal was lost in a crash (${grouped(replay.torn)} bytes were cut off); it counts as not written`,
  )
  return recorded
}

export function recordedOptions({ options }: RunFile, { receipts, newKey }: SessionOptions): GoOnOptions {
  const { concurrency, maxFailures, ignoreNotFound, ignoreBlocked } = options
  return {
    concurrency,
    maxFailures,
    ignoreNotFound,
    ignoreBlocked,
    deadline: undefined,
    receipts,
    newKey: newKey === true,
    once: undefined,
    rejects: undefined,
  }
}

export function givenOptions({ options, concurrency, rejects }: Plan, { once }: RunFile): GoOnOptions {
  const { maxFailures, deadline, ignoreNotFound, ignoreBlocked, receipts, newKey } = options
  return {
    concurrency,
    maxFailures,
    deadline,
    ignoreNotFound,
    ignoreBlocked,
    receipts,
    newKey: newKey === true,
    once: once?.name,
    rejects,
  }
}

interface GoingOn {
  readonly tools: BulkTools
  readonly held: Holdings
  readonly recorded: RecordedRun
  readonly again?: ReopenEvent
  readonly options: GoOnOptions
}

export async function goOn({ tools, held, recorded, again, options }: GoingOn): Promise<BulkOutput<OutcomeRow>> {
  const { run, dir, state, files } = recorded
  const takeOver = held.takenOver ? { takeOver: true as const } : {}
  const resumed: ResumeEvent = { t: 'resume', at: tools.host.now(), ...takeOver }
  state.resume(resumed)
  if (again !== undefined) state.reopen(again)
  const todo = state.openBatches()
  if (todo.length === 0) {
    const journal = await held.openJournal(dir, run.run)
    await held.placeRejects(options.rejects, { journal, files, at: tools.host.now() })
    return showAgain(tools, recorded, { held, journal, options })
  }
  const { profile, fingerprint } = await checkBelongs(tools, recorded, options.newKey)
  await tools.api()
  const count = todo.reduce((sum, batch) => sum + state.idsOf(batch).length, 0)
  const target = run.target === null ? undefined : { id: run.target.id, name: run.target.name }
  tools.note(`resuming run ${run.run}: ${counted(run.operation, count)} left${toTarget(target)}`)
  await confirm(tools, profile, { operation: run.operation, count, target, run: run.run })
  await held.recheck()
  const { receipts: path } = options
  const receipts = path === undefined ? undefined : await held.openReceipts(path, { tag: run.run, files })
  const journal = await held.openJournal(dir, run.run)
  const key = fingerprint === run.key.fingerprint ? {} : { key: fingerprint }
  await journal.append({ ...resumed, ...key })
  if (again !== undefined) await journal.append(again)
  await journal.sync()
  await held.placeRejects(options.rejects, { journal, files, at: tools.host.now() })
  const { ignoreNotFound, ignoreBlocked, concurrency, maxFailures, deadline } = options
  return execute(tools, {
    run: { id: run.run, name: run.once?.name },
    state,
    todo,
    plan: {
      target: run.operation === 'lists.add-contacts' ? run.target?.id : undefined,
      isolate: state.isolates,
      ifAssignee: run.options.ifAssignee,
      concurrency,
      maxFailures,
      deadline,
    },
    journal,
    guard: held,
    receipts,
    files,
    input: run.input,
    profile: run.profile,
    ending: { ...endingOf(run), ignoreNotFound, ignoreBlocked },
    durationBefore: recorded.durationMs,
    release: () => held.release(),
  })
}

/** Throws exit 2 when the run belongs to another service, or to another key without `--new-key`. */
async function checkBelongs(
  tools: BulkTools,
  { run, keys }: RecordedRun,
  newKey: boolean,
): Promise<{ profile: Profile; fingerprint: string }> {
  const profile = (await tools.configuration()).profile()
  if (profile.baseUrl !== run.baseUrl) {
    const way =
      run.profile === null
        ? 'name the profile or the environment of that service'
        : `name its profile: -p ${run.profile}`
    throw usageError(
      `run ${run.run} belongs to ${run.baseUrl}, the profile to ${profile.baseUrl}; nothing was sent`,
      way,
    )
  }
  const fingerprint = keyFingerprint(profile.apiKey)
  if (!keys.has(fingerprint) && !newKey) {
    throw usageError(
      `run ${run.run} was begun with the key ${run.key.ending}, this is ${keyEnding(profile.apiKey)}; nothing was sent`,
      'to another company these ids are unknown; when both keys belong to the same company: --new-key',
    )
  }
  return { profile, fingerprint }
}
