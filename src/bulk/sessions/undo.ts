/**
 * Undoing a recorded run of assigns: each ticket that an answer said it changed goes back to who had it before, while the
 * assignee is still the one that the run gave it. That is a new run of its own.
 *
 * A ticket that somebody moved since stays with whom they gave it to, and one that an earlier undo gave back is not given back twice:
 * what cannot be told for certain is left out, and named. `session.ts` calls `readUndo` for `svc runs undo`.
 */
import { say, svc } from '../../message.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Pair } from '../../input/pairs.ts'
import { idPattern } from '../../values.ts'
import { groupDigits, joinOr } from '../../words.ts'
import { cutBatches } from '../record/batches.ts'
import type { Moment } from '../record/landing.ts'
import { describeCount } from '../telling/confirm.ts'
import type { Receipt } from '../outcomes/receipt.ts'
import { findRun } from '../runs/find-run.ts'
import { itemsSha256, pairItems, pairsSetSha256 } from '../record/items.ts'
import { checkPlace, noFiles } from '../files/output-file.ts'
import { isDone } from '../operations/outcome.ts'
import { commandOf, operationOf } from '../operations/operations.ts'
import { bulkOperations } from '../../api/operations.ts'
import { allReceipts, formatOfReceipts } from '../files/receipts.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import type { RunStore } from '../runs/store.ts'
import { appendTo, openRecorded } from './from-record.ts'
import { createJob, type Job } from './job.ts'
import type { SessionContext, UndoStart } from './start.ts'
import { holdUndoing } from './undoing.ts'

/** The job that takes back a recorded run, whose undoing is locked. Throws exit 2 when there is no such run, or no way to undo it; exit 10 while another process works on it. */
export async function readUndo(
  context: SessionContext,
  { run: reference, options, isDry }: UndoStart,
): Promise<Job> {
  const { tools, service, store, clock } = context
  const { receipts, newKey } = options
  if (receipts !== undefined) {
    formatOfReceipts(receipts)
    await checkPlace(tools.host, { path: receipts, kind: 'receipts' }, noFiles)
  }
  const now = clock.moment()
  const id = await findRun(store, service, reference, 'undo')
  const recorded = await readEnded(context, id, isDry ? undefined : now)
  await service.checkBelongs(recorded, newKey)
  const { run, operation } = recorded.run
  const { pairs, late } = await changesBack(context, { recorded, now })
  const items = pairItems(pairs)
  const input = {
    read: items.size,
    unique: items.size,
    duplicates: 0,
    invalid: 0,
    sha256: itemsSha256(items),
  }
  return createJob(service, {
    operation,
    options: {
      file: [],
      dryRun: isDry,
      ...(receipts !== undefined && { receipts }),
      ...(options.reason !== undefined && { reason: options.reason }),
    },
    input,
    setSha256: () => pairsSetSha256(pairs),
    cut: () => ({ items, batches: cutBatches(items.size, 1), input }),
    typed: {},
    find: () => Promise.resolve({}),
    undoes: run,
    late: isDry ? undefined : late,
  })
}

/** A run that nobody works on, so that what it changed is known. `look`: the moment that is recorded where a lost attempt can still land. */
async function readEnded(
  context: SessionContext,
  id: string,
  look: Moment | undefined,
): Promise<RecordedRun> {
  const { locks, store, clock } = context
  const { operation } = store.readHeader(id)
  const { undo } = operationOf(operation)
  if (undo.whyNot !== undefined) {
    const undoable = bulkOperations.filter((name) => operationOf(name).undo.whyNot === undefined)
    throw usageError(
      `run ${id} (${operation}) cannot be undone: ${undo.whyNot}`,
      say`only runs of ${joinOr(undoable.map(commandOf))} can be undone; to see what this one did:\n  ${svc`runs export ${id}`}`,
    )
  }
  await holdUndoing(context, id)
  const reading = locks.apart()
  try {
    if (look === undefined) {
      await reading.takeRun(store, id)
      return await store.read(id)
    }
    const recorded = await openRecorded({ ...context, locks: reading }, id)
    const lines = recorded.isFirstLook(look)
      ? [
          {
            t: 'look' as const,
            at: clock.now(),
            ...look,
          },
        ]
      : []
    await appendTo({ store, locks: reading }, recorded, lines)
    recorded.state.look(look)
    return recorded
  } finally {
    await reading.release()
  }
}

/** How many tickets a note names. */
const mostNamed = 20

/** The tickets of a run, by what an undo does with them. */
interface Sorted {
  readonly pairs: Pair[]
  /** No answer says that the run took them from somebody. */
  readonly unconfirmed: string[]
  /** A lost attempt can still take effect. */
  readonly late: string[]
  /** An earlier undo gave them back, or may have, or still will: by its run. */
  readonly returned: Map<string, string[]>
}

/** An undo: of a recorded run, as it is at this moment. */
interface Undoing {
  readonly recorded: RecordedRun
  readonly now: Moment
}

/** The tickets that the run certainly changed, with who had them before; names the others, and says why they stay. */
async function changesBack(context: SessionContext, undoing: Undoing) {
  const { store, clock, teller } = context
  const { recorded } = undoing
  const { run, operation } = recorded.run
  recorded.state.closeAll()
  const { pairs, unconfirmed, late, returned, wait } = await sortTickets(store, undoing)
  const count = describeCount(operation, pairs.length)
  teller.note(`run ${run} changed ${count} that can be given back`)
  const leftOut = (ids: readonly string[], why: string): string =>
    `${describeCount(operation, ids.length)} left out: ${why}`
  for (const [other, ids] of returned) {
    const why = `run ${other} gave ${ids.length === 1 ? 'it' : 'them'} back, or may have`
    const words = namedUnder(leftOut(ids, why), ids)
    teller.note(say`${words}\nto see what it did:\n  ${svc`runs show ${other}`}`)
  }
  if (unconfirmed.length > 0) {
    const them = unconfirmed.length === 1 ? 'it' : 'them'
    const why = `no answer says that the run took ${them} from another employee`
    teller.note(namedUnder(leftOut(unconfirmed, why), unconfirmed))
  }
  if (late.length === 0) return { pairs, late: undefined }
  const why = leftOut(late, 'an attempt whose answer was lost can still take effect')
  const from = new Date(clock.now() + wait).toISOString()
  const hint = say`from ${from} on:\n  ${svc`runs undo ${run}`}`
  teller.note(say`${namedUnder(why, late)}\n${hint}`)
  return { pairs, late: new SvcError('unavailable', why, { hint, run }) }
}

/** A line, and under it the first of the tickets that it is about. */
function namedUnder(line: string, ids: readonly string[]): string {
  const more = ids.length > mostNamed ? [`and ${groupDigits(ids.length - mostNamed)} more`] : []
  return [`${line}:`, ...ids.slice(0, mostNamed), ...more].join('\n  ')
}

/** The tickets of a run, by what an undo does with them; `wait`: until the last can no longer be changed by a lost attempt. */
async function sortTickets(
  store: RunStore,
  { recorded, now }: Undoing,
): Promise<Sorted & { readonly wait: number }> {
  const { state } = recorded
  const isTaken = takenByOthers(store, recorded)
  const sorted: Sorted = {
    pairs: [],
    unconfirmed: [],
    late: [],
    returned: new Map(),
  }
  let wait = 0
  for (const receipt of allReceipts(state)) {
    const { id, batch } = receipt
    const pair = state.of(batch).answer !== undefined ? pairBack(receipt) : undefined
    const time = state.timeToLand(batch, now)
    const undoing = pair && (await isTaken(batch, id))
    if (pair === undefined) {
      sorted.unconfirmed.push(id)
    } else if (undoing !== undefined) {
      sorted.returned.set(undoing, [...(sorted.returned.get(undoing) ?? []), id])
    } else if (time > 0) {
      sorted.late.push(id)
      wait = Math.max(wait, time)
    } else {
      sorted.pairs.push(pair)
    }
  }
  return { ...sorted, wait }
}

/**
 * Which other undo gave a change back, may have, or still will. A ticket that it ended with `error`, and that its resumption would not send
 * again, is free: it was refused, or had another assignee.
 */
function takenByOthers(store: RunStore, recorded: RecordedRun) {
  const reading = new Map<string, Promise<ReadonlySet<string>>>()
  const readFree = async (run: string): Promise<ReadonlySet<string>> => {
    // Its record was removed: it had ended, and nothing tells how.
    if (!store.isRecorded(run)) return new Set()
    const { state } = await store.read(run)
    state.closeAll()
    const refused = [...allReceipts(state)].filter(
      ({ outcome, batch }) => outcome === 'error' && !state.isLeft(batch),
    )
    return new Set(refused.map(({ id }) => id.toLowerCase()))
  }
  return async (batch: number, id: string): Promise<string | undefined> => {
    for (const run of recorded.undoingsOf(batch)) {
      const free = reading.get(run) ?? readFree(run)
      reading.set(run, free)
      if (!(await free).has(id.toLowerCase())) return run
    }
    return undefined
  }
}

/** Undefined unless an answer said whose ticket it was and is. */
function pairBack({ id, line, outcome, before, after }: Receipt): Pair | undefined {
  // A command is made of ids only, whatever the service sent.
  if (
    !isDone(outcome) ||
    before == null ||
    after == null ||
    !idPattern.test(before) ||
    !idPattern.test(after)
  ) {
    return undefined
  }
  if (before.toLowerCase() === after.toLowerCase()) return undefined
  return {
    id,
    other: before,
    expected: after,
    line: line ?? 0,
  }
}
