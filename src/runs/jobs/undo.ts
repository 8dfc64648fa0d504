/**
 * `runs undo`: the job that undoes a run's confirmed changes. It is the run `undo-<run>`, so a second undo resumes it or
 * finds it done.
 */
import { usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { firstOf, joinOr } from '../../words.ts'
import { hasLostAnswer } from '../batch.ts'
import { checkOutputs } from '../files/files.ts'
import type { RecordedRun } from '../fold.ts'
import { countsOf, Items, type Item } from '../items.ts'
import { recordedIn, type RunReference } from '../list.ts'
import { undoName, type RunPlace } from '../names.ts'
import { commandOf, operationOf, undoableOperations } from '../operations/operations.ts'
import { isDone } from '../outcomes.ts'
import { readLog } from '../reading.ts'
import { takeRun } from '../take.ts'
import { describeCount } from '../telling/question.ts'
import type { Job, LaterOptions, RunTools } from './job.ts'
import { checkService } from './same.ts'

export interface UndoStart {
  kind: 'undo'
  run: RunReference
  options: LaterOptions
}

const mostNamed = 20

/** Makes the job of an undo. Throws exit 2 if there is no such run or it cannot be undone. */
export async function readUndo(tools: RunTools, start: UndoStart): Promise<Job> {
  const { options } = start
  const { receipts, takeOver, newKey } = options
  checkOutputs({ receipts })
  const runs = await tools.runs()
  // A repeat of `--last` means the same run again, and not its undo, which is newer.
  const isNoUndo = ({ run }: RunPlace) => !run.startsWith(undoName(''))
  const place = await runs.find(start.run, tools.profile, isNoUndo)
  const read = await readLog(tools.host, place)
  if (read === undefined) throw runs.missing(place.run)
  const recorded = recordedIn(read.log)
  const { run, head } = recorded
  checkService(recorded, await tools.profile(), newKey)
  const { items, leftOut } = undoItems(recorded)
  const counts = { read: items.size, duplicates: 0, invalid: 0, leftOut: leftOut.length }
  const input = countsOf({ items, ...counts })
  const count = describeCount(head.operation, items.size)
  const notes = [`run ${run}: ${count} to give back, each if its new assignee still has it`]
  if (leftOut.length > 0) {
    const what = describeCount(head.operation, leftOut.length)
    const why = `${what} skipped, because an answer was lost: look at each of them:`
    notes.push([why, ...firstOf(leftOut, mostNamed)].join('\n  '))
  }
  return {
    operation: head.operation,
    options: { ...options, file: [] },
    name: undoName(run),
    isOne: false,
    input,
    resolveContents: () => Promise.resolve({ parameters: {}, items, input }),
    undoes: { run, startedAt: head.startedAt },
    notes,
    // The name as the record spells it.
    beforeStart: () => markUndone(tools, { ...place, run }, items, takeOver),
  }
}

/** The items that undo the confirmed changes, and the ids for which an answer was lost. */
function undoItems({ run, head, state }: RecordedRun) {
  const { undo } = operationOf(head.operation)
  if (typeof undo === 'string') {
    throw usageError(
      `run ${run} (${head.operation}) cannot be undone: ${undo}`,
      say`only runs of ${joinOr(undoableOperations.map(commandOf))} can be undone; to see what this one did:\n  ${svc`runs export ${run}`}`,
    )
  }
  const back: Item[] = []
  const leftOut: string[] = []
  for (const batch of state.batches.numbers()) {
    const batchState = state.stateOf(batch)
    const { inFlight, answer } = batchState
    // An operation that can be undone has one item in each batch.
    const { from } = state.batches.range(batch)
    const { id, line } = state.items.at(from)
    const [outcome] = state.judge(batch).outcomes
    const isConfirmed = answer?.k === 'answered' && outcome !== undefined && isDone(outcome)
    if (hasLostAnswer(batchState) || inFlight !== undefined) leftOut.push(id)
    else if (isConfirmed) {
      const item = undo(id, answer.d)
      if (item !== undefined) back.push({ ...item, line })
    }
  }
  return { items: Items.ofPairs(back), leftOut }
}

/**
 * Marks a run as undone before its undo begins, so that it is never resumed. Throws exit 7 if another process works on the
 * run, exit 2 if one has changed it meanwhile.
 */
async function markUndone(
  tools: RunTools,
  place: RunPlace,
  items: Items,
  takeOver: boolean | undefined,
) {
  const { run } = place
  const taken = await takeRun(tools, place, {
    takeOver,
    decideToClaim(log) {
      const recorded = recordedIn(log)
      if (undoItems(recorded).items.sha256() !== items.sha256()) {
        throw usageError(`run ${run} was resumed in the meantime; nothing was sent`)
      }
      return recorded.undone !== undoName(run)
    },
  })
  if (taken === undefined)
    throw usageError(`run ${run} was removed in the meantime; nothing was sent`)
  const { file, isHeld } = taken
  try {
    if (!isHeld) return
    await file.appendSynced({ t: 'undone', by: undoName(run) })
    file.free()
  } finally {
    await file.close()
  }
}
