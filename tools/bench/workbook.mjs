/** A workbook of 100,000 rows and six columns: an id, three texts, a date and a number. */
import { crc32, deflateRawSync } from 'node:zlib'

const count = 100_000
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const links = (...targets) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`).join('')}</Relationships>`

/** @param {boolean} isShared whether texts stand in a part of their own, as Excel writes them, or in the cells */
export function workbook(isShared) {
  const shared = []
  const text = (cell, value) =>
    isShared
      ? `<c r="${cell}" t="s"><v>${shared.push(`<si><t>${value}</t></si>`) - 1}</v></c>`
      : `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`
  const rows = [
    '<row r="1">',
    ...['id', 'Name', 'Email', 'Comment'].map((name, n) => text(`${'ABCD'[n]}1`, name)),
    '</row>',
  ]
  for (let n = 2; n <= count + 1; n += 1) {
    const id = (n * 7919).toString(16).padStart(24, '6')
    rows.push(
      `<row r="${n}">`,
      text(`A${n}`, id),
      text(`B${n}`, `Jürgen Groß ${n}`),
      text(`C${n}`, `customer.${n}@example.com`),
      text(`D${n}`, `comment ${n % 50}`),
      `<c r="E${n}" s="1"><v>${45_000 + (n % 1000)}</v></c><c r="F${n}"><v>${n}</v></c></row>`,
    )
  }
  const type = (name, kind) =>
    `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  return zip({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${type('workbook', 'sheet.main')}${type('sheet', 'worksheet')}${type('styles', 'styles')}${type('shared', 'sharedStrings')}</Types>`,
    '_rels/.rels': links(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Data" sheetId="1" r:id="r0"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links(
      ['worksheet', 'sheet.xml'],
      ['styles', 'styles.xml'],
      ['sharedStrings', 'shared.xml'],
    ),
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/shared.xml': `<sst xmlns="${main}">${shared.join('')}</sst>`,
    'xl/sheet.xml': `<worksheet xmlns="${main}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
  })
}

function zip(parts) {
  const bodies = []
  const directory = []
  let offset = 0
  for (const [path, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const entry = Buffer.concat([Buffer.alloc(46), Buffer.from(path)])
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt16LE(path.length, 28)
    for (const [at, number] of [
      [16, crc32(bytes)],
      [20, packed.length],
      [24, bytes.length],
      [42, offset],
    ])
      entry.writeUInt32LE(number, at)
    // The local header says the same: from the version on, up to the name.
    const body = Buffer.concat([Buffer.alloc(4), entry.subarray(6, 32), Buffer.from(path), packed])
    body.writeUInt32LE(0x04034b50, 0)
    bodies.push(body)
    directory.push(entry)
    offset += body.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, ...directory, end])
}
