/**
 * Lines that should have been ids: counted, and the first ones named. The readers of ids and of pairs refuse them when the input has ended, so
 * that one error names them all. `ids check` and `--annotate` name lines in these words.
 */
import { SvcError } from '../errors.ts'
import { safe, shorten } from '../safe-text.ts'
import { trimBlanks } from './id.ts'
import type { Problem } from './row.ts'
import { groupDigits } from '../words.ts'

/** Bad lines that an error names; the others are counted. */
export const namedBadLines = 20
/** As many of an input in which nothing is an id: the others would say the same. */
const shownOfNone = 3

export interface InputPlace {
  /** The file or stream, in words. */
  readonly input: string
  readonly unit: 'line' | 'item' | 'argument'
  /** Physical line (item, row of a sheet, argument), from 1. */
  readonly line: number
}

export interface BadLine extends InputPlace {
  /** `line 4`, `item 4` of a JSON document, `cell B4` of a sheet, `argument 4`. */
  readonly where: string
  readonly reason: string
  /** As it is there; the first bytes when it is very long. Not fit for a terminal. */
  readonly text: string
}

export interface BadLineOptions {
  /** Leave bad lines out instead of refusing the input. */
  readonly skipInvalid: boolean
}

/** The bad lines of all inputs of one command. */
export class BadLines {
  total = 0
  readonly first: BadLine[] = []
  readonly #options: BadLineOptions
  #hasConditions = false

  constructor(options: BadLineOptions) {
    this.#options = options
  }

  add(
    { input, unit, line }: InputPlace,
    { reason, text, cell, isCondition = false }: Problem,
  ): void {
    this.total += 1
    this.#hasConditions ||= isCondition
    const where = cell === undefined ? `${unit} ${groupDigits(line)}` : `cell ${safe(cell)}`
    const bad = {
      input,
      unit,
      line,
      reason,
      text,
      where,
    }
    if (this.first.length < namedBadLines) this.first.push(bad)
  }

  /**
   * Throws one error for all, unless they are skipped. `good`: how many ids there are beside them, where that is known.
   */
  refuse(good: number | undefined): void {
    if (this.total === 0 || this.#options.skipInvalid) return
    const isOfLines = !this.#hasConditions && !this.first.some(isArgument)
    // Not one id: another column or another file is meant, and there is nothing to fix line by line.
    const isNoList = good === 0 && this.total > 1 && isOfLines
    const shown = this.first.slice(0, isNoList ? shownOfNone : namedBadLines)
    const lines = shown.map(describeBadLine)
    const more = this.total - lines.length
    if (more > 0) lines.push(`and ${groupDigits(more)} more`)
    const total = groupDigits(this.total)
    if (isNoList) {
      throw new SvcError(
        'usage',
        `none of ${total} lines holds a valid id (24 hexadecimal digits)`,
        {
          lines,
          hint: 'if these were not meant to be the ids, choose another column (--column <name>) or another file',
        },
      )
    }
    const words = this.total === 1 ? 'id is' : 'ids are'
    const hint = hintFor(this.first, lines)
    throw new SvcError('usage', `${total} ${words} invalid`, { lines, hint })
  }
}

function isArgument({ unit }: BadLine): boolean {
  return unit === 'argument'
}

function hintFor(bad: readonly BadLine[], lines: readonly string[]): string {
  if (!bad.every(isArgument)) return 'fix the input, or skip such lines with --skip-invalid'
  const saySo = lines.every((line) => line.includes('an id has 24'))
  const rule = saySo ? '' : 'an id has 24 hexadecimal digits; '
  return `${rule}a file of ids goes with --file`
}

/** A bad line as one line of harmless text. */
export function describeBadLine(bad: BadLine): string {
  const place = isArgument(bad) ? bad.where : `${bad.input} ${bad.where}`
  const text = trimBlanks(bad.text)
  if (text === '') return `${place}: ${bad.reason}`
  return `${place}: "${shorten(text)}": ${bad.reason}`
}

/** In characters. A longer line is no id; a longer cell is rather one whose quote is missing. */
export const longestLine = 1 << 20
const shownOfLong = 200

/** Why a line is too long to be read. */
export function lengthProblem(text: string): Problem | undefined {
  if (text.length <= longestLine) return undefined
  const length = groupDigits(text.length)
  return {
    text: text.slice(0, shownOfLong),
    reason: `${length} characters long; an id has 24 hexadecimal digits`,
  }
}
