/**
 * Workbooks made to show one id and have another read: by their archive, their XML, their relationships and their cells; and damaged
 * ones. Each with what must become of it. `node tools/workbooks/workbooks.mjs` compares what is read with what LibreOffice shows.
 */
import type { CellUse } from '../../src/workbook/cells.ts'
import { craftedCells } from './crafted-cells.ts'
import { idOf } from '../input/inputs.ts'
import { table } from '../table.ts'
import {
  end64Of,
  inline,
  laidOut,
  main,
  office,
  packageSpace,
  stylesOf,
  workbookParts,
  zip,
  zip64Field,
} from '../input/workbooks.ts'
import type { Packing, Parts, WorkbookXml } from '../input/workbooks.ts'

/** The ids that are read, or words of the refusal. */
type Verdict = readonly string[] | string

export interface Crafted {
  readonly name: string
  readonly bytes: Buffer
  /** The decision of its second column; without one the ids are read. */
  readonly use?: CellUse
  readonly verdict: Verdict
}

const [a, b, c] = [idOf(1), idOf(2), idOf(3)] as const
const all = [a, b, c]
const strict = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
const strictOffice = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
const alternatives = 'http://schemas.openxmlformats.org/markup-compatibility/2006'
const mismatch = 'does not match the directory of the archive'
const sheetPath = 'xl/worksheets/sheet0.xml'
const book = 'xl/workbook.xml'
const sst = 'xl/sharedStrings.xml'
const top = '_rels/.rels'
const inner = 'xl/_rels/workbook.xml.rels'

const row = (n: number | string, cells: string, more = '') => `<row r="${n}"${more}>${cells}</row>`
const rows = [
  row(1, inline('A1', 'id')),
  ...all.map((id, n) => row(n + 2, inline(`A${n + 2}`, id))),
]
const head = rows[0] ?? ''
const plain = rows.join('')
const otherRows = row(9, inline('A9', idOf(9)))
/** Below the heading, a cell with an id or with something in its place. */
const cell = (attributes: string, inside = `<is><t>${a}</t></is>`): string =>
  head + row(2, `<c r="A2" ${attributes}>${inside}</c>`)
const value = (inside: string): string => cell('t="str"', inside)
const styled = (style: number | string = 1): string => cell(`s="${style}" t="inlineStr"`)
const bad = (reason: string): string => `A2: "${a}": ${reason}`
const inAlternatives = (inside: string, space = alternatives): string =>
  `<mc:AlternateContent xmlns:mc="${space}"><mc:Choice Requires="x">${inside}</mc:Choice></mc:AlternateContent>`
const extension = (inside: string): string => `<extLst><ext uri="x">${inside}</ext></extLst>`

type Content = WorkbookXml & { readonly before?: string; readonly after?: string }

let cases: Crafted[] = []

function add(
  name: string,
  verdict: Verdict,
  parts: Parameters<typeof zip>[0],
  packing: Packing = {},
): void {
  cases.push({ name, bytes: zip(parts, packing), verdict })
}

/** Each with these rows, and what stands around them. */
function sheets(
  ...each: readonly (readonly [name: string, verdict: Verdict, rows: string, content?: Content])[]
): void {
  for (const [name, verdict, inside, { before, after, ...others } = {}] of each) {
    const sheet = { rows: inside, ...(before && { before }), ...(after && { after }) }
    add(name, verdict, workbookParts({ sheets: [sheet], ...others }))
  }
}

/** A line each: its name, the ids that are read or words of the refusal, its rows, and what stands before or after them. */
function lines(text: string, content: Content = {}): void {
  const read: Readonly<Record<string, Verdict>> = { a: [a], 'a, b': [a, b], all, none: [] }
  for (const [name = '', verdict = '', inside = '', around = ''] of table(text)) {
    const [, place, xml] = /^(before|after) (.*)$/.exec(around) ?? []
    sheets([name, read[verdict] ?? verdict, inside, { ...content, ...(place && { [place]: xml }) }])
  }
}

/** Each of these words, which `|` separates, in its place (%). */
function variants(
  name: string,
  verdict: Verdict,
  words: string,
  of: (word: string) => string | Content,
): void {
  for (const word of words.split('|')) {
    const made = of(word)
    const [inside, content] = typeof made === 'string' ? [made] : [plain, made]
    sheets([name.replace('%', word), verdict, inside, content ?? {}])
  }
}

function part(
  name: string,
  verdict: Verdict,
  path: string,
  change: (xml: string) => string,
  xml: WorkbookXml = {},
): void {
  const parts = workbookParts({ sheets: [{ rows: plain }], ...xml })
  add(name, verdict, { ...parts, [path]: change(parts[path]?.toString() ?? '') })
}

/** Each with something else in the place of what stands in the part. */
function parts(
  path: string,
  xml: WorkbookXml,
  ...each: readonly (readonly [string, Verdict, string, string])[]
): void {
  for (const [name, verdict, from, to] of each)
    part(name, verdict, path, (text) => text.replace(from, to), xml)
}

function archives(): void {
  const given = workbookParts({ sheets: [{ rows: plain }] })
  const large = (at: { offset: number; size: number; count: number }, by = {}, to = 0): Buffer =>
    end64Of({ ...at, ...by }, at.offset + at.size + to)
  const inFront = (by = {}, to = 0): Packing => ({
    end: (end, at) => Buffer.concat([large(at, by, to), end]),
  })
  const entry = (change: (bytes: Buffer) => Buffer, more: Packing = {}): Packing => ({
    ...more,
    entry: (bytes, path) => (path === sheetPath ? change(bytes) : bytes),
  })
  const packings: [string, Verdict, Packing][] = [
    ['ordinary', all, {}],
    ['stored', all, { stored: true }],
    ['descriptors', all, { descriptors: true }],
    ['large', all, { zip64: true }],
    ['large, stored', all, { zip64: true, stored: true }],
    ['records for large archives that nothing asks for', all, inFront()],
    ['a locator that leads nowhere', 'is damaged', inFront({}, 1)],
    ['a comment', 'is damaged', { end: (end) => withComment(end, Buffer.from('made by hand')) }],
    ['bytes behind it', 'is damaged', { end: (end) => Buffer.concat([end, Buffer.from('\n')]) }],
  ]
  for (const [name, verdict, field] of [
    ['an encrypted part', 'is encrypted', 8],
    ['a part nowhere', 'is damaged', 42],
    ['a part of another length', 'the checksum of', 24],
  ] as const)
    packings.push([name, verdict, entry((bytes) => flipped(bytes, field), { descriptors: true })])
  for (const [what, field] of Object.entries({ count: 10, size: 12, offset: 16 })) {
    const filled = (end: Buffer) => Buffer.from(end).fill(0xff, field, field + (field < 12 ? 2 : 4))
    packings.push(
      [`an end whose ${what} is elsewhere, without the record`, 'is damaged', { end: filled }],
      [
        `an end whose ${what} is in the record`,
        all,
        { end: (end, at) => Buffer.concat([large(at), filled(end)]) },
      ],
      [
        `records for large archives of another ${what}`,
        'is damaged',
        { end: (end, at) => Buffer.concat([large(at, { [what]: Object(at)[what] - 1 }), end]) },
      ],
    )
  }
  for (const [what, field, by] of [
    ['method', 8, 8],
    ['flags', 6, 8],
    ['checksum', 14, 1],
    ['packed length', 18, 1],
    ['length', 22, 1],
  ] as const)
    packings.push([
      `a header of another ${what}`,
      `"${sheetPath}" ${mismatch}`,
      { local: (head, path) => void (path === sheetPath && flipped(head, field, by)) },
    ])
  for (const [what, verdict, extra] of extras)
    packings.push([what, verdict, entry((bytes) => withExtra(bytes, extra(bytes)))])
  for (const [name, verdict, packing] of packings) add(name, verdict, given, packing)
  const other = workbookParts({ sheets: [{ rows: head + otherRows }] })
  const list = Object.entries(given)
  for (const path of [sheetPath, book, top, inner, '[Content_Types].xml']) {
    const twice = [path, other[path] ?? ''] as const
    const capitals = [path.toUpperCase(), other[path] ?? ''] as const
    for (const [how, parts] of Object.entries({
      'twice, the other last': [...list, twice],
      'twice, the other first': [twice, ...list],
      'twice, once in capitals': [capitals, ...list],
    }))
      add(`${path} ${how}`, mismatch, parts)
  }
  const bytes = behind(zip(other), zip(given))
  cases.push({ name: 'another archive in front', bytes, verdict: 'is damaged' })
  const hidden = withGap(zip(given))
  cases.push({ name: 'bytes in front of the directory', bytes: hidden, verdict: 'is damaged' })
}

const lengths = (entry: Buffer): number[] => [24, 20, 42].map((at) => entry.readUInt32LE(at))

/** The name of the sheet as Info-ZIP repeats it in UTF-8. */
function unicodePath(): Buffer {
  const field = Buffer.alloc(9 + sheetPath.length)
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(5 + sheetPath.length, 2)
  field.write(sheetPath, 9)
  field[4] = 1
  return field
}

const extras: readonly (readonly [
  name: string,
  verdict: Verdict,
  field: (entry: Buffer) => Buffer,
])[] = [
  ['lengths again that nothing asks for', all, (entry) => zip64Field(lengths(entry))],
  [
    'another offset that nothing asks for',
    'is damaged',
    (entry) => zip64Field([...lengths(entry).slice(0, 2), 0]),
  ],
  ['its name in Unicode', mismatch, unicodePath],
  ['a field of no meaning', all, () => Buffer.from([0xfe, 0xca, 2, 0, 1, 2])],
]

/** An archive behind other bytes, of which it knows. */
function behind(front: Buffer, archive: Buffer): Buffer {
  const moved = Buffer.from(archive)
  const end = moved.length - 22
  const move = (at: number) => moved.writeUInt32LE(moved.readUInt32LE(at) + front.length, at)
  for (let at = moved.readUInt32LE(end + 16); at < end;) {
    move(at + 42)
    at += 46 + moved.readUInt16LE(at + 28) + moved.readUInt16LE(at + 30)
  }
  move(end + 16)
  return Buffer.concat([front, moved])
}

/** An archive with bytes of no part between the last one and the directory. */
function withGap(archive: Buffer): Buffer {
  const start = archive.readUInt32LE(archive.length - 6)
  const gap = Buffer.from('gap')
  const bytes = Buffer.concat([archive.subarray(0, start), gap, archive.subarray(start)])
  bytes.writeUInt32LE(start + gap.length, bytes.length - 6)
  return bytes
}

function withComment(archive: Buffer, comment: Buffer): Buffer {
  const bytes = Buffer.concat([archive, comment])
  bytes.writeUInt16LE(comment.length, archive.length - 2)
  return bytes
}

function flipped(bytes: Buffer, field: number, by = 1): Buffer {
  bytes[field] = (bytes[field] ?? 0) ^ by
  return bytes
}

function withExtra(entry: Buffer, extra: Buffer): Buffer {
  const bytes = Buffer.concat([entry, extra])
  bytes.writeUInt16LE(bytes.readUInt16LE(30) + extra.length, 30)
  return bytes
}

const sharedRows =
  head + all.map((_, n) => row(n + 2, `<c r="A${n + 2}" t="s"><v>${n}</v></c>`)).join('')
const withTexts: WorkbookXml = {
  sheets: [{ rows: sharedRows }],
  texts: [...all, idOf(9)].map((id) => `<t>${id}</t>`),
}

function namespaces(): void {
  const prefixed = (xml: string): string =>
    xml.replace('xmlns=', 'xmlns:x=').replace(/<(\/?)(\w)/g, '<$1x:$2')
  for (const [space, verdict] of [
    [strict, all],
    ['urn:x', 'has no <'],
    [`${main}/`, 'has no <'],
    ['', 'has no <'],
  ] as const) {
    for (const [path, xml] of [[sheetPath], [book], [sst, withTexts]] as const)
      part(
        `${path} in the namespace "${space}"`,
        verdict,
        path,
        (text) => text.replace(main, space),
        xml,
      )
    const odd = (xml: string): string => prefixed(xml).replace(main, space || 'urn:y')
    part(`a sheet with a prefix of the namespace "${space}"`, verdict, sheetPath, odd)
  }
  for (const [path, name] of [
    ...['row', 'c', 'is', 't', 'v'].map((each) => [sheetPath, each]),
    ...['si', 't'].map((each) => [sst, each]),
    [book, 'sheet'],
    ...[top, inner].map((each) => [each, 'Relationship']),
  ] as [string, string][]) {
    const xml = path === sst || name === 'v' ? withTexts : {}
    const space = path.endsWith('.rels') ? packageSpace : main
    for (const [to, more, verdict] of [
      [`x:${name}`, ' xmlns:x="urn:x"', `has <x:${name}> in <`],
      [name, ' xmlns=""', `has <${name}> in <`],
      [`x:${name}`, ` xmlns:x="${space}"`, all],
      [`x:${name}`, '', `has <x:${name}> in <`],
    ] as const)
      part(
        `${path}: <${name}> as <${to}${more}>`,
        verdict,
        path,
        (text) => renamed(text, name, to, more),
        xml,
      )
    const around = (text: string): string => {
      const [start, end] = elementAt(text, name)
      return text.slice(0, start) + inAlternatives(text.slice(start, end)) + text.slice(end)
    }
    part(`${path}: <${name}> in alternatives`, 'AlternateContent', path, around, xml)
  }
  for (const [element, names] of Object.entries({ row: 'hidden|ht|r', c: 't|r|s' }))
    variants(`a foreign attribute x:% of <${element}>`, all, names, (name) =>
      plain.replaceAll(`<${element} `, `<${element} xmlns:x="urn:x" x:${name}="0" `),
    )
  const strictId = `xmlns:x="${strictOffice}" x:id="r1" r:id`
  const absolute = '<x15ac:absPath xmlns:x15ac="urn:x15" url="C:\\"/>'
  parts(
    book,
    {},
    ['a sheet by a foreign id', 'it has no sheets', 'r:id', 'xmlns:x="urn:x" x:id'],
    ['a sheet by a foreign id before its own', all, 'r:id', 'xmlns:x="urn:x" x:id="r9" r:id'],
    ['a sheet by an id of the strict namespace', all, office, strictOffice],
    ['a sheet by two ids', 'it has no sheets', 'r:id', strictId],
    ['an extension of the workbook', all, '<sheets>', `${extension('<sheets/>')}<sheets>`],
    ['alternatives of a path', all, '<workbookPr', `${inAlternatives(absolute)}<workbookPr`],
    ['sheets twice', '<sheets> twice', '</sheets>', '</sheets><sheets/>'],
  )
  const declared = `<worksheet xmlns:mc="${alternatives}" xmlns:x="urn:x" mc:`
  const attribute = '<!DOCTYPE worksheet [<!ATTLIST row hidden CDATA "1">]><worksheet'
  parts(
    sheetPath,
    {},
    ['ProcessContent', 'ProcessContent', '<worksheet', `${declared}ProcessContent="x:*"`],
    ['MustUnderstand', 'MustUnderstand', '<worksheet', `${declared}MustUnderstand="x"`],
    ['Ignorable', all, '<worksheet', `${declared}Ignorable="x"`],
    ['a document type', 'document type', '<worksheet', '<!DOCTYPE worksheet><worksheet'],
    ['a document type with an attribute', 'document type', '<worksheet', attribute],
  )
  for (const encoding of ['ISO-8859-1', 'UTF-16', 'UTF-7', 'EBCDIC-CP-US'])
    parts(sheetPath, {}, [`declared as ${encoding}`, 'its encoding is', 'UTF-8', encoding])
}

/** The last element of a name, renamed, with attributes. */
function renamed(xml: string, name: string, to: string, more: string): string {
  const [start, end] = elementAt(xml, name)
  const inside = xml.slice(start + name.length + 1, end)
  return (
    xml.slice(0, start) +
    `<${to}${more}${inside.replace(new RegExp(`</${name}>$`), `</${to}>`)}` +
    xml.slice(end)
  )
}

function elementAt(xml: string, name: string): [number, number] {
  const start = Math.max(xml.lastIndexOf(`<${name} `), xml.lastIndexOf(`<${name}>`))
  const close = xml.indexOf(`</${name}>`, start)
  return [start, close < 0 ? xml.indexOf('/>', start) + 2 : close + name.length + 3]
}

function relationships(): void {
  const other = (type: string, id = 'x'): string =>
    `<Relationship Id="${id}" Type="${type}" Target="other.xml"/>`
  /** One more, behind the others. */
  const more = (type: string, id?: string): string => `${other(type, id)}</R`
  const texts = { sheets: [{ rows: cell('t="s"', '<v>0</v>') }], texts: [`<t>${a}</t>`] }
  const first = '<Relationship '
  for (const foreign of [
    'urn:x',
    `${office}x`,
    'http://schemas.microsoft.com/office/2006/relationships',
  ]) {
    const [workbook, shared] = ['officeDocument', 'sharedStrings'].map(
      (type) => other(`${foreign}/${type}`) + first,
    )
    parts(
      top,
      {},
      [`a workbook of a type in ${foreign}`, 'is a zip archive', office, foreign],
      [`another workbook first, of a type in ${foreign}`, all, first, workbook ?? ''],
    )
    parts(
      inner,
      texts,
      [`a sheet of a type in ${foreign}`, 'it has no sheets', office, foreign],
      [`texts of a type in ${foreign}`, 'refers to text', `${office}/shared`, `${foreign}/shared`],
      [`other texts first, of a type in ${foreign}`, [a], first, shared ?? ''],
    )
  }
  for (const path of [inner, top])
    part(`strict types in ${path}`, all, path, (xml) => xml.replaceAll(office, strictOffice))
  const two = 'two relationships of the type'
  parts(
    top,
    {},
    ['two workbooks', `${two} "officeDocument"`, '</R', more(`${office}/officeDocument`)],
    ['two workbooks, one strict', two, '</R', more(`${strictOffice}/officeDocument`)],
  )
  parts(
    inner,
    texts,
    ['two texts', two, '</R', more(`${office}/sharedStrings`)],
    ['one id twice', 'two relationships of one name', '</R', more(`${office}/worksheet`, 'r0')],
    ['another sheet under the id in capitals', [a], '</R', more(`${office}/worksheet`, 'R0')],
    ['a sheet outside', 'it has no sheets', '/>', ' TargetMode="External"/>'],
  )
  const target = 'worksheets/sheet0.xml'
  const wrong = ['sheet%30.xml', 'sheet0.xml?x', 'sheet0.xml#x', 'SHEET0.xml', '/sheet0.xml'].map(
    (to) => `worksheets/${to}`,
  )
  for (const to of [...wrong, 'worksheets\\sheet0.xml', `./${target}`])
    parts(inner, {}, [`the target ${to}`, 'it has no part', target, to])
  for (const to of [`/xl/${target}`, `../xl/${target}`])
    parts(inner, {}, [`the target ${to}`, all, target, to])
}

function cells(): void {
  const is = `<is><t>${a}</t></is>`
  const inlined = (inside: string): string => cell('t="inlineStr"', inside)
  const [start, end] = [a.slice(0, 9), a.slice(9)]
  const notOfType = 'cell A2 has a text that is not of its type'
  lines(`
    a value twice | cell A2 has <v> twice | ${value(`<v>${a}</v><v>${b}</v>`)}
    an inline text twice | cell A2 has <is> twice | ${inlined(`${is}<is><t>${b}</t></is>`)}
    an inline text and a value | ${notOfType} | ${inlined(`${is}<v>${b}</v>`)}
    a value and an inline text | ${notOfType} | ${value(`${is}<v>${b}</v>`)}
    an inline text without its type | ${notOfType} | ${cell('', is)}
    two texts in one | two texts in place of one | ${inlined(`<is><t>${a}</t><t>${b}</t></is>`)}
    two texts in a run | two texts in place of one | ${inlined(`<is><r><t>${a}</t><t>${b}</t></r></is>`)}
    a text in a text | has <t> in <t> | ${inlined(`<is><t>${a}<t>${b}</t></t></is>`)}
    a value in a value | has <v> in <v> | ${value(`<v>${a}<v>${b}</v></v>`)}
    a text in a value | has <t> in <v> | ${value(`<v><t>${a}</t></v>`)}
    a formula | ${bad('a formula')} | ${value(`<f>B1</f><v>${a}</v>`)}
    a cell in a cell | has <c> in <c> | ${value(`<v>${a}</v><c r="B2"/>`)}
    a type that is none | no plain value | ${cell('t="x"', `<v>${a}</v>`)}
    a text in runs | a | ${inlined(`<is><r><t>${start}</t></r><r><rPr><b/></rPr><t>${end}</t></r></is>`)}
    a text with phonetic runs | a | ${inlined(`<is><t>${a}</t><rPh sb="0" eb="1"><t>${b}</t></rPh><phoneticPr/></is>`)}
    a value around a comment | a | ${value(`<v>${start}<!-- x -->${end}</v>`)}
    a value around an instruction | a | ${value(`<v>${start}<?x y?>${end}</v>`)}
    a value in CDATA | a | ${value(`<v><![CDATA[${a}]]></v>`)}
    an extension of a cell | a | ${value(`<v>${a}</v>${extension(`<v>${b}</v>`)}`)}
    a reference for a character | a | ${value(`<v>&#x36;${a.slice(1)}</v>`)}
    rows in a row | has <row> in <row> | ${row(1, inline('A1', 'id') + row(2, inline('A2', a)))}
    a cell without a row | has <c> in <sheetData> | ${plain + inline('A9', b)}
    rows and cells without places | a | <row><c/><c t="str"><v>id</v></c></row><row><c/><c t="str"><v>${a}</v></c></row>
    the last row | a | ${head + row(1048576, `<c r="A1048576" t="str"><v>${a}</v></c>`)}
    the last column | a | ${row(1, '<c r="XFD1" t="str"><v>id</v></c>') + row(2, inline('XFD2', a))}
  `)
  variants('a cell at "%"', 'out of order', 'a2|$A$2|A02|A2:A3|B1|2A|', (r) =>
    cell(`t="str"`, `<v>${a}</v>`).replace('r="A2"', `r="${r}"`),
  )
  variants(
    'a row at "%"',
    'follows row 1',
    '1|0|0x5|1e1| 5|+5|-5|5.0|x',
    (r) => head + row(r, `<c t="str"><v>${a}</v></c>`),
  )
  const hiddenColumn = '<cols><col min="1" max="1" hidden="1"/></cols>'
  const twice = '<sheetData>'
  const others = `<sheetData>${otherRows}</sheetData>`
  const merged = (ref: string): string => `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`
  lines(`
    hidden columns behind the rows | <cols> after its rows | ${plain} | after ${hiddenColumn}
    no height behind the rows | <sheetFormatPr> after its rows | ${plain} | after <sheetFormatPr zeroHeight="1"/>
    no rows behind the rows | ${twice} | ${plain} | after <sheetData/>
    others behind the rows | ${twice} | ${plain} | after ${others}
    the end of rows in a comment | all | ${plain}<!--</sheetData>-->
    the end of rows in a text | A9: "</sheetData>" | ${plain + row(9, inline('A9', '<![CDATA[</sheetData>]]>'))}
    rows in a comment | in a hidden column | ${plain} | before <!--<sheetData>-->${hiddenColumn}<!--</sheetData>-->
    merged cells in front of the rows | in merged cells | ${plain} | before ${merged('A2:A3')}
    rows in an extension | ${twice} | ${plain} | after ${extension(others)}
    rows in a foreign element | ${twice} | ${plain} | after <x:y xmlns:x="urn:x">${others}</x:y>
    alternatives of controls | all | ${plain} | after ${inAlternatives('<controls/>')}
  `)
  for (const inside of [others, hiddenColumn, merged('A2:A3')])
    for (const branch of ['Choice', 'Fallback'])
      sheets([
        `${inside.slice(1, 6)} in the ${branch} of alternatives`,
        'is ambiguous: ',
        plain,
        { after: inAlternatives(inside).replaceAll('Choice', branch) },
      ])
}

function unseen(): void {
  const hides = stylesOf([';;;'])
  const notShown = bad('in a number format')
  const format = (code: string): Content => ({
    sheets: [{ rows: styled() }],
    styles: stylesOf([code]),
  })
  const hiding = `;;\\;|;;;@|#,##0;[Red]-#,##0|[Red]@|General;General;General;General|0;0;0;@|0;0;0*""@;"6400057ed5aad2927b000026"|0;0;0*x@;"x"|@_W_W_W_W|_W@|@*x|0;@;@|[>5]@|[Black]@|0 @|;;; |;;;""|;;|;|0;0;0;|;;;[Red]|;;;_x|;;;* |;;;"x"|;;;"x"@|;;;@@|@@|@"x"|General;;;|0;0;0;0|;;;\\@|"x"@|[Red]@\\x|`
  variants('a text in the format "%"', notShown, hiding, format)
  const accounting = `_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)|_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)|#,##0.00_);[Red]\\(#,##0.00\\)`
  const shows = `@|General|GENERAL|0|0.00|#,##0|0%|yyyy\\-mm\\-dd|dd"/"mm"/"yyyy|[$-409]@|[$-407]dd\\.mm\\.yyyy|yyyy-mm-dd;@|00000000|d-mmm-yy|h:mm AM/PM|# ?/?|[h]:mm:ss|"$"0|[$€-407]0|[$-1070000]0|#,##0.00 "€"|+0|(###) ###-####`
  variants('a text in the format "%", which shows it', [a], `${shows}|${accounting}`, format)
  const swapped = stylesOf([';;;', '0'])
    .replace('<xf numFmtId="0"/>', '<xf numFmtId="164"/>')
    .replaceAll(/<xf numFmtId="164" xfId="0" .*?>/g, '<xf numFmtId="0" xfId="0"/>')
  const second = (format: string, code: string): string =>
    stylesOf([format]).replace('</numFmts>', `<numFmt numFmtId="164" formatCode="${code}"/>$&`)
  const ofAll = '<cellXfs><xf numFmtId="164" applyNumberFormat="1"'
  const odd = 'in a style that cannot be read plainly'
  for (const [name, verdict, styles] of [
    ['a format of the named style', odd, swapped],
    ['a format that is not applied', odd, hides.replace('Format="1"', 'Format="0"')],
    [
      'one of the named style, and another that is not applied',
      odd,
      swapped.replaceAll('" xfId="0"/>', '" xfId="0" applyNumberFormat="0"/>'),
    ],
    ['a format twice', 'have a format twice', second('@', ';;;')],
    ['a format twice, word for word', [a], second('@', '@')],
    ['a format twice, in two spellings', [a], second('yyyy-mm-dd', 'YYYY\\-MM\\-DD;@')],
  ] as const)
    sheets([name, verdict, styled(), { styles }])
  sheets(
    [
      'a format of all cells',
      'in a number format',
      cell('t="inlineStr"'),
      { styles: hides.replace('<cellXfs><xf numFmtId="0"', ofAll) },
    ],
    [
      'an escape in a shared text',
      'written with escapes',
      cell('t="s"', '<v>0</v>'),
      { texts: [`<t>_x0036_${a.slice(1)}</t>`] },
    ],
    [
      'a heading that is not seen',
      'cell A1: the heading is in a number format',
      row(1, '<c r="A1" s="1" t="str"><v>id</v></c>') + rows[1],
      { styles: hides },
    ],
  )
  lines(`
    an escape | ${bad('written with escapes')} | ${head + row(2, inline('A2', `_x0036_${a.slice(1)}`))}
    an escape in a value | written with escapes | ${value(`<v>${a.slice(0, -1)}_x0031_</v>`)}
    an escape across runs | written with escapes | ${cell('t="inlineStr"', `<is><r><t>_x00</t></r><r><t>36_${a.slice(1)}</t></r></is>`)}
    an escape of a line end | a | ${head + row(2, inline('A2', `${a}_x000D_`))}
    a heading by a formula | cell A1: the heading is a formula | ${row(1, '<c r="A1" t="str"><f>B1</f><v>id</v></c>') + rows[1]}
    a row with hidden="on" | ${bad('in a hidden row')} | ${head + row(2, inline('A2', a), ' hidden="on"')}
    columns that are none | it has columns | ${plain} | before <cols><col min="x" max="1" hidden="1"/></cols>
    rows with heights of their own | all | ${plain.replaceAll('<row ', '<row ht="15" ')} | before <sheetFormatPr zeroHeight="1"/>
  `)
  const none =
    'hidden="1"|hidden="true"|hidden="2"|ht="3.9"|ht="0"|ht="0.1"|ht="1.5" customHeight="1"|ht="x"|ht="" |ht="-15"|ht="0x10"|hidden="0" ht="0"'
  const of = (more: string): string => head + row(2, inline('A2', a), ` ${more}`)
  variants('a row with %', bad('in a hidden row'), none, of)
  const some =
    'hidden="0"|hidden="false"|ht="4"|ht="15"|ht="12.75" customHeight="1"|ht="409.5"|ht="1.5E1"'
  variants('a row with %, which shows it', [a], some, of)
  const usual =
    'zeroHeight="1"|zeroHeight="true"|defaultRowHeight="0"|defaultRowHeight="3.9"|defaultRowHeight="0.1" customHeight="1"'
  variants('rows with %', 'in a hidden row', usual, (more) => ({
    before: `<sheetFormatPr ${more}/>`,
  }))
  const column = (more: string): Content => ({
    before: `<cols><col min="1" max="1" ${more}/></cols>`,
  })
  const narrow =
    'hidden="1"|hidden="true"|width="0"|width="0.1" customWidth="1"|width="x"|hidden="2" width="9"'
  variants('a column with %', 'cell A1: the heading is in a hidden column', narrow, column)
  const wide = 'width="9.14"|hidden="0" width="24" customWidth="1"'
  variants('a column with %, which shows it', all, wide, column)
}

/** Styles of rows and columns, groups, and what stands in the place of values. */
function around(): void {
  const hides = stylesOf([';;;', '@'])
  const bare = `<c r="A2" t="inlineStr"><is><t>${a}</t></is></c>`
  const ownStyle = `<c r="A2" s="2" t="inlineStr"><is><t>${a}</t></is></c>`
  const inRow = (more: string, inside = bare): string => head + row(2, inside, more)
  const columns = (more: string): string => `<cols><col min="1" max="1" ${more}/></cols>`
  const notShown = bad('in a number format')
  lines(
    `
    a cell in a styled row | ${notShown} | ${inRow(' s="1" customFormat="1"')}
    one in a styled row that says no more | ${notShown} | ${inRow(' s="1"')}
    one with a style of its own | a | ${inRow(' s="1"', ownStyle)}
    a cell in a styled column | cell A1: the heading is in a number format | ${inRow('')} | before ${columns('style="1"')}
    a cell in a plain column | a | ${inRow('')} | before ${columns('style="2"')}
    a cell in an unknown style of its column | in a style that cannot be read plainly | ${inRow('')} | before ${columns('style="7"')}
    `,
    { styles: hides },
  )
  const level = ' outlineLevel="1"'
  const grouped = (...each: readonly string[]): string =>
    head + each.map((more, n) => row(n + 2, inline(`A${n + 2}`, all[n] ?? ''), more)).join('')
  const columnGroup = '<col min="1" max="1" outlineLevel="1"/>'
  lines(`
    a group whose button is below | all | ${grouped(level, ' collapsed="1"', '')}
    a group whose button is above | all | ${grouped(' collapsed="1"', level, '')}
    a group that is open | all | ${grouped(level, level, '')}
    a hidden group beside its button | in a hidden row | ${grouped(`${level} hidden="1"`, ' collapsed="1"', '')}
    an open group beside a button elsewhere | all | ${grouped(level, '', ' collapsed="1"')}
    a group in a group | all | ${grouped(' outlineLevel="2"', `${level} collapsed="1"`, '')}
    columns of a collapsed group | all | ${plain} | before <cols>${columnGroup}<col min="2" max="2" collapsed="1"/></cols>
    columns of an open group | all | ${plain} | before <cols>${columnGroup}</cols>
  `)
  const rule = (inside: string, ref = 'A2:A4'): string =>
    `<conditionalFormatting sqref="${ref}"><cfRule type="x" priority="1">${inside}</cfRule></conditionalFormatting>`
  const icons = 'has icons or bars without their values'
  for (const name of ['iconSet', 'dataBar'])
    lines(`
      ${name} without values | ${icons} | ${plain} | after ${rule(`<${name} showValue="0"/>`)}
      ${name} elsewhere | ${icons} | ${plain} | after ${rule(`<${name} showValue="0"/>`, 'B2')}
      ${name} beside values | all | ${plain} | after ${rule(`<${name} showValue="1"/>`)}
      ${name} as usual | all | ${plain} | after ${rule(`<${name}/>`)}
      ${name} of an extension | ${icons} | ${plain} | after ${extension(`<x:${name} xmlns:x="urn:x" showValue="0"/>`)}
    `)
  const merged = '<mergeCells><mergeCell ref="A2:A4"/></mergeCells>'
  for (const blanks of [0, 200, 2000, 70_000])
    part(
      `an end of rows with ${blanks} blanks in front of merged cells`,
      `A3: "${b}": in merged cells`,
      sheetPath,
      (xml) => xml.replace('</sheetData>', `</sheetData${' '.repeat(blanks)}>${merged}`),
    )
}

function areas(): void {
  const second = row(3, `<c r="A3" t="str"><v>${b}</v></c>`)
  for (const type of ['array', 'dataTable']) {
    const of = (ref: string) => value(`<f t="${type}" ref="${ref}">B1:B3</f><v>${a}</v>`) + second
    const beside = `${inline('A2', a)}<c r="B2" t="str"><f t="${type}" ref="B2:B3">1</f><v>x</v></c>`
    const odd = 'cell A2 has a formula for the cells'
    variants(`${type}: of the cells %`, odd, 'A1:A3|x|A2:A1', of)
    sheets(
      [`${type}: its other cell`, `A3: "${b}": a result of a formula`, of('A2:A3')],
      [`${type}: its other cells`, '2 ids are invalid', of('A2:C9')],
      [`${type}: of another column`, [a, b], head + row(2, beside) + second],
    )
  }
  const merged = (ref: string): Content => ({
    after: `<mergeCells><mergeCell ref="${ref}"/></mergeCells>`,
  })
  variants('merged cells %', `A3: "${b}": in merged cells`, 'A2:A3', merged)
  variants('merged cells %', bad('in merged cells'), 'A1:B2|A1:A2', merged)
  variants('merged cells %', all, 'B2:B9|A2:B2|A1:F1', merged)
  variants('merged cells %', 'is not a range of cells', 'A3:A2|D1:C2|A1', merged)
}

/** Styles that programs find in different ways. */
function styles(): void {
  const hides = stylesOf([';;;'])
  const odd = 'in a style that cannot'
  for (const s of ['02', ' 1 ', '+1', '1.0', '0x1', '1e0', '9', '-0', ''])
    sheets([`a style "${s}"`, bad(odd), styled(s), { styles: hides }])
  for (const [from, to, verdict = odd] of [
    ['numFmtId="164" xfId', 'numFmtId=" 164 " xfId'],
    ['numFmtId="164" xfId', 'numFmtId="0164" xfId'],
    ['numFmtId="164" formatCode', 'numFmtId="+164" formatCode', 'its styles have a format twice'],
    ['xfId="0" applyNumberFormat', 'xfId=" 0" applyNumberFormat'],
  ] as const)
    sheets([`styles with ${to}`, verdict, styled(), { styles: hides.replace(from, to) }])
  const choice = (inside: string): string => inAlternatives(inside)
  for (const [where, verdict, styles] of [
    [
      'the formats',
      'programs read in different ways',
      hides.replace(/<numFmts>.*<\/numFmts>/, choice),
    ],
    ['a font', 'in a number format', hides.replace('<font/>', `<font>${choice('<b/>')}</font>`)],
  ] as const)
    sheets([`styles with alternatives of ${where}`, verdict, styled(), { styles }])
  sheets([
    'an extension of the styles',
    [a],
    styled(),
    { styles: stylesOf(['0']) + extension('<x:y xmlns:x="urn:x"/>') },
  ])
  const two = `<Relationship Id="x" Type="${office}/styles" Target="other.xml"/></R`
  parts(
    inner,
    { sheets: [{ rows: styled() }], styles: hides },
    ['styles of a type in urn:x', 'its styles in two places', `${office}/styles`, 'urn:x/styles'],
    [
      'styles of a type in another space',
      'its styles in two places',
      `${office}/styles`,
      `${office}x/styles`,
    ],
    ['two parts with styles', 'two relationships of the type', '</R', two],
  )
}

function damages(): void {
  const first = (inside: string): string => row(1, inside)
  sheets(
    ['shared texts that are missing', 'cell A1 refers to text "0"', first('<c t="s"><v>0</v></c>')],
    ['a shared text that is no number', 'refers to text "-1"', first('<c t="s"><v>-1</v></c>')],
    ['rows out of order', 'row "2" follows row 2', '<row r="2"/><row r="2"/>'],
    ['a row too many', 'more than 1,048,576 rows', '<row r="1048576"/><row/>'],
    ['a cell of another row', 'a cell "A2" in row 1', first('<c r="A2"/>')],
    ['a cell twice', 'out of order', first('<c r="B1"/><c r="B1"/>')],
    ['a column too many', 'out of order', first('<c r="XFD1"/><c/>')],
    ['a column that there is not', 'out of order', first('<c r="XFE1"/>')],
    ['no sheets', 'it has no sheets', '', { sheets: [] }],
  )
  const noRows = (xml: string): string => xml.replace(/<sheetData>.*<\/sheetData>/, '<sheetData/>')
  part('no rows', [], sheetPath, noRows)
  const malformed = 'is not well-formed XML'
  parts(
    sheetPath,
    {},
    ['XML that ends too early', malformed, '</worksheet>', ''],
    [
      'an entity of its own',
      malformed,
      '<worksheet',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a><worksheet',
    ],
  )
  const given: Parts = workbookParts({ sheets: [{ rows: plain }] })
  const { [sheetPath]: _, ...without } = given
  for (const path of ['../x.xml', '/x.xml', 'xl/x\0.xml'])
    add(`a part named ${JSON.stringify(path)}`, mismatch, {
      ...given,
      [path]: '',
    })
  add('a part that is missing', `it has no part "${sheetPath}"`, without)
  add('bytes that are no UTF-8', 'is not valid UTF-8', {
    ...given,
    [sheetPath]: Buffer.from('<a>\xff</a>', 'latin1'),
  })
  add('as Excel lays it out', all, laidOut(['id', ...all], false), { descriptors: true })
  add('as Google Sheets lays it out', all, laidOut(['id', ...all], true), { descriptors: true })
}

/** All of them, made anew. */
export function crafted(): readonly Crafted[] {
  cases = []
  for (const make of [
    archives,
    namespaces,
    relationships,
    cells,
    unseen,
    areas,
    around,
    styles,
    damages,
  ])
    make()
  return [...cases, ...craftedCells()]
}
