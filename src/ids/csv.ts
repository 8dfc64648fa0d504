/** A delimited file as records with the physical line on which each begins. */
import { pipeline } from 'node:stream/promises'
import { SvcError, messageOf, usageError } from '../errors.ts'
import type { Detected } from './detect.ts'
import { longestLine } from './scan.ts'
import { refuseNul } from './encoding.ts'
import type { OpenInput } from './input.ts'
import { grouped } from '../grouped.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * The text with every line end as a line feed, so that ends may be mixed and lines are counted as an editor does. A CR
 * at the end of a chunk may be half of a CRLF: it is kept for the next one.
 */
async function* withLineFeeds(open: OpenInput, skip: number, between: () => Promise<void>): AsyncGenerator<Buffer> {
  let offset = open.offset
  let skipped = 0
  let afterReturn = false
  for await (const chunk of open.chunks) {
    const start = Math.min(chunk.length, skip - skipped)
    skipped += start
    const out = Buffer.allocUnsafe(chunk.length)
    let length = 0
    for (let i = start; i < chunk.length; i += 1) {
      const byte = chunk[i] ?? 0
      if (byte === 0) refuseNul(open.name, offset + i, 1)
      const wasReturn = afterReturn
      afterReturn = byte === carriageReturn
      if (byte === lineFeed && wasReturn) continue
      out[length] = afterReturn ? lineFeed : byte
      length += 1
    }
    offset += chunk.length
    if (length > 0) yield out.subarray(0, length)
    await between()
  }
}

/**
 * Reads the records from the first line that is neither blank nor a comment on. Cells are trimmed of nothing; a blank
 * line and a record of empty cells are left out. `between` is awaited after every chunk. Throws exit 2 at a quote that
 * is never closed and at a record of more than a megabyte, naming the line.
 */
export async function readCsv(
  open: OpenInput,
  detected: Detected,
  onRecord: (cells: readonly string[], line: number) => void,
  between: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { parse } = await import('csv-parse')
  let before = 0
  const parser = parse({
    delimiter: detected.delimiter,
    record_delimiter: '\n',
    relax_column_count: true,
    // `ObjectId("…")` and `="…"` have quotes inside a cell that does not begin with one.
    relax_quotes: true,
    max_record_size: longestLine,
    on_record: (cells: readonly string[], context) => {
      const line = detected.skip.lines + before + 1
      before = context.lines
      if (cells.some((cell) => cell.trim() !== '')) onRecord(cells, line)
      return null
    },
  })
  try {
    await pipeline(withLineFeeds(open, detected.skip.bytes, between), parser, async (records) => {
      for await (const _ of records);
    })
  } catch (error) {
    if (error instanceof SvcError || !(error instanceof Error) || !('code' in error)) throw error
    const line = grouped(detected.skip.lines + before + 1)
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
      throw usageError(`${open.name} line ${line}: a quote is opened and never closed`, 'add or remove the quote')
    }
    if (error.code === 'CSV_MAX_RECORD_SIZE') {
      throw usageError(`${open.name} line ${line}: a record of more than 1 MB`, 'is a quote missing?')
    }
    if (String(error.code).includes('CSV') || String(error.code).includes('QUOTE')) {
      throw usageError(`${open.name} line ${line}: ${messageOf(error)}`)
    }
    throw error
  }
}
