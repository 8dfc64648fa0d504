/** Texts of a workbook: shared ones, their escapes, and numbers that are dates. */
import { usageError } from '../../errors.ts'
import { closed, longestText, open, readWholeXml, sheetSpaces, type Attributes } from './xml.ts'
import type { Archive } from './zip.ts'

const mostTextBytes = 64 << 20
const mostTexts = 4 << 20

/** All shared strings, as bytes in one buffer: as strings of their own they would take many times the room. */
export class SharedTexts {
  #bytes: Buffer = Buffer.alloc(1 << 16)
  readonly #ends: number[] = []

  get size(): number {
    return this.#ends.length
  }

  at(index: number): string {
    return this.#bytes.toString('utf8', this.#ends[index - 1] ?? 0, this.#ends[index])
  }

  add(text: string, archive: Archive): void {
    const start = this.#ends.at(-1) ?? 0
    // A character takes three bytes at most.
    const end = start + text.length * 3
    if (end > mostTextBytes || this.size === mostTexts)
      throw archive.tooLarge(`its texts have more than ${mostTextBytes >> 20} MB`)
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    this.#ends.push(start + this.#bytes.write(text, start))
  }
}

/** What a text is made of. Phonetic runs spell out how it is read. */
export const richText = {
  t: closed(),
  r: closed({ t: closed(), rPr: 'skipped' }),
  rPh: 'skipped',
  phoneticPr: 'skipped',
} as const

export class RunText {
  text = ''
  #isText = false
  #texts = 0
  #runs = 0
  readonly #archive: Archive

  constructor(archive: Archive) {
    this.#archive = archive
  }

  onOpen(name: string): void {
    if (name === 'r') this.#runs += 1
    if (name !== 't') return
    this.#isText = true
    this.#texts += 1
    // Of a text beside runs, or two in a run, one program shows both and another one of them.
    if (this.#texts > Math.max(1, this.#runs)) throw this.#archive.damaged('it has two texts in place of one')
  }

  onText(text: string): void {
    if (!this.#isText) return
    this.text += text
    if (this.text.length > longestText) throw usageError(`${this.#archive.name} has a text of more than 1 MB`)
  }

  onClose(name: string): void {
    if (name === 't') this.#isText = false
  }

  /** The text so far, with its escapes; the next one begins. */
  take(): string {
    const { text } = this
    this.text = ''
    this.#texts = 0
    this.#runs = 0
    return text
  }
}

const escapes = /_x([0-9a-fA-F]{4})_/g

/** Characters that XML cannot hold are written `_x000D_` in a workbook. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(escapes, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Whether one stands for a character that can be written as it is, other than the underscore of an escape. */
export function hasNeedlessEscape(text: string): boolean {
  return (
    text.includes('_x') &&
    [...text.matchAll(escapes)].some(([, hex = '']) => /^[^\p{C}_]$/u.test(unescaped(`_x${hex}_`)))
  )
}

const textsPart = { spaces: sheetSpaces, root: 'sst', shape: closed({ si: closed(richText), extLst: 'skipped' }) }

export async function readSharedTexts(archive: Archive, path: string): Promise<SharedTexts> {
  const texts = new SharedTexts()
  const run = new RunText(archive)
  await readWholeXml(archive, path, textsPart, {
    onOpen: (name) => run.onOpen(name),
    onText: (text) => run.onText(text),
    onClose(name) {
      run.onClose(name)
      if (name === 'si') texts.add(run.take(), archive)
    },
  })
  return texts
}

/** Built-in number formats that show a date or a time. */
function isDateNumber(format: number): boolean {
  return (format >= 14 && format <= 22) || (format >= 27 && format <= 36) || (format >= 45 && format <= 58)
}

const longestFormat = 255

/** Whether a number format shows a date or a time: letters of one outside quotes and brackets. `[h]` counts hours. */
export function isDateFormat(code: string): boolean {
  // What is longer is none, and would be searched for as long as its writer likes.
  if (code.length > longestFormat) return false
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return false
  return /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, ''))
}

/** Whether a text in a cell of this format is what the cell shows: `;;;` shows nothing, `;;;"x"` something else. */
export function showsText(code: string): boolean {
  if (code.length > longestFormat) return false
  const bare = code.replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/g, (part) => (/^(?:"[^"]|\\)/.test(part) ? 'x' : ''))
  const sections = bare.split(';').map((section) => section.trim().toLowerCase())
  const ofTexts = sections[3] ?? sections.find((section) => section.includes('@'))
  return ofTexts === undefined ? sections.some((section) => section !== '') : ['@', 'general'].includes(ofTexts)
}

/** The cell styles, by number, that show a number as a date, and those that show no text, or another. */
export type Styles = ReturnType<typeof stylesOf>

const mostStyles = 1 << 16

const xf = open({ xf: open() })
const stylesPart = {
  spaces: sheetSpaces,
  root: 'styleSheet',
  shape: open({ numFmts: open({ numFmt: open() }), cellStyleXfs: xf, cellXfs: xf }),
  once: new Set(['numFmts', 'cellStyleXfs', 'cellXfs']),
}

export async function readStyles(archive: Archive, path: string): Promise<Styles> {
  const formats = new Map<number, string>()
  const styles: Attributes[] = []
  const cells: Attributes[] = []
  let list = styles
  await readWholeXml(archive, path, stylesPart, {
    onOpen(name, attributes) {
      if (name === 'cellStyleXfs') list = styles
      else if (name === 'cellXfs') list = cells
      else if (name === 'xf') list.push(attributes)
      if (Math.max(list.length, formats.size) > mostStyles) throw archive.damaged('it has too many styles')
      if (name === 'numFmt') {
        const format = Number(attributes.numFmtId)
        if (formats.has(format)) throw archive.damaged(`its styles have two formats ${format}`)
        formats.set(format, attributes.formatCode ?? '')
      }
    },
  })
  return stylesOf(formats, styles, cells)
}

function stylesOf(formats: ReadonlyMap<number, string>, styles: readonly Attributes[], cells: readonly Attributes[]) {
  const areDates = new Map([...formats].map(([format, code]) => [format, isDateFormat(code)]))
  const areUnseen = new Map([...formats].map(([format, code]) => [format, !showsText(code)]))
  const dates = new Set<number>()
  const unseen = new Set<number>()
  cells.forEach(({ numFmtId = 0, xfId = 0, applyNumberFormat }, style) => {
    const format = Number(numFmtId)
    if (areDates.get(format) ?? isDateNumber(format)) dates.add(style)
    // Whether a format counts that is not said to be applied, or that of the named style, is seen differently.
    const ofStyle = isTrue(applyNumberFormat) ? format : Number(styles[Number(xfId)]?.numFmtId ?? 0)
    if (areUnseen.get(format) === true || areUnseen.get(ofStyle) === true) unseen.add(style)
  })
  return { dates, unseen }
}

export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true' || text === 'on'
}

/** Days of the other calendar, which begins in 1904, are this much smaller. */
export const days1904 = 1462

/** Whether a number is that of a day before the year 10000, where 1 is 1900-01-01. */
export function isDay(serial: number): boolean {
  return serial >= 0 && serial < 2_958_466
}

/** A day number as `2026-03-01`, `2026-03-01 10:15:00` or `10:15:00`. */
export function dateText(serial: number): string {
  // Spreadsheets believe that 1900 was a leap year.
  const epoch = Date.UTC(1899, 11, serial < 60 ? 31 : 30)
  const [date = '', time = ''] = new Date(epoch + Math.round(serial * 86_400) * 1000).toISOString().split(/[T.]/)
  if (serial < 1) return time
  return Number.isInteger(serial) ? date : `${date} ${time}`
}
