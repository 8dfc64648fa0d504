/**
 * The six kinds of lines of a record, their text, and how the parts that have them are read. A line is a JSON object. Its last member `c` is the CRC-32 of the bytes
 * before it, continued from the `c` of the line before, so that a line that is lost, doubled, swapped or changed is noticed.
 */
import { crc32 } from 'node:zlib'
import type { BulkOperation } from '../api/operations.ts'
import type { DiskHost } from '../disk/folders.ts'
import { fileError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { isObject } from '../values.ts'
import type { Outcome, OutcomeCounts } from './outcomes.ts'

/** A list or an employee. The name is missing if it is not known. */
export interface Party {
  id: string
  name?: string | undefined
}

/** How many rows an input has. `leftOut` are left out by options or a dash, `undecided` for want of a decision. */
export interface InputCounts {
  read: number
  unique: number
  duplicates: number
  leftOut: number
  undecided: number
}

/** Where the ids came from, and the options with which they were read. */
export interface RecordedSource {
  /** The absolute path of a file; absent for standard input. */
  path?: string
  /** It has columns, which receipts can keep. */
  isTable?: boolean
  column?: string
  sheet?: string
  headingRow?: number
  where?: readonly string[]
  except?: string
}

/** Why a command stopped before it had sent everything. */
export type StopReason = 'failures' | 'not-allowed' | 'wait' | 'record' | 'signal'

/** The positions of the items of a request: the first, and the one after the last. */
export type Range = readonly [from: number, to: number]

/** An item: id, line (0 for an argument), the other party, the assignee that a ticket must still have. */
export type ItemRow = readonly [id: string, line: number, other?: string, expected?: string]

/** The members of each kind of line, besides `t` and `at`. */
interface Members {
  /** A command begins to work on the run. `after`, in a later part: the last `c` that it has read in the parts before. */
  open: { pid: number; host: string; after?: number | undefined }
  /** The job. */
  run: {
    schema: typeof schema
    run: string
    operation: BulkOperation
    /** A request whose answer was lost is never sent again. */
    isFinalIfLost?: true | undefined
    baseUrl: string
    target?: Party | undefined
    ifAssignee?: Party | undefined
    undoes?: string | undefined
    once: string | null
    accept: readonly Outcome[]
    /** Null if the credentials came from the environment. */
    profile: string | null
    /** The fingerprint of the API key, and its last characters. */
    key: string
    keyEnding: string
    user: string
    host: string
    input: InputCounts
    source?: RecordedSource | undefined
    /** The absolute path of --receipts. */
    receipts?: string | undefined
    /** How many items follow. */
    count: number
  }
  ids: { ids: readonly ItemRow[] }
  /** A request with the items `b` is about to be sent. `before`: the assignee that was read; null for nobody. */
  try: { b: Range; before?: string | null }
  /** The items `b` now: one outcome for all, or one for each, and whether they are still to be sent. */
  res: {
    b: Range
    o: Outcome | readonly Outcome[]
    due?: true
    /** The HTTP status, the service's own code, and its message or what went wrong on the way. */
    st?: number
    code?: number
    m?: string
    added?: number
    before?: string
    after?: string
  }
  /** The command ended. `receipts`: the file, if it was written. `closed`: nothing is due any more. */
  end: {
    stop?: StopReason | undefined
    outcomes: OutcomeCounts
    due: number
    receipts?: string | undefined
    closed?: true | undefined
  }
}

type Kind = keyof Members
/** A line before the record adds its time. */
export type NewLine = { [T in Kind]: { t: T } & Members[T] }[Kind]
/** `at` is the time in milliseconds since 1970. */
export type LineOf<T extends Kind> = { t: T; at: number } & Members[T]
export type Line = { [T in Kind]: LineOf<T> }[Kind]
/** The job of a run, without its items. */
export type Head = LineOf<'run'>

export const schema = 'svc.run/8'

/** Returns the text of a line behind one with the checksum `before`, and its own checksum. */
export function encodeLine(line: Line, before: number): { text: string; c: number } {
  const body = JSON.stringify(line).slice(0, -1)
  const c = crc32(body, before)
  return { text: `${body}${tailOf(c)}\n`, c }
}

/**
 * Returns a line and its checksum. Undefined if it was changed, or if another line stood before it. The first line of a later part
 * says itself what stood before it.
 */
export function decodeLine(
  text: string,
  before?: number,
): { line: Line; c: number } | undefined {
  const body = text.slice(0, -tailOf(0).length)
  try {
    const line: unknown = JSON.parse(`${body}}`)
    const after = isObject(line) && typeof line['after'] === 'number' ? line['after'] : 0
    const c = crc32(body, before ?? after)
    // With this checksum, svc has written the line, so it has the members of its kind.
    return text === `${body}${tailOf(c)}` ? { line: line as Line, c } : undefined
  } catch {
    return undefined
  }
}

const tailOf = (c: number) => `,"c":"${c.toString(16).padStart(8, '0')}"}`

/** A part is read in pieces of this size, so that signals are handled between them. */
const pieceBytes = 1 << 20
/** The head of a run, and its `end`, are within so many bytes of the edges of a part. */
const edgeBytes = 1 << 14

/** The names in the folder of a run that are parts. */
const partName = /^([1-9]\d{0,8})\.ndjson$/

/** Returns the numbers of the parts in the folder of a run; none if there is no folder. Throws exit 2 if it cannot be read. */
export function partNumbers(host: DiskHost, folder: string): number[] {
  const numbers = namesIn(host, folder).flatMap((name) => partName.exec(name)?.[1] ?? [])
  return numbers.map(Number)
}

/** Returns how many other things lie in the folder of a run. */
export const countStrangers = (host: DiskHost, folder: string) =>
  namesIn(host, folder).filter((name) => !partName.test(name)).length

function namesIn({ disk }: DiskHost, folder: string): string[] {
  try {
    const facts = disk.lstatSync(folder, { throwIfNoEntry: false })
    if (facts === undefined) return []
    if (!facts.isDirectory()) throw usageError(`${folder} is not a folder`)
    return disk.readdirSync(folder)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw fileError('usage', `${folder} cannot be read`, error)
  }
}

/** Yields the bytes of a part in pieces, or from so many bytes before its end. Throws exit 2 for a link, and for what is no file. */
function* readPieces(
  { disk }: DiskHost,
  path: string,
  length: number,
  isEnd: boolean,
): Generator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = disk.constants
  let file: number | undefined
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its other end.
    file = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const facts = disk.fstatSync(file)
    if (!facts.isFile()) throw usageError(`${path} is not a file`)
    for (let position = isEnd ? Math.max(0, facts.size - length) : 0; ;) {
      const piece = Buffer.allocUnsafe(length)
      const count = disk.readSync(file, piece, 0, length, position)
      if (count === 0) return
      position += count
      yield piece.subarray(0, count)
    }
  } catch (error) {
    throw fileError('usage', `${path} cannot be read`, error)
  } finally {
    if (file !== undefined) disk.closeSync(file)
  }
}

/** Yields the lines of a part, without their line feeds. A last line that a kill has cut off is nothing. */
export async function* readLines(
  host: Pick<Host, 'disk' | 'turn'>,
  path: string,
): AsyncGenerator<string> {
  let rest: Uint8Array = Buffer.alloc(0)
  for (const piece of readPieces(host, path, pieceBytes, false)) {
    const bytes = Buffer.concat([rest, piece])
    let begin = 0
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, begin)) {
      yield bytes.toString('utf8', begin, end)
      begin = end + 1
    }
    rest = bytes.subarray(begin)
    await host.turn()
  }
}

/** Reads the lines at the beginning of a part, or at its end. */
function readEdge(host: DiskHost, path: string, isEnd = false): string[] {
  const [bytes] = readPieces(host, path, edgeBytes, isEnd)
  return bytes === undefined ? [] : bytes.toString().split('\n')
}

/** Reads the `run` line of part 1, with its checksum. Undefined if it cannot be read. */
export function readHead(host: DiskHost, path: string) {
  const [open = '', run = ''] = readEdge(host, path)
  const before = decodeLine(open, 0)
  const read = before && decodeLine(run, before.c)
  return read?.line.t === 'run' ? { head: read.line, checksum: read.c } : undefined
}

/** Reads the last line of a part. Undefined if it is no `end`, or does not fit the line before it. */
export function readEnd(host: DiskHost, path: string): LineOf<'end'> | undefined {
  const [before = '', last = '', rest] = readEdge(host, path, true).slice(-3)
  const read = decodeLine(last, Number.parseInt(before.slice(-10, -2), 16))
  return read?.line.t === 'end' && rest === '' ? read.line : undefined
}
