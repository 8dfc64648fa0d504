/**
 * Workbooks made to show one id and have another read: by their archive, their XML, their relationships and their cells. Each
 * with what must become of it. `npm run test:workbooks` compares what is read with what LibreOffice shows.
 */
import type { CellUse } from '../../src/ids/row.ts'
import { craftedCells } from './crafted-cells.ts'
import { idOf } from './inputs.ts'
import { end64Of, inline, main, office, workbook, workbookParts, zip, zip64Field } from './workbooks.ts'
import type { Packing, Parts, WorkbookXml } from './workbooks.ts'

/** The ids that are read, or words of the refusal. */
type Verdict = readonly string[] | string

export interface Crafted {
  readonly name: string
  readonly bytes: Buffer
  /** What its second column decides; without it the ids are read. */
  readonly use?: CellUse
  readonly verdict: Verdict
}

const [a, b, c] = [idOf(1), idOf(2), idOf(3)] as const
const all = [a, b, c]
const strict = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
const strictOffice = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
const alternatives = 'http://schemas.openxmlformats.org/markup-compatibility/2006'

const row = (n: number, cells: string, more = ''): string => `<row r="${n}"${more}>${cells}</row>`
const rows = [row(1, inline('A1', 'id')), ...all.map((id, n) => row(n + 2, inline(`A${n + 2}`, id)))]
const plain = rows.join('')
const styles = (formats: readonly string[], more = ''): string =>
  `<numFmts>${formats.map((code, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code}"/>`).join('')}</numFmts>` +
  `<fonts><font/></fonts><fills><fill/></fills><borders><border/></borders><cellStyleXfs><xf numFmtId="0"${more}/></cellStyleXfs>` +
  `<cellXfs><xf numFmtId="0" xfId="0"/>${formats.map((_, n) => `<xf numFmtId="${164 + n}" xfId="0" applyNumberFormat="1"/>`).join('')}</cellXfs>`

const cases: Crafted[] = []

function add(name: string, xml: WorkbookXml, verdict: Verdict, packing: Packing = {}): void {
  cases.push({ name, bytes: workbook(xml, packing), verdict })
}

/** With other rows, and what stands around them. */
function sheet(
  name: string,
  inside: string,
  verdict: Verdict,
  more: WorkbookXml & { before?: string; after?: string } = {},
) {
  const { before, after, ...others } = more
  add(name, { sheets: [{ rows: inside, ...(before && { before }), ...(after && { after }) }], ...others }, verdict)
}

/** With another part. */
function part(
  name: string,
  path: string,
  change: (xml: string) => string,
  verdict: Verdict,
  xml: WorkbookXml = {},
): void {
  const parts = workbookParts({ sheets: [{ rows: plain }], ...xml })
  cases.push({ name, bytes: zip({ ...parts, [path]: change(parts[path]?.toString() ?? '') }), verdict })
}

const sheetPath = 'xl/worksheets/sheet0.xml'
const otherRows = row(9, inline('A9', idOf(9)))

function archives(): void {
  const xml: WorkbookXml = { sheets: [{ rows: plain }] }
  const parts = workbookParts(xml)
  const other = workbookParts({ sheets: [{ rows: rows[0] + otherRows }] })
  const bare = (path: string): boolean => path === sheetPath
  add('ordinary', xml, all)
  add('stored', xml, all, { stored: true })
  add('descriptors', xml, all, { descriptors: true })
  add('large', xml, all, { zip64: true })
  add('large, stored', xml, all, { zip64: true, stored: true })
  const ends: [string, NonNullable<Packing['end']>, Verdict][] = [
    [
      'records for large archives that nothing asks for',
      (end, at) => Buffer.concat([end64Of(at, at.offset + at.size), end]),
      all,
    ],
    ['a comment', (end) => withComment(end, Buffer.from('made by hand')), all],
    ['a comment that is an end', (end) => withComment(end, end), 'its directory'],
    ['bytes behind the end', (end) => Buffer.concat([end, Buffer.from('\n')]), 'Invalid comment length'],
    ['an end cut off', (end) => end.subarray(0, 20), 'cut off'],
  ]
  for (const [field, what] of [
    [10, 'count'],
    [12, 'size'],
    [16, 'offset'],
  ] as const) {
    for (const by of [1, -1]) {
      const changed = (end: Buffer): Buffer => shifted(end, field, by)
      ends.push([`an end of another ${what} (${by})`, changed, 'its directory'])
    }
    ends.push([
      `records for large archives of another ${what}`,
      (end, at) => Buffer.concat([end64Of({ ...at, [what]: at[what] - 1 }, at.offset + at.size), end]),
      'its directory',
    ])
    ends.push([`an end whose ${what} is elsewhere, without the record`, (end) => filled(end, field), 'its directory'])
    ends.push([
      `an end whose ${what} alone is in the record`,
      (end, at) => Buffer.concat([end64Of(at, at.offset + at.size), filled(end, field)]),
      all,
    ])
  }
  ends.push([
    'a locator that leads nowhere',
    (end, at) => Buffer.concat([end64Of(at, at.offset + at.size + 1), end]),
    'its directory',
  ])
  for (const [name, end, verdict] of ends) add(name, xml, verdict, { end })
  hiddenDirectory(parts, other)
  const heads: [string, number, number][] = [
    ['method', 8, 8],
    ['flags', 6, 8],
    ['checksum', 14, 1],
    ['packed length', 18, 1],
    ['length', 22, 1],
  ]
  for (const [what, field, by] of heads) {
    const local = (head: Buffer, path: string): void => {
      if (bare(path)) head[field] = (head[field] ?? 0) ^ by
    }
    add(`a header of another ${what}`, xml, `"${sheetPath}" is not what its directory says`, { local })
    const entry = (bytes: Buffer, path: string): Buffer =>
      bare(path) ? flipped(bytes, { 8: 10, 6: 8, 14: 16, 18: 20, 22: 24 }[field] ?? 0, by) : bytes
    add(`an entry of another ${what}`, xml, 'is damaged', { entry })
  }
  for (const [what, field, verdict] of [
    ['encrypted', 8, 'is encrypted'],
    ['nowhere', 42, 'its directory cannot be read'],
    ['of another length', 24, 'the checksum of'],
  ] as const)
    add(`a part that is ${what}`, xml, verdict, {
      descriptors: true,
      entry: (bytes, path) => (bare(path) ? flipped(bytes, field, 1) : bytes),
    })
  const named =
    (to: string) =>
    (bytes: Buffer, path: string): Buffer => {
      if (bare(path)) bytes.write(to, 46)
      return bytes
    }
  add('an entry of another name', xml, 'is not what its directory says', { entry: named('xl/worksheets/sheet1.xml') })
  add('an entry of another name in capitals', xml, 'is not what its directory says', {
    entry: named('xl/worksheets/SHEET0.xml'),
  })
  for (const [what, extra, verdict] of extras()) {
    add(what, xml, verdict, { entry: (bytes, path) => (bare(path) ? withExtra(bytes, extra(bytes)) : bytes) })
  }
  const list = Object.entries(parts)
  for (const path of [
    sheetPath,
    'xl/workbook.xml',
    '_rels/.rels',
    'xl/_rels/workbook.xml.rels',
    '[Content_Types].xml',
  ]) {
    const twice = [path, other[path] ?? ''] as const
    cases.push({ name: `${path} twice, the other last`, bytes: zip([...list, twice]), verdict: 'two parts' })
    cases.push({ name: `${path} twice, the other first`, bytes: zip([twice, ...list]), verdict: 'two parts' })
    const capitals = [path.toUpperCase(), other[path] ?? ''] as const
    cases.push({ name: `${path} twice, once in capitals`, bytes: zip([capitals, ...list]), verdict: 'two parts' })
  }
}

function extras(): [string, (entry: Buffer) => Buffer, Verdict][] {
  const numbers = (entry: Buffer): number[] => [24, 20, 42].map((field) => entry.readUInt32LE(field))
  const path = (name: string): Buffer => {
    const field = Buffer.alloc(9 + name.length)
    field.writeUInt16LE(0x7075, 0)
    field.writeUInt16LE(5 + name.length, 2)
    field.write(name, 9)
    field[4] = 1
    return field
  }
  return [
    ['lengths again that nothing asks for', (entry) => zip64Field(numbers(entry)), all],
    ['lengths again, two of them', (entry) => zip64Field(numbers(entry).slice(0, 2)), all],
    [
      'another offset that nothing asks for',
      (entry) => zip64Field(numbers(entry).map((n, at) => (at === 2 ? 0 : n))),
      'says two things',
    ],
    [
      'another length that nothing asks for',
      (entry) => zip64Field(numbers(entry).map((n, at) => (at === 0 ? n + 1 : n))),
      'says two things',
    ],
    ['the same name in Unicode', () => path(sheetPath), all],
    ['another name in Unicode', () => path('xl/worksheets/sheet1.xml'), 'says two things'],
    ['a field of no meaning', () => Buffer.from([0xfe, 0xca, 2, 0, 1, 2]), all],
  ]
}

/** A second directory, in the comment of the last entry or of the archive. */
function hiddenDirectory(parts: Parts, other: Parts): void {
  const first = zip(parts)
  const inner = zip(other)
  const at = inner.readUInt32LE(inner.length - 6)
  const count = inner.readUInt16LE(inner.length - 12)
  const moved = (by: number): Buffer => {
    const directory = Buffer.from(inner.subarray(at, -22))
    for (let entry = 0; entry < directory.length;) {
      directory.writeUInt32LE(directory.readUInt32LE(entry + 42) + by, entry + 42)
      entry += 46 + directory.readUInt16LE(entry + 28) + directory.readUInt16LE(entry + 30)
    }
    return directory
  }
  for (const isLarge of [true, false]) {
    // The bodies of the other workbook, then those of the first, whose directory ends in a comment with the other's directory.
    const bodies = inner.subarray(0, at)
    const start = first.readUInt32LE(first.length - 6)
    const own = Buffer.concat([bodies, first.subarray(0, start)])
    const directory = Buffer.from(first.subarray(start, -22))
    let last = 0
    for (let entry = 0; entry < directory.length;) {
      directory.writeUInt32LE(directory.readUInt32LE(entry + 42) + bodies.length, entry + 42)
      last = entry
      entry += 46 + directory.readUInt16LE(entry + 28) + directory.readUInt16LE(entry + 30)
    }
    const second = moved(0)
    const offset = own.length + directory.length
    const comment = Buffer.concat([
      second,
      isLarge ? end64Of({ offset, size: second.length, count }, offset + second.length) : second,
    ])
    directory.writeUInt16LE(comment.length, last + 32)
    const end = Buffer.from(first.subarray(-22))
    end.writeUInt32LE(directory.length + comment.length, 12)
    end.writeUInt32LE(own.length, 16)
    const bytes = Buffer.concat([own, directory, comment, end])
    const verdict = isLarge ? 'its directory' : 'before or between its parts'
    cases.push({ name: `a second directory in a comment${isLarge ? ' with a locator' : ''}`, bytes, verdict })
  }
  const whole = Buffer.concat([moved(first.length), inner.subarray(-22)])
  whole.writeUInt32LE(first.length + at, whole.length - 6)
  const bytes = Buffer.concat([withComment(first, Buffer.concat([inner.subarray(0, at), whole]))])
  cases.push({ name: 'a second archive in the comment', bytes, verdict: 'before or between its parts' })
  cases.push({
    name: 'a second archive in front',
    bytes: Buffer.concat([inner, first]),
    verdict: 'its directory',
  })
}

function withComment(archive: Buffer, comment: Buffer): Buffer {
  const bytes = Buffer.concat([archive, comment])
  bytes.writeUInt16LE(comment.length, archive.length - 2)
  return bytes
}

function shifted(end: Buffer, field: number, by: number): Buffer {
  const bytes = Buffer.from(end)
  bytes.writeUInt16LE(bytes.readUInt16LE(field) + by, field)
  return bytes
}

function filled(end: Buffer, field: number): Buffer {
  return Buffer.from(end).fill(0xff, field, field + (field < 12 ? 2 : 4))
}

function flipped(bytes: Buffer, field: number, by: number): Buffer {
  bytes[field] = (bytes[field] ?? 0) ^ by
  return bytes
}

function withExtra(entry: Buffer, extra: Buffer): Buffer {
  const bytes = Buffer.concat([entry, extra])
  bytes.writeUInt16LE(bytes.readUInt16LE(30) + extra.length, 30)
  return bytes
}

function namespaces(): void {
  const texts = { texts: [...all, idOf(9)].map((id) => `<t>${id}</t>`) }
  const shared =
    row(1, inline('A1', 'id')) + all.map((_, n) => row(n + 2, `<c r="A${n + 2}" t="s"><v>${n}</v></c>`)).join('')
  const sst = 'xl/sharedStrings.xml'
  const withTexts: WorkbookXml = { sheets: [{ rows: shared }], ...texts }
  for (const [what, space, verdict] of [
    ['strict', strict, all],
    ['foreign', 'urn:x', 'has no <'],
    ['almost', `${main}/`, 'has no <'],
    ['none', '', 'has no <'],
  ] as const) {
    part(`a sheet in the namespace ${what}`, sheetPath, (xml) => xml.replace(main, space), verdict)
    part(`texts in the namespace ${what}`, sst, (xml) => xml.replace(main, space), verdict, withTexts)
    part(`a workbook in the namespace ${what}`, 'xl/workbook.xml', (xml) => xml.replace(main, space), verdict)
    part(
      `a sheet with a prefix of the namespace ${what}`,
      sheetPath,
      (xml) => prefixed(xml).replace(main, space || 'urn:y'),
      verdict,
    )
  }
  for (const [path, name] of [
    [sheetPath, 'row'],
    [sheetPath, 'c'],
    [sheetPath, 'is'],
    [sheetPath, 't'],
    [sst, 'si'],
    [sst, 't'],
    [sheetPath, 'v'],
    ['xl/workbook.xml', 'sheet'],
    ['_rels/.rels', 'Relationship'],
    ['xl/_rels/workbook.xml.rels', 'Relationship'],
  ] as const) {
    const xml = path === sst || name === 'v' ? withTexts : {}
    const verdict = `has <x:${name}> in <`
    const foreign = (text: string): string => renamed(text, name, `x:${name}`, ' xmlns:x="urn:x"')
    part(`${path}: <${name}> of another namespace`, path, foreign, verdict, xml)
    part(
      `${path}: <${name}> without a namespace`,
      path,
      (text) => renamed(text, name, name, ' xmlns=""'),
      `has <${name}> in <`,
      xml,
    )
    part(
      `${path}: <${name}> with a prefix of its own`,
      path,
      (text) => renamed(text, name, `x:${name}`, ` xmlns:x="${spaceOf(path)}"`),
      all,
      xml,
    )
    part(
      `${path}: <${name}> with a prefix that is not declared`,
      path,
      (text) => renamed(text, name, `x:${name}`, ''),
      'has no namespace',
      xml,
    )
    part(
      `${path}: <${name}> in alternatives`,
      path,
      (text) => around(text, name, 'mc:AlternateContent', alternatives),
      'AlternateContent',
      xml,
    )
  }
  for (const name of ['hidden', 'ht', 'r'])
    sheet(`a foreign attribute x:${name}`, plain.replaceAll('<row ', `<row xmlns:x="urn:x" x:${name}="0" `), all)
  for (const name of ['t', 'r', 's'])
    sheet(`a foreign attribute x:${name} of a cell`, plain.replaceAll('<c ', `<c xmlns:x="urn:x" x:${name}="n" `), all)
  const main1 = 'xl/workbook.xml'
  part('a sheet by a foreign id', main1, (xml) => xml.replace('r:id', 'xmlns:x="urn:x" x:id'), 'it has no sheets')
  part(
    'a sheet by a foreign id before its own',
    main1,
    (xml) => xml.replace('r:id', 'xmlns:x="urn:x" x:id="r9" r:id'),
    all,
  )
  part('a sheet by an id of the strict namespace', main1, (xml) => xml.replace(office, strictOffice), all)
  part(
    'a sheet by two ids',
    main1,
    (xml) => xml.replace('r:id', `xmlns:x="${strictOffice}" x:id="r1" r:id`),
    'it has no sheets',
  )
  part(
    'an extension of the workbook',
    main1,
    (xml) => xml.replace('<sheets>', '<extLst><ext uri="x"><sheets/></ext></extLst><sheets>'),
    all,
  )
  part(
    'alternatives of a path',
    main1,
    (xml) =>
      xml.replace(
        '<workbookPr',
        `<mc:AlternateContent xmlns:mc="${alternatives}"><mc:Choice Requires="x15"><x15ac:absPath xmlns:x15ac="urn:x15" url="C:\\"/></mc:Choice></mc:AlternateContent><workbookPr`,
      ),
    all,
  )
  part('sheets twice', main1, (xml) => xml.replace('</sheets>', '</sheets><sheets/>'), '<sheets> twice')
  for (const [what, attribute] of [
    ['ProcessContent', 'x:*'],
    ['MustUnderstand', 'x'],
  ] as const) {
    part(
      what,
      sheetPath,
      (xml) =>
        xml.replace('<worksheet', `<worksheet xmlns:mc="${alternatives}" xmlns:x="urn:x" mc:${what}="${attribute}"`),
      what,
    )
  }
  part(
    'Ignorable',
    sheetPath,
    (xml) => xml.replace('<worksheet', `<worksheet xmlns:mc="${alternatives}" xmlns:x="urn:x" mc:Ignorable="x"`),
    all,
  )
  part(
    'a document type',
    sheetPath,
    (xml) => xml.replace('<worksheet', '<!DOCTYPE worksheet><worksheet'),
    'document type',
  )
  part(
    'a document type with an attribute',
    sheetPath,
    (xml) => xml.replace('<worksheet', '<!DOCTYPE worksheet [<!ATTLIST row hidden CDATA "1">]><worksheet'),
    'document type',
  )
  for (const encoding of ['ISO-8859-1', 'UTF-16', 'UTF-7', 'EBCDIC-CP-US'])
    part(`declared as ${encoding}`, sheetPath, (xml) => xml.replace('UTF-8', encoding), 'its encoding is')
}

function spaceOf(path: string): string {
  return path.endsWith('.rels') ? 'http://schemas.openxmlformats.org/package/2006/relationships' : main
}

function prefixed(xml: string): string {
  return xml.replace('xmlns=', 'xmlns:x=').replace(/<(\/?)(\w)/g, '<$1x:$2')
}

/** The last element of a name, renamed, with attributes. */
function renamed(xml: string, name: string, to: string, more: string): string {
  const [start, end] = elementAt(xml, name)
  const element = xml.slice(start, end)
  const inside = element.slice(name.length + 1)
  return xml.slice(0, start) + `<${to}${more}${inside.replace(new RegExp(`</${name}>$`), `</${to}>`)}` + xml.slice(end)
}

function around(xml: string, name: string, outer: string, space: string): string {
  const [start, end] = elementAt(xml, name)
  const [prefix = ''] = outer.split(':')
  return `${xml.slice(0, start)}<${outer} xmlns:${prefix}="${space}"><mc:Choice Requires="x">${xml.slice(start, end)}</mc:Choice></${outer}>${xml.slice(end)}`
}

function elementAt(xml: string, name: string): [number, number] {
  const start = Math.max(xml.lastIndexOf(`<${name} `), xml.lastIndexOf(`<${name}>`))
  const close = xml.indexOf(`</${name}>`, start)
  return [start, close < 0 ? xml.indexOf('/>', start) + 2 : close + name.length + 3]
}

function relationships(): void {
  const top = '_rels/.rels'
  const inner = 'xl/_rels/workbook.xml.rels'
  const of = (type: string, id: string, target: string): string =>
    `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`
  const texts = {
    sheets: [{ rows: row(1, inline('A1', 'id')) + row(2, '<c r="A2" t="s"><v>0</v></c>') }],
    texts: [`<t>${a}</t>`],
  }
  for (const foreign of ['urn:x', `${office}x`, 'http://schemas.microsoft.com/office/2006/relationships']) {
    part(`a workbook of a type in ${foreign}`, top, (xml) => xml.replace(office, foreign), 'is a zip archive')
    part(`a sheet of a type in ${foreign}`, inner, (xml) => xml.replace(office, foreign), 'it has no sheets')
    part(
      `texts of a type in ${foreign}`,
      inner,
      (xml) => xml.replace(`${office}/sharedStrings`, `${foreign}/sharedStrings`),
      'refers to text',
      texts,
    )
    part(
      `other texts first, of a type in ${foreign}`,
      inner,
      (xml) => xml.replace('<Relationship ', `${of(`${foreign}/sharedStrings`, 'x', 'other.xml')}<Relationship `),
      [a],
      texts,
    )
    part(
      `another workbook first, of a type in ${foreign}`,
      top,
      (xml) => xml.replace('<Relationship ', `${of(`${foreign}/officeDocument`, 'x', 'other.xml')}<Relationship `),
      all,
    )
  }
  part('strict types', inner, (xml) => xml.replaceAll(office, strictOffice), all)
  part('a strict workbook', top, (xml) => xml.replaceAll(office, strictOffice), all)
  part(
    'two workbooks',
    top,
    (xml) => xml.replace('</R', `${of(`${office}/officeDocument`, 'x', 'other.xml')}</R`),
    'two relationships of the type "officeDocument"',
  )
  part(
    'two workbooks, one strict',
    top,
    (xml) => xml.replace('</R', `${of(`${strictOffice}/officeDocument`, 'x', 'other.xml')}</R`),
    'two relationships of the type',
  )
  part(
    'two texts',
    inner,
    (xml) => xml.replace('</R', `${of(`${office}/sharedStrings`, 'x', 'other.xml')}</R`),
    'two relationships of the type',
    texts,
  )
  part(
    'one id twice',
    inner,
    (xml) => xml.replace('</R', `${of(`${office}/worksheet`, 'r0', 'other.xml')}</R`),
    'two relationships of one name',
  )
  part(
    'another sheet under the id in capitals',
    inner,
    (xml) => xml.replace('</R', `${of(`${office}/worksheet`, 'R0', 'other.xml')}</R`),
    all,
  )
  part('a sheet outside', inner, (xml) => xml.replace('/>', ' TargetMode="External"/>'), 'it has no sheets')
  for (const target of [
    'worksheets/sheet%30.xml',
    'worksheets\\sheet0.xml',
    'worksheets/sheet0.xml?x',
    'worksheets/sheet0.xml#x',
    'worksheets/SHEET0.xml',
    './worksheets/sheet0.xml',
    'worksheets//sheet0.xml',
  ]) {
    part(`the target ${target}`, inner, (xml) => xml.replace('worksheets/sheet0.xml', target), 'it has no part')
  }
  for (const target of ['/xl/worksheets/sheet0.xml', '../xl/worksheets/sheet0.xml']) {
    part(`the target ${target}`, inner, (xml) => xml.replace('worksheets/sheet0.xml', target), all)
  }
}

function cells(): void {
  const at = (cell: string, more = ''): string => rows[0] + row(2, cell, more)
  const text = (attributes: string, inside: string): string => at(`<c r="A2" ${attributes}>${inside}</c>`)
  const is = `<is><t>${a}</t></is>`
  const wrong: [string, string, string][] = [
    ['a value twice', `t="str"|<v>${a}</v><v>${b}</v>`, 'cell A2 has <v> twice'],
    ['an inline text twice', `t="inlineStr"|${is}<is><t>${b}</t></is>`, 'cell A2 has <is> twice'],
    ['an inline text and a value', `t="inlineStr"|${is}<v>${b}</v>`, 'cell A2 has a text that is not of its type'],
    ['a value and an inline text', `t="str"|${is}<v>${b}</v>`, 'cell A2 has a text that is not of its type'],
    ['an inline text without its type', `|${is}`, 'cell A2 has a text that is not of its type'],
    ['two texts in one', `t="inlineStr"|<is><t>${a}</t><t>${b}</t></is>`, 'two texts in place of one'],
    ['a text before runs', `t="inlineStr"|<is><t>${a}</t><r><t>${b}</t></r></is>`, ''],
    ['two texts in a run', `t="inlineStr"|<is><r><t>${a}</t><t>${b}</t></r></is>`, 'two texts in place of one'],
    ['a text in a text', `t="inlineStr"|<is><t>${a}<t>${b}</t></t></is>`, 'has <t> in <t>'],
    ['a value in a value', `t="str"|<v>${a}<v>${b}</v></v>`, 'has <v> in <v>'],
    ['a text in a value', `t="str"|<v><t>${a}</t></v>`, 'has <t> in <v>'],
    ['a formula', `t="str"|<f>B1</f><v>${a}</v>`, 'A2: "64f0a1b2c3d4e5f600000001": a formula'],
    ['a cell in a cell', `t="str"|<v>${a}</v><c r="B2"/>`, 'has <c> in <c>'],
    ['a type that is none', `t="x"|<v>${a}</v>`, 'no plain value'],
    ['a style that is no number', `t="inlineStr" s="x"|${is}`, ''],
  ]
  for (const [name, content, verdict] of wrong) {
    const [attributes = '', inside = ''] = content.split('|')
    if (verdict !== '') sheet(name, text(attributes, inside), verdict)
  }
  sheet(
    'a text in runs',
    text('t="inlineStr"', `<is><r><t>${a.slice(0, 9)}</t></r><r><rPr><b/></rPr><t>${a.slice(9)}</t></r></is>`),
    [a],
  )
  sheet(
    'a text with phonetic runs',
    text('t="inlineStr"', `<is><t>${a}</t><rPh sb="0" eb="1"><t>${b}</t></rPh><phoneticPr fontId="0"/></is>`),
    [a],
  )
  sheet('a value around a comment', text('t="str"', `<v>${a.slice(0, 9)}<!-- x -->${a.slice(9)}</v>`), [a])
  sheet('a value around an instruction', text('t="str"', `<v>${a.slice(0, 9)}<?x y?>${a.slice(9)}</v>`), [a])
  sheet('a value in CDATA', text('t="str"', `<v><![CDATA[${a}]]></v>`), [a])
  sheet('an extension of a cell', text('t="str"', `<v>${a}</v><extLst><ext uri="x"><v>${b}</v></ext></extLst>`), [a])
  sheet('a reference for a character', text('t="str"', `<v>&#x36;${a.slice(1)}</v>`), [a])
  sheet('rows in a row', row(1, inline('A1', 'id') + row(2, inline('A2', a))), 'has <row> in <row>')
  sheet('a cell without a row', `${plain}${inline('A9', b)}`, 'has <c> in <sheetData>')
  for (const r of ['a2', '$A$2', 'A02', 'A2:A3', 'B1', '2A', ''])
    sheet(`a cell at "${r}"`, at(`<c r="${r}" t="str"><v>${a}</v></c>`), 'out of order')
  for (const r of ['1', '0', '0x5', '1e1', ' 5', '+5', '-5', '5.0'])
    sheet(`a row at "${r}"`, rows[0] + `<row r="${r}"><c t="str"><v>${a}</v></c></row>`, `row "${r}" follows`)
  for (const after of ['<sheetData/>', `<sheetData>${otherRows}</sheetData>`])
    sheet(`rows twice: ${after.length}`, plain, 'rows in two places', { after })
  sheet('hidden columns behind the rows', plain, 'in a hidden column', {
    after: '<cols><col min="1" max="1" hidden="1"/></cols>',
  })
  sheet('no height behind the rows', plain, 'in a hidden row', { after: '<sheetFormatPr zeroHeight="1"/>' })
  sheet('the end of rows in a comment', `${plain}<!--</sheetData>-->`, 'rows in two places')
  sheet(
    'the end of rows in a text',
    `${plain}${row(9, inline('A9', '<![CDATA[</sheetData>]]>'))}`,
    'rows in two places',
  )
  sheet('rows in a comment before them', plain, 'is ambiguous: ', {
    before: '<!--<sheetData>--><cols><col min="1" max="1" hidden="1"/></cols><!--</sheetData>-->',
  })
  sheet('merged cells in front of the rows', plain, 'in merged cells', {
    before: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
  })
  sheet('rows in an extension', plain, 'rows in two places', {
    after: `<extLst><ext uri="x"><sheetData>${otherRows}</sheetData></ext></extLst>`,
  })
  sheet('rows in a foreign element', plain, 'rows in two places', {
    after: `<x:y xmlns:x="urn:x"><sheetData>${otherRows}</sheetData></x:y>`,
  })
  for (const branch of ['Choice', 'Fallback']) {
    for (const inside of [
      `<sheetData>${otherRows}</sheetData>`,
      '<cols><col min="1" max="1" hidden="1"/></cols>',
      '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
    ]) {
      const xml = `<mc:AlternateContent xmlns:mc="${alternatives}" xmlns:x14="urn:x14"><mc:${branch}${branch === 'Choice' ? ' Requires="x14"' : ''}>${inside}</mc:${branch}></mc:AlternateContent>`
      sheet(`${inside.slice(1, 6)} in the ${branch} of alternatives`, plain, 'is ambiguous: ', {
        after: xml,
      })
    }
  }
  sheet('alternatives of controls', plain, all, {
    after: `<mc:AlternateContent xmlns:mc="${alternatives}"><mc:Choice Requires="x14"><controls/></mc:Choice></mc:AlternateContent>`,
  })
}

function unseen(): void {
  const styled = (s: number): string => rows[0] + row(2, `<c r="A2" s="${s}" t="inlineStr"><is><t>${a}</t></is></c>`)
  const hides = [
    ';;;',
    ';;; ',
    ';;;&quot;&quot;',
    ';;',
    ';',
    '0;0;0;',
    ';;;[Red]',
    ';;;_x',
    ';;;* ',
    ';;;&quot;x&quot;',
    ';;;&quot;x&quot;@',
    ';;;@@',
    '@@',
    '@&quot;x&quot;',
    'General;;;',
    '0;0;0;0',
    ';;;\\@',
    '&quot;x&quot;@',
    '[Red]@\\x',
    '',
  ]
  for (const code of hides)
    sheet(`a text in the format "${code}"`, styled(1), 'A2: "64f0a1b2c3d4e5f600000001": in a number format', {
      styles: styles([code]),
    })
  const shows = [
    '@',
    ';;;@',
    'General',
    '0',
    '0.00',
    '#,##0;[Red]-#,##0',
    '_(* #,##0_);_(* \\(#,##0\\);_(* &quot;-&quot;_);_(@_)',
    'yyyy\\-mm\\-dd',
    '[Red]@',
    'General;General;General;General',
    '0;0;0;@',
    '[$-409]@',
    'yyyy-mm-dd;@',
    '00000000',
  ]
  for (const code of shows)
    sheet(`a text in the format "${code}", which shows it`, styled(1), [a], { styles: styles([code]) })
  sheet('a format of the named style', styled(1), 'in a number format', {
    styles: styles([';;;', '0'])
      .replace('<xf numFmtId="0"/>', '<xf numFmtId="164"/>')
      .replaceAll('<xf numFmtId="164" xfId="0" applyNumberFormat="1"/>', '<xf numFmtId="0" xfId="0"/>'),
  })
  sheet('a format that is not applied', styled(1), 'in a number format', {
    styles: styles([';;;']).replace(' applyNumberFormat="1"', ' applyNumberFormat="0"'),
  })
  sheet('a format twice', styled(1), 'in a style that cannot be read plainly', {
    styles: styles(['@']).replace('</numFmts>', '<numFmt numFmtId="164" formatCode=";;;"/></numFmts>'),
  })
  sheet('a format of all cells', rows[0] + row(2, inline('A2', a)), 'in a number format', {
    styles: styles([';;;']).replace('<cellXfs><xf numFmtId="0"', '<cellXfs><xf numFmtId="164" applyNumberFormat="1"'),
  })
  for (const escape of ['_x0036_'])
    sheet(
      `an escape ${escape}`,
      rows[0] + row(2, inline('A2', escape + a.slice(1))),
      'A2: "64f0a1b2c3d4e5f600000001": written with escapes',
    )
  sheet(
    'an escape in a value',
    rows[0] + row(2, `<c r="A2" t="str"><v>${a.slice(0, -1)}_x0031_</v></c>`),
    'written with escapes',
  )
  sheet('an escape in a shared text', rows[0] + row(2, '<c r="A2" t="s"><v>0</v></c>'), 'written with escapes', {
    texts: [`<t>_x0036_${a.slice(1)}</t>`],
  })
  sheet(
    'an escape across runs',
    rows[0] + row(2, `<c r="A2" t="inlineStr"><is><r><t>_x00</t></r><r><t>36_${a.slice(1)}</t></r></is></c>`),
    'written with escapes',
  )
  sheet('an escape of a line end', rows[0] + row(2, inline('A2', `${a}_x000D_`)), [a])
  for (const more of [
    'hidden="1"',
    'hidden="true"',
    'hidden="on"',
    'hidden="2"',
    'ht="0"',
    'ht="0.1"',
    'ht="1.5" customHeight="1"',
    'ht="x"',
    'ht="" ',
    'ht="-15"',
    'ht="0x10"',
    'hidden="0" ht="0"',
  ]) {
    sheet(
      `a row with ${more}`,
      rows[0] + row(2, inline('A2', a), ` ${more}`),
      'A2: "64f0a1b2c3d4e5f600000001": in a hidden row',
    )
    if (!more.includes('on'))
      sheet(
        `a heading with ${more}`,
        row(1, inline('A1', 'id'), ` ${more}`) + row(2, inline('A2', a)),
        'cell A1: the heading is in a hidden row',
      )
  }
  for (const more of [
    'hidden="0"',
    'hidden="false"',
    'ht="15"',
    'ht="12.75" customHeight="1"',
    'ht="409.5"',
    'ht="1.5E1"',
  ])
    sheet(`a row with ${more}, which shows it`, rows[0] + row(2, inline('A2', a), ` ${more}`), [a])
  for (const more of ['zeroHeight="1"', 'defaultRowHeight="0"', 'defaultRowHeight="0.1" customHeight="1"'])
    sheet(`rows with ${more}`, plain, 'in a hidden row', { before: `<sheetFormatPr ${more}/>` })
  for (const more of [
    'hidden="1"',
    'hidden="true"',
    'width="0"',
    'width="0.1" customWidth="1"',
    'width="x"',
    'hidden="2" width="9"',
  ])
    sheet(`a column with ${more}`, plain, 'cell A1: the heading is in a hidden column', {
      before: `<cols><col min="1" max="1" ${more}/></cols>`,
    })
  for (const more of ['width="9.14"', 'hidden="0" width="24" customWidth="1"'])
    sheet(`a column with ${more}, which shows it`, plain, all, {
      before: `<cols><col min="1" max="1" ${more}/></cols>`,
    })
  sheet('columns that are none', plain, 'it has columns', { before: '<cols><col min="x" max="1" hidden="1"/></cols>' })
  sheet(
    'a heading by a formula',
    row(1, '<c r="A1" t="str"><f>B1</f><v>id</v></c>') + row(2, inline('A2', a)),
    'cell A1: the heading is a formula',
  )
  sheet(
    'a heading that is not seen',
    row(1, '<c r="A1" s="1" t="str"><v>id</v></c>') + row(2, inline('A2', a)),
    'cell A1: the heading is in a number format',
    { styles: styles([';;;']) },
  )
  for (const type of ['array', 'dataTable']) {
    const of = (ref: string): string =>
      rows[0] +
      row(2, `<c r="A2" t="str"><f t="${type}" ref="${ref}">B1:B3</f><v>${a}</v></c>`) +
      row(3, `<c r="A3" t="str"><v>${b}</v></c>`)
    sheet(`${type}: its other cell`, of('A2:A3'), 'A3: "64f0a1b2c3d4e5f600000002": a result of a formula')
    sheet(`${type}: its other cells`, of('A2:C9'), 'none of 2 lines')
    sheet(`${type}: of other cells`, of('A1:A3'), 'the formula of cell A2 is for the cells')
    sheet(`${type}: of no cells`, of('x'), 'the formula of cell A2 is for the cells')
    sheet(`${type}: of cells backwards`, of('A2:A1'), 'the formula of cell A2 is for the cells')
    sheet(
      `${type}: of another column`,
      rows[0] +
        row(2, `${inline('A2', a)}<c r="B2" t="str"><f t="${type}" ref="B2:B3">1</f><v>x</v></c>`) +
        row(3, inline('A3', b)),
      [a, b],
    )
  }
  const merged = (ref: string, verdict: Verdict): void =>
    sheet(`merged cells ${ref}`, plain, verdict, { after: `<mergeCells><mergeCell ref="${ref}"/></mergeCells>` })
  merged('A2:A3', 'A3: "64f0a1b2c3d4e5f600000002": in merged cells')
  for (const ref of ['A1:B2', 'A1:A2']) merged(ref, 'A2: "64f0a1b2c3d4e5f600000001": in merged cells')
  for (const ref of ['B2:B9', 'A2:B2', 'A1:F1']) merged(ref, all)
  sheet('merged cells, backwards', plain, '"A3:A2" are no cells', {
    after: '<mergeCells><mergeCell ref="A3:A2"/></mergeCells>',
  })
}

/** Styles that programs find in different ways. */
function styled(): void {
  const cell = (s: string): string => rows[0] + row(2, `<c r="A2" s="${s}" t="inlineStr"><is><t>${a}</t></is></c>`)
  const hides = styles([';;;'])
  for (const s of ['02', ' 1 ', '+1', '1.0', '0x1', '1e0', '9', '-0', ''])
    sheet(`a style "${s}"`, cell(s), 'A2: "64f0a1b2c3d4e5f600000001": in a style that cannot', { styles: hides })
  const numbers: [string, string][] = [
    ['numFmtId="164" xfId', 'numFmtId=" 164 " xfId'],
    ['numFmtId="164" xfId', 'numFmtId="0164" xfId'],
    ['numFmtId="164" formatCode', 'numFmtId="+164" formatCode'],
    ['xfId="0" applyNumberFormat', 'xfId=" 0" applyNumberFormat'],
  ]
  for (const [from, to] of numbers)
    sheet(`styles with ${to}`, cell('1'), 'in a style that cannot', { styles: hides.replace(from, to) })
  const choice = (inside: string, space = alternatives): string =>
    `<x:AlternateContent xmlns:x="${space}"><x:Choice Requires="x">${inside}</x:Choice></x:AlternateContent>`
  for (const space of [alternatives, 'urn:x']) {
    const odd = [
      hides.replace(/<numFmts>.*<\/numFmts>/, (all) => choice(all, space)),
      hides.replace(/<cellXfs>.*<\/cellXfs>/, (all) => choice(all, space) + '<cellXfs><xf numFmtId="0"/></cellXfs>'),
      hides.replace('<cellXfs>', `<cellXfs>${choice('<xf numFmtId="164"/>', space)}`),
      hides.replace('<font/>', `<font>${choice('<b/>', space)}</font>`),
    ]
    for (const [n, styles] of odd.entries())
      sheet(
        `styles with alternatives ${n} of ${space}`,
        cell('1'),
        n < 2 && space === alternatives ? 'programs read in different ways' : 'in a style that cannot',
        { styles },
      )
  }
  const extended = (inside: string): string => `${styles(['0'])}<extLst><ext uri="x">${inside}</ext></extLst>`
  sheet('an extension of the styles', cell('1'), [a], { styles: extended('<x:y xmlns:x="urn:x"/>') })
  const relations = 'xl/_rels/workbook.xml.rels'
  for (const foreign of ['urn:x', `${office}x`])
    part(
      `styles of a type in ${foreign}`,
      relations,
      (xml) => xml.replace(`${office}/styles`, `${foreign}/styles`),
      'in a style that cannot',
      { sheets: [{ rows: cell('1') }], styles: hides },
    )
  part(
    'two parts with styles',
    relations,
    (xml) => xml.replace('</R', `<Relationship Id="x" Type="${office}/styles" Target="other.xml"/></R`),
    'two relationships of the type',
    { sheets: [{ rows: cell('1') }], styles: hides },
  )
  for (const [blanks, verdict] of [
    [16, [a]],
    [17, 'outer blanks'],
    [300, 'outer blanks'],
  ] as const)
    for (const blank of [' ', '\u00a0', '\n'])
      sheet(
        `${blanks} of ${JSON.stringify(blank)} before an id`,
        rows[0] + row(2, inline('A2', `<![CDATA[${blank.repeat(blanks)}${a}]]>`)),
        verdict,
      )
}

/** All of them, made anew. */
export function crafted(): readonly Crafted[] {
  cases.length = 0
  archives()
  namespaces()
  relationships()
  cells()
  unseen()
  styled()
  cases.push(...craftedCells())
  return cases
}
