/**
 * Writes a workbook (.xlsx) that is pleasant to work with: a bold heading that stays in sight, rows that can be filtered,
 * columns as wide as their content, texts that stay texts when they are edited, days as days, and drop-down lists where a
 * person decides. Text is never a formula, link or macro. The same cells give the same bytes.
 */
import { SvcError } from '../errors.ts'
import { columnName, groupDigits } from '../words.ts'
import { mostColumns, mostRows, type Cell } from './cells.ts'
import { ZipWriter } from './zip-writer.ts'

/** The most columns of a sheet, and UTF-16 units of a cell. */
export const limits = { columns: mostColumns, cell: 32_767 }

/** About how many characters of XML are packed at once. */
const pieceLength = 1 << 17

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationNamespace =
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const typeOfParts = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Id of the built-in format Text. */
const textFormat = 49
const dayFormat = 164
const timeFormat = 165

/** The styles of cells: the number format and the font of each. A cell refers to one by its position. */
const cellStyles = {
  number: { format: 0, font: 0 },
  text: { format: textFormat, font: 0 },
  day: { format: dayFormat, font: 0 },
  time: { format: timeFormat, font: 0 },
  heading: { format: textFormat, font: 1 },
} as const

function styleOf(kind: keyof typeof cellStyles) {
  return Object.keys(cellStyles).indexOf(kind)
}

function stylesPart() {
  const formats = `<numFmts count="2"><numFmt numFmtId="${dayFormat}" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="${timeFormat}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>`
  const font = '<sz val="11"/><name val="Calibri"/>'
  const fonts = `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>`
  const fills =
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>'
  const borders =
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
  const plain = 'fillId="0" borderId="0"'
  const all = Object.values(cellStyles).map(
    ({ format, font }) =>
      `<xf numFmtId="${format}" fontId="${font}" ${plain} xfId="0" applyNumberFormat="1" applyFont="1"/>`,
  )
  const normal =
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
  return `<styleSheet xmlns="${mainNamespace}">${formats}${fonts}${fills}${borders}<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" ${plain}/></cellStyleXfs><cellXfs count="${all.length}">${all.join('')}</cellXfs>${normal}</styleSheet>`
}

/** The word to choose in a column in which a person decides, by its heading. */
const choices = new Map<Cell, string>([['merge', 'yes']])

/** Widths of columns, in characters. */
const leastWidth = 8
const mostWidth = 60
const widthOfValue = { number: 12, day: 12, time: 20 }

/** The width of a cell by the longest line of its text, with room for the button of the filter. */
function widthOf(cell: Cell = '') {
  if (typeof cell !== 'string') return widthOfValue[cell.kind]
  const lines = cell.slice(0, 1000).split('\n')
  return Math.max(...lines.map(({ length }) => length)) + 3
}

function sheetPath(sheet: number) {
  return `worksheets/sheet${sheet}.xml`
}

function relationship(id: number, kind: string, target: string) {
  return `<Relationship Id="rId${id}" Type="${relationNamespace}/${kind}" Target="${target}"/>`
}

/**
 * The parts that can be written once the number of sheets is known: the name of each, and its text after the declaration.
 */
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
      `<Override PartName="/xl/${sheetPath(sheet)}" ContentType="${typeOfParts}.worksheet+xml"/>`,
  )
  return [
    [
      '_rels/.rels',
      `<Relationships xmlns="${packageNamespace}/relationships">${toWorkbook}</Relationships>`,
    ],
    ['xl/styles.xml', stylesPart()],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${mainNamespace}" xmlns:r="${relationNamespace}"><sheets>${names.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packageNamespace}/relationships">${targets.join('')}${toStyles}</Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${typeOfParts}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${typeOfParts}.styles+xml"/>${overrides.join('')}</Types>`,
    ],
  ]
}

type WrittenRow = readonly Cell[]

/**
 * The bytes of a workbook. `headingRow`: the number of the heading's row; 0 without one. After 1,048,576 rows comes another
 * sheet. Throws exit 1 for a cell or file that is too large.
 */
export async function* workbook(
  rows: AsyncIterable<WrittenRow> | Iterable<WrittenRow>,
  headingRow: number,
): AsyncGenerator<Buffer> {
  const zip = new ZipWriter()
  let sheet = new SheetText(headingRow)
  let text = ''
  let count = 1
  for await (const cells of rows) {
    if (sheet.line === mostRows) {
      yield* zip.end(`xl/${sheetPath(count)}`, sheet.withStart(text) + sheet.foot())
      count += 1
      // The heading is repeated in the first row.
      const { titles } = sheet
      sheet = new SheetText(Math.min(headingRow, 1))
      text = headingRow === 0 ? '' : sheet.row(titles)
    }
    text += sheet.row(cells)
    if (text.length < pieceLength) continue
    zip.add(sheet.withStart(text))
    text = ''
  }
  yield* zip.end(`xl/${sheetPath(count)}`, sheet.withStart(text) + sheet.foot())
  for (const [name, content] of closingParts(count)) {
    yield* zip.end(name, declaration + content)
  }
  yield zip.directory()
}

/** The XML of one sheet. */
class SheetText {
  /** The number of the last row that was written. */
  line = 0
  /** The cells of the heading, once it is written. */
  titles: WrittenRow = []
  /** The row of the heading; 0 without one. */
  readonly #headingRow: number
  #isBegun = false
  /** The width of each column, by the rows so far. */
  readonly #widths: number[] = []

  constructor(headingRow: number) {
    this.#headingRow = headingRow
  }

  /** A piece of the sheet. The first one starts the sheet, with the widths of the columns, which its rows decide. */
  withStart(rows: string) {
    if (this.#isBegun) return rows
    this.#isBegun = true
    const headingRow = this.#headingRow
    const pane = `<pane ySplit="${headingRow}" topLeftCell="A${headingRow + 1}" activePane="bottomLeft" state="frozen"/>`
    const view = `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`
    const widths = this.#widths.map(
      (width, n) => `<col min="${n + 1}" max="${n + 1}" width="${width}" customWidth="1"/>`,
    )
    const columns = widths.length === 0 ? '' : `<cols>${widths.join('')}</cols>`
    return `${declaration}<worksheet xmlns="${mainNamespace}">${headingRow === 0 ? '' : view}${columns}<sheetData>${rows}`
  }

  row(cells: WrittenRow) {
    this.line += 1
    const isHeading = this.line === this.#headingRow
    if (isHeading) this.titles = cells
    cells.forEach((cell, column) => {
      const width = Math.max(widthOf(cell), this.#widths[column] ?? leastWidth)
      this.#widths[column] = Math.min(mostWidth, width)
    })
    if (cells.length === 0) return ''
    const texts = cells.map((cell, column) => {
      if (cell === undefined || cell === '') return ''
      const place = `${columnName(column)}${this.line}`
      if (typeof cell !== 'string')
        return `<c r="${place}" s="${styleOf(cell.kind)}"><v>${cell.raw}</v></c>`
      if (cell.length > limits.cell) throw tooLong(place, cell, this.titles[column])
      const style = styleOf(isHeading ? 'heading' : 'text')
      return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(cell)}</t></is></c>`
    })
    return `<row r="${this.line}">${texts.join('')}</row>`
  }

  foot() {
    const headingRow = this.#headingRow
    if (headingRow === 0) return '</sheetData></worksheet>'
    const columns = Math.max(this.#widths.length, 1)
    const filter = `<autoFilter ref="A${headingRow}:${columnName(columns - 1)}${this.line}"/>`
    const lists = this.titles.flatMap((title, column) => {
      const word = choices.get(title)
      if (word === undefined) return []
      const name = columnName(column)
      const below = `${name}${headingRow + 1}:${name}${Math.max(this.line, headingRow + 1)}`
      return `<dataValidation type="list" allowBlank="1" sqref="${below}"><formula1>"${word}"</formula1></dataValidation>`
    })
    const validations = `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`
    return `</sheetData>${filter}${lists.length === 0 ? '' : validations}</worksheet>`
  }
}

function tooLong(place: string, cell: string, heading: Cell) {
  const name = typeof heading === 'string' ? ` (${heading})` : ''
  return new SvcError(
    'local',
    `cell ${place}${name} would have ${groupDigits(cell.length)} characters, and a workbook takes ${groupDigits(limits.cell)}`,
    { hint: 'write csv instead, which has no such limit' },
  )
}

// Characters that XML cannot have, which workbooks write as `_x0000_`, and text that would be read as such an escape.
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const special = /[&<>]|[\0-\x08\v-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

/** A text as XML. A carriage return is escaped too, because XML would read it as a line feed. */
function xmlText(text: string) {
  return text.replace(special, (character) => {
    if (character === '&') return '&amp;'
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return `_x${code.padStart(4, '0')}_`
  })
}
