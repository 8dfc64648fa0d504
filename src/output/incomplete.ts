/**
 * How a read that ended early says so in its data: the exit code of a pipeline is that of its last command, and `<( )` has none.
 * `program/run.ts` writes it behind what was printed; every reader of svc refuses an input that says so
 * (`input/row.ts`).
 */
import type { Category, SvcError } from '../errors.ts'
import type { Format } from './result.ts'

/** The beginning of the last line of such an output in formats of lines: one word, which `awk`, `cut` and `tr` keep. */
const incompleteMark = '#incomplete:'

/** The whole mark where a line begins, in any letter case and with or without blanks. No row begins so. */
const markAtStart = /^[\s"]*#\s*incomplete\s*:/i

/** The word of the mark, which `cut`, `awk`, `sed` and `tr` leave of it, with or without `#`, colon and blanks. */
const wordAtStart = /^[\s"'#]*incomplete/i

/** The beginning of the line of JSON that an error is, the last line of such an output in ndjson. */
const errorAtStart = /^\s*\{\s*"type"\s*:\s*"error"/i

/** Whether a line marks its output as incomplete, also after other programs have cut the mark. */
export function isIncompleteLine(line: string): boolean {
  return wordAtStart.test(line) || errorAtStart.test(line)
}

/** A line of a row; one that begins as the mark does shows its `#` by its code point. */
export function escapeMark(line: string): string {
  const looksIncomplete = line.includes('#') && markAtStart.test(line)
  if (!looksIncomplete) return line
  return line.replace('#', '\\u{23}')
}

/** The state of a read when it failed. */
export interface ReadProgress {
  readonly isOutputBegun: boolean
  /** Whether it prints one thing, which is whole or not there. */
  readonly isOne: boolean
  readonly hasRequested: boolean
  readonly hasAnswer: boolean
}

/** Errors that end a read before its first request only when something fails; all others are known before. */
const failures: ReadonlySet<Category> = new Set([
  'interrupted',
  'local',
  'internal',
  'unavailable',
])

/**
 * Whether what was printed, if only nothing, could be taken for all there is. A mistake that is seen before the first request
 * prints nothing, nor does one thing that cannot be read.
 */
export function canLookWhole(
  { category, details }: SvcError,
  progress: ReadProgress,
): boolean {
  if (progress.isOutputBegun) return true
  if (progress.isOne) return false
  if (details.isInputIncomplete === true) return true
  if (category === 'usage' || category === 'config') return false
  if (category === 'auth') return progress.hasAnswer
  return progress.hasRequested || failures.has(category)
}

/** The error in the forms of a last line, and the bracket with which the document of this command begins. */
export interface LastWords {
  readonly words: string
  readonly json: string
  readonly bracket: '[' | '{'
}

/** The last words of an incomplete output. A document of JSON stays open; nothing was written of a workbook or a page. */
export function incompleteEnding(
  format: Format,
  isBegun: boolean,
  { words, json, bracket }: LastWords,
): string {
  if (format === 'xlsx' || format === 'html') return ''
  if (format === 'json') return isBegun ? '' : `${bracket}\n`
  return format === 'ndjson' ? `${json}\n` : `${incompleteMark} ${words}\n`
}
