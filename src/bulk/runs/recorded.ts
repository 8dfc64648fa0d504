/**
 * A recorded run read back: what became of each id as its journal tells it, and its summary. Nothing is touched. `store.ts` calls it for
 * every session that continues a run, and for the verbs of `runs`, which show one.
 */
import { SvcError } from '../../errors.ts'
import { pluralize } from '../../words.ts'
import type { DiskHost } from '../../world.ts'
import { landingOf } from '../record/batch-state.ts'
import { cutBatches, numbers } from '../record/batches.ts'
import { lookAt, type Moment } from '../record/landing.ts'
import type {
  DraftsEvent,
  EndEvent,
  FileEvent,
  JournalEvent,
  LookEvent,
  UndoneEvent,
} from '../record/events.ts'
import { isSingle, operationOf } from '../operations/operations.ts'
import { isBesideSessions, readBegin, readJournal, type Replay } from '../record/replay.ts'
import { neverBegan, readItems, readRunFile } from '../record/run-files.ts'
import type { RunFile } from '../record/run.ts'
import { RunState } from '../outcomes/state.ts'
import type { LockReaderHost } from '../../disk/lock-file.ts'
import { isDraft } from '../files/output-file.ts'
import { aboutRun, summaryOf, type Summary } from '../outcomes/summary.ts'
import { acceptedBy, type RunEnding } from '../outcomes/totals.ts'

/** Throws exit 2 when there is no such run, exit 10 when it cannot be read or was changed. */
export async function readRecorded(
  host: LockReaderHost,
  dir: string,
  id: string,
): Promise<RecordedRun> {
  const { run, sum } = readRunFile(host, dir, id)
  const begin = readBegin(host, dir, id)
  if (begin === undefined) throw neverBegan(id)
  const what = `run ${id} is damaged: run.json was changed after the run began`
  if (begin.run !== id || begin.sums.run !== sum) {
    throw new SvcError('local', what, { run: id, hint: dir })
  }
  const items = await readItems(host, dir, run, begin.sums)
  const chain = items.pairs && operationOf(run.operation).items.pairs?.check(items.pairs)
  const batches = cutBatches(run.items, run.options.batchSize)
  const { operation, parameters, options } = run
  const { concurrency } = options
  const parts = { operation, parameters, concurrency, items, batches, chain }
  const state = new RunState({ ...parts, keepsAnswers: run.isOne === true })
  return new RecordedRun(run, dir, state).read(host)
}

/** The one place where the lines of a journal become what is known of a run. */
export class RecordedRun {
  readonly run: RunFile
  readonly dir: string
  /** Not closed yet, but for batches that are done with. */
  readonly state: RunState
  /** Undefined when the last session did not come to its end. */
  end: EndEvent | undefined
  /** Duration of all sessions together, in milliseconds. */
  durationMs = 0
  /** Fingerprints of the keys that worked on it. */
  readonly keys: Set<string>
  /** Checksums of the files that it wrote for its user, by path. */
  readonly files = new Map<string, Set<string>>()
  /** By batch, the runs that undo it. */
  readonly undoings = new Map<number, readonly string[]>()
  /** Paths of drafts that earlier sessions may have left. */
  readonly drafts: string[] = []
  replay: Replay = {
    length: 0,
    torn: 0,
    damagedLines: 0,
  }
  /** Time of its last line, in milliseconds since 1970. */
  lastAt: number

  constructor(run: RunFile, dir: string, state: RunState) {
    this.run = run
    this.dir = dir
    this.state = state
    this.keys = new Set([run.key.fingerprint])
    this.lastAt = Date.parse(run.startedAt)
  }

  /** The end of its journal that cannot be read, in words; undefined when it is whole. A resume cuts it off. */
  get damage(): string | undefined {
    const { torn } = this.replay
    if (torn === 0) return undefined
    const bytes = pluralize(torn, 'byte')
    return `the end of the journal of run ${this.run.run} is damaged: its last ${bytes} cannot be read, and count as not written`
  }

  /** To be called once. */
  async read(host: DiskHost): Promise<this> {
    this.replay = await readJournal(host, this.dir, this.run.run, (event) => this.#take(event))
    if (this.end === undefined) this.state.endSession(true)
    return this
  }

  #take(event: JournalEvent): void {
    // No part of the time of a session.
    if (isBesideSessions(event)) return this.#applyBeside(event)
    // The time between two sessions does not count, and the clock of a machine may be set back.
    if (event.t !== 'resume') this.durationMs += Math.max(0, event.at - this.lastAt)
    this.lastAt = event.at
    // A session that died was perhaps stopped by what it was told last.
    if (event.t === 'resume' && this.end === undefined) this.state.endSession(true)
    this.end = event.t === 'end' ? event : undefined
    this.#apply(event)
  }

  #applyBeside(event: DraftsEvent | LookEvent | UndoneEvent): void {
    switch (event.t) {
      case 'drafts': {
        // A path of anything else is nothing to remove, whatever the journal says.
        const own = event.paths.filter((path) => isDraft(path, this.run.run))
        this.drafts.push(...own)
        return
      }
      case 'look':
        return this.state.look(event)
      case 'undone':
        for (const batch of event.b) {
          this.undoings.set(batch, [...this.undoingsOf(batch), event.run])
        }
    }
  }

  /** Whether the time of a lost merge or assign begins anew with a look at this moment, which the journal has to tell then. */
  isFirstLook(moment: Moment): boolean {
    if (!isSingle(this.run.operation)) return false
    return [...numbers(this.state.batches.total)].some((batch) => {
      const landing = landingOf(this.state.of(batch))
      return landing !== undefined && lookAt(landing, moment) !== landing
    })
  }

  /** Runs that gave a batch back, or may have. */
  undoingsOf(batch: number): readonly string[] {
    return this.undoings.get(batch) ?? []
  }

  /** A file may be written again by a later session: each of its checksums is this run's. */
  #addFile({ path, sha256 }: FileEvent): void {
    const sums = new Set(this.files.get(path))
    this.files.set(path, sums.add(sha256))
  }

  #apply(event: Exclude<JournalEvent, DraftsEvent | LookEvent | UndoneEvent>): void {
    switch (event.t) {
      case 'begin':
        return
      case 'try':
      case 'res':
      case 'read':
      case 'isolated':
        return this.state.replay(event)
      case 'resume':
        this.keys.add(event.key ?? this.run.key.fingerprint)
        return this.state.resume(event)
      case 'reopen':
        return this.state.reopen(event)
      case 'cut':
        return this.state.cut(event)
      case 'file':
        this.#addFile(event)
        return
      case 'end':
        this.state.endSession(event.stop === 'refused' || event.stop === 'max-failures')
    }
  }
}

/** Options of a run that bear on its exit code. */
export function endingOf({
  options,
  once,
}: {
  options: Parameters<typeof acceptedBy>[0]
  once?: RunFile['once']
}) {
  return { accept: acceptedBy(options), once: once !== undefined }
}

/** The summary of a recorded run. Closes its state. `how`: what bears on its exit code, as recorded unless given. */
export function recordedSummary(
  { run, state, end, durationMs }: RecordedRun,
  how = endingOf(run),
): Summary {
  state.closeAll()
  return summaryOf({
    about: aboutRun(run, end?.at),
    input: run.input,
    state,
    ending: { ...how, ...stopOf(end, state.countLeft() > 0) },
    durationMs,
  })
}

/** How the last session stopped. A run of which nothing is left was not stopped, whatever came at its end. */
function stopOf(
  end: EndEvent | undefined,
  isLeft: boolean,
): Pick<RunEnding, 'stop' | 'signal' | 'died'> {
  if (!isLeft) return { stop: null }
  // A journal without an ending: the process died, and its record does not say of what.
  if (end === undefined) return { stop: null, died: true }
  if (end.stop !== 'signal') return { stop: end.stop ?? null }
  return {
    stop: 'signal',
    signal: end.exitCode === 143 ? 'SIGTERM' : end.exitCode === 129 ? 'SIGHUP' : 'SIGINT',
  }
}
