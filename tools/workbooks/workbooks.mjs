/**
 * Workbooks made by a real spreadsheet program, read by svc, and those that svc writes, opened there; then those that are made to
 * deceive, as svc reads them and as LibreOffice shows them, and ordinary ones of many programs (`--trust` for these alone); and
 * ones that svc gives back with columns more (`--given-back` for these alone).
 * Needs LibreOffice Calc and pdftotext, all but `--trust` Python with openpyxl and XlsxWriter too, and says so where they are missing. What is expected of them stands in test/input/xlsx-fixtures.test.ts, which
 * reads the committed ones in `npm test`; with `--write` it makes those anew.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, isThere, ownFolder, refuse, root, run } from '../harness/tool.mjs'
import { checkCrafted } from './crafted.mjs'
import { checkGivenBack, hasPythonWriters } from './given-back.mjs'
import { checkOrdinary } from './ordinary.mjs'
import { checkWritten } from './written.mjs'

const values = commandLine({ write: false, trust: false, 'given-back': false })
if (!isThere('soffice') || !isThere('pdftotext'))
  refuse(
    'LibreOffice Calc (soffice) or pdftotext is not installed; on Debian: apt-get install libreoffice-calc poppler-utils',
  )
if (!values.trust && !hasPythonWriters())
  refuse(
    'Python has no openpyxl or XlsxWriter; on Debian: apt-get install python3-openpyxl python3-xlsxwriter',
  )

const ids = ['6400057ed5aad2927b000026', '640005a3d5aad2927b000027', '640005edd5aad2927b000029']

const text = (value) =>
  `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`
const number = (value) => `<table:table-cell office:value-type="float" office:value="${value}"/>`
const date = (value) =>
  `<table:table-cell table:style-name="date" office:value-type="date" office:date-value="${value}"/>`
const formula = (value) =>
  `<table:table-cell table:formula="of:=${value.replaceAll('"', '&quot;')}"/>`
const row = (cells, more = '') => `<table:table-row ${more}>${cells.join('')}</table:table-row>`
const filtered = 'table:visibility="filter"'
const sheet = (name, rows, style = 'shown') =>
  `<table:table table:name="${name}" table:style-name="${style}"><table:table-column/>${rows.join('')}</table:table>`

const names = ['office', 'table', 'text', 'style'].map(
  (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
)
const styles = `<number:date-style style:name="day"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>
<style:style style:name="date" style:family="table-cell" style:data-style-name="day"/>
<style:style style:name="shown" style:family="table"><style:table-properties table:display="true"/></style:style>
<style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>`
const book = (...sheets) => `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${names.join(' ')} xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles>${styles}</office:automatic-styles>
<office:body><office:spreadsheet>${sheets.join('\n')}</office:spreadsheet></office:body></office:document>`

const heading = row(['Name', 'Contact ID', 'Customer since', 'Orders', 'Twice'].map(text))
const customers = [
  row([text('Kundinnen und Kunden, März')]),
  row([text('')]),
  heading,
  row([text('Anna Müller'), text(ids[0]), date('2026-03-01'), number(7), formula('[.D4]*2')]),
  row([text('王小明'), text(ids[1]), date('2025-12-31'), number(12), formula('[.D5]*2')]),
  row([
    text('Zoë Groß &amp; Söhne'),
    text(ids[2]),
    date('2024-02-29'),
    number(1),
    formula('[.D6]*2'),
  ]),
  row([
    text('Anna Müller'),
    text(ids[0].toUpperCase()),
    date('2026-03-01'),
    number(7),
    formula('[.D7]*2'),
  ]),
]

const workbooks = {
  customers: book(sheet('Customers', customers)),
  ruined: book(
    sheet('Sheet1', [
      heading,
      row([text('good'), text(ids[0])]),
      row([text('a number'), number('507199999999999999999999')]),
      row([text('scientific'), number('5.07e23')]),
      row([text('a formula'), formula('CONCATENATE("64";"0005a3d5aad2927b000027")')]),
      row([text('a day'), date('2026-03-01')]),
      row([text('filtered out'), text(ids[1])], filtered),
      row([text('hidden'), text(ids[2])], 'table:visibility="collapse"'),
      row([text('nothing')]),
      row([text('good'), text(ids[2])]),
    ]),
  ),
  sheets: book(
    sheet('Alle', [heading, ...ids.map((id) => row([text('x'), text(id)]))]),
    sheet('Zu löschen', [heading, row([text('x'), text(ids[1])])]),
    sheet('Leer', [row([text('')])]),
    sheet('Alt', [heading, row([text('x'), text(ids[2])])], 'hidden'),
  ),
}

const folder = ownFolder('workbooks')
if (!values.trust && !values['given-back']) await checkFixtures()
if (!values['given-back']) await checkTrust()
if (!values.trust) await checkOwn()

function convert(format, into, paths) {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
  run('soffice', ['--headless', profile, '--convert-to', format, '--outdir', into, ...paths])
}

/** The content that LibreOffice shows of the workbooks above, and of those that svc writes. */
async function checkFixtures() {
  const names = Object.keys(workbooks)
  const paths = (place, ending) => names.map((name) => join(place, `${name}.${ending}`))
  for (const [n, path] of paths(folder, 'fods').entries()) writeFileSync(path, workbooks[names[n]])
  convert('xlsx', folder, paths(folder, 'fods'))
  const fixtures = paths(join(root, 'test/input/fixtures'), 'xlsx')
  if (values.write)
    for (const [n, path] of paths(folder, 'xlsx').entries()) cpSync(path, fixtures[n])
  const words = [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    'test/input/xlsx-fixtures.test.ts',
  ]
  const env = { ...process.env, SVC_WORKBOOKS: folder }
  process.exitCode = spawnSync('npx', words, { cwd: root, env, stdio: 'inherit' }).status ?? 1
  const { problems, cells, workbooks: written } = await checkWritten(folder, convert)
  for (const problem of problems.slice(0, 20)) console.log(problem)
  console.log(
    `${written} workbooks that svc wrote: ${cells} cells and their PDFs looked at, ${problems.length} wrong`,
  )
  if (problems.length > 0) process.exitCode = 1
}

/** Prints what was found; the last line is the figure. */
async function checkTrust() {
  const crafted = checkCrafted(folder, convert, 'crafted', 'test/input/xlsx.test.ts')
  const formats = checkCrafted(folder, convert, 'formats', 'test/workbook/random-formats.test.ts')
  const ordinary = await checkOrdinary(folder, convert)
  for (const problem of [...crafted.problems, ...formats.problems, ...ordinary.problems].slice(
    0,
    40,
  ))
    console.log(problem)
  for (const missing of ordinary.missing) console.log(`not run: ${missing}`)
  console.log(`LibreOffice does not open: ${crafted.unopened.join('; ')}`)
  console.log(`ordinary workbooks by ${ordinary.writers.join(', ')}`)
  const read = ordinary.workbooks - ordinary.problems.length
  const isEnough =
    crafted.workbooks >= 300 && ordinary.workbooks >= 60 && ordinary.writers.length >= 5
  if (!isEnough || crafted.problems.length + formats.problems.length + ordinary.problems.length > 0)
    process.exitCode = 1
  const random = `50,000 random number formats, each with a text, a number and a truth value: ${formats.problems.length} of ${formats.cells}`
  console.log(
    `${crafted.workbooks} crafted (${crafted.refused} refused): ${crafted.problems.length} of ${crafted.cells} cells that decide are not shown, as csv and as a PDF; ${random}; ${read} of ${ordinary.workbooks} ordinary ones of ${ordinary.writers.length} writers read`,
  )
}

async function checkOwn() {
  const {
    problems,
    workbooks: made,
    writers,
    cells,
    missing,
  } = await checkGivenBack(folder, convert)
  for (const problem of problems.slice(0, 40)) console.log(problem)
  for (const name of missing) console.log(`not made: ${name}`)
  if (problems.length > 0 || made < 20) process.exitCode = 1
  console.log(
    `${made} workbooks of ${writers} programs given back: ${cells} cells compared, ${problems.length} things changed beside the added columns`,
  )
}
