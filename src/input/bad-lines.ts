/** Lines that should have been ids: counted, the first ones named, all of them handed on when they are skipped. */
import { isUtf8 } from 'node:buffer'
import { SvcError } from '../errors.ts'
import { safe, shorten } from '../output/text/safe.ts'
import { trimBlanks } from './id.ts'
import { type Line, longestLine } from './text/lines.ts'
import type { Problem } from './row.ts'
import { groupDigits } from '../words.ts'

/** Bad lines that an error names; the others are counted. */
export const namedBadLines = 20
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
  /** Gets every bad line when they are skipped; awaited, so that a slow file is not overrun. */
  readonly onReject?: ((bad: BadLine) => void | Promise<void>) | undefined
}

export class BadLines {
  total = 0
  readonly first: BadLine[] = []
  readonly #options: BadLineOptions
  #pending: BadLine[] = []
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
    const bad = { input, unit, line, reason, text, where }
    if (this.first.length < namedBadLines) this.first.push(bad)
    if (this.#options.skipInvalid && this.#options.onReject !== undefined) this.#pending.push(bad)
  }

  /** Hands on the bad lines since the last time. */
  async flush(): Promise<void> {
    const ready = this.#pending
    this.#pending = []
    for (const bad of ready) await this.#options.onReject?.(bad)
  }

  /**
   * Throws one error for all, unless they are skipped. `good`: how many ids there are beside them, where that is known.
   */
  refuse(good: number | undefined): void {
    if (this.total === 0 || this.#options.skipInvalid) return
    const isOfLines = !this.#hasConditions && !this.first.some(isArgument)
    const isNoList = good === 0 && this.total > 1 && isOfLines
    const lines = this.first.slice(0, isNoList ? shownOfNone : namedBadLines).map(describeBadLine)
    if (this.total > lines.length) lines.push(`and ${groupDigits(this.total - lines.length)} more`)
    const total = groupDigits(this.total)
    const what = isNoList
      ? `none of ${total} lines holds a valid id (24 hexadecimal digits)`
      : `${total} ${this.total === 1 ? 'id is' : 'ids are'} invalid`
    // Not one id: another column or another file is meant, and there is nothing to fix line by line.
    const hint = isNoList
      ? 'if these were not meant to be the ids, choose another column (--column <name>) or another file'
      : hintFor(this.first, lines)
    const notIds = this.first.filter(isArgument).map(({ text }) => text)
    throw new SvcError('usage', what, { lines, hint, notIds })
  }
}

function isArgument({ unit }: BadLine): boolean {
  return unit === 'argument'
}

function hintFor(bad: readonly BadLine[], lines: readonly string[]): string | undefined {
  if (!bad.every(isArgument)) return 'fix the input, or skip such lines with --skip-invalid'
  return lines.every((line) => line.includes('an id has 24'))
    ? undefined
    : 'an id has 24 hexadecimal digits'
}

/** A bad line as one line of harmless text. */
export function describeBadLine(bad: BadLine): string {
  const place = isArgument(bad) ? bad.where : `${bad.input} ${bad.where}`
  const text = trimBlanks(bad.text) === '' ? '' : ` "${shorten(trimBlanks(bad.text))}":`
  return `${place}:${text} ${bad.reason}`
}

/** Why a line is no text: it is no UTF-8, or too long. */
export function lineProblem({ bytes, from, to, length, offset }: Line): Problem | undefined {
  const kept = bytes.subarray(from, to)
  if (length <= longestLine && isUtf8(kept)) return undefined
  const text = kept.toString('latin1')
  if (length > longestLine)
    return { text, reason: `${groupDigits(length)} bytes long; an id has 24 hexadecimal digits` }
  const at = groupDigits(offset + invalidUtf8At(kept))
  return { text, reason: `invalid UTF-8 at byte ${at}; save the file as UTF-8` }
}

/** Place of the first byte that begins no UTF-8 character: the longest good beginning is searched for by halving. */
export function invalidUtf8At(bytes: Buffer): number {
  // A cut inside a character is no mistake by itself: up to three more bytes may complete it.
  const isGood = (length: number): boolean =>
    [0, 1, 2, 3].some(
      (more) => length + more <= bytes.length && isUtf8(bytes.subarray(0, length + more)),
    )
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isGood(middle)) good = middle
    else bad = middle
  }
  return good
}
