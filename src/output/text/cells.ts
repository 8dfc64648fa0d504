/**
 * Cells of a table: a value becomes text once, safe to show, with times and arrays in words; and a cell is
 * cut to the width of its column.
 */
import { idPattern, isObject } from '../../values.ts'
import { cellText, type ColumnKind } from '../columns.ts'
import type { PrintOptions } from '../result.ts'
import { safe } from '../../safe-text.ts'
import { groupDigits } from '../../words.ts'
import { terminalCells, truncate, unitsPerCell } from './width.ts'
import { exactTime, parseTime, relativeTime } from './time.ts'

export interface TextCell {
  text: string
  width: number
  isNumber: boolean
}

/** The cell of a value, safe to show. */
export function cellOf(value: unknown, kind: ColumnKind, options: PrintOptions): TextCell {
  const text = safe(cellWords(value, kind, options))
  const isNumber = typeof value === 'number' || isIds(value)
  return { text, width: terminalCells(text), isNumber }
}

/** Whether cells are cut: only on a terminal. */
export function isCut({ width }: Pick<PrintOptions, 'width'>) {
  return width !== undefined
}

/** Ids take too much room: a table counts them, and csv and JSON have them. */
function isIds(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => idPattern.test(String(item)))
}

/** Things with a name are called by it. */
function itemText(item: unknown) {
  const name = isObject(item) ? item['name'] : undefined
  return cellText(typeof name === 'string' ? name : item)
}

/** The part of a cell that fits. */
export function fit(cell: TextCell, room: number): TextCell {
  if (cell.width <= room) return cell
  const text = truncate(cell.text, room)
  return { ...cell, text, width: terminalCells(text) }
}

/** The words of a value, not yet safe. On a terminal a line break becomes a sign, because a row is one line. */
function cellWords(value: unknown, kind: ColumnKind, options: PrintOptions) {
  const { now, width = 0 } = options
  const time = kind === 'time' && typeof value === 'string' ? parseTime(value) : undefined
  // Exact for programs, else as people say it.
  if (time !== undefined) return isCut(options) ? relativeTime(time, now) : exactTime(time)
  if (isIds(value)) return value.length === 0 ? '' : groupDigits(value.length)
  if (typeof value === 'boolean' && kind === 'state') return value ? 'yes' : 'no'
  const words = Array.isArray(value) ? value.map(itemText).join(', ') : cellText(value)
  if (!isCut(options)) return words
  // A cell that is cut needs no more units.
  return words.slice(0, (width + 1) * unitsPerCell).replace(/\r?\n/g, ' ↵ ')
}

export type Paint = (text: string) => string

/**
 * Colors by meaning. Chalk is loaded only when there is color, and never looks at the environment: the level was decided
 * before.
 */
export interface Paints {
  heading: Paint
  dim: Paint
  /** The color of a state, kind or outcome word. */
  state(word: string): Paint
}

const same: Paint = (text) => text
const noPaints: Paints = {
  heading: same,
  dim: same,
  state: () => same,
}

/** Words of states, kinds, outcomes and findings by their color. Any other word has none. */
const wordsOf = {
  green: 'active complete done',
  cyan: 'new incoming working dry-run',
  magenta: 'ai',
  yellow: 'partial stopped interrupted undone blocked gone kept not-found',
  red: 'error unknown damaged',
  dim: 'closed inactive not-attempted',
} as const
const colors = Object.keys(wordsOf) as (keyof typeof wordsOf)[]

/** The colors; without color nothing is loaded. */
export async function loadPaints(hasColors: boolean): Promise<Paints> {
  if (!hasColors) return noPaints
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return {
    heading: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    state: (word) => {
      const color = colors.find((name) => wordsOf[name].split(' ').includes(word))
      return color === undefined ? same : (text) => chalk[color](text)
    },
  }
}
