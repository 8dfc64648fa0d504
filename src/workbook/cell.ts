/** The content of a cell. It counts if the cell shows what it stores: a text, or a whole number with all its digits. */
import { shorten } from '../safe-text.ts'
import { attribute, type Element } from './archive.ts'
import { unknownFormat, type NumberFormat } from './formats.ts'
import type { Cell } from './writer.ts'

/** The texts, formats and limits that the sheets of a workbook share. */
export interface Shared {
  texts: string[]
  /** By the style numbers of cells. */
  formats: readonly NumberFormat[]
  /** How many more characters may be read. Each cell and row counts as some more, and so does each column left out before a cell. */
  charactersLeft: number
}

/** How many characters a workbook may have. A cell takes time and memory even without any. */
export const maxCharacters = 500e6
export const charactersPerCell = 64

/** Throws an error if a workbook has too many characters. */
export function charge(shared: Shared, characters: number) {
  shared.charactersLeft -= characters
  if (shared.charactersLeft < 0) throw new Error('too many cells, or too much text')
}

interface Content {
  text: string
  /** The cell of a table that is given back, if it is not the text. */
  original?: Cell
  /** Why nothing may be decided by the cell: people may see something else in it. */
  reason?: string | undefined
}

/** Excel keeps 15 digits of a number, so smaller whole numbers are exact. */
const exactBelow = 1e15

/** Returns what a cell has. */
export function contentOf(cell: Element, { texts, formats }: Shared): Content {
  const format = formats[Number(attribute(cell, 's') ?? 0)] ?? unknownFormat
  const text = valueOf(cell)
  const bare = text.trim()
  if (bare === '') return { text }
  switch (attribute(cell, 't') ?? 'n') {
    case 'n':
      return numberContent(bare, format)
    case 's':
      return textContent(texts[wholeNumber(bare, texts.length - 1)] ?? '', format)
    case 'inlineStr':
      return textContent(text, format)
    case 'str':
      return textContent(unescape(text), format)
    case 'b':
      return { text: bare === '1' ? 'TRUE' : 'FALSE', reason: 'true or false, not a text' }
    default:
      return { text: bare, reason: 'an error or a date, not a text' }
  }
}

/** Returns the value of a cell as it is stored. */
function valueOf({ children }: Element) {
  const [value, ...others] = children.filter(({ name }) => name !== 'f')
  if (others.length > 0) throw new Error('a cell has two values')
  return value?.name === 'is' ? textOf(value) : (value?.text ?? '')
}

/** Returns the text of an element that has it plain, or in pieces with their own fonts. */
export function textOf({ name, text, children }: Element): string {
  return name === 't' ? unescape(text) : children.map(textOf).join('')
}

/** A text that may be shown otherwise is left out, so that nobody takes it. */
function textContent(text: string, { changesTexts }: NumberFormat): Content {
  const reason = 'a text whose format may show another one; format the cell as Text'
  return changesTexts && text !== '' ? { text: '', reason } : { text }
}

function numberContent(value: string, { code, isPlain, isTime }: NumberFormat): Content {
  const raw = Number(value)
  // Number also reads 0x10 and Infinity.
  if (!/^[-+.\de]+$/i.test(value) || !Number.isFinite(raw))
    throw new Error(`"${shorten(value)}" is not a number`)
  const original = { raw, format: code }
  if (isTime) return { text: timeText(raw), original, reason: 'a date or time, not a text' }
  const isExact = Number.isInteger(raw) && Math.abs(raw) < exactBelow
  const reason =
    'a number that is not shown as it is: a spreadsheet drops all but 15 digits of an id; export the ids again, as text'
  return { text: String(raw), original, reason: isPlain && isExact ? undefined : reason }
}

/** Returns a number of days since 1899-12-30 as a day or a time in the form of ISO; as a number if it may be neither. */
function timeText(days: number) {
  // Excel has a 29th of February 1900, so earlier days are uncertain. Numbers from 1 on can be durations, too.
  const isUncertain = days < 0 || (days >= 1 && days < 61) || days >= 2_958_466
  if (isUncertain) return String(days)
  const time = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000)
  const text = time.toISOString().slice(0, 19).replace('T', ' ')
  return text.replace(/^1899-12-30 | 00:00:00$/, '')
}

/** Returns a text without the escapes of Excel, such as `_x000D_`. */
function unescape(text: string) {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** Reads a whole number from 0 to `max`. */
export function wholeNumber(text = '', max: number) {
  if (/^\d+$/.test(text) && Number(text) <= max) return Number(text)
  throw new Error(`"${shorten(text)}" is not a number up to ${max}`)
}
