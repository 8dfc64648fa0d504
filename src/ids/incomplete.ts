/** An input that says that it is not whole: the command that wrote it failed. Nothing acts on one. */
import { SvcError } from '../errors.ts'
import { errorLineStart, incompleteMark } from '../output/incomplete.ts'
import { isObject } from '../values.ts'

const marks = [incompleteMark, errorLineStart].map((mark) => Buffer.from(mark))
/** Bytes that may stand before a mark in its line: blanks, a quote of a csv tool, a byte order mark. */
const passed: ReadonlySet<number> = new Set([0x20, 0x09, 0x22, 0xef, 0xbb, 0xbf])
const mostBefore = 16
/** Bytes of two chunks that are looked at together: more than a mark and what stands before it. */
const seamLength = 64

/** Throws exit 2, whatever the options say. */
export function refuseIncomplete(input: string): never {
  throw new SvcError('usage', 'this input is incomplete: the command that wrote it failed', {
    hint: `run that command again, and use ${input} when it has ended with 0`,
    isInputIncomplete: true,
  })
}

/**
 * The same chunks. Throws exit 2 at a line that says that the input is incomplete, wherever sorting and joining have put it.
 * `isJson`: a line may begin with a text of somebody else's, in quotes.
 */
export async function* refusingIncomplete(chunks: AsyncGenerator<Buffer>, input: string, isJson: boolean) {
  let before = Buffer.from('\n')
  for await (const chunk of chunks) {
    const seam = Buffer.concat([before, chunk.subarray(0, seamLength)])
    if (hasMark(seam, isJson) || hasMark(chunk, isJson)) refuseIncomplete(input)
    before = Buffer.from((chunk.length < seamLength ? seam : chunk).subarray(-seamLength))
    yield chunk
  }
}

function hasMark(bytes: Buffer, isJson: boolean): boolean {
  return marks.some((mark) => {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
      if (beginsLine(bytes, at, isJson)) return true
    }
    return false
  })
}

/** Whether a mark begins a line. The first bytes of a chunk begin no line by that: their first ones are looked at again behind those before them. */
function beginsLine(bytes: Buffer, at: number, isJson: boolean): boolean {
  for (let before = at - 1; before >= Math.max(0, at - mostBefore); before -= 1) {
    const byte = bytes[before] ?? 0
    if (byte === 0x0a || byte === 0x0d) return true
    if (!passed.has(byte) || (byte === 0x22 && isJson)) return false
  }
  return false
}

/** Throws exit 2 for a row of a table that is the mark, or the bracket that opens a document of JSON. */
export function refuseIncompleteRow(input: string, cells: Iterable<string>): void {
  let first: string | undefined
  for (const cell of cells) {
    const text = cell.trim()
    if (text === '') continue
    if (text.startsWith(incompleteMark) && first === undefined) refuseIncomplete(input)
    if (first !== undefined || (text !== '[' && text !== '{')) return
    first = text
  }
  if (first !== undefined) refuseIncomplete(input)
}

/** Throws exit 2 for a value of JSON that is the error with which an incomplete output ends, or an array with one. */
export function refuseErrorValue(input: string, value: unknown): void {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (values.some((each) => isObject(each) && each['type'] === 'error' && isObject(each['error'])))
    refuseIncomplete(input)
}
