/**
 * Undos of one run, as its journal names them: each change is given back once, whichever of them does it. The journal of the run that is
 * undone says so before the undo sends anything, since it is the one place that every later undo reads. `session.ts` records the undo by
 * it, and `undo.ts` asks which changes are left.
 */
import { say, svc } from '../../message.ts'
import { SvcError } from '../../errors.ts'
import { numbers } from '../record/batches.ts'
import type { UndoneEvent } from '../record/events.ts'
import type { RunFile } from '../record/run.ts'
import type { RecordedRun } from '../runs/recorded.ts'
import { appendTo, openRecorded } from './from-record.ts'
import type { Session, SessionContext } from './start.ts'

/** Batches in a line of a journal, so that it is far shorter than the longest. */
const mostBatches = 10_000

/**
 * The journal of the run that is undone says so before the undo sends anything: each change is given back once. Throws exit 6 for
 * an undo that goes on after another one took what is left of it, or where nothing tells that any more; exit 10 and 11 for the other run's record.
 */
export async function recordUndoing(context: SessionContext, session: Session): Promise<void> {
  const { store, clock } = context
  const { run, left } = session
  if (run.undoes === undefined || left.length === 0) return
  const isGoingOn = session.recorded !== undefined
  if (!store.isRecorded(run.undoes)) {
    // Another undo may have taken what was refused to this one, or all of it where this one was killed before the journal named it.
    if (isGoingOn) throw untoldUndoings(run)
    return
  }
  if (isGoingOn) await holdUndoing(context, run.undoes)
  const locks = context.locks.apart({ takeOver: false })
  try {
    const undone = await openRecorded({ ...context, locks }, run.undoes)
    const batches = batchesToUndo(undone, session)
    if (isGoingOn && batches.some((batch) => undone.undoingsOf(batch).length > 0)) {
      throw new SvcError(
        'rejected',
        `another undo of run ${run.undoes} has begun since; nothing was sent`,
        {
          hint: say`to see what is left to undo:\n  ${svc`runs undo ${run.undoes} --dry-run`}`,
          run: run.run,
        },
      )
    }
    const lines: UndoneEvent[] = []
    for (let from = 0; from < batches.length; from += mostBatches) {
      const b = batches.slice(from, from + mostBatches)
      lines.push({
        t: 'undone',
        at: clock.now(),
        run: run.run,
        b,
      })
    }
    await appendTo({ store, locks }, undone, lines)
  } finally {
    await locks.release()
  }
}

/** No other undo begins, or goes on, until the end of this session. Throws exit 11 while one works. */
export async function holdUndoing(
  { locks, store }: Pick<SessionContext, 'locks' | 'store'>,
  id: string,
): Promise<void> {
  // Apart from the locks of the session: the folder of the run that is undone may be pruned meanwhile.
  const undoing = locks.apart()
  locks.atEnd(() => undoing.release())
  await undoing.takeUndo(store, id)
}

/** Batches of a run that this undo will give back, and whose last undo, if they have one, is another. */
function batchesToUndo(undone: RecordedRun, { run, left, state }: Session): number[] {
  const ids = new Set(left.map((batch) => state.items.id(batch - 1).toLowerCase()))
  return [...numbers(undone.state.batches.total)].filter(
    (batch) =>
      ids.has(undone.state.items.id(batch - 1).toLowerCase()) &&
      undone.undoingsOf(batch).at(-1) !== run.run,
  )
}

/** Exit 6 for an undo that goes on when the record that names other undos is gone. */
function untoldUndoings({ run, undoes }: RunFile): SvcError {
  return new SvcError(
    'rejected',
    `the record of run ${undoes} was removed, so it cannot be told whether another undo gave these tickets back; nothing was sent`,
    {
      hint: say`to see which tickets these are:\n  ${svc`runs export ${run} --outcome error,unknown`}`,
      run,
    },
  )
}
