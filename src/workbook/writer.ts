/**
 * A workbook (.xlsx) as bytes, in flat memory. Text is never a formula, link or macro; same cells, same bytes. The zip file around it is
 * written from front to back: the sizes and the checksum of a part follow it. `output/formats/xlsx.ts` writes every result in this format with it,
 * `input/annotated.ts` rows with their findings; `own-workbook.ts` uses its cells and its zip file.
 */
import { SvcError } from '../errors.ts'
import { columnName, groupDigits } from '../words.ts'
import { mostRows } from './cells.ts'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { promisify } from 'node:util'

/** UTF-16 units in a cell. */
export const longestCell = 32_767
/** Characters of XML that are handed on at once. */
const pieceLength = 1 << 17

/** Text, nothing, a number, or the serial number of a time. */
export type Cell = string | undefined | { readonly kind: 'number' | 'time'; readonly raw: number }

interface SheetForm {
  /** The width of each column, in characters. */
  readonly widths: readonly number[]
  /** At the top of every sheet. */
  readonly heading?: readonly string[] | undefined
  /** How many rows stay in sight when the first sheet is scrolled; with a heading it is that. */
  readonly frozen?: number
}

/** Days since 1899-12-30: what a spreadsheet takes for a time. Undefined before 1900-03-01, where spreadsheets disagree. */
export function serialOf(time: number): number | undefined {
  const serial = time / 86_400_000 + 25_569
  return serial >= 61 ? serial : undefined
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Places in `cellXfs` of the styles. */
const timeStyle = 1
const headingStyle = 2

const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`

/** On paper, and as PDF, all columns stand side by side. */
const fitting = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>'
const pageSetup = '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>'

function sheetPath(sheet: number): string {
  return `worksheets/sheet${sheet}.xml`
}

function relationship(id: number, kind: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${relations}/${kind}" Target="${target}"/>`
}

/** Parts that are known when the sheets are: by name, what is in them. */
function closingParts(sheets: number): readonly (readonly [name: string, text: string])[] {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1)
  const names = numbers.map(
    (sheet) => `<sheet name="Sheet${sheet}" sheetId="${sheet}" r:id="rId${sheet}"/>`,
  )
  const targets = numbers.map((sheet) => relationship(sheet, 'worksheet', sheetPath(sheet)))
  const toStyles = relationship(sheets + 1, 'styles', 'styles.xml')
  const overrides = numbers.map(
    (sheet) =>
      `<Override PartName="/xl/${sheetPath(sheet)}" ContentType="${types}.worksheet+xml"/>`,
  )
  return [
    [
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${names.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packages}/relationships">${targets.join('')}${toStyles}</Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>${overrides.join('')}</Types>`,
    ],
  ]
}

/** The bytes of a workbook; behind 1,048,576 rows comes another sheet. Throws exit 10 for a cell or file too large. */
export async function* workbook(
  form: SheetForm,
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>,
) {
  const zip = new ZipWriter()
  const source: RowSource =
    Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  try {
    const root = relationship(1, 'officeDocument', 'xl/workbook.xml')
    yield* zip.part('_rels/.rels', [
      Buffer.from(
        `${declaration}<Relationships xmlns="${packages}/relationships">${root}</Relationships>`,
      ),
    ])
    yield* zip.part('xl/styles.xml', [Buffer.from(styles)])
    let sheet = 0
    let next = await source.next()
    do {
      sheet += 1
      const writer = new SheetWriter(form, sheet, next)
      yield* zip.part(`xl/${sheetPath(sheet)}`, writer.pieces(source))
      next = writer.next
    } while (next.done !== true)
    for (const [name, text] of closingParts(sheet)) {
      yield* zip.part(name, [Buffer.from(declaration + text)])
    }
    yield zip.end()
  } finally {
    await source.return?.()
  }
}

type RowSource = AsyncIterator<readonly Cell[]> | Iterator<readonly Cell[]>

/** Writes one sheet, until its rows end or it is full. */
class SheetWriter {
  /** The row that comes next, for which there may be no room any more. */
  next: IteratorResult<readonly Cell[], unknown>
  readonly #form: SheetForm
  readonly #frozen: number
  readonly #names: string[] = []
  #row = 0

  constructor(form: SheetForm, sheet: number, first: IteratorResult<readonly Cell[], unknown>) {
    this.next = first
    this.#form = form
    const frozen = sheet === 1 ? (form.frozen ?? 0) : 0
    this.#frozen = form.heading === undefined ? frozen : 1
  }

  async *pieces(rows: RowSource): AsyncGenerator<Buffer> {
    const { heading } = this.#form
    const head = `${fitting}${this.#view()}${this.#columns()}`
    let text = `${declaration}<worksheet xmlns="${main}">${head}<sheetData>`
    if (heading !== undefined) text += this.#rowText(heading, headingStyle)
    while (this.next.done !== true && this.#row < mostRows) {
      text += this.#rowText(this.next.value, 0)
      if (text.length >= pieceLength) {
        yield Buffer.from(text)
        text = ''
      }
      const next = rows.next()
      this.next = next instanceof Promise ? await next : next
    }
    yield Buffer.from(`${text}</sheetData>${pageSetup}</worksheet>`)
  }

  #view(): string {
    if (this.#frozen === 0) return ''
    const top = `A${this.#frozen + 1}`
    const pane = `<pane ySplit="${this.#frozen}" topLeftCell="${top}" activePane="bottomLeft" state="frozen"/>`
    return `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`
  }

  #columns(): string {
    const { widths } = this.#form
    const cols = widths.map((width, i) => {
      const place = i + 1
      return `<col min="${place}" max="${place}" width="${width}" customWidth="1"/>`
    })
    return cols.length === 0 ? '' : `<cols>${cols.join('')}</cols>`
  }

  #rowText(cells: readonly Cell[], style: number): string {
    this.#row += 1
    if (cells.length === 0) return ''
    const row = this.#row
    let text = `<row r="${row}">`
    for (let column = 0; column < cells.length; column += 1) {
      const cell = cells[column]
      if (cell === undefined || cell === '') continue
      const place = `${(this.#names[column] ??= columnName(column))}${row}`
      text +=
        typeof cell === 'string'
          ? this.#textCell(place, column, cell, style)
          : valueCell(place, cell)
    }
    return `${text}</row>`
  }

  #textCell(place: string, column: number, text: string, style: number): string {
    if (text.length > longestCell) throw this.#tooLong(place, column, text)
    return textCell(place, text, style)
  }

  #tooLong(place: string, column: number, { length }: string): SvcError {
    const heading = this.#form.heading?.[column]
    const name = heading === undefined ? '' : ` (${heading})`
    return new SvcError(
      'local',
      `cell ${place}${name} would have ${groupDigits(length)} characters, and a workbook takes ${groupDigits(longestCell)}`,
      { hint: 'write csv instead, which has no such limit' },
    )
  }
}

function valueCell(place: string, { kind, raw }: Exclude<Cell, string | undefined>): string {
  const style = kind === 'time' ? ` s="${timeStyle}"` : ''
  return `<c r="${place}"${style}><v>${raw}</v></c>`
}

/** A cell with a text of its own. `prefix`: of the names of elements, `x:`. */
export function textCell(
  place: string,
  text: string,
  style: string | number = 0,
  prefix = '',
): string {
  const styled = style === 0 ? '' : ` s="${style}"`
  const is = `${prefix}is`
  const t = `${prefix}t`
  return `<${prefix}c r="${place}"${styled} t="inlineStr"><${is}><${t} xml:space="preserve">${xmlText(text)}</${t}></${is}></${prefix}c>`
}

// Characters that XML has no form for, and text that would be read as the form that workbooks have for it.
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const special = /[&<>]|[\0-\x08\v-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

/** A carriage return is written so too: XML would read it as a line feed. */
function xmlText(text: string): string {
  return text.replace(special, (character) => {
    if (character === '&') return '&amp;'
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return `_x${code.padStart(4, '0')}_`
  })
}

const deflate = promisify(deflateRaw)
/** More would need a longer form of the format, which not every reader takes. */
const most = 0xffff_ffff
const version = 20
/** The sizes follow; names are UTF-8. */
const flags = 0x0808
const deflated = 8
/** 1980-01-01, the first day that there is. */
const firstDay = 0x21

/** A zip archive that is written. Its parts come one after the other, and then its directory. */
export class ZipWriter {
  readonly #directory: Buffer[] = []
  #length = 0

  /** The bytes of a part. Pieces of about 100 KB are best: each is packed for itself. Throws exit 10 beyond 4 GB. */
  async *part(
    name: string | Buffer,
    pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    const at = this.#length
    const entry = { ...newEntry, fileNameRaw: Buffer.from(name as string) }
    yield this.#count(localHeader(entry.fileNameRaw))
    const begin = this.#length
    for await (const piece of pieces) {
      entry.crc32 = crc32(piece, entry.crc32)
      entry.uncompressedSize += piece.length
      // Each piece ends at a byte, so that the next one can follow it.
      const packed = await deflate(piece, { finishFlush: constants.Z_SYNC_FLUSH })
      yield this.#count(packed, entry.uncompressedSize)
    }
    yield this.#count(await deflate(Buffer.alloc(0)))
    entry.compressedSize = this.#length - begin
    this.#directory.push(directoryEntry(entry, at))
    yield this.#count(numbers(4, 0x08074b50, ...sizesOf(entry)))
  }

  /** A part as it lies in another archive, header and all. `entry`: what the directory says of it there. */
  copy(entry: ZipEntry, bytes: Buffer): Buffer {
    this.#directory.push(directoryEntry(entry, this.#length))
    return this.#count(bytes)
  }

  end(): Buffer {
    const entries = Buffer.concat(this.#directory)
    const count = this.#directory.length
    const end = [numbers(4, 0x06054b50), numbers(2, 0, 0, count, count)]
    return Buffer.concat([entries, ...end, numbers(4, entries.length, this.#length), numbers(2, 0)])
  }

  #count(bytes: Buffer, size = 0): Buffer {
    this.#length += bytes.length
    if (Math.max(this.#length, size) < most) return bytes
    throw new SvcError('local', 'the workbook would have more than 4 GB', {
      hint: 'use csv: -o csv',
    })
  }
}

/** Numbers of two or four bytes each, the lowest byte first. */
export function numbers(bytes: 2 | 4, ...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * bytes)
  for (const [index, value] of values.entries()) buffer.writeUIntLE(value, index * bytes, bytes)
  return buffer
}

const newEntry = {
  versionMadeBy: version,
  versionNeededToExtract: version,
  generalPurposeBitFlag: flags,
  compressionMethod: deflated,
  lastModFileTime: 0,
  lastModFileDate: firstDay,
  crc32: 0,
  compressedSize: 0,
  uncompressedSize: 0,
  internalFileAttributes: 0,
  externalFileAttributes: 0,
}

/** The directory's entry of a part. Sizes in bytes. */
export type ZipEntry = Readonly<typeof newEntry> & { readonly fileNameRaw: Buffer }

/** As headers have them, in this order. */
function sizesOf({ crc32: sum, compressedSize, uncompressedSize }: ZipEntry) {
  return [sum, compressedSize, uncompressedSize] as const
}

function localHeader(name: Buffer): Buffer {
  const about = numbers(2, version, flags, deflated, 0, firstDay)
  const lengths = numbers(2, name.length, 0)
  return Buffer.concat([numbers(4, 0x04034b50), about, numbers(4, 0, 0, 0), lengths, name])
}

/** An entry without what is in extra fields, which stands in front of the part as well. `at`: where the part is. */
function directoryEntry(entry: ZipEntry, at: number): Buffer {
  const { versionMadeBy, versionNeededToExtract, generalPurposeBitFlag, compressionMethod } = entry
  const { lastModFileTime, lastModFileDate, internalFileAttributes } = entry
  const { externalFileAttributes, fileNameRaw: name } = entry
  return Buffer.concat([
    numbers(4, 0x02014b50),
    numbers(2, versionMadeBy, versionNeededToExtract, generalPurposeBitFlag, compressionMethod),
    numbers(2, lastModFileTime, lastModFileDate),
    numbers(4, ...sizesOf(entry)),
    numbers(2, name.length, 0, 0, 0, internalFileAttributes),
    numbers(4, externalFileAttributes, at),
    name,
  ])
}
