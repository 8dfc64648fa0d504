/** How the cells of a delimited text are quoted: a quote opens a quoted cell only at the cell's beginning, for `ObjectId("…")` and `="…"` have quotes of their own inside. Pure. */
export const quote = 0x22
export const lineFeed = 0x0a
export const carriageReturn = 0x0d

/** Where the quoted part of a cell that begins at `at` ends; `to` when its quotes stay open. Two quotes in it stand for one. */
function endOfQuotes(bytes: Buffer, at: number, to: number): number {
  let end = at + 1
  while (end < to && (bytes[end] !== quote || bytes[end + 1] === quote))
    end += bytes[end] === quote ? 2 : 1
  return Math.min(end, to)
}

/** Where the cell that begins at `at` ends. */
export function endOfCell(bytes: Buffer, at: number, to: number, delimiter: number): number {
  let end = at < to && bytes[at] === quote ? endOfQuotes(bytes, at, to) : at
  while (end < to && bytes[end] !== delimiter) end += 1
  return end
}

/** Where the row that begins at `at` ends; the length of the bytes when they have no end of it. Without a delimiter it is a line. */
export function endOfRow(bytes: Buffer, from: number, delimiter: number | undefined): number {
  let isBegin = delimiter !== undefined
  let at = from
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === lineFeed || byte === carriageReturn) return at
    if (isBegin && byte === quote) at = endOfQuotes(bytes, at, bytes.length)
    isBegin = byte === delimiter
  }
  return bytes.length
}

/** The cells of a row. Line ends in them become line feeds. */
export function cutCells(text: string, delimiter: string): readonly string[] {
  const cells: string[] = []
  for (let at = 0; at <= text.length;) {
    let quoted = ''
    if (text[at] === '"') {
      let end = text.indexOf('"', at + 1)
      while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
      quoted = text.slice(at + 1, end < 0 ? text.length : end)
      at = end < 0 ? text.length : end + 1
    }
    const end = text.indexOf(delimiter, at)
    const cell =
      quoted.replaceAll('""', '"').replace(/\r\n?/g, '\n') +
      text.slice(at, end < 0 ? text.length : end)
    cells.push(cell)
    if (end < 0) break
    at = end + 1
  }
  return cells
}
