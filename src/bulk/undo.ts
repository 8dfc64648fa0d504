/**
 * `runs undo`: the job that undoes the changes of a recorded run that an answer confirmed. It is the run `undo-<run>`, so a second undo resumes it
 * or finds it done. `session.ts` calls it.
 */
import { lastSession } from '../disk/claim.ts'
import { SvcError, usageError } from '../errors.ts'
import { say, svc, type Message } from '../message.ts'
import { firstOf, joinOr } from '../words.ts'
import { checkOutputs } from './files.ts'
import { Items, type Item } from './record/items.ts'
import { createJob, type Job } from './job.ts'
import {
  commandOf,
  isOfPairs,
  operationOf,
  undoableOperations,
} from './operations/operations.ts'
import { isDone } from './operations/outcome.ts'
import { describeCount } from './telling/question.ts'
import { readRun, type RecordedRun } from './record/read-run.ts'
import { undoName } from './record/names.ts'
import { inSession, openRecord, sessionLine } from './open.ts'
import { checkSame } from './same.ts'
import type { RunReference } from './record/runs.ts'
import type { BulkTools, LaterOptions } from './tools.ts'

export interface UndoStart {
  readonly kind: 'undo'
  readonly run: RunReference
  readonly options: LaterOptions
}

const mostNamed = 20

/** Makes the job of an undo. Throws exit 2 if there is no such run or it cannot be undone, and exit 11 while another process works on it. */
export async function readUndo(tools: BulkTools, start: UndoStart): Promise<Job> {
  const { host } = tools
  const { options } = start
  const { receipts, takeOver, newKey } = options
  checkOutputs({ receipts })
  const runs = await tools.runs()
  const run = await runs.find(start.run, async () => (await tools.profile()).baseUrl)
  const dir = runs.folderOf(run)
  const session = lastSession(host, dir)
  if (session.kind === 'held' && takeOver !== true) {
    throw new SvcError(
      'busy',
      `${session.holder} is working on run ${run}; nothing was sent`,
      {
        run,
        hint: 'wait until it ends; if it died, run the command again with --take-over',
      },
    )
  }
  const recorded = await readRun(host, dir, run)
  const { header, sum } = recorded
  checkSame(recorded, await tools.profile(), newKey)
  const { items, parameters, leftOut } = itemsBack(recorded)
  const input = {
    read: items.size,
    unique: items.size,
    duplicates: 0,
    invalid: 0,
    ...(leftOut.length === 0 ? {} : { leftOut: leftOut.length }),
    sha256: items.sha256(),
  }
  return createJob(tools, {
    operation: header.operation,
    options: { ...options, file: [] },
    name: undoName(run),
    input,
    set: () => items.setSha256(),
    typed: {},
    contents: () => Promise.resolve({ parameters, items, input }),
    undoes: { run, header: sum },
    notes: notesOf(recorded, items, leftOut),
    beforeStart: () => markUndone(tools, recorded, takeOver),
  })
}

/** The items that undo the confirmed changes, and the ids that ever lost an answer. */
function itemsBack({ run, header, state }: Pick<RecordedRun, 'run' | 'header' | 'state'>) {
  const { undo } = operationOf(header.operation)
  if (undo.whyNot !== undefined) {
    throw usageError(
      `run ${run} (${header.operation}) cannot be undone: ${undo.whyNot}`,
      say`only runs of ${joinOr(undoableOperations.map(commandOf))} can be undone; to see what this one did:\n  ${svc`runs export ${run}`}`,
    )
  }
  const parameters = undo.parameters(header.parameters)
  const back: Item[] = []
  const leftOut: string[] = []
  for (const batch of state.batches.numbers()) {
    const { everAmbiguous, open, answer } = state.of(batch)
    const { from, to } = state.batches.range(batch)
    const { outcomes } = state.judge(batch)
    for (let position = from; position < to; position += 1) {
      const { id, line } = state.items.at(position)
      const isLost = everAmbiguous || open !== undefined
      if (isLost) leftOut.push(id)
      const outcome = outcomes[position - from]
      const isDoneByAnswer =
        answer?.k === 'answered' && outcome !== undefined && isDone(outcome)
      if (isLost || !isDoneByAnswer) continue
      const item = undo.item(id, answer.d)
      if (item !== undefined) back.push({ ...item, line })
    }
  }
  const ids = back.map(({ id }) => id)
  const items = isOfPairs(header.operation)
    ? Items.ofPairs(back)
    : Items.ofIds(ids, (position) => back[position]?.line ?? 0)
  return { items, parameters, leftOut }
}

function notesOf(
  { run, header }: RecordedRun,
  items: Items,
  leftOut: readonly string[],
): readonly Message[] {
  const count = describeCount(header.operation, items.size)
  const first = `run ${run} changed ${count} that can be changed back`
  if (leftOut.length === 0) return [first]
  const what = describeCount(header.operation, leftOut.length)
  const why = `${what} skipped, because an answer was lost: look at each of them:`
  return [first, [why, ...firstOf(leftOut, mostNamed)].join('\n  ')]
}

/**
 * Marks a run as undone before its undo begins, so that it is never resumed. Throws exit 11 if another process works on the run, or has changed it
 * meanwhile.
 */
function markUndone(
  tools: BulkTools,
  before: RecordedRun,
  takeOver: boolean | undefined,
): Promise<void> {
  const { run, dir } = before
  const { host } = tools
  return inSession(tools, { run, dir, takeOver }, async (session) => {
    const { number } = session.place.claim
    const recorded = await readRun(host, dir, run, { session: number })
    const [now, then] = [recorded, before].map((each) => itemsBack(each).items.sha256())
    if (now !== then) {
      throw new SvcError('busy', `run ${run} was resumed meanwhile; nothing was sent`, {
        run,
      })
    }
    if (recorded.undone === undoName(run)) return
    const line = sessionLine(tools, session.place)
    const journal = await openRecord(tools, session, recorded, line)
    await journal.end({ t: 'end', at: host.now(), undone: undoName(run) })
  })
}
