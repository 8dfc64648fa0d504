/** Resuming a recorded run: what is left of it is found, asked about and sent. */
import { rm } from 'node:fs/promises'
import { exit, usageError } from '../../errors.ts'
import { grouped } from '../../words.ts'
import { keyEnding } from '../../config/profile.ts'
import { askPermit } from './permit.ts'
import { confirm, counted, tellRun, toTarget } from '../telling/confirm.ts'
import { aboutPeople } from '../telling/who.ts'
import { sampleOf } from '../files/annotate.ts'
import type { ResumeEvent } from '../record/events.ts'
import { batchAt, countIds } from '../record/batches.ts'
import { execute } from './execute.ts'
import { tellTooMany, tellUnknown } from '../telling/ending-notes.ts'
import type { Holdings } from './holdings.ts'
import { planBytes } from '../record/items.ts'
import { cutJournal } from '../record/journal.ts'
import { allReceipts } from '../files/receipts.ts'
import { isSingle } from '../operations/operations.ts'
import type { RunState } from '../outcomes/state.ts'
import { readLandingTime } from '../record/landing.ts'
import { endingOf, readRecorded, recordedSummary, type RecordedRun } from '../runs/recorded.ts'
import { writeEnd } from './report.ts'
import { keyFingerprint } from '../record/run.ts'
import { RunOutputs, type Resuming } from './outputs.ts'
import { runFolder } from '../runs/store.ts'
import type { BulkTools, RunOutput } from '../tools.ts'
import { ended } from './without-sending.ts'

/** Takes the lock of a run, reads it, and cuts off what a crash left at the end of its journal. */
export async function openRecorded(tools: BulkTools, held: Holdings, stateDir: string, id: string) {
  const dir = runFolder(stateDir, id)
  await held.takeRun(dir, id)
  const recorded = await readRecorded(stateDir, id, true)
  const { state, replay } = recorded
  for (const draft of recorded.drafts) await rm(draft, { force: true }).catch(() => undefined)
  if (replay.torn === 0) return recorded
  const { length } = replay
  const check = (): Promise<void> => held.recheck()
  if (replay.damagedLines === 0) await cutJournal(dir, id, { length, check })
  else {
    const b = state.nextOpen()
    const event = { t: 'cut' as const, at: tools.host.now(), ...(await whenTainted(tools, state, b)), b }
    await cutJournal(dir, id, { length, event, check })
    state.cut(event)
  }
  const bytes = `${grouped(replay.torn)} ${replay.torn === 1 ? 'byte was' : 'bytes were'}`
  tools.note(`the end of the journal was not written whole: its last ${bytes} cut off`)
  return recorded
}

/** The service's time from which it counts that these may have been sent by another process, or without a record of it. */
async function whenTainted(tools: BulkTools, { operation }: RunState, batches: readonly number[]) {
  if (!isSingle(operation) || batches.length === 0) return {}
  const { now, margin } = await readLandingTime(tools)
  return margin === 0 ? { service: now } : {}
}

export async function resumeRecorded(resuming: Resuming): Promise<RunOutput> {
  const { tools, held, recorded, again, options } = resuming
  const { run, dir, state, files } = recorded
  tellRun(tools, run)
  const takeOver = held.takenOver
    ? { takeOver: true as const, ...(await whenTainted(tools, state, state.nextOpen())) }
    : {}
  const resumed: ResumeEvent = { t: 'resume', at: tools.host.now(), ...takeOver }
  state.resume(resumed)
  if (again !== undefined) state.reopen(again)
  const todo = state.openBatches()
  const outputs = new RunOutputs(resuming, todo.length > 0)
  await outputs.readInput()
  if (todo.length === 0) return showAgain(resuming, outputs)
  const { profile, fingerprint } = await checkBelongs(tools, recorded, options.newKey)
  const { operation, input, plan } = run
  const { rate } = await askPermit(tools, {
    operation,
    input,
    once: run.once?.name,
    signed: plan && { bytes: planBytes(plan, state.items), signatures: plan.signatures, run },
    rate: options.rate,
    maxDelete: options.maxDelete,
  })
  const count = countIds(state.batches, todo)
  const target = run.target ?? undefined
  if (state.needsTime(todo)) await readLandingTime(tools)
  tools.note(`resuming run ${run.run}: ${counted(operation, count)} left${toTarget(operation, target)}`)
  const about = (columns: number): Promise<string[]> => rowsLeft(resuming, todo, count, columns)
  await confirm(tools, profile, { state, todo, target, run, about, isUndo: run.undoes !== undefined })
  await held.recheck()
  const journal = await held.openJournal(dir, run.run)
  const opened = await outputs.open(journal)
  const key = fingerprint === run.key.fingerprint ? {} : { key: fingerprint }
  await journal.append({ ...resumed, ...key, files: outputs.named })
  if (again !== undefined) await journal.append(again)
  await journal.sync()
  await outputs.placeRejects(journal)
  return execute(tools, {
    run,
    held,
    state,
    todo,
    options: { ...options, rate },
    journal,
    ...opened,
    files,
    durationBefore: recorded.durationMs,
  })
}

/** The rows that are left, of an input that is still what it was. */
async function rowsLeft(
  { tools, recorded: { run, state } }: Resuming,
  todo: readonly number[],
  count: number,
  columns: number,
): Promise<string[]> {
  const { batches, items } = state
  const open = new Set(todo)
  const isLeft = (position: number): boolean => {
    return open.has(batchAt(batches, position))
  }
  // The ids of a shard are not where they are in its input.
  const sample = run.input.shard === undefined ? await sampleOf(tools, run, isLeft) : undefined
  if (sample !== undefined) return aboutPeople(tools, { sample, items, batches, count }, columns)
  tools.note(`the rows of its input cannot be shown here; its ids:\n  svc runs export ${run.run}`)
  return []
}

/** Nothing is left to send: the summary again, and the run's ending, which a killed process could not write. */
async function showAgain({ tools, held, recorded, options }: Resuming, outputs: RunOutputs): Promise<RunOutput> {
  const { run, dir, state, end, files } = recorded
  const journal = await held.openJournal(dir, run.run)
  await outputs.placeRejects(journal)
  const opened = await outputs.open(journal)
  const summary = recordedSummary(recorded, endingOf({ options, once: run.once }))
  const isAsked = opened.receipts !== undefined || opened.annotated !== undefined
  if (isAsked || end?.exitCode !== summary.exitCode || end.left !== 0) {
    await writeEnd(tools, { run, state, journal, ...opened, files }, () => summary)
  }
  await held.release()
  const when = new Date(end?.at ?? tools.host.now()).toISOString().slice(0, 10)
  tools.note(
    options.once === undefined ? `nothing is left to do in run ${run.run}` : `done on ${when}; nothing was sent`,
  )
  tellUnknown(tools, state)
  tellTooMany(tools, summary, run.run)
  const isSilent = options.once !== undefined && tools.messages.quiet
  const { failed } = outputs
  if (failed === undefined) return ended({ ...summary, isSilent }, allReceipts(state))
  // The summary keeps the run's own code.
  const exitCode = summary.exitCode === exit.unavailable ? summary.exitCode : failed.exitCode
  tools.messages.error(failed.endingWith(exitCode), undefined)
  return ended({ ...summary, exitCode, isSilent }, allReceipts(state))
}

/** Throws exit 2 when the run belongs to another service, or to another key without `--new-key`. */
export async function checkBelongs(tools: BulkTools, { run, keys }: RecordedRun, newKey: boolean | undefined) {
  const profile = (await tools.configuration()).profile()
  if (profile.baseUrl !== run.baseUrl) {
    const way =
      run.profile === null
        ? 'use the profile or the environment variables of that service'
        : `use its profile: -p ${run.profile}`
    throw usageError(
      `run ${run.run} belongs to ${run.baseUrl}, the profile to ${profile.baseUrl}; nothing was sent`,
      way,
    )
  }
  const fingerprint = keyFingerprint(profile.apiKey)
  if (!keys.has(fingerprint) && newKey !== true) {
    throw usageError(
      `run ${run.run} was started with the key ${run.key.ending}, this key is ${keyEnding(profile.apiKey)}; nothing was sent`,
      'another company does not know these ids; if both keys belong to the same company, add --new-key',
    )
  }
  return { profile, fingerprint }
}
