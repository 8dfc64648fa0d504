/**
 * Reading a journal back. Bytes after the last line end are a torn tail. After a power loss whole pages that were never synced can be
 * missing before later ones: a damaged line is torn tail too when no `try` says that it was on disk, and damage otherwise, which stops
 * everything. `runs/recorded.ts` reads runs by it, and `runs/store.ts` their first and last lines for lists.
 */
import { join } from 'node:path'
import { SvcError } from '../../errors.ts'
import { chunksOf, readPart } from './recorded-files.ts'
import {
  parseEvent,
  type BeginEvent,
  type DraftsEvent,
  type EndEvent,
  type JournalEvent,
  type LookEvent,
  type ResEvent,
  type TryEvent,
  type UndoneEvent,
} from './events.ts'
import type { DiskHost } from '../../world.ts'
import { checksum, journalName } from './journal.ts'

/** Bytes of a line of a journal: far more than any that is written. */
const longestLine = 1 << 20

const checkLength = ',"c":"00000000"}'.length

/** How each line begins. */
const eventStart = '{"t":'

type DecodedEvent =
  { readonly event: JournalEvent; readonly problem?: undefined } | { readonly problem: string }

/** The event of a complete line without its line end, or what is wrong with the line. */
export function decodeEvent(line: Buffer): DecodedEvent {
  const cut = line.length - checkLength
  if (cut < 1) return { problem: 'it is too short' }
  const rest = Buffer.alloc(cut + 1, 0x7d)
  line.copy(rest, 0, 0, cut)
  // The whole ending is compared, so that no byte of it can change unseen.
  const ending = `,"c":"${checksum(rest)}"}`
  if (line.toString('latin1', cut) !== ending) return { problem: 'its checksum is wrong' }
  let value: unknown
  try {
    value = JSON.parse(rest.toString('utf8'))
  } catch {
    return { problem: 'it is not JSON' }
  }
  const event = parseEvent(value)
  if (event !== undefined) return { event }
  return { problem: 'it is not an event that this version of svc knows' }
}

export interface Replay {
  /** Bytes up to the end of the last good line. */
  readonly length: number
  /** Bytes behind it that a crash or a power loss left. */
  readonly torn: number
  /** Whole lines among them: a `try` may have been one of them. */
  readonly damagedLines: number
}

class JournalReader {
  readonly #host: DiskHost
  readonly #path: string
  readonly #run: string
  readonly #onEvent: (event: JournalEvent) => void
  readonly #attempts = new Map<number, { attempt: number; open: boolean }>()
  #lines = 0
  #offset = 0
  #damage: { readonly line: number; readonly offset: number; readonly why: string } | undefined
  #wasTakenOver = false

  constructor(host: DiskHost, dir: string, run: string, onEvent: (event: JournalEvent) => void) {
    this.#host = host
    this.#path = join(dir, journalName)
    this.#run = run
    this.#onEvent = onEvent
  }

  async read(): Promise<Replay> {
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of chunksOf(this.#host, this.#path, this.#run)) {
      rest = this.#take(rest, chunk)
      if (rest.length > longestLine) this.noteDamage('it does not end')
    }
    const undamaged = { offset: this.#offset, line: this.#lines + 1 }
    const { offset, line } = this.#damage ?? undamaged
    const end = this.#offset + rest.length
    return {
      length: offset,
      torn: end - offset,
      damagedLines: this.#lines - (line - 1),
    }
  }

  /** Takes every complete line of a chunk; returns what is left over. */
  #take(before: Buffer, chunk: Buffer): Buffer {
    let rest = before
    let from = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, from)
      if (end < 0) return Buffer.concat([rest, chunk.subarray(from)])
      const piece = chunk.subarray(from, end)
      this.#line(rest.length === 0 ? piece : Buffer.concat([rest, piece]))
      rest = Buffer.alloc(0)
      from = end + 1
    }
  }

  #line(line: Buffer): void {
    const decoded = decodeEvent(line)
    if (decoded.problem !== undefined) {
      this.noteDamage(decoded.problem)
      this.#checkJoined(line)
    } else if (this.#damage !== undefined) this.#checkSynced(decoded.event)
    else {
      const misplaced = this.#place(decoded.event)
      if (misplaced === undefined) this.#onEvent(decoded.event)
      else this.noteDamage(misplaced)
    }
    this.#lines += 1
    this.#offset += line.length + 1
  }

  noteDamage(why: string): void {
    this.#damage ??= { line: this.#lines + 1, offset: this.#offset, why }
  }

  /** A line feed that went bad joins two lines; the second of them is whole, and may be a `try` that says what was on disk. */
  #checkJoined(line: Buffer): void {
    const start = Math.max(line.lastIndexOf(eventStart), 0)
    const decoded = decodeEvent(line.subarray(start))
    if (decoded.problem === undefined) this.#checkSynced(decoded.event)
  }

  /** A line behind the damage that says that the damaged place was on disk when it was written. */
  #checkSynced(event: JournalEvent): void {
    if (this.#damage === undefined) return
    const { line, offset, why } = this.#damage
    if (event.t !== 'try' || (event.d ?? 0) <= offset) return
    throw damagedLine(this.#path, this.#run, line, why)
  }

  /** A line that is missing or is there twice shows in the numbers of the attempts. */
  #place(event: JournalEvent): string | undefined {
    // Two processes may have written at the same moment; their lines are whole, but their numbers can be alike.
    if (event.t === 'resume' && event.takeOver === true) this.#wasTakenOver = true
    if (this.#wasTakenOver) return undefined
    if (event.t === 'begin') return this.#lines === 0 ? undefined : 'no run begins here'
    if (event.t === 'try') return this.#beginAttempt(event)
    if (event.t === 'res') return this.#endAttempt(event)
    return undefined
  }

  #beginAttempt({ b, a }: TryEvent): string | undefined {
    const before = this.#attempts.get(b)?.attempt ?? 0
    if (a !== before + 1) return `attempt ${a} of batch ${b} follows attempt ${before}`
    this.#attempts.set(b, { attempt: a, open: true })
    return undefined
  }

  #endAttempt({ b, a }: ResEvent): string | undefined {
    const last = this.#attempts.get(b)
    if (last?.open !== true || last.attempt !== a)
      return `it ends attempt ${a} of batch ${b}, which is not in flight`
    last.open = false
    return undefined
  }
}

/** Reads the journal of the run in `dir`, one line at a time. Throws exit 10 with the line's number. */
export function readJournal(
  host: DiskHost,
  dir: string,
  run: string,
  onEvent: (event: JournalEvent) => void,
): Promise<Replay> {
  return new JournalReader(host, dir, run, onEvent).read()
}

function damagedLine(path: string, run: string, line: number, why: string): SvcError {
  return new SvcError('local', `line ${line} of the journal of run ${run} is damaged: ${why}`, {
    hint: `${path}\nnothing was sent; the outcomes up to that line can be read by hand`,
    run,
  })
}

/** Lines that are about the run and belong to no session of it. */
export function isBesideSessions(
  event: JournalEvent,
): event is DraftsEvent | LookEvent | UndoneEvent {
  return ['drafts', 'look', 'undone'].includes(event.t)
}

/** Bytes of either end of a journal, in which its first and its last line stand. */
const edge = 4096

/** The first line of a journal; undefined when it has no end: the run never began. Throws exit 10, also for damage. */
export function readBegin(host: DiskHost, dir: string, run: string): BeginEvent | undefined {
  const path = join(dir, journalName)
  const { bytes: head } = readPart(host, path, run, { most: edge, from: 0 })
  const end = head.indexOf(0x0a)
  if (end < 0) {
    if (head.length < edge) return undefined
    throw damagedLine(path, run, 1, 'it does not end')
  }
  const decoded = decodeEvent(head.subarray(0, end))
  if (decoded.problem !== undefined) throw damagedLine(path, run, 1, decoded.problem)
  const { event } = decoded
  if (event.t !== 'begin') throw damagedLine(path, run, 1, 'no run begins with it')
  return event
}

/** The `end` at the end of a journal, read from the file's tail. What is written about the run behind it changes nothing. */
export function readEnd(host: DiskHost, dir: string, run: string): EndEvent | undefined {
  const { bytes: tail } = readPart(host, join(dir, journalName), run, { most: edge, from: 'end' })
  if (tail.length === 0 || tail[tail.length - 1] !== 0x0a) return undefined
  for (let end = tail.length - 1; end > 0;) {
    const start = tail.subarray(0, end).lastIndexOf(0x0a) + 1
    const decoded = decodeEvent(tail.subarray(start, end))
    if (decoded.problem !== undefined) return undefined
    const { event } = decoded
    if (event.t === 'end') return event
    if (!isBesideSessions(event) && event.t !== 'file') return undefined
    end = start - 1
  }
  return undefined
}
