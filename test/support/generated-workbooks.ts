/** Workbooks by chance, as XML, with what a person sees in each cell by a table of its own. */
import { zip } from '../../tools/harness/zip.mjs'
import type { Dice } from './dice.ts'
import { idOf } from './inputs.ts'

/** Which formats show a whole number by its digits alone, and which show every text as it is. */
interface LookOfFormat {
  /** The number of a built-in format, without a definition. */
  builtIn?: number
  code?: string
  showsNumbers: boolean
  showsTexts: boolean
}

const shown = [true, true] as const
const text = [false, true] as const
const neither = [false, false] as const
type Look = readonly [boolean, boolean]

const looks: readonly LookOfFormat[] = [
  ...[0, 1, 49].map((id) => [id, shown] as const),
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23].map(
    (id) => [id, text] as const,
  ),
  ...[27, 30, 36, 37, 38, 39, 40, 45, 46, 47, 48, 50, 58, 81].map((id) => [id, text] as const),
  ...[41, 42, 43, 44].map((id) => [id, neither] as const),
  ...['General', 'GENERAL', '0', '@'].map((code) => [code, shown] as const),
  ...[
    ...['#', '##0', '00000', '0.00', '#,##0', '0%', '# ?/?', '0.00E+00', '0,', '0_)', '[Red]0'],
    ...['General;General', '0;-0', '0;;0', ';;', '[>100]0;0', '0" kg"', '"$"#,##0.00', '£#,##0'],
    ...[
      'yyyy\\-mm\\-dd',
      'dd.mm.yyyy',
      '[h]:mm',
      'mmm',
      '[$-409]d-mmm-yy',
      'h:mm AM/PM',
      '"a;b;c;d"0',
    ],
    ...['"@"0', '\\@0', '0\\;\\;\\;', '[$€-407] #,##0.00', '_-* #,##0.00_-;-* #,##0.00_-'],
  ].map((code) => [code, text] as const),
  ...[
    ...[';;;', '@" old"', '"x"@', '[Blue]@', '0;0;0;0', '0;0;0;@', '0;-0;;@', '@@', '@ ', '*x@'],
    ...['_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', '0;@', '[Red]0;0;0;"gone"', '_@_(@'],
  ].map((code) => [code, neither] as const),
].map(([format, [showsNumbers, showsTexts]]: readonly [number | string, Look]) => ({
  ...(typeof format === 'number' ? { builtIn: format } : { code: format }),
  showsNumbers,
  showsTexts,
}))

/** A cell that has a content. */
export interface SeenCell {
  line: number
  column: number
  /** What a person sees; undefined where it is not what the cell stores, or where nobody sees it. */
  seen: string | undefined
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const strict = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const strictOffice = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
const links = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** Makes a workbook, and says what its only sheet shows. */
export function generate({ random }: Dice): { bytes: Buffer; cells: SeenCell[] } {
  const chance = (share: number) => random() < share
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const below = (limit: number) => Math.floor(random() * limit)

  const prefix = pick(['', '', 'x:'])
  const isStrict = chance(0.1)
  const isSpaced = chance(0.3)
  const quote = pick(['"', "'"])
  const gap = () =>
    isSpaced ? pick(['\n  ', ' ', '<!-- <c r="A1"/> -->', '<?x y?>', '\r\n\t']) : ''
  const attributesOf = (all: Readonly<Record<string, string | number | undefined>>) =>
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          `${isSpaced ? '  ' : ' '}${name}${isSpaced ? ' = ' : '='}${quote}${value}${quote}`,
      )
      .join('')
  const element = (
    name: string,
    attributes: Readonly<Record<string, string | number | undefined>>,
    inside = '',
  ) =>
    inside === '' && chance(0.5)
      ? `<${prefix}${name}${attributesOf(attributes)}/>`
      : `<${prefix}${name}${attributesOf(attributes)}>${inside}</${prefix}${name}>`
  const around = (parts: readonly string[]) => parts.map((part) => gap() + part).join('') + gap()
  const escaped = (words: string) =>
    chance(0.15)
      ? `<![CDATA[${words}]]>`
      : Array.from(words, (letter) =>
          chance(0.02) ? `&#x${letter.charCodeAt(0).toString(16)};` : letter,
        ).join('')
  /** A text as Excel may write it: with an escape of its own, in pieces, with a pronunciation. */
  const textElements = (words: string) => {
    const written = chance(0.05) ? words.replace('f', '_x0066_') : words
    if (chance(0.7)) return element('t', {}, escaped(written))
    const at = below(words.length)
    const piece = (part: string) =>
      element(
        'r',
        {},
        (chance(0.5) ? element('rPr', {}, element('b', {})) : '') + element('t', {}, part),
      )
    const sound = element('rPh', { sb: 0, eb: 1 }, element('t', {}, 'ff'))
    return piece(words.slice(0, at)) + piece(words.slice(at)) + (chance(0.3) ? sound : '')
  }

  const formats = Array.from({ length: 1 + below(8) }, () => pick(looks))
  const general: LookOfFormat = { builtIn: 0, showsNumbers: true, showsTexts: true }
  const styles = [general, ...formats]
  const shared: string[] = []

  const columnCount = 1 + below(6)
  const defaultWidth = chance(0.05) ? 0 : undefined
  const columnsHidden = Array.from({ length: columnCount }, () => chance(0.08))
  const described = columnsHidden.map((isHidden) => isHidden || defaultWidth === 0 || chance(0.3))
  const columnElements = columnsHidden.flatMap((isHidden, index) => {
    if (!described[index]) return []
    const look = isHidden
      ? pick([{ hidden: 1 }, { hidden: 'true', width: 9 }, { width: 0 }])
      : { width: 9 }
    return [element('col', { min: index + 1, max: index + 1, ...look })]
  })

  const cells: SeenCell[] = []
  const merges: string[] = []
  const arrays: { line: number; column: number }[] = []
  const nameOf = (column: number) => String.fromCharCode(65 + column)

  /** The inside and the type of a cell, and what it shows. */
  const contentOf = (style: LookOfFormat, line: number, column: number) => {
    const id = idOf(below(1e6))
    const asText = (seen = style.showsTexts ? id : undefined) => seen
    const kind = below(12)
    if (kind < 3) {
      const index = shared.push(element('si', {}, textElements(id))) - 1
      return {
        type: 's',
        inside: element('v', {}, chance(0.1) ? ` ${index}\n` : String(index)),
        seen: asText(),
      }
    }
    if (kind < 6)
      return { type: 'inlineStr', inside: element('is', {}, textElements(id)), seen: asText() }
    if (kind < 8) {
      const whole = pick([
        String(below(1e6)),
        '0',
        '12e3',
        '7.0',
        '999999999999999',
        `-${below(99)}`,
      ])
      const seen = style.showsNumbers ? String(Number(whole)) : undefined
      return { type: pick([undefined, 'n']), inside: element('v', {}, whole), seen }
    }
    if (kind === 8) {
      const odd = pick(['1.5', '640000000000000000000001', '5.07E+23', '1e15', '46082.25', '-0.1'])
      return { type: undefined, inside: element('v', {}, odd), seen: undefined }
    }
    if (kind === 9)
      return { type: pick(['b', 'e', 'd']), inside: element('v', {}, '1'), seen: undefined }
    const isArray = chance(0.4)
    const range = `${nameOf(column)}${line}:${nameOf(column)}${line + 1}`
    if (isArray) arrays.push({ line, column }, { line: line + 1, column })
    const formula = isArray
      ? element('f', { t: pick(['array', 'dataTable']), ref: range }, 'A1')
      : element('f', pick([{}, { t: 'shared', si: 0, ref: range }, { t: 'shared', si: 0 }]), '')
    return { type: 'str', inside: formula + element('v', {}, id), seen: undefined }
  }

  const rows: string[] = []
  let line = 0
  const rowCount = 1 + below(12)
  for (let count = 0; count < rowCount; count += 1) {
    const skip = chance(0.15) ? below(5) : 0
    line += 1 + skip
    const isHidden = chance(0.1)
    const look = isHidden
      ? pick([{ hidden: 1 }, { hidden: 'true' }, { ht: 0 }, { ht: 0.2, customHeight: 1 }])
      : {}
    const written: string[] = []
    let next = 0
    for (let column = 0; column < columnCount; column += 1) {
      if (chance(0.2)) continue
      const styleIndex = below(styles.length)
      const style = styles[styleIndex] ?? general
      const { type, inside, seen } = contentOf(style, line, column)
      const isCounted = skip === 0 && next === column && chance(0.3)
      written.push(
        element(
          'c',
          {
            r: isCounted ? undefined : `${nameOf(column)}${line}`,
            s: styleIndex === 0 ? undefined : styleIndex,
            t: type,
          },
          inside,
        ),
      )
      next = column + 1
      const isSeen = !isHidden && columnsHidden[column] !== true
      cells.push({ line, column, seen: isSeen ? seen : undefined })
    }
    rows.push(
      element('row', { r: skip > 0 || chance(0.7) ? line : undefined, ...look }, around(written)),
    )
  }
  for (let count = below(2); count > 0; count -= 1) {
    const column = below(columnCount)
    const from = 1 + below(line)
    const [lines, columns] = [1 + below(2), 1 + below(2)]
    merges.push(`${nameOf(column)}${from}:${nameOf(column + columns)}${from + lines}`)
    for (const cell of cells) {
      const isIn =
        cell.line >= from &&
        cell.line <= from + lines &&
        cell.column >= column &&
        cell.column <= column + columns
      if (isIn) cell.seen = undefined
    }
  }
  for (const cell of cells)
    if (arrays.some((each) => each.line === cell.line && each.column === cell.column))
      cell.seen = undefined

  const uri = isStrict ? strict : main
  const officeUri = isStrict ? strictOffice : office
  const space = (own: string) => ({ [prefix === '' ? 'xmlns' : 'xmlns:x']: own })
  const part = (xml: string) =>
    pick(['', '\ufeff', '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n']) + xml
  const book = pick(['xl/workbook.xml', 'xl/deep/book.xml', 'Workbook.xml'])
  const folder = book.replace(/[^/]*$/, '')
  const sheetPath = pick(['worksheets/sheet1.xml', 'sheet 1.xml', 'other/a.xml'])
  const targetOf = (path: string) =>
    encodeURI(
      pick([
        path,
        `/${folder}${path}`,
        folder === '' ? path : `../${folder.split('/').at(-2)}/${path}`,
      ]),
    )
  const relations = (all: readonly (readonly [kind: string, id: string, target: string])[]) =>
    `<Relationships xmlns="${links}">${all
      .map(
        ([kind, id, target]) =>
          `<Relationship Id="${id}" Type="${officeUri}/${kind}" Target="${target}"/>`,
      )
      .toSorted(() => random() - 0.5)
      .join('')}</Relationships>`
  const definitions = new Map(
    styles.flatMap(({ code }, index) => (code === undefined ? [] : [[164 + index, code] as const])),
  )
  const escapedCode = (code: string) =>
    code
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&apos;')
  const parts: Record<string, string> = {
    '_rels/.rels': relations([['officeDocument', 'r1', pick([book, `/${book}`])]]),
    [book]: part(
      `<${prefix}workbook${attributesOf(space(uri))} xmlns:r="${officeUri}">${element('sheets', {}, element('sheet', { name: 'S', sheetId: 1, 'r:id': 's1' }))}</${prefix}workbook>`,
    ),
    [book.replace(/([^/]*)$/, '_rels/$1.rels')]: relations([
      ['worksheet', 's1', targetOf(sheetPath)],
      ['styles', 'st', targetOf('the styles.xml')],
      ['sharedStrings', 'sh', targetOf('sharedStrings.xml')],
      ['theme', 'th', 'theme.xml'],
    ]),
    [`${folder}the styles.xml`]: part(
      `<${prefix}styleSheet${attributesOf(space(uri))}>${element('numFmts', {}, [...definitions].map(([id, code]) => element('numFmt', { numFmtId: id, formatCode: escapedCode(code) })).join(''))}` +
        `${element('cellStyleXfs', {}, element('xf', { numFmtId: 14 }))}${element('cellXfs', {}, styles.map(({ builtIn }, index) => element('xf', { numFmtId: builtIn ?? 164 + index }, element('alignment', {}))).join(''))}</${prefix}styleSheet>`,
    ),
    [`${folder}${sheetPath}`]: part(
      `<${prefix}worksheet${attributesOf(space(uri))}>${element('sheetFormatPr', { defaultColWidth: defaultWidth })}` +
        `${columnElements.length === 0 ? '' : element('cols', {}, columnElements.join(''))}${gap()}<${prefix}sheetData>${around(rows)}</${prefix}sheetData>` +
        `${merges.length === 0 ? '' : element('mergeCells', {}, merges.map((ref) => element('mergeCell', { ref })).join(''))}</${prefix}worksheet>`,
    ),
    // Parts that nothing refers to.
    ...(chance(0.3) && { 'xl/worksheets/sheet9.xml': '<worksheet', 'xl/sharedstrings2.xml': 'x' }),
  }
  parts[`${folder}sharedStrings.xml`] = part(
    `<${prefix}sst${attributesOf(space(uri))}>${around(shared)}</${prefix}sst>`,
  )
  return { bytes: zip(parts, { isBehind: chance(0.2) }), cells }
}
