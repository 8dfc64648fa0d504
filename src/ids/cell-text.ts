/** Texts of a workbook: shared ones, their escapes, and numbers that are dates. */
import { usageError } from '../errors.ts'
import { longestText, readShortXml, readXml, type XmlEvents } from './xml.ts'
import type { Archive } from './zip.ts'

const mostTextBytes = 64 << 20
const mostTexts = 4 << 20

/** All shared strings, as bytes in one buffer: as strings of their own they would take many times the room. */
export class SharedTexts {
  #bytes: Buffer = Buffer.alloc(1 << 16)
  #ends = new Uint32Array(1 << 12)
  #count = 0

  get size(): number {
    return this.#count
  }

  at(index: number): string {
    return this.#bytes.toString('utf8', index === 0 ? 0 : this.#ends[index - 1], this.#ends[index])
  }

  add(text: string, name: string): void {
    const start = this.#count === 0 ? 0 : (this.#ends[this.#count - 1] ?? 0)
    // A character takes three bytes at most.
    const end = start + text.length * 3
    if (end > mostTextBytes || this.#count === mostTexts) {
      throw usageError(
        `${name} is too large: its texts have more than ${mostTextBytes >> 20} MB`,
        'save the column with the ids as a workbook or csv of its own',
      )
    }
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, start, end)
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(this.#ends.length * 2)
      larger.set(this.#ends)
      this.#ends = larger
    }
    this.#ends[this.#count] = start + this.#bytes.write(text, start)
    this.#count += 1
  }
}

function grown(bytes: Buffer, length: number, wanted: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(wanted, bytes.length * 2))
  bytes.copy(larger, 0, 0, length)
  return larger
}

/** Puts together a text of runs, without the phonetic ones, which spell out how it is read. */
export class RunText {
  text = ''
  #isText = false
  #phonetic = 0
  readonly #archive: string

  constructor(archive: string) {
    this.#archive = archive
  }

  onOpen(name: string): void {
    if (name === 'rPh') this.#phonetic += 1
    else if (name === 't') this.#isText = this.#phonetic === 0
  }

  onText(text: string): void {
    if (!this.#isText) return
    this.text += text
    if (this.text.length > longestText) throw usageError(`${this.#archive} has a text of more than 1 MB`)
  }

  onClose(name: string): void {
    if (name === 'rPh') this.#phonetic -= 1
    else if (name === 't') this.#isText = false
  }

  /** The text so far; the next one begins. */
  take(): string {
    const text = unescaped(this.text)
    this.text = ''
    return text
  }
}

/** Characters that XML cannot hold are written `_x000D_` in a workbook. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

export async function readSharedTexts(archive: Archive, path: string): Promise<SharedTexts> {
  const texts = new SharedTexts()
  const run = new RunText(archive.name)
  const events: XmlEvents = {
    onOpen: (name) => {
      run.onOpen(name)
    },
    onText: (text) => {
      run.onText(text)
    },
    onClose(name) {
      run.onClose(name)
      if (name === 'si') texts.add(run.take(), archive.name)
    },
  }
  const steps = readXml(archive, path, events)
  while ((await steps.next()).done !== true);
  return texts
}

/** Built-in number formats that show a date or a time. */
function isDateNumber(format: number): boolean {
  return (format >= 14 && format <= 22) || (format >= 27 && format <= 36) || (format >= 45 && format <= 58)
}

/** Characters that a number format has at most. */
const longestFormat = 255

/** Whether a number format shows a date or a time: letters of one outside quotes and brackets. `[h]` counts hours. */
export function isDateFormat(code: string): boolean {
  // What is longer is none, and would be searched for as long as its writer likes.
  if (code.length > longestFormat) return false
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return false
  return /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, ''))
}

/** The cell styles, by number, that show a number as a date. */
export async function readDateStyles(archive: Archive, path: string): Promise<ReadonlySet<number>> {
  const dates = new Set<number>()
  const custom = new Map<number, boolean>()
  let inCells = false
  let style = 0
  await readShortXml(archive, path, {
    onOpen(name, attributes) {
      const format = Number(attributes.numFmtId ?? 0)
      if (name === 'numFmt') custom.set(format, isDateFormat(attributes.formatCode ?? ''))
      else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells) {
        if (custom.get(format) ?? isDateNumber(format)) dates.add(style)
        style += 1
      }
    },
    onClose(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return dates
}

/** Days of the other calendar, which begins in 1904, are this much smaller. */
export const days1904 = 1462

/** A day number, where 1 is 1900-01-01, as `2026-03-01`, `2026-03-01 10:15:00` or `10:15:00`; undefined when it is none. */
export function dateText(serial: number): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined
  // Spreadsheets believe that 1900 was a leap year.
  const epoch = Date.UTC(1899, 11, serial < 60 ? 31 : 30)
  const [date = '', time = ''] = new Date(epoch + Math.round(serial * 86_400) * 1000).toISOString().split(/[T.]/)
  if (serial < 1) return time
  return Number.isInteger(serial) ? date : `${date} ${time}`
}
