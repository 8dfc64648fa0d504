/**
 * Ordinary workbooks of many programs: `svc` reads every id of each. Programs that are not installed are named. Writers of the
 * npm registry are installed into the temporary folder, without their scripts; they are no dependency of the project.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bin, run } from '../harness/tool.mjs'
import { zip } from '../harness/zip.mjs'

const writers = ['@e965/xlsx@0.20.3', 'hucre@1.0.0', 'write-excel-file@4.1.1', 'xlsx-populate@1.21.0']
const idOf = (n) => `64f0a1b2c3d4e5f6${n.toString(16).padStart(8, '0')}`
const idsOf = (count) => Array.from({ length: count }, (_, n) => idOf(n + 1))

/** Rows of texts and numbers, by name, each with this many ids. */
const tables = {
  list: { rows: [['id'], ...idsOf(3).map((id) => [id])], ids: 3 },
  bare: { rows: idsOf(4).map((id) => [id]), ids: 4 },
  customers: {
    rows: [
      ['Name', 'Contact ID', 'Orders', 'Note'],
      ...idsOf(5).map((id, n) => [`Jürgen ${n} 王`, id, n * 1.5, 'a;b, "c" & <d>']),
    ],
    ids: 5,
  },
  titled: { rows: [['Kündigungen März'], [], ['contactId', 'Name'], ...idsOf(6).map((id) => [id, 'x'])], ids: 6 },
  gaps: { rows: [['Name', '', 'id'], ...idsOf(3).map((id) => ['x', '', id])], ids: 3 },
  long: { rows: [['id', 'Name', 'City', 'n'], ...idsOf(800).map((id, n) => [id, `N ${n}`, 'Zürich', n])], ids: 800 },
}

const csvOf = (rows) =>
  rows
    .map((row) => row.map((cell) => (/[",;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','))
    .join('\n') + '\n'

const python = `
import json, sys
from datetime import date
tables = json.load(open(sys.argv[1])); out = sys.argv[2]
import openpyxl, xlsxwriter
from openpyxl.styles import Font, PatternFill
for name, rows in tables.items():
    book = openpyxl.Workbook(); sheet = book.active
    for row in rows: sheet.append(row)
    for cell in sheet[1]: cell.font = Font(bold=True); cell.fill = PatternFill('solid', fgColor='DDDDDD')
    sheet.freeze_panes = 'A2'; sheet.auto_filter.ref = sheet.dimensions; sheet.column_dimensions['A'].width = 30
    if name != 'bare': sheet['Z1'] = date(2026, 3, 1); sheet['Z2'] = '=1+1'
    book.save(f'{out}/openpyxl-{name}.xlsx')
    book = xlsxwriter.Workbook(f'{out}/xlsxwriter-{name}.xlsx'); sheet = book.add_worksheet()
    text = book.add_format({'num_format': '@', 'bold': True}); money = book.add_format({'num_format': '#,##0.00;[Red]-#,##0.00'})
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if cell != '': sheet.write(r, c, cell, text if isinstance(cell, str) else money)
    sheet.autofilter(0, 0, len(rows), 3); sheet.conditional_format('A1:A9', {'type': 'duplicate', 'format': text}); sheet.data_validation('D1:D9', {'validate': 'any'})
    book.close()
`
const perl = `
use JSON::PP; use Excel::Writer::XLSX;
open my $in, '<', $ARGV[0]; my $tables = decode_json(join '', <$in>);
for my $name (keys %$tables) {
  my $book = Excel::Writer::XLSX->new("$ARGV[1]/perl-$name.xlsx"); my $sheet = $book->add_worksheet('Müller');
  my $bold = $book->add_format(bold => 1, num_format => '@');
  my $r = 0; for my $row (@{$tables->{$name}}) { my $c = 0; for my $cell (@$row) { $sheet->write_string($r, $c, $cell, $r ? undef : $bold) if length $cell; $c++ } $r++ }
  $sheet->set_column(0, 0, 30); $book->close();
}
`

const spaces = 'http://schemas.openxmlformats.org'
const main = `xmlns="${spaces}/spreadsheetml/2006/main"`
const office = `${spaces}/officeDocument/2006/relationships`
const compatible = `xmlns:r="${office}" xmlns:mc="${spaces}/markup-compatibility/2006" mc:Ignorable="x14ac xr x15" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"`
const prolog = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Laid out by hand, as Excel does it or as Google Sheets does. */
function byHand(rows, isGoogle) {
  const texts = []
  const cell = (value, row, column) => {
    if (value === '') return ''
    const r = `${String.fromCharCode(65 + column)}${row}`
    if (typeof value === 'number') return `<c r="${r}" s="1"><v>${value}</v></c>`
    texts.push(value)
    return `<c r="${r}" s="1" t="s"><v>${texts.length - 1}</v></c>`
  }
  const data = rows
    .map(
      (row, n) =>
        `<row r="${n + 1}"${isGoogle ? '' : ` spans="1:4" x14ac:dyDescent="0.3"`}>${row.map((value, column) => cell(value, n + 1, column)).join('')}</row>`,
    )
    .join('')
  const relationship = (id, type, target) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  const relationships = (...each) =>
    `${prolog}<Relationships xmlns="${spaces}/package/2006/relationships">${each.join('')}</Relationships>`
  const type = (path, kind) =>
    `<Override PartName="/${path}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  const sheetXml = isGoogle
    ? `<worksheet ${main} ${compatible}><sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/><sheetData>${data}</sheetData><drawing r:id="rId1"/></worksheet>`
    : `<worksheet ${main} ${compatible} xr:uid="{00000000-0001-0000-0000-000000000000}"><dimension ref="A1:D9"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetFormatPr baseColWidth="10" defaultColWidth="9.109375" defaultRowHeight="14.4" x14ac:dyDescent="0.3"/><cols><col min="1" max="2" width="26.6640625" style="1" bestFit="1" customWidth="1"/></cols><sheetData>${data}</sheetData><phoneticPr fontId="1" type="noConversion"/><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><mc:AlternateContent><mc:Choice Requires="x14"><controls><mc:AlternateContent><mc:Choice Requires="x14"/></mc:AlternateContent></controls></mc:Choice></mc:AlternateContent><extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:dataValidations/></ext></extLst></worksheet>`
  const parts = {
    '[Content_Types].xml': `${prolog}<Types xmlns="${spaces}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('xl/workbook.xml', 'sheet.main')}${type('xl/worksheets/sheet1.xml', 'worksheet')}${type('xl/sharedStrings.xml', 'sharedStrings')}${type('xl/styles.xml', 'styles')}</Types>`,
    '_rels/.rels': relationships(
      relationship('rId1', 'officeDocument', 'xl/workbook.xml'),
      relationship('rId3', 'extended-properties', 'docProps/app.xml'),
    ),
    'docProps/app.xml': `${prolog}<Properties xmlns="${spaces}/officeDocument/2006/extended-properties"/>`,
    'xl/workbook.xml': `${prolog}<workbook ${main} ${compatible}><fileVersion appName="xl"/><workbookPr defaultThemeVersion="166925"/><mc:AlternateContent><mc:Choice Requires="x15"><x15ac:absPath url="C:\\Users\\" xmlns:x15ac="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"/></mc:Choice></mc:AlternateContent><xr:revisionPtr revIDLastSave="0"/><bookViews><workbookView/></bookViews><sheets><sheet name="Tabelle1" sheetId="1" r:id="rId1"/></sheets><calcPr calcId="191029"/><extLst><ext uri="x" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      relationship('rId1', 'worksheet', 'worksheets/sheet1.xml'),
      relationship('rId2', 'styles', 'styles.xml'),
      relationship('rId3', 'sharedStrings', 'sharedStrings.xml'),
      relationship('rId4', 'theme', 'theme/theme1.xml'),
    ),
    'xl/worksheets/sheet1.xml': prolog + sheetXml,
    'xl/sharedStrings.xml': `${prolog}<sst ${main} count="${texts.length}" uniqueCount="${texts.length}">${texts.map((text) => (isGoogle ? `<si><t>${escaped(text)}</t></si>` : `<si><r><rPr><sz val="11"/><rFont val="Calibri"/></rPr><t xml:space="preserve">${escaped(text)}</t></r><phoneticPr fontId="1"/></si>`)).join('')}</sst>`,
    'xl/styles.xml': `${prolog}<styleSheet ${main} ${compatible}><numFmts count="1"><numFmt numFmtId="164" formatCode="_(* #,##0.00_);_(* \\(#,##0.00\\);_(* &quot;-&quot;??_);_(@_)"/></numFmts><fonts count="1" x14ac:knownFonts="1"><font/></fonts><fills><fill/></fills><borders><border/></borders><cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" xfId="0"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  }
  return zip(parts, { isBehind: true })
}

/** Each writes all tables into the folder. Throws where a program is missing. */
const programs = (folder, convert) => ({
  LibreOffice() {
    const names = Object.keys(tables)
    const from = (kind) => names.map((name) => join(folder, `${name}.${kind}`))
    for (const kind of ['ods', 'xls']) convert(kind, folder, from('csv'))
    for (const kind of ['csv', 'ods', 'xls']) {
      convert('xlsx', folder, from(kind))
      for (const name of names)
        renameSync(join(folder, `${name}.xlsx`), join(folder, `libreoffice-${kind}-${name}.xlsx`))
    }
  },
  'openpyxl and XlsxWriter': () => run('/usr/bin/python3', ['-c', python, join(folder, 'tables.json'), folder]),
  'Excel::Writer::XLSX': () => run('perl', ['-e', perl, join(folder, 'tables.json'), folder]),
  Gnumeric() {
    for (const name of Object.keys(tables))
      run('ssconvert', [join(folder, `${name}.csv`), join(folder, `gnumeric-${name}.xlsx`)])
  },
  async 'writers of the npm registry'() {
    const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, ...writers]
    run('npm', words, { timeout: 180_000 })
    const require = createRequire(join(folder, 'x.cjs'))
    const sheetjs = require('@e965/xlsx')
    const populate = require('xlsx-populate')
    const writeExcelFile = require('write-excel-file/node')
    const { writeXlsx } = await import(pathToFileURL(join(folder, 'node_modules/hucre/dist/index.mjs')))
    for (const [name, { rows }] of Object.entries(tables)) {
      const write = (by, bytes) => writeFileSync(join(folder, `${by}-${name}.xlsx`), bytes)
      const book = sheetjs.utils.book_new()
      sheetjs.utils.book_append_sheet(book, sheetjs.utils.aoa_to_sheet(rows))
      write('sheetjs', sheetjs.write(book, { type: 'buffer' }))
      write('sheetjs-shared', sheetjs.write(book, { type: 'buffer', bookSST: true, compression: true }))
      const blank = await populate.fromBlankAsync()
      blank.sheet(0).cell('A1').value(rows)
      write('xlsx-populate', await blank.outputAsync())
      write('hucre', await writeXlsx({ sheets: [{ name: 'One', rows }] }))
      const cells = rows.map((row) =>
        row.map((value) => (value === '' ? null : { value, type: typeof value === 'number' ? Number : String })),
      )
      write('write-excel-file', await writeExcelFile.default(cells).toBuffer())
    }
  },
  'laid out by hand'() {
    for (const [name, { rows }] of Object.entries(tables)) {
      writeFileSync(join(folder, `excel-${name}.xlsx`), byHand(rows, false))
      writeFileSync(join(folder, `google-${name}.xlsx`), byHand(rows, true))
    }
  },
})

/** Returns how many workbooks of how many writers there are, which are not read whole, and which programs could not be run. */
export async function checkOrdinary(within, convert) {
  const folder = join(within, 'ordinary')
  mkdirSync(folder)
  const rows = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table.rows]))
  writeFileSync(join(folder, 'tables.json'), JSON.stringify(rows))
  for (const [name, table] of Object.entries(tables)) writeFileSync(join(folder, `${name}.csv`), csvOf(table.rows))
  const missing = []
  for (const [program, write] of Object.entries(programs(folder, convert))) {
    try {
      await write()
    } catch (error) {
      missing.push(`${program}: ${String(error.message).split('\n')[0]}`)
    }
  }
  const files = readdirSync(folder).filter((file) => file.endsWith('.xlsx'))
  const problems = files.flatMap((file) => {
    const { ids } = tables[file.slice(file.lastIndexOf('-') + 1, -5)]
    const env = { PATH: process.env.PATH, HOME: folder }
    const words = [bin, 'ids', 'check', join(folder, file), '--json']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
    const read = status === 0 ? JSON.parse(stdout).unique : stderr.trim()
    return read === ids ? [] : [`${file}: ${read}, not ${ids} ids`]
  })
  const by = new Set(files.map((file) => file.slice(0, file.lastIndexOf('-'))))
  return { workbooks: files.length, writers: [...by], problems, missing }
}
