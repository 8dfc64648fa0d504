/** A workbook of rows with six columns: an id, three texts, a date and a number. */
import { zip } from '../harness/zip.mjs'

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const links = (...targets) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`).join('')}</Relationships>`

const count = 100_000

/** `isShared`: whether texts stand in a part of their own, as Excel writes them, or in the cells. */
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
      `<c r="E${n}" s="1"><v>${45_000 + (n % 1000)}</v></c><c r="F${n}"><v>${n}</v></c>`,
      '</row>',
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
    'xl/styles.xml': `<styleSheet xmlns="${main}"><fills><fill><patternFill patternType="none"/></fill></fills><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/shared.xml': `<sst xmlns="${main}">${shared.join('')}</sst>`,
    'xl/sheet.xml': `<worksheet xmlns="${main}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
  })
}
