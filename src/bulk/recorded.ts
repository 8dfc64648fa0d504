/** A recorded run read back: what became of each id as its journal tells it, and its summary. Nothing is touched. */
import { cutBatches, type Batches } from './batches.ts'
import { openBook, type Book, type Chain, type Items } from './book.ts'
import { readJournal, readRun, readRunIds, readRunPairs, type RunFile } from './journal.ts'
import { chainOf, pairItems, tableItems, withOther } from './plan.ts'
import type { EndEvent, Ending, JournalEvent } from './reconcile.ts'
import { summaryOf, type Summary } from './summary.ts'

/** What a run is made of, without what became of it. */
export interface RunShape {
  readonly run: RunFile
  readonly dir: string
  readonly items: Items
  readonly batches: Batches
  readonly chain: Chain | undefined
  readonly isolate: boolean
}

export interface RecordedRun extends RunShape {
  /** Not closed yet: states are as the journal left them. */
  readonly book: Book
  /** Undefined when the last session did not come to its end. */
  readonly end: EndEvent | undefined
  /** Of all sessions together, in milliseconds. */
  readonly durationMs: number
}

/** Throws exit 2 when there is no such run, exit 10 when it cannot be read. */
export async function shapeOf(stateDir: string, name: string): Promise<RunShape> {
  const { run, dir } = await readRun(stateDir, name)
  const { items, chain } = await itemsOf(dir, run)
  const batches = cutBatches(run.items, run.options.batchSize)
  return { run, dir, items, batches, chain, isolate: run.options.isolate === true }
}

async function itemsOf(dir: string, run: RunFile): Promise<{ items: Items; chain: Chain | undefined }> {
  if (run.kind === 'pairs') {
    const pairs = await readRunPairs(dir, run)
    return { items: pairItems(pairs), chain: run.operation === 'contacts.merge' ? chainOf(pairs) : undefined }
  }
  const items = tableItems(await readRunIds(dir, run))
  const isAssign = run.operation === 'tickets.assign' && run.target !== null
  return { items: isAssign ? withOther(items, run.target.id) : items, chain: undefined }
}

/** Adds up how long the sessions of a run took; what lies between two of them does not count. */
export function timer(run: RunFile): { hear(event: JournalEvent): void; readonly durationMs: number } {
  let last = Date.parse(run.startedAt)
  let durationMs = 0
  return {
    hear(event) {
      // The clock of a machine may be set back.
      if (event.t !== 'resume') durationMs += Math.max(0, event.at - last)
      last = event.at
    },
    get durationMs() {
      return durationMs
    },
  }
}

/** A run as its journal tells it. Throws exit 2 or 10. */
export async function readRecorded(stateDir: string, name: string): Promise<RecordedRun> {
  const shape = await shapeOf(stateDir, name)
  const book = openBook(shape.run.operation, shape.items, shape.batches, shape)
  const time = timer(shape.run)
  let end: EndEvent | undefined
  await readJournal(shape.dir, name, (event) => {
    end = event.t === 'end' ? event : undefined
    time.hear(event)
    if (event.t !== 'end' && event.t !== 'resume') book.apply(event)
  })
  return { ...shape, book, end, durationMs: time.durationMs }
}

/** What of a run's options bears on its exit code. */
export function optionsOf({ options }: RunFile): {
  ignoreNotFound: boolean | undefined
  ignoreBlocked: boolean | undefined
} {
  return { ignoreNotFound: options.ignoreNotFound, ignoreBlocked: options.ignoreBlocked }
}

/** The summary of a recorded run. Closes its book. */
export function recordedSummary({ run, book, end, durationMs, isolate }: RecordedRun): Summary {
  book.closeAll()
  return summaryOf({
    operation: run.operation,
    run: run.run,
    profile: run.profile,
    input: run.input,
    book,
    ending: { ...optionsOf(run), ...stopOf(end, book.left().batches > 0) },
    isolated: isolate,
    durationMs,
  })
}

/** How the last session stopped. A run of which nothing is left was not interrupted, whenever the signal came. */
function stopOf(end: EndEvent | undefined, isLeft: boolean): Pick<Ending, 'stop' | 'signal'> {
  // A journal without an ending: the process died, by which signal nobody knows.
  if (end === undefined) return { stop: isLeft ? 'signal' : null }
  if (end.stop !== 'signal') return { stop: end.stop ?? null }
  if (!isLeft) return { stop: null }
  return { stop: 'signal', signal: end.exitCode === 143 ? 'SIGTERM' : end.exitCode === 129 ? 'SIGHUP' : 'SIGINT' }
}
