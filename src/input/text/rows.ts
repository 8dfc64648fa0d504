/** Rows of a text: the lines of a list, the rows of a delimited table. */
import { isAscii } from 'node:buffer'
import { lineProblem } from '../bad-lines.ts'
import { trimBlanks } from '../id.ts'
import type { Detected, Skip } from '../detect.ts'
import type { OpenInput } from '../input.ts'
import type { Row } from '../row.ts'
import { LineScanner, longestLine } from './scan.ts'

/** Rows of a list or a table, from its text as UTF-8. */
export function readRows(
  open: OpenInput,
  { format, skip, delimiter }: Pick<Detected, 'format' | 'skip' | 'delimiter'>,
  chunks: OpenInput['chunks'],
) {
  const text = { ...open, chunks }
  return format === 'lines' ? readList(text) : readDelimited(text, skip, delimiter)
}

/** Lines behind those that are skipped, chunk by chunk. Throws exit 2 at a NUL byte. */
export async function* readLines(
  open: OpenInput,
  { bytes: skipped, lines: count }: Skip = { bytes: 0, lines: 0 },
  delimiter?: string,
) {
  const scanner = new LineScanner(open.name, delimiter, open.offset + skipped, count)
  let left = skipped
  for await (const bytes of open.chunks) {
    const start = Math.min(bytes.length, left)
    left -= start
    yield { lines: scanner.feed(start === 0 ? bytes : bytes.subarray(start)), bytes }
  }
  yield { lines: scanner.finish(), bytes: Buffer.alloc(0) }
}

/** The lines of a list; blank ones and comments are no data, and those that are no UTF-8 or too long are invalid. */
async function* readList(open: OpenInput): AsyncGenerator<readonly Row[]> {
  for await (const { lines, bytes } of readLines(open)) {
    const ascii = isAscii(bytes) ? bytes : undefined
    for (const line of lines) {
      const problem =
        line.bytes === ascii && line.length <= longestLine ? undefined : lineProblem(line)
      if (problem !== undefined) {
        line.kind = 'invalid'
        line.problem = problem
      } else if (!line.isPlain && /^(?:#|$)/.test(trimBlanks(line.text))) line.kind = 'other'
    }
    yield lines
  }
}

/** The rows of a delimited table; blank ones are no data. Throws exit 2, with the line, for an open quote or over a megabyte. */
export async function* readDelimited(
  open: OpenInput,
  skip: Skip,
  delimiter: string,
): AsyncGenerator<readonly Row[]> {
  for await (const { lines } of readLines(open, skip, delimiter)) {
    for (const line of lines)
      if (!line.isPlain && line.cells.every((cell) => cell.trim() === '')) line.kind = 'other'
    yield lines
  }
}
