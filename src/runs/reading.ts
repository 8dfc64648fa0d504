/** Reads run files: lines from an open file as they come, and for lists a whole run or only its end. Nothing here writes. */
import { SvcError, systemCode, recordError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { DiskHost } from '../world.ts'
import { RunLog } from './fold.ts'
import { decodeLine, goodLines, longestLine, type Line, type LineOf } from './lines.ts'
import type { RunPlace } from './names.ts'

/** How many lines are read before others may work. */
const linesPerTurn = 1000

type ReadHost = Pick<Host, 'disk' | 'turn'>

/** Reads the new lines of a growing file. */
export class LineReader {
  readonly #host: ReadHost
  /** Where the next line begins. */
  #readTo = 0
  /** The file's length when it was last looked at, and what was appended to it here. */
  length = 0

  constructor(host: ReadHost) {
    this.#host = host
  }

  /** The good lines after what was read. Half a line at the end is read again next time. */
  *readNew(file: number): Generator<Line> {
    const { disk } = this.#host
    const size = disk.fstatSync(file).size
    this.length = size
    while (this.#readTo < size) {
      const bytes = Buffer.alloc(Math.min(size - this.#readTo, 2 * longestLine))
      const length = disk.readSync(file, bytes, 0, bytes.length, this.#readTo)
      if (length === 0) return
      const read = bytes.subarray(0, length)
      const end = read.lastIndexOf(0x0a) + 1
      const isLast = this.#readTo + length >= size
      const unterminated = isLast ? decodeLine(read.subarray(end)) : undefined
      const isLongerThanLines = end === 0 && !isLast
      const isReadWhole = unterminated !== undefined || isLongerThanLines
      this.#readTo += isReadWhole ? length : end
      yield* goodLines(read.subarray(0, end))
      if (unterminated !== undefined) yield unterminated
      if (isLast) return
    }
  }

  /** Applies all lines to a log. A signal must not wait until all of a long file is read. */
  async readInto(log: RunLog, file: number): Promise<void> {
    let count = 0
    for (const line of this.readNew(file)) {
      log.apply(line)
      count += 1
      if (count % linesPerTurn === 0) await this.#host.turn()
    }
  }
}

/**
 * Opens a run's file to read it, never through a link. Undefined if there is none. Throws exit 1, or 2 for a file that this
 * user may not read.
 */
function openToRead({ disk }: DiskHost, { run, path }: RunPlace): number | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = disk.constants
  try {
    const file = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if (disk.fstatSync(file).isFile()) return file
    disk.closeSync(file)
    throw new SvcError('local', `not a file: ${path}`, { run })
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw recordError(`the record of run ${run} cannot be read: ${path}`, error).with({
      run,
    })
  }
}

/** A run as its file tells it now, and the file's modification time. Undefined if there is no file. */
export async function readLog(host: ReadHost, place: RunPlace) {
  const file = openToRead(host, place)
  if (file === undefined) return undefined
  try {
    const log = new RunLog(place.run)
    await new LineReader(host).readInto(log, file)
    return { log, touchedAt: host.disk.fstatSync(file).mtimeMs }
  } catch (error) {
    throw recordError(`the record of run ${place.run} cannot be read`, error)
  } finally {
    host.disk.closeSync(file)
  }
}

/** Bytes among which the first `run` line of a file usually is. */
const longestBeginning = 1 << 14

/** The first `run` line among the first bytes of a file. */
export function readRunLine(host: DiskHost, place: RunPlace): LineOf<'run'> | undefined {
  const bytes = readSome(host, place, () => ({ from: 0, most: longestBeginning }))
  for (const line of goodLines(bytes)) if (line.t === 'run') return line
  return undefined
}

/** The `end` line of a run whose last lines are that and the `free` of the same session. */
export function readEnd(host: DiskHost, place: RunPlace): LineOf<'end'> | undefined {
  const bytes = readSome(host, place, (size) => {
    return { from: Math.max(0, size - longestLine), most: longestLine }
  })
  // The last line ends with a line end, or somebody is writing now.
  if (bytes.at(-1) !== 0x0a) return undefined
  const pieces = bytes.toString('latin1').split('\n')
  const last = pieces.filter((piece) => piece !== '').slice(-2)
  const [end, free] = last.map((piece) => decodeLine(Buffer.from(piece, 'latin1')))
  const isOfOneSession = free?.t === 'free' && end?.t === 'end' && free.s === end.s
  return isOfOneSession && free.i === end.i + 1 ? end : undefined
}

/** The bytes of a part of a file, by its size. None if there is no file. */
function readSome(
  host: DiskHost,
  place: RunPlace,
  part: (size: number) => { from: number; most: number },
) {
  const { disk } = host
  const file = openToRead(host, place)
  if (file === undefined) return Buffer.alloc(0)
  try {
    const { size } = disk.fstatSync(file)
    const { from, most } = part(size)
    const bytes = Buffer.alloc(Math.min(most, size - from))
    return bytes.subarray(0, disk.readSync(file, bytes, 0, bytes.length, from))
  } finally {
    disk.closeSync(file)
  }
}
