/** A workbook of rows with six columns: an id, three texts, a date and a number. Texts stand in a part of their own, as Excel writes them. */
import { zip } from '../harness/zip.mjs'

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const links = (...targets) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([type, to], n) => `<Relationship Id="r${n}" Type="${office}/${type}" Target="${to}"/>`).join('')}</Relationships>`

export function workbook(count) {
  const texts = []
  const rowOf = (n, cells, others = '') => {
    const each = cells.map(
      (text, at) => `<c r="${'ABCD'[at]}${n}" t="s"><v>${texts.push(text) - 1}</v></c>`,
    )
    return `<row r="${n}">${each.join('')}${others}</row>`
  }
  const rows = [rowOf(1, ['id', 'Name', 'Email', 'Comment'])]
  for (let n = 2; n <= count + 1; n += 1) {
    const id = (n * 7919).toString(16).padStart(24, '6')
    const cells = [id, `Jürgen Groß ${n}`, `customer.${n}@example.com`, `comment ${n % 50}`]
    const [date, number] = [45_000 + (n % 1000), n]
    rows.push(
      rowOf(n, cells, `<c r="E${n}" s="1"><v>${date}</v></c><c r="F${n}"><v>${number}</v></c>`),
    )
  }
  return zip({
    '_rels/.rels': links(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Data" sheetId="1" r:id="r0"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links(
      ['worksheet', 'sheet.xml'],
      ['styles', 'styles.xml'],
      ['sharedStrings', 'shared.xml'],
    ),
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    'xl/shared.xml': `<sst xmlns="${main}">${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/sheet.xml': `<worksheet xmlns="${main}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
  })
}
