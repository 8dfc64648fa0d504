/** The content of a cell. It counts if its format shows what it stores: a text, or a whole number with all its digits. */
import { shorten } from '../safe-text.ts'
import { attribute, type Element, type ReadPart } from './archive.ts'
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

/** What a format does to cells. svc does not apply it: it only needs to know which values it shows as they are stored. */
type NumberFormat = ReturnType<typeof formatOf>

/** The longest code that Excel takes. */
const maxCodeLength = 255

/** The format of a number whose style is missing, and of built-in money and fractions, which depend on the country. */
const unknownFormat = { ...formatOf('General'), isPlain: false }

/** Returns the formats by the style numbers of cells. */
export async function readFormats(readPart: ReadPart, path: string | undefined) {
  const formats: NumberFormat[] = []
  const definedCodes = new Map<string, string>()
  if (path !== undefined)
    await readPart(path, {
      '/styleSheet/numFmts/numFmt'(element) {
        const id = attribute(element, 'numFmtId') ?? ''
        if (definedCodes.has(id)) throw new Error(`has number format ${id} twice`)
        definedCodes.set(id, attribute(element, 'formatCode') ?? '')
      },
      '/styleSheet/cellXfs/xf'(element) {
        const id = attribute(element, 'numFmtId') ?? '0'
        const builtIn = builtInCode(Number(id))
        const code = definedCodes.get(id) ?? builtIn
        const format = code === undefined ? unknownFormat : formatOf(code)
        // A workbook can define another code than the built-in one, and programs disagree about which of the two counts.
        const isUnclear = builtIn !== undefined && builtIn !== code
        formats.push(isUnclear ? { ...format, isPlain: false, changesTexts: true } : format)
      },
    })
  return formats.length === 0 ? [formatOf('General')] : formats
}

/** Returns what a code shows. */
function formatOf(code: string) {
  if (code.length > maxCodeLength) throw new Error('a number format is too long')
  // Without texts in quotes, escaped characters, colors and conditions. The h of [h] stays.
  const bare = code.replace(/"[^"]*"|[\\_*].|\[(?![hms]+\])[^\]]*\]/gi, '')
  const hasTextSection = bare.split(';').length > 3 || bare.includes('@')
  return {
    /** Such as `0.00`, for a table that is given back. */
    code,
    /** Whether it shows a whole number with its digits and nothing else. */
    isPlain: ['GENERAL', '0', '@'].includes(code.toUpperCase()),
    /** Whether it shows a number as a day or a time. */
    isTime: /[ydmhs]/i.test(bare),
    /** Whether it can show a text in another way than it is stored. */
    changesTexts: hasTextSection && code !== '@',
  }
}

/** Returns the code of a format that needs no definition. The look of a day depends on the country, so ISO stands for all looks. */
function builtInCode(id: number) {
  const isDay = (id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
  const isTime = (id >= 18 && id <= 21) || (id >= 45 && id <= 47)
  const isMoney = id >= 41 && id <= 44
  if (isDay) return 'yyyy-mm-dd'
  if (isTime) return '[h]:mm:ss'
  if (isMoney) return '#,##0.00;-#,##0.00;"-";@'
  return otherBuiltInCodes[id]
}

const otherBuiltInCodes: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  22: 'yyyy-mm-dd hh:mm',
  49: '@',
}
