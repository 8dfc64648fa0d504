/**
 * The journal of a run, `journal.ndjson`: lines of JSON that are only appended, each ending in the CRC-32 of itself. A `try` is on disk before a byte
 * of its request leaves. A `res` needs no sync of its own, because losing it only makes a claim weaker. docs/journal-format.md describes the lines.
 * `read-run.ts` reads journals, `send.ts` and `conclude.ts` write them, and `state.ts` folds their lines into what may be claimed.
 */
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import type { Claim } from '../../disk/claim.ts'
import { checkWritable } from '../../disk/whole.ts'
import { fileError, keptError } from '../../errno.ts'
import { SvcError } from '../../errors.ts'
import { continuing, say } from '../../message.ts'
import type { Redactor } from '../../redactor.ts'
import { idPattern } from '../../values.ts'
import type { Host, Signal } from '../../host.ts'
import type { DiskHost } from '../../world.ts'

export const journalName = 'journal.ndjson'

export const stopReasons = [
  'failures',
  'auth',
  'forbidden',
  'refused',
  'retry-after',
  'signal',
  'journal',
] as const
export type StopReason = (typeof stopReasons)[number]

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A signal is recorded by its name. */
const recordedStops = [...stopReasons, ...signals] as const
export type RecordedStop = (typeof recordedStops)[number]

/** The reason of a summary, and the signal, if it was one. */
export function stopOf(recorded: RecordedStop | undefined): {
  readonly stop: StopReason | null
  readonly signal?: Signal
} {
  const signal = signals.find((name) => name === recorded)
  if (signal !== undefined) return { stop: 'signal', signal }
  return { stop: stopReasons.find((reason) => reason === recorded) ?? null }
}

export const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const Ordinal = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
export const Id = v.pipe(v.string(), v.regex(idPattern))
export const Sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))

/** The first and the last id of a part of a batch, counted from 1. */
const Part = v.pipe(
  v.tuple([Ordinal, Ordinal]),
  v.check(([first, last]) => first <= last),
)

/** `n`: the session that wrote the line. `at`: milliseconds since 1970. */
const line = <T extends string, E extends v.ObjectEntries>(t: T, entries: E) =>
  v.object({ t: v.literal(t), n: Ordinal, at: v.number(), ...entries })

const Line = v.variant('t', [
  /** The first line. It has the checksums of the two other files. */
  line('begin', { schema: v.literal('svc.run/5'), header: Sha256, items: Sha256 }),
  /** A later session begins. */
  line('session', {
    /** The session before may have sent more than it wrote. */
    takeOver: v.optional(v.literal(true)),
    /** Fingerprint of a key that is not the one the run began with. */
    key: v.optional(v.string()),
    /** Outcomes whose batches are opened again. */
    reopen: v.optional(v.array(v.string())),
  }),
  /** Attempt `a` of batch `b` is about to leave. `p`: for a part of the batch. */
  line('try', { b: Ordinal, a: Ordinal, p: v.optional(Part) }),
  line('res', {
    b: Ordinal,
    a: Ordinal,
    k: v.picklist(['never-sent', 'refused', 'ambiguous', 'answered']),
    s: v.optional(v.number()),
    /** The service's own code, and its message or what went wrong on the way. Without a message svc itself gave up. */
    code: v.optional(v.pipe(v.number(), v.safeInteger())),
    m: v.optional(v.string()),
    /** Fields of the answer that claims are made from. */
    d: v.optional(v.unknown()),
  }),
  /** A ticket was read. `id`: its assignee, null for nobody, absent if the read failed. `s`: the service refused the read. */
  line('read', {
    b: Ordinal,
    id: v.optional(v.nullable(v.string())),
    s: v.optional(v.number()),
    m: v.optional(v.string()),
  }),
  /** A file of the user that this run may replace. */
  line('file', { path: v.string(), sha256: Sha256 }),
  /** A proper end; or the run is pruned, or an undo of it has begun. */
  line('end', {
    stop: v.optional(v.picklist(recordedStops)),
    pruned: v.optional(v.literal(true)),
    undone: v.optional(v.string()),
  }),
])

export type JournalLine = v.InferOutput<typeof Line>
export type LineOf<T extends JournalLine['t']> = Extract<JournalLine, { t: T }>
/** A line as its writer has it: the journal adds the session. */
export type NewLine = JournalLine extends infer L
  ? L extends JournalLine
    ? Omit<L, 'n'>
    : never
  : never
export type BatchLine = LineOf<'try' | 'res' | 'read'>

const checksum = (text: string | Buffer): string =>
  crc32(text).toString(16).padStart(8, '0')

export function encodeLine(value: JournalLine): string {
  const text = JSON.stringify(value)
  return `${text.slice(0, -1)},"c":"${checksum(text)}"}\n`
}

const checkLength = ',"c":"00000000"}'.length

/** The line, given without its line feed; undefined when it is damaged. Every byte counts, so that none can change unnoticed. */
export function decodeLine(bytes: Buffer): JournalLine | undefined {
  const cut = bytes.length - checkLength
  if (cut < 1) return undefined
  const rest = Buffer.alloc(cut + 1, 0x7d)
  bytes.copy(rest, 0, 0, cut)
  if (bytes.toString('latin1', cut) !== `,"c":"${checksum(rest)}"}`) return undefined
  try {
    const parsed = v.safeParse(Line, JSON.parse(rest.toString('utf8')))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

/** Far more than any line that is written. */
const longestLine = 1 << 20

const longestChunk = 1 << 18

/** The bytes of a journal, in order. A chunk is valid until the next one is asked for. */
function* chunksOf({ disk }: DiskHost, dir: string, run: string): Generator<Buffer> {
  const path = join(dir, journalName)
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = disk.constants
  try {
    const file = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      if (!disk.fstatSync(file).isFile()) throw new SvcError('local', `not a file: ${path}`)
      const chunk = Buffer.alloc(longestChunk)
      for (let length = -1; length !== 0;) {
        length = disk.readSync(file, chunk)
        yield chunk.subarray(0, length)
      }
    } finally {
      disk.closeSync(file)
    }
  } catch (error) {
    throw keptError(`run ${run} cannot be read: ${path}`, error).with({ run })
  }
}

export type JournalHost = Pick<Host, 'disk' | 'turn'>

/** Hands out each line in its order, undefined for a damaged one. Throws exit 10 or 2 when the file cannot be read. */
export async function readJournal(
  host: JournalHost,
  dir: string,
  run: string,
  onLine: (line: JournalLine | undefined) => void,
): Promise<{ readonly isUnended: boolean }> {
  let rest: Buffer = Buffer.alloc(0)
  let isTooLong = false
  for (const chunk of chunksOf(host, dir, run)) {
    // A signal must not wait until all of a long one is read.
    if (chunk.length === longestChunk) await host.turn()
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const piece = chunk.subarray(from, end)
      const whole = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      onLine(isTooLong ? undefined : decodeLine(whole))
      isTooLong = false
      rest = Buffer.alloc(0)
      from = end + 1
    }
    rest = Buffer.concat([rest, chunk.subarray(from)])
    if (rest.length <= longestLine) continue
    isTooLong = true
    rest = Buffer.alloc(1)
  }
  // A crash cut the last line, or a living holder is writing it.
  return { isUnended: rest.length > 0 }
}

/** The journal of a run whose session is held. Lines that wait at the same moment share a sync. */
export class Journal {
  readonly #host: DiskHost
  readonly #place: JournalPlace
  readonly #file: FileHandle
  readonly #redactor: Redactor
  /** The sync that has not begun yet. Everybody who waits meanwhile shares it. */
  #next: Promise<void> | undefined
  #last: Promise<void> = Promise.resolve()
  #failure: SvcError | undefined

  private constructor(
    host: DiskHost,
    place: JournalPlace,
    file: FileHandle,
    redactor: Redactor,
  ) {
    this.#redactor = redactor
    this.#host = host
    this.#place = place
    this.#file = file
  }

  /** Opens the journal to append to it, and ends a line that a crash left without its end. Throws exit 10 and 11. */
  static async open(
    host: DiskHost,
    place: JournalPlace,
    isUnended: boolean,
    redactor: Redactor,
  ): Promise<Journal> {
    const { constants, promises } = host.disk
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW
    const file = await promises
      .open(join(place.dir, journalName), flags)
      .catch((error: unknown) => {
        throw failureOf(place.run, error)
      })
    const journal = new Journal(host, place, file, redactor)
    if (isUnended) journal.#write('\n')
    return journal
  }

  /** Set once a line could not be written or synced: nothing is written after it. */
  get failure(): SvcError | undefined {
    return this.#failure
  }

  /** Written, not synced. Throws exit 10, for good after the first time, and 11 when the session is lost. */
  append(line: NewLine): void {
    const { t, ...members } = this.#redactor.hideIn(line)
    this.#write(encodeLine({ t, n: this.#place.claim.number, ...members } as JournalLine))
  }

  /** On disk when this resolves, and the session was still held then: after a `try`, its request may leave. */
  async appendSynced(line: NewLine): Promise<void> {
    this.append(line)
    await this.sync()
    this.#place.claim.check()
  }

  /** Syncs all lines that were written before the call. */
  sync(): Promise<void> {
    this.#next ??= this.#last.then(() => this.#syncNow())
    this.#last = this.#next.catch(() => undefined)
    return this.#next
  }

  /** Appends the last line, synced, and closes the file. Throws as `appendSynced` does. */
  async end(line: NewLine): Promise<void> {
    try {
      await this.appendSynced(line)
    } finally {
      await this.close()
    }
  }

  /** Closes the file. A write that failed has already been reported. */
  async close(): Promise<void> {
    await this.#last
    await this.#file.close().catch(() => undefined)
  }

  #write(text: string): void {
    if (this.#failure !== undefined) throw this.#failure
    this.#place.claim.check()
    const bytes = Buffer.from(text)
    try {
      // A trip through the thread pool costs more than these few bytes into the page cache.
      for (let at = 0; at < bytes.length;)
        at += this.#host.disk.writeSync(this.#file.fd, bytes, at, bytes.length - at)
    } catch (error) {
      throw this.#fail(error)
    }
  }

  async #syncNow(): Promise<void> {
    this.#next = undefined
    if (this.#failure !== undefined) throw this.#failure
    try {
      await this.#file.datasync()
      checkWritable(this.#host, this.#place.dir)
    } catch (error) {
      throw this.#fail(error)
    }
  }

  #fail(error: unknown): SvcError {
    return (this.#failure ??= failureOf(this.#place.run, error))
  }
}

interface JournalPlace {
  readonly dir: string
  readonly run: string
  /** It is checked before each line. */
  readonly claim: Pick<Claim, 'number' | 'check'>
}

function failureOf(run: string, error: unknown): SvcError {
  const hint = say`free space, then\n  ${continuing`runs resume ${run}`}`
  return fileError(
    'local',
    `the journal of run ${run} cannot be written`,
    error,
    hint,
  ).with({
    run,
  })
}
