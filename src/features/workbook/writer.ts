/**
 * A workbook (.xlsx) as bytes, in flat memory. Text is never a formula, link or macro; same cells, same bytes. The zip file around it is
 * written from front to back: the sizes and the checksum of a part follow it. `output/formats/xlsx.ts` writes every result in this format with it,
 * `input/annotated.ts` rows with their findings; `own-workbook.ts` uses its cells and its zip file.
 */
import { SvcError } from '../../errors.ts'
import { columnName, groupDigits } from '../../words.ts'
import { mostRows } from './cells.ts'
import { constants, crc32, deflateRawSync } from 'node:zlib'

/** UTF-16 units in a cell. */
export const longestCell = 32_767
/** How many characters of XML are passed on at once. */
const pieceLength = 1 << 17

/** Text, nothing, a number, or the serial number of a time. */
export type Cell =
  string | undefined | { readonly kind: 'number' | 'time'; readonly raw: number }

interface SheetForm {
  /** The width of each column, in characters. */
  readonly widths: readonly number[]
  /** At the top of every sheet, where it stays in sight. */
  readonly heading?: readonly string[] | undefined
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

const styles = `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`

/** On paper, and as PDF, all columns are side by side. */
const fitting = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>'
const pageSetup = '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>'

function sheetPath(sheet: number): string {
  return `worksheets/sheet${sheet}.xml`
}

function relationship(id: number, kind: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${relations}/${kind}" Target="${target}"/>`
}

/** Parts that are known when the sheets are: by name, the text behind its declaration. */
function closingParts(sheets: number): readonly (readonly [name: string, text: string])[] {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1)
  const names = numbers.map(
    (sheet) => `<sheet name="Sheet${sheet}" sheetId="${sheet}" r:id="rId${sheet}"/>`,
  )
  const targets = numbers.map((sheet) => relationship(sheet, 'worksheet', sheetPath(sheet)))
  const toStyles = relationship(sheets + 1, 'styles', 'styles.xml')
  const toWorkbook = relationship(1, 'officeDocument', 'xl/workbook.xml')
  const overrides = numbers.map(
    (sheet) =>
      `<Override PartName="/xl/${sheetPath(sheet)}" ContentType="${types}.worksheet+xml"/>`,
  )
  return [
    [
      '_rels/.rels',
      `<Relationships xmlns="${packages}/relationships">${toWorkbook}</Relationships>`,
    ],
    ['xl/styles.xml', styles],
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

/** The bytes of a workbook. After 1,048,576 rows comes another sheet. Throws exit 10 for a cell or file that is too large. */
export async function* workbook(
  form: SheetForm,
  rows: AsyncIterable<readonly Cell[]> | Iterable<readonly Cell[]>,
): AsyncGenerator<Buffer> {
  const { heading } = form
  const zip = new ZipWriter()
  let sheet = 1
  let line = 0
  const take = (cells: readonly Cell[], style = 0): string => {
    line += 1
    return rowText(cells, line, style, heading)
  }
  const begin = (): string => {
    line = 0
    return sheetHead(form) + (heading === undefined ? '' : take(heading, headingStyle))
  }
  yield zip.begin(`xl/${sheetPath(sheet)}`)
  let text = begin()
  for await (const cells of rows) {
    if (line === mostRows) {
      yield* zip.end(text + sheetFoot)
      sheet += 1
      yield zip.begin(`xl/${sheetPath(sheet)}`)
      text = begin()
    }
    text += take(cells)
    if (text.length < pieceLength) continue
    yield zip.add(text)
    text = ''
  }
  yield* zip.end(text + sheetFoot)
  for (const [name, content] of closingParts(sheet)) {
    yield zip.begin(name)
    yield* zip.end(declaration + content)
  }
  yield zip.directory()
}

function sheetHead({ widths, heading }: SheetForm): string {
  const cols = widths.map(
    (width, n) => `<col min="${n + 1}" max="${n + 1}" width="${width}" customWidth="1"/>`,
  )
  const columns = cols.length === 0 ? '' : `<cols>${cols.join('')}</cols>`
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  const view = `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`
  return `${declaration}<worksheet xmlns="${main}">${fitting}${heading === undefined ? '' : view}${columns}<sheetData>`
}

const sheetFoot = `</sheetData>${pageSetup}</worksheet>`

function rowText(
  cells: readonly Cell[],
  line: number,
  style: number,
  heading: readonly string[] | undefined,
): string {
  if (cells.length === 0) return ''
  const texts = cells.map((cell, column) => {
    if (cell === undefined || cell === '') return ''
    const place = `${columnName(column)}${line}`
    if (typeof cell !== 'string') return valueCell(place, cell)
    if (cell.length <= longestCell) return textCell(place, cell, style)
    const name = heading?.[column] === undefined ? '' : ` (${heading[column]})`
    throw new SvcError(
      'local',
      `cell ${place}${name} would have ${groupDigits(cell.length)} characters, and a workbook takes ${groupDigits(longestCell)}`,
      { hint: 'write csv instead, which has no such limit' },
    )
  })
  return `<row r="${line}">${texts.join('')}</row>`
}

function valueCell(
  place: string,
  { kind, raw }: Exclude<Cell, string | undefined>,
): string {
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

/** More would need a longer form of the format, which not every reader takes. */
const most = 0xffff_ffff
const version = 20
/** The sizes follow; names are UTF-8. */
const flags = 0x0808
const deflated = 8
/** 1980-01-01, the first day that there is. */
const firstDay = 0x21

/** The directory's facts of a part. Sizes in bytes. */
export interface ZipEntry {
  readonly fileNameRaw: Buffer
  readonly generalPurposeBitFlag: number
  readonly compressionMethod: number
  readonly lastModFileTime: number
  readonly lastModFileDate: number
  readonly crc32: number
  readonly compressedSize: number
  readonly uncompressedSize: number
}

const newPart: ZipEntry = {
  fileNameRaw: Buffer.alloc(0),
  generalPurposeBitFlag: flags,
  compressionMethod: deflated,
  lastModFileTime: 0,
  lastModFileDate: firstDay,
  crc32: 0,
  compressedSize: 0,
  uncompressedSize: 0,
}

/** A zip archive that is written. Its parts come one after the other, and then its directory. */
export class ZipWriter {
  readonly #directory: Buffer[] = []
  #length = 0
  /** The present part, and where it begins. */
  #part = newPart
  #at = 0

  /** Begins a part. */
  begin(name: string): Buffer {
    this.#part = { ...newPart, fileNameRaw: Buffer.from(name) }
    this.#at = this.#length
    return this.#count(numbers(4, 0x04034b50), factsOf(this.#part), this.#part.fileNameRaw)
  }

  /** A piece of the part; about 100 KB are best, because each is packed for itself. Throws exit 10 beyond 4 GB. */
  add(text: string, finishFlush = constants.Z_SYNC_FLUSH): Buffer {
    const bytes = Buffer.from(text)
    // Each piece ends at a byte, so that the next one can follow it.
    const packed = deflateRawSync(bytes, { finishFlush })
    const { crc32: sum, compressedSize, uncompressedSize } = this.#part
    this.#part = {
      ...this.#part,
      // The checksum of nothing is always 0.
      crc32: text === '' ? sum : crc32(bytes, sum),
      compressedSize: compressedSize + packed.length,
      uncompressedSize: uncompressedSize + bytes.length,
    }
    return this.#count(packed)
  }

  /** The last piece of the part. */
  *end(text: string): Generator<Buffer> {
    yield this.add(text, constants.Z_FINISH)
    this.#directory.push(directoryEntry(this.#part, this.#at))
    const { crc32: sum, compressedSize, uncompressedSize } = this.#part
    yield this.#count(numbers(4, 0x08074b50, sum, compressedSize, uncompressedSize))
  }

  /** A part as it lies in another archive, header and all. `entry`: what the directory says of it there. */
  copy(entry: ZipEntry, bytes: Buffer): Buffer {
    this.#directory.push(directoryEntry(entry, this.#length))
    return this.#count(bytes)
  }

  directory(): Buffer {
    const count = this.#directory.length
    const entries = Buffer.concat(this.#directory)
    return Buffer.concat([
      entries,
      numbers(4, 0x06054b50),
      numbers(2, 0, 0, count, count),
      numbers(4, entries.length, this.#length),
      numbers(2, 0),
    ])
  }

  #count(...pieces: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(pieces)
    this.#length += bytes.length
    if (Math.max(this.#length, this.#part.uncompressedSize) < most) return bytes
    throw new SvcError('local', 'the workbook would have more than 4 GB', {
      hint: 'use csv: -o csv',
    })
  }
}

/** Numbers of two or four bytes each, the lowest byte first. */
function numbers(bytes: 2 | 4, ...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * bytes)
  for (const [index, value] of values.entries())
    buffer.writeUIntLE(value, index * bytes, bytes)
  return buffer
}

/** The bytes that stand in front of a part and in the directory alike. */
function factsOf(part: ZipEntry): Buffer {
  const { generalPurposeBitFlag, compressionMethod, lastModFileTime, lastModFileDate } =
    part
  return Buffer.concat([
    numbers(2, version, generalPurposeBitFlag, compressionMethod),
    numbers(2, lastModFileTime, lastModFileDate),
    numbers(4, part.crc32, part.compressedSize, part.uncompressedSize),
    numbers(2, part.fileNameRaw.length, 0),
  ])
}

/** An entry without what is in extra fields, which stands in front of the part as well. `at`: where the part is. */
function directoryEntry(part: ZipEntry, at: number): Buffer {
  return Buffer.concat([
    numbers(4, 0x02014b50),
    numbers(2, version),
    factsOf(part),
    numbers(2, 0, 0, 0, 0, 0),
    numbers(4, at),
    part.fileNameRaw,
  ])
}
