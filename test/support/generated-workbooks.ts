/** Workbooks by chance, as XML, with what counts in each cell by a table of its own. */
import { zip } from '../../tools/harness/zip.mjs'
import type { Dice } from './dice.ts'
import { idOf } from './inputs.ts'
import { XmlWriter } from './xml-writer.ts'

interface Format {
  /** The number of a built-in format, or the definition of another one. */
  code: number | string
  isDate: boolean
}

const formatsOf = (isDate: boolean, codes: readonly (number | string)[]) =>
  codes.map((code) => ({ code, isDate }))

const general: Format = { code: 0, isDate: false }
const formats: readonly Format[] = [
  ...formatsOf(false, [
    ...[0, 1, 2, 4, 9, 10, 11, 12, 37, 38, 40, 41, 44, 48, 49, 81],
    ...['General', '0', '@', '#', '00000', '0.00', '#,##0', '0%', '# ?/?', '0.00E+00', '[Red]0'],
    ...['0;-0', ';;;', '[>100]0;0', '0" days"', '"$"#,##0.00', '\\d0', '[$€-407] #,##0.00'],
    '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-',
    '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####',
  ]),
  ...formatsOf(true, [
    ...[14, 17, 20, 22, 27, 30, 36, 45, 47, 50, 58],
    ...['yyyy\\-mm\\-dd', 'dd.mm.yyyy', '[h]:mm', 'mmm', '[$-409]d-mmm-yy', 'h:mm AM/PM'],
  ]),
]

type Content =
  | { kind: 'text'; text: string; isShared: boolean }
  | { kind: 'whole'; digits: string }
  /** What is no text and no whole number. */
  | { kind: 'other'; type: string | undefined; value: string }
  | { kind: 'formula'; text: string }

interface Range {
  line: number
  lastLine: number
  column: number
  lastColumn: number
}

/** `isAddressed`: it says where it is, else it is behind the one before it, as a row may be. */
interface Cell {
  line: number
  column: number
  format: number
  content: Content
  isAddressed: boolean
}

interface Row extends Pick<Cell, 'line' | 'isAddressed'> {
  isHidden: boolean
  cells: Cell[]
}

interface Sheet {
  formats: Format[]
  /** Columns have no width by default. */
  hidesByDefault: boolean
  hiddenColumns: boolean[]
  rows: Row[]
  merges: Range[]
}

/** Makes a workbook, and says what counts in each cell that has a content, and whether a person may see something else. */
export function generate(dice: Dice) {
  const sheet = sheetOf(dice)
  const { rows, hiddenColumns, merges, hidesByDefault } = sheet
  const cells = rows.flatMap((row) =>
    row.cells.map((cell) => ({ ...cell, counts: countingText(cell, sheet) })),
  )
  const hasHidden =
    rows.some((row) => row.isHidden && row.cells.length > 0) ||
    cells.some(({ column }) => hiddenColumns[column] === true)
  const isRefused = cells.length > 0 && (hasHidden || hidesByDefault || merges.length > 0)
  return { bytes: packageOf(sheet, dice), cells, isRefused }
}

/** What counts of a cell; undefined where nothing may be decided by it. */
function countingText({ content, format }: Cell, { formats: own }: Sheet): string | undefined {
  if (content.kind === 'text') return content.text
  if (content.kind === 'whole' && own[format]?.isDate === false)
    return String(Number(content.digits))
  return undefined
}

function sheetOf(dice: Dice): Sheet {
  const ownFormats = Array.from({ length: 1 + dice.below(8) }, () => dice.pick(formats))
  const columnCount = 1 + dice.below(6)
  const rows: Row[] = []
  let line = 0
  for (let count = 1 + dice.below(12); count > 0; count -= 1) {
    const skipped = dice.isLucky(0.15) ? dice.below(5) : 0
    line += 1 + skipped
    const cells: Cell[] = []
    for (let column = 0; column < columnCount; column += 1) {
      if (dice.isLucky(0.2)) continue
      const isNext = column === (cells.at(-1)?.column ?? -1) + 1
      cells.push({
        line,
        column,
        format: dice.below(1 + ownFormats.length),
        content: contentOf(dice),
        isAddressed: !isNext || dice.isLucky(0.7),
      })
    }
    const isAddressed = skipped > 0 || dice.isLucky(0.7)
    rows.push({ line, isAddressed, isHidden: dice.isLucky(0.02), cells })
  }
  return {
    formats: [general, ...ownFormats],
    hidesByDefault: dice.isLucky(0.03),
    hiddenColumns: Array.from({ length: columnCount }, () => dice.isLucky(0.03)),
    rows,
    merges: Array.from({ length: dice.isLucky(0.1) ? 1 : 0 }, () =>
      mergeOf(dice, line, columnCount),
    ),
  }
}

function contentOf(dice: Dice): Content {
  const text = idOf(dice.below(1e6))
  const kind = dice.pick(['text', 'text', 'whole', 'odd', 'formula'])
  if (kind === 'text') return { kind, text, isShared: dice.isLucky(0.5) }
  if (kind === 'whole') {
    const short = [String(dice.below(1e6)), `-${dice.below(99)}`]
    return {
      kind,
      digits: dice.pick([...short, '0', '12e3', '7.0', '999999999999999', '491712345678']),
    }
  }
  if (kind === 'formula') return { kind, text }
  const odd = [
    '1.5',
    '640000000000000000000001',
    '5.07E+23',
    '9007199254740992',
    '46082.25',
    '-0.1',
  ]
  return dice.pick([
    { kind: 'other', type: undefined, value: dice.pick(odd) },
    { kind: 'other', type: dice.pick(['b', 'e', 'd']), value: '1' },
  ])
}

function mergeOf(dice: Dice, lastLine: number, columnCount: number): Range {
  const [line, column] = [1 + dice.below(lastLine), dice.below(columnCount)]
  const [below, beside] = [1 + dice.below(2), 1 + dice.below(2)]
  return { line, lastLine: line + below, column, lastColumn: column + beside }
}

const nameOf = (line: number, column: number) => `${String.fromCharCode(65 + column)}${line}`
const rangeName = ({ line, lastLine, column, lastColumn }: Range) =>
  `${nameOf(line, column)}:${nameOf(lastLine, lastColumn)}`

const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships'
/** The namespaces of Excel, and those of the strict form of the standard. */
const transitional = {
  main: 'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  office: 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
}
const strict = {
  main: 'http://purl.oclc.org/ooxml/spreadsheetml/main',
  office: 'http://purl.oclc.org/ooxml/officeDocument/relationships',
}

function packageOf(sheet: Sheet, dice: Dice): Buffer {
  const xml = new XmlWriter(dice)
  const { main, office } = dice.isLucky(0.1) ? strict : transitional
  const book = dice.pick(['xl/workbook.xml', 'xl/deep/book.xml', 'Workbook.xml'])
  const folder = book.replace(/[^/]*$/, '')
  const sheetPath = dice.pick(['worksheets/sheet1.xml', 'sheet 1.xml', 'other/a.xml'])
  const targetOf = (path: string) => {
    const fromFolder = folder === '' ? path : `../${folder.split('/').at(-2)}/${path}`
    return encodeURI(dice.pick([path, `/${folder}${path}`, fromFolder]))
  }
  const relations = (...all: readonly (readonly [kind: string, id: string, target: string])[]) => {
    const elements = (dice.isLucky(0.5) ? all : all.toReversed()).map(
      ([kind, id, target]) =>
        `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`,
    )
    return `<Relationships xmlns="${relationships}">${elements.join('')}</Relationships>`
  }
  const shared: string[] = []
  const worksheet = worksheetOf(sheet, shared, xml)
  const only = xml.element('sheet', { name: 'S', sheetId: 1, 'r:id': 's1' })
  const parts = {
    '_rels/.rels': relations(['officeDocument', 'r1', dice.pick([book, `/${book}`])]),
    [book]: xml.part('workbook', main, xml.element('sheets', {}, only), { 'xmlns:r': office }),
    [book.replace(/([^/]*)$/, '_rels/$1.rels')]: relations(
      ['worksheet', 's1', targetOf(sheetPath)],
      ['styles', 'st', targetOf('the styles.xml')],
      ['sharedStrings', 'sh', targetOf('sharedStrings.xml')],
      ['theme', 'th', 'theme.xml'],
    ),
    [`${folder}the styles.xml`]: xml.part('styleSheet', main, stylesOf(sheet, xml)),
    [`${folder}${sheetPath}`]: xml.part('worksheet', main, worksheet),
    // Parts that nothing refers to.
    'xl/worksheets/sheet9.xml': '<worksheet',
    'xl/sharedstrings2.xml': 'x',
    [`${folder}sharedStrings.xml`]: xml.part('sst', main, xml.spaced(shared)),
  }
  return zip(parts, { hasDataDescriptors: dice.isLucky(0.2) })
}

function stylesOf({ formats: all }: Sheet, xml: XmlWriter): string {
  const firstOwn = 164
  const definitions = all.map(({ code }, n) =>
    typeof code === 'number'
      ? ''
      : xml.element('numFmt', { numFmtId: firstOwn + n, formatCode: code }),
  )
  const uses = all.map(({ code }, n) => {
    const numFmtId = typeof code === 'number' ? code : firstOwn + n
    return xml.element('xf', { numFmtId }, xml.element('alignment', {}))
  })
  return [
    xml.element('numFmts', {}, definitions.join('')),
    xml.element('cellStyleXfs', {}, xml.element('xf', { numFmtId: 14 })),
    xml.element('cellXfs', {}, uses.join('')),
  ].join('')
}

/** Adds the shared texts to `shared`. */
function worksheetOf(sheet: Sheet, shared: string[], xml: XmlWriter): string {
  const { dice } = xml
  const columns = sheet.hiddenColumns.flatMap((isHidden, index) => {
    const hiding = [{ hidden: 1 }, { hidden: 'true', width: 9 }, { width: 0 }]
    const look = isHidden ? dice.pick(hiding) : { width: 9 }
    const isDescribed = isHidden || sheet.hidesByDefault || dice.isLucky(0.3)
    return isDescribed ? xml.element('col', { min: index + 1, max: index + 1, ...look }) : []
  })
  const rows = sheet.rows.map(({ line, isAddressed, isHidden, cells }) => {
    const hiding = [{ hidden: 1 }, { hidden: 'true' }, { ht: 0 }]
    const look = isHidden ? dice.pick(hiding) : {}
    const written = cells.map((cell) => cellElement(cell, shared, xml))
    return xml.element('row', { r: isAddressed ? line : undefined, ...look }, xml.spaced(written))
  })
  const merges = sheet.merges.map((range) => xml.element('mergeCell', { ref: rangeName(range) }))
  return [
    xml.element('sheetFormatPr', { defaultColWidth: sheet.hidesByDefault ? 0 : undefined }),
    columns.length === 0 ? '' : xml.element('cols', {}, columns.join('')),
    xml.spaced([xml.element('sheetData', {}, xml.spaced(rows))]),
    merges.length === 0 ? '' : xml.element('mergeCells', {}, merges.join('')),
  ].join('')
}

function cellElement(cell: Cell, shared: string[], xml: XmlWriter): string {
  const { dice } = xml
  const { line, column, format, content, isAddressed } = cell
  const r = isAddressed ? nameOf(line, column) : undefined
  const s = format === 0 ? undefined : format
  const element = (t: string | undefined, inside: string) => xml.element('c', { r, s, t }, inside)
  const value = (text: string) => xml.element('v', {}, text)
  switch (content.kind) {
    case 'text': {
      const texts = textElements(content.text, xml)
      if (!content.isShared) return element('inlineStr', xml.element('is', {}, texts))
      const index = shared.push(xml.element('si', {}, texts)) - 1
      return element('s', value(dice.isLucky(0.1) ? ` ${index}\n` : String(index)))
    }
    case 'whole':
      return element(dice.pick([undefined, 'n']), value(content.digits))
    case 'other':
      return element(content.type, value(content.value))
    case 'formula':
      return element('str', formulaElement(cell, xml) + value(content.text))
  }
}

/** A text as Excel may write it: with an escape of its own, in pieces, with a pronunciation. */
function textElements(text: string, xml: XmlWriter): string {
  const { dice } = xml
  const letter = dice.isLucky(0.05) ? '_x0066_' : 'f'
  if (dice.isLucky(0.7)) return xml.element('t', {}, xml.text(text.replace('f', letter)))
  const piece = (part: string) => {
    const bold = dice.isLucky(0.5) ? xml.element('rPr', {}, xml.element('b', {})) : ''
    return xml.element('r', {}, bold + xml.element('t', {}, part))
  }
  const at = dice.below(text.length)
  const sound = xml.element('rPh', { sb: 0, eb: 1 }, xml.element('t', {}, 'ff'))
  return piece(text.slice(0, at)) + piece(text.slice(at)) + (dice.isLucky(0.3) ? sound : '')
}

/** A formula, or one that shares its text with the cell below. */
function formulaElement({ line, column }: Cell, xml: XmlWriter) {
  const ref = `${nameOf(line, column)}:${nameOf(line + 1, column)}`
  const shared = { t: 'shared', si: 0 }
  return xml.element('f', xml.dice.pick([{}, { t: 'array', ref }, { ...shared, ref }, shared]))
}
