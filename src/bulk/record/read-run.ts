/**
 * Reads a run from its files as one record, in the same way for a resumed session, a list and an undo. Nothing here writes. `runs.ts`, `resume.ts`,
 * `prune.ts`, `undo.ts` and the verbs of `runs` call it.
 */
import { join } from 'node:path'
import * as v from 'valibot'
import { readRegular } from '../../disk/trust.ts'
import { isThere } from '../../disk/whole.ts'
import { keptError } from '../../errno.ts'
import { messageOf, SvcError, systemCode, usageError } from '../../errors.ts'
import { say, svc } from '../../message.ts'
import { pluralize } from '../../words.ts'
import type { DiskHost } from '../../world.ts'
import { aboutRun, summaryOf, type Summary } from '../outcomes/summary.ts'
import { acceptedBy, type RunEnding } from '../outcomes/totals.ts'
import { parseHeader, sha256, type Header } from './header.ts'
import { Items } from './items.ts'
import {
  Count,
  journalName,
  readJournal,
  stopOf,
  type JournalHost,
  type JournalLine,
  type LineOf,
} from './journal.ts'
import { RunState } from './state.ts'

export const headerName = 'header.json'
export const itemsName = 'items'
export const summaryName = 'summary.json'

/** `summary.json`: the last proper end of a run, which prune keeps. */
const KeptSummary = v.object({
  schema: v.literal('svc.summary/1'),
  /** SHA-256 of the `header.json` that it belongs to. */
  header: v.string(),
  /** Bytes of the journal that it sums up: of another journal it says nothing. */
  journal: Count,
  /** The times of the journal's last line and of the end (null if the last session died), in milliseconds since 1970. */
  lastAt: v.number(),
  endedAt: v.nullable(v.number()),
  /** Fingerprints of all keys that worked on it. */
  keys: v.array(v.string()),
  /** The summary as the command printed it. */
  document: v.looseObject({
    status: v.string(),
    stopReason: v.nullable(v.string()),
    result: v.record(v.string(), Count),
    left: Count,
    exitCode: Count,
  }),
})
export type KeptSummary = v.InferOutput<typeof KeptSummary>

/** The summary as the file keeps it. `journal`: its length in bytes. */
export function keptSummary(
  { endedAt, lastAt, keys, sum }: RecordedRun,
  { document }: Summary,
  journal: number,
): KeptSummary {
  return {
    schema: 'svc.summary/1',
    header: sum,
    journal,
    lastAt,
    endedAt: endedAt ?? null,
    keys: [...keys],
    document: { ...document },
  }
}

/** A run as its files tell it. */
export class RecordedRun {
  readonly run: string
  readonly dir: string
  readonly header: Header
  /** SHA-256 of `header.json`. */
  readonly sum: string
  readonly state: RunState
  /** The last line, when it is an end. */
  end: LineOf<'end'> | undefined
  /** Time of the end of the last session that sent something, or of the first. */
  doneAt: number | undefined
  #isSending = true
  /** The undo that has begun. */
  undone: string | undefined
  /** How the run had ended when its last session began. */
  #endBefore: LineOf<'end'> | undefined
  /** Duration of all sessions together, in milliseconds. */
  durationMs = 0
  /** Fingerprints of the keys that worked on it. */
  readonly keys: Set<string>
  /** Checksums of the files that it wrote for its user, by path. */
  readonly files = new Map<string, Set<string>>()
  /** Lines that are damaged, the unended last one included. */
  damagedLines = 0
  isUnended = false
  /** Time of the last line, in milliseconds since 1970. */
  lastAt: number

  constructor(run: string, dir: string, { header, sum }: ReadHeader, items: Items) {
    this.run = header.name ?? run
    this.dir = dir
    this.header = header
    this.sum = sum
    const { operation, parameters, options } = header
    this.state = new RunState({
      operation,
      parameters,
      items,
      batchSize: options.batchSize,
    })
    this.keys = new Set([header.key.fingerprint])
    this.lastAt = Date.parse(header.startedAt)
  }

  /** The next line of the journal, as it was read or written; undefined for a damaged one. */
  take(line: JournalLine | undefined): void {
    this.state.replay(line)
    if (line === undefined) {
      this.damagedLines += 1
      return
    }
    // Only the time of a session counts, not the time before its first line. A machine's clock may be set back.
    const isFirst = line.t === 'session' || line.t === 'begin'
    if (!isFirst) this.durationMs += Math.max(0, line.at - this.lastAt)
    // A line is taken when it is synced, so those of several workers can come out of order.
    this.lastAt = isFirst ? line.at : Math.max(this.lastAt, line.at)
    const { end } = this
    this.end = undefined
    switch (line.t) {
      case 'session':
        this.#endBefore = end
        if (line.key !== undefined) this.keys.add(line.key)
        return
      case 'try':
      case 'read':
        this.#isSending = true
        return
      case 'file': {
        const sums = this.files.get(line.path) ?? new Set()
        this.files.set(line.path, sums.add(line.sha256))
        return
      }
      case 'end':
        return this.#takeEnd(line)
      case 'begin':
      case 'res':
    }
  }

  #takeEnd(line: LineOf<'end'>): void {
    if (line.undone !== undefined) {
      this.undone = line.undone
      // The run ended as it had before it was taken back.
      this.end = this.#endBefore
      return
    }
    this.end = line
    if (this.#isSending || this.doneAt === undefined) this.doneAt = line.at
    this.#isSending = false
  }

  /** Undefined while it is not ended. A session that sent nothing moves no end. */
  get endedAt(): number | undefined {
    return this.end && this.doneAt
  }

  /** The damage of its journal, in words; undefined when it is whole. */
  get damage(): string | undefined {
    if (this.damagedLines === 0) return undefined
    const lines = pluralize(this.damagedLines, 'damaged line')
    return `${lines} skipped in the journal of run ${this.run}: batches that may have been sent then are unknown`
  }

  /** The current summary. `options`: the accepted outcomes, by default those of the header. `stopped`: why a session that is about to end stopped. */
  summary(
    options: Parameters<typeof acceptedBy>[0] = this.header.options,
    stopped: RunEnding = this.#stopped,
  ): Summary {
    const { header, state, durationMs } = this
    const { name, undoes, input } = header
    const isPart = undoes !== undefined && (input.leftOut ?? 0) > 0
    return summaryOf({
      about: aboutRun(this.run, header, this.endedAt),
      input,
      state,
      ending: { accept: acceptedBy(options), isNamed: name !== null, isPart, ...stopped },
      durationMs,
    })
  }

  /** A run with nothing left was not stopped, even if something happened at its end. */
  get #stopped(): RunEnding {
    const { state, end } = this
    const isLeft = state.listLeft().length > 0
    return isLeft ? (end === undefined ? { died: true } : stopOf(end.stop)) : {}
  }
}

interface ReadHeader {
  readonly header: Header
  readonly sum: string
}

/** The state of a run on disk. */
export type RunRecord =
  | { readonly kind: 'free' }
  | { readonly kind: 'pruned'; readonly header: Header; readonly summary: KeptSummary }
  | { readonly kind: 'run'; readonly recorded: RecordedRun }

/** Which lines are read: up to the `session` line of a holder, or all of them for somebody who only looks. */
interface Reading {
  /** The session of the reader. Lines of a later one are exit 11. */
  readonly session?: number
  /** A living process may be in the middle of a line. */
  readonly isHeld?: boolean
}

/** Reads a run. Throws exit 2 for one that is broken, exit 10 when it cannot be read, 11. */
export async function readRecord(
  host: JournalHost,
  dir: string,
  run: string,
  { session = Infinity, isHeld = false }: Reading = {},
): Promise<RunRecord> {
  if (!hasFile(host, dir, run, headerName)) return { kind: 'free' }
  const header = readHeader(host, dir, run)
  if (!hasFile(host, dir, run, journalName)) return prunedRecord(host, dir, run, header)
  const lines: (JournalLine | undefined)[] = []
  const { isUnended } = await readJournal(host, dir, run, (line) => {
    if (line !== undefined && line.n > session) {
      throw new SvcError(
        'busy',
        `run ${run} was taken over; nothing more was sent from here`,
        {
          run,
        },
      )
    }
    lines.push(line)
  })
  const [begin] = lines
  if (begin?.t !== 'begin')
    throw broken(run, dir, 'the first line of its journal is damaged')
  if (begin.header !== header.sum) throw headerChanged(run, dir)
  const last = lines.at(-1)
  if (last?.t === 'end' && last.pruned === true) return prunedRecord(host, dir, run, header)
  const items = readItems(host, dir, run, { header: header.header, sum: begin.items })
  const recorded = new RecordedRun(run, dir, header, items)
  for (const line of lines) recorded.take(line)
  recorded.isUnended = isUnended
  if (isUnended && !isHeld) recorded.take(undefined)
  return { kind: 'run', recorded }
}

/** The record of a run that must exist. Throws exit 2 if there is no such run, or only its summary. */
export async function readRun(
  host: JournalHost,
  dir: string,
  run: string,
  reading?: Reading,
): Promise<RecordedRun> {
  const record = await readRecord(host, dir, run, reading)
  if (record.kind === 'run') return record.recorded
  if (record.kind === 'free') throw neverBegan(run)
  throw usageError(`the record of run ${run} was removed; only its summary was kept`, [
    svc`runs show ${run}`,
  ])
}

/** Exit 2: a folder that a run was to have. */
export const neverBegan = (run: string): SvcError =>
  usageError(
    `run ${run} never began, or was removed`,
    say`see the others with: ${svc`runs list`}`,
  )

/** Throws exit 10, or 2 for a folder that this user may not read. */
function hasFile(host: DiskHost, dir: string, run: string, name: string): boolean {
  try {
    return isThere(host, join(dir, name))
  } catch (error) {
    throw keptError(`run ${run} cannot be read: ${dir}`, error).with({ run })
  }
}

function readHeader(host: DiskHost, dir: string, run: string): ReadHeader {
  const text = readWhole(host, join(dir, headerName), run).toString()
  const parsed = parseHeader(text)
  if (parsed.problem !== undefined) throw broken(run, dir, `header.json: ${parsed.problem}`)
  return { header: parsed.header, sum: sha256([text]) }
}

function readItems(
  host: DiskHost,
  dir: string,
  run: string,
  { header: { kind, input }, sum }: ReadHeader,
): Items {
  if (!hasFile(host, dir, run, itemsName))
    throw broken(run, dir, 'its file of ids is missing')
  const bytes = readWhole(host, join(dir, itemsName), run)
  const isBegun = sha256([bytes]) === sum
  const items = isBegun ? Items.parse(bytes.toString('latin1'), kind) : undefined
  if (items === undefined || items.size !== input.unique) {
    throw broken(run, dir, 'its file of ids was changed after the run began')
  }
  return items
}

/** More than a million pairs take. */
const mostBytes = 128 << 20

/** The bytes of a file of a run but its journal, never through a link. Throws exit 10, or 2 for what this user may not read. */
function readWhole(host: DiskHost, path: string, run: string): Buffer {
  try {
    const { bytes } = readRegular(host, path, mostBytes, 'refused')
    if (bytes !== undefined) return bytes
    throw new SvcError(
      'local',
      `run ${run} is damaged: it is not a file, or it is too large: ${path}`,
      {
        run,
      },
    )
  } catch (error) {
    throw keptError(`run ${run} cannot be read: ${path}`, error).with({ run })
  }
}

function prunedRecord(
  host: DiskHost,
  dir: string,
  run: string,
  { header, sum }: ReadHeader,
): RunRecord {
  const summary = readSummary(host, dir, run)
  if (summary === undefined)
    throw broken(run, dir, 'its journal and its summary are missing')
  if (summary.header !== sum) throw headerChanged(run, dir)
  return { kind: 'pruned', header, summary }
}

/** The summary of a run; undefined if there is no readable one. */
function readSummary(host: DiskHost, dir: string, run: string): KeptSummary | undefined {
  if (!hasFile(host, dir, run, summaryName)) return undefined
  try {
    const text = readWhole(host, join(dir, summaryName), run).toString()
    return v.parse(KeptSummary, JSON.parse(text))
  } catch (error) {
    if (error instanceof SvcError) throw error
    return undefined
  }
}

/** Exit 2. No command removes such a run: it may be the only trace of what was sent. */
function broken(run: string, dir: string, why: string): SvcError {
  return new SvcError('usage', `run ${run} is damaged: ${why}`, {
    run,
    hint: `nothing was sent; its files are in ${dir}`,
  })
}

const headerChanged = (run: string, dir: string): SvcError =>
  broken(run, dir, 'header.json was changed after the run began')

/** The facts of a run that lists show; undefined if none began. */
export async function lookAtRecord(host: JournalHost, dir: string, run: string) {
  const nothing = { header: undefined, summary: undefined, isPruned: false }
  let header: Header | undefined
  try {
    if (!hasFile(host, dir, run, headerName)) return undefined
    const read = readHeader(host, dir, run)
    header = read.header
    const ended = endedSummary(host, dir, run, read.sum)
    const base = { ...nothing, header, problem: undefined }
    if (ended !== undefined) return { ...base, summary: ended }
    const record = await readRecord(host, dir, run, { isHeld: true })
    if (record.kind === 'free') return undefined
    if (record.kind === 'pruned')
      return { ...base, summary: record.summary, isPruned: true }
    const { recorded } = record
    return { ...base, summary: keptSummary(recorded, recorded.summary(), 0) }
  } catch (error) {
    if (!(error instanceof SvcError) && systemCode(error) === undefined) throw error
    return { ...nothing, header, problem: messageOf(error) }
  }
}

/**
 * The summary of a run that has ended, read in place of a long journal. That must be the one it sums up, whose end was synced before it.
 * `sum`: SHA-256 of the run's header.
 */
export function endedSummary(
  host: DiskHost,
  dir: string,
  run: string,
  sum: string,
): KeptSummary | undefined {
  const journal = host.disk.lstatSync(join(dir, journalName), { throwIfNoEntry: false })
  const summary = journal && readSummary(host, dir, run)
  const isOfThis = summary?.endedAt !== null && summary?.journal === journal?.size
  return isOfThis && summary?.header === sum ? summary : undefined
}
