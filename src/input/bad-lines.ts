/**
 * Lines that should have been ids: `search.ts` counts them and keeps the first ones, and refuses them when all inputs were read, so that one error
 * names them. `ids check` and `--annotate` name lines in these words.
 */
import { SvcError } from '../errors.ts'
import { safe, shorten } from '../safe-text.ts'
import { groupDigits } from '../words.ts'
import { trimBlanks } from './id.ts'
import type { Problem, Row } from './row.ts'
import type { TableForm } from './table.ts'

/** More of a bad line says nothing. */
const longestText = 200

/** Bad lines that an error names; the others are counted. */
export const namedBadLines = 20

export interface BadLine {
  /** The file or stream, in words; undefined for words of the command line. */
  readonly input: string | undefined
  /** Physical line (item, row of a sheet, argument), from 1. */
  readonly line: number
  /** `line 4`, `item 4` of a JSON document, `cell B4` of a sheet, `argument 4`. */
  readonly where: string
  readonly reason: string
  /** Its beginning, as it is there. Not fit for a terminal. */
  readonly text: string
}

export interface BadLineOptions {
  /** Leave bad lines out instead of refusing the input. */
  readonly skipInvalid: boolean
}

export function badLine(
  { input, unit }: TableForm,
  { line }: Row,
  { reason, text, cell }: Problem,
): BadLine {
  const where = cell === undefined ? `${unit} ${groupDigits(line)}` : `cell ${safe(cell)}`
  const isWord = unit === 'argument'
  const shown = text.slice(0, longestText)
  return { input: isWord ? undefined : input, line, where, reason, text: shown }
}

/** One error for all bad lines. `first`: those that it names. */
export function badLinesError(first: readonly BadLine[], total: number): SvcError {
  const lines = first.map(describeBadLine)
  const more = total - lines.length
  if (more > 0) lines.push(`and ${groupDigits(more)} more`)
  const words = total === 1 ? 'id is' : 'ids are'
  const hint = first.every(({ input }) => input === undefined)
    ? 'an id has 24 hexadecimal digits; for a file of ids, use --file'
    : 'fix the input, or skip such lines with --skip-invalid'
  return new SvcError('usage', `${groupDigits(total)} ${words} invalid`, { lines, hint })
}

/** A bad line as one line of harmless text. */
export function describeBadLine({ input, where, text, reason }: BadLine): string {
  const place = input === undefined ? where : `${input} ${where}`
  const bare = trimBlanks(text)
  if (bare === '') return `${place}: ${reason}`
  return `${place}: "${shorten(bare)}": ${reason}`
}
