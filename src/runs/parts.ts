/** The files of a run as they are read: the numbers of its parts, their lines, and the beginning and end of each. */
import { fileError, systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { checksumIn, decodeLine, schema, type LineOf } from './lines.ts'

/** A part is read in pieces of this size, so that signals are handled between them. */
const pieceBytes = 1 << 20
/** The edges of a part are read in pieces of this size. An `end` that is longer is found when all is read. */
const edgeBytes = 1 << 12

/** The names in the folder of a run that are parts. */
const partName = /^([1-9]\d{0,8})\.ndjson$/

/** Returns the numbers of the parts in the folder of a run; none if there is no folder. Throws exit 2 if it cannot be read. */
export function partNumbers(host: Host, folder: string): number[] {
  const numbers = namesIn(host, folder).flatMap((name) => partName.exec(name)?.[1] ?? [])
  return numbers.map(Number)
}

/** Returns how many other things lie in the folder of a run. */
export const countStrangers = (host: Host, folder: string) =>
  namesIn(host, folder).filter((name) => !partName.test(name)).length

function namesIn({ disk }: Host, folder: string): string[] {
  try {
    const stat = disk.lstatSync(folder, { throwIfNoEntry: false })
    if (stat === undefined) return []
    if (!stat.isDirectory()) throw usageError(`${folder} is not a folder`)
    return disk.readdirSync(folder)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw fileError('usage', `${folder} cannot be read`, error)
  }
}

/** Yields the bytes of a part in pieces, or from so many bytes before its end. Throws exit 2 for a link, and for what is no file. */
function* readPieces(
  { disk }: Host,
  path: string,
  length: number,
  from: 'beginning' | 'end',
): Generator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = disk.constants
  let file: number | undefined
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its other end.
    file = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stat = disk.fstatSync(file)
    if (!stat.isFile()) throw usageError(`${path} is not a file`)
    for (let position = from === 'end' ? Math.max(0, stat.size - length) : 0; ;) {
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
export async function* readLines(host: Host, path: string): AsyncGenerator<string> {
  let rest: Uint8Array = Buffer.alloc(0)
  for (const piece of readPieces(host, path, pieceBytes, 'beginning')) {
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

/** Reads the first lines of a part: two or more, if two have less than a MiB. */
function readFirstLines(host: Host, path: string): string[] {
  let bytes: Uint8Array = Buffer.alloc(0)
  let lines: string[] = []
  for (const piece of readPieces(host, path, edgeBytes, 'beginning')) {
    bytes = Buffer.concat([bytes, piece])
    lines = bytes.toString().split('\n')
    if (lines.length > 2 || bytes.length > pieceBytes) break
  }
  return lines
}

/** Reads the last lines of a part, as many as fit. The first of them may be cut off. */
function readLastLines(host: Host, path: string): string[] {
  const [bytes] = readPieces(host, path, edgeBytes, 'end')
  return bytes?.toString().split('\n') ?? []
}

/** Reads the `run` line of part 1, with its checksum. Undefined if it cannot be read. */
export function readHead(host: Host, path: string) {
  const [open = '', run = ''] = readFirstLines(host, path)
  const first = decodeLine(open, 0)
  const read = first && decodeLine(run, first.c)
  if (read?.line.t !== 'run' || read.line.schema !== schema) return undefined
  return { head: read.line, checksum: read.c }
}

/** Reads the last line of a part. Undefined if it is no `end`, or does not fit the line before it. */
export function readEnd(host: Host, path: string): LineOf<'end'> | undefined {
  const [previous = '', last = '', rest] = readLastLines(host, path).slice(-3)
  const read = decodeLine(last, checksumIn(previous))
  return read?.line.t === 'end' && rest === '' ? read.line : undefined
}
