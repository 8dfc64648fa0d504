/** A recorded run read back: what became of each id as its journal tells it, and its summary. Nothing is touched. */
import { SvcError } from '../../errors.ts'
import { cutBatches } from '../record/batches.ts'
import type { EndEvent, FilePaths, JournalEvent } from '../record/events.ts'
import { withOther } from '../record/items.ts'
import { operationOf } from '../operations/operations.ts'
import { openIds, readItems } from '../record/read-items.ts'
import { readBegin, readJournal, type Replay } from '../record/replay.ts'
import { readRunFile, type Sums } from '../record/run-files.ts'
import type { RunFile } from '../record/run.ts'
import { RunState } from '../outcomes/state.ts'
import { hasBegun, runFolder } from './store.ts'
import { isDraft } from '../files/output-file.ts'
import { factsOf, summaryOf, type Summary } from '../outcomes/summary.ts'
import { acceptedBy, type Ending } from '../outcomes/totals.ts'

export interface RecordedRun {
  readonly run: RunFile
  readonly dir: string
  /** Not closed yet, but for batches that are done with. */
  readonly state: RunState
  /** Undefined when the last session did not come to its end. */
  readonly end: EndEvent | undefined
  /** Of all sessions together, in milliseconds. */
  readonly durationMs: number
  /** Fingerprints of the keys that worked on it. */
  readonly keys: ReadonlySet<string>
  /** Checksums of the files that it wrote for its user, by path. */
  readonly files: ReadonlyMap<string, ReadonlySet<string>>
  /** Where each kind of them was last asked for or written. */
  readonly places: FilePaths
  /** Paths of drafts that earlier sessions may have left. */
  readonly drafts: readonly string[]
  readonly replay: Replay
}

/**
 * `isToSend`: its ids are held in memory, where nobody changes them any more; who only looks reads them from their file.
 * Throws exit 2 when there is no such run, exit 10 when it cannot be read or was changed.
 */
export async function readRecorded(stateDir: string, id: string, isToSend = false): Promise<RecordedRun> {
  const dir = runFolder(stateDir, id)
  const { run, sum } = readRunFile(dir, id)
  const begin = hasBegun(dir) ? readBegin(dir, id) : undefined
  if (begin === undefined) throw neverBegan(id)
  if (begin.run !== id || begin.sums.run !== sum) {
    throw new SvcError('local', `run ${id} is damaged: run.json was changed after the run began`, {
      run: id,
      hint: dir,
    })
  }
  const state = await emptyState(dir, run, { sums: begin.sums, isToSend })
  const history = new History(run, state)
  const replay = await readJournal(dir, id, (event) => {
    history.take(event)
  })
  history.finish()
  const { end, durationMs, keys, files, places, drafts } = history
  return {
    run,
    dir,
    state,
    end,
    durationMs,
    keys,
    files,
    places,
    drafts: drafts.filter((path) => isDraft(path, id)),
    replay,
  }
}

/** The state of a run of whose journal nothing was read yet. */
async function emptyState(
  dir: string,
  run: RunFile,
  { sums, isToSend }: { readonly sums: Sums; readonly isToSend: boolean },
): Promise<RunState> {
  const { operation, target } = run
  const { isolate, concurrency, batchSize } = run.options
  const plain = await (run.kind === 'pairs' || isToSend ? readItems : openIds)(dir, run, sums)
  const { hasOneOther, pairs } = operationOf(operation)
  const items = hasOneOther === true && target !== null ? withOther(plain, target.id) : plain
  const chain = plain.pairs && pairs?.check(plain.pairs)
  return new RunState({ operation, items, batches: cutBatches(run.items, batchSize), chain, isolate, concurrency })
}

function neverBegan(id: string): SvcError {
  return new SvcError('usage', `run ${id} never began, or was removed`, {
    hint: 'see the others with: svc runs list',
  })
}

/** The one place where the lines of a journal become what is known of a run. */
class History {
  readonly keys: Set<string>
  readonly files = new Map<string, Set<string>>()
  places: FilePaths
  readonly drafts: string[] = []
  end: EndEvent | undefined
  durationMs = 0
  readonly #state: RunState
  readonly #firstKey: string
  #last: number

  constructor(run: RunFile, state: RunState) {
    this.#state = state
    this.places = run.files ?? {}
    this.#firstKey = run.key.fingerprint
    this.keys = new Set([run.key.fingerprint])
    this.#last = Date.parse(run.startedAt)
  }

  take(event: JournalEvent): void {
    // Before the line that begins a session, and no part of its time.
    if (event.t === 'drafts') {
      this.drafts.push(...event.paths)
      return
    }
    // What lies between two sessions does not count, and the clock of a machine may be set back.
    if (event.t !== 'resume') this.durationMs += Math.max(0, event.at - this.#last)
    this.#last = event.at
    // A session that died was perhaps stopped by what it was told last.
    if (event.t === 'resume' && this.end === undefined) this.#state.endSession(true)
    this.end = event.t === 'end' ? event : undefined
    this.#apply(event)
  }

  #apply(event: JournalEvent): void {
    switch (event.t) {
      case 'begin':
      case 'drafts':
        return
      case 'try':
      case 'res':
      case 'read':
      case 'isolated':
        this.#state.replay(event)
        return
      case 'resume':
        this.keys.add(event.key ?? this.#firstKey)
        this.places = { ...this.places, ...event.files }
        this.#state.resume(event)
        return
      case 'reopen':
        this.#state.reopen(event)
        return
      case 'kept':
        this.#state.keepOut(event)
        return
      case 'cut':
        this.#state.cut(event)
        return
      case 'file':
        this.#keepFile(event.path, event.sha256)
        this.places = { ...this.places, [event.kind]: event.path }
        return
      case 'end':
        this.#state.endSession(event.stop === 'refused' || event.stop === 'max-failures')
    }
  }

  finish(): void {
    if (this.end === undefined) this.#state.endSession(true)
  }

  #keepFile(path: string, sum: string): void {
    const sums = this.files.get(path)
    if (sums === undefined) this.files.set(path, new Set([sum]))
    else sums.add(sum)
  }
}

/** What of a run's options bears on its exit code. */
export function endingOf({
  options,
  once,
}: {
  readonly options: Parameters<typeof acceptedBy>[0]
  readonly once?: RunFile['once']
}): Pick<Ending, 'accept' | 'once'> {
  return { accept: acceptedBy(options), once: once !== undefined }
}

/** The summary of a recorded run. Closes its state. `how`: what bears on its exit code, as recorded unless given. */
export function recordedSummary({ run, state, end, durationMs }: RecordedRun, how = endingOf(run)): Summary {
  state.closeAll()
  return summaryOf({
    run: { id: run.run, name: run.once?.name },
    profile: run.profile,
    facts: factsOf(run, end?.at),
    input: run.input,
    state,
    ending: { ...how, ...stopOf(end, state.left().ids > 0) },
    durationMs,
  })
}

/** How the last session stopped. A run of which nothing is left was not stopped, whatever came at its end. */
function stopOf(end: EndEvent | undefined, isLeft: boolean): Pick<Ending, 'stop' | 'signal' | 'died'> {
  if (!isLeft) return { stop: null }
  // A journal without an ending: the process died, and its record does not say of what.
  if (end === undefined) return { stop: null, died: true }
  if (end.stop !== 'signal') return { stop: end.stop ?? null }
  return { stop: 'signal', signal: end.exitCode === 143 ? 'SIGTERM' : end.exitCode === 129 ? 'SIGHUP' : 'SIGINT' }
}
