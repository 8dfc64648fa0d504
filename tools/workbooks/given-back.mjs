/**
 * Workbooks with styles, filters, tables, pictures, validations, charts, comments, formulas and several sheets, by several programs,
 * annotated by svc: opened before and after with LibreOffice and with openpyxl, and compared part by part. Nothing may have changed
 * but the columns that were added. Needs Python with openpyxl and XlsxWriter, and, for some of them, Gnumeric.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { startSandbox, svc } from '../harness/processes.mjs'
import { run } from '../harness/tool.mjs'
import { asSheets, sheetsOf } from './crafted.mjs'

const python = '/usr/bin/python3'

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFElEQVR4nGP8z8DAgA0wYRUdtBIAN+UBD5zq6/0AAAAASUVORK5CYII='

const writer = `
import base64, io, json, sys
from datetime import date
import openpyxl, xlsxwriter
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, ColorScaleRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableStyleInfo
out, png, ids = sys.argv[1], base64.b64decode(sys.argv[2]), json.loads(sys.argv[3])
people = [['Jürgen Müller', 'open', 12.5], ['王小明', 'done', -3], ['Zoë & <Söhne>', 'open', 0], ['=1+1', 'new', 7], ['', 'open', 1e9]] * (len(ids) // 5)
head = ['Name', 'contactId', 'State', 'Amount', 'Since', 'Twice']
def xlsxw(name, title=0, table=False, far=False, merged=False, hidden=False, image=True, autofilter=True, chart=True):
    book = xlsxwriter.Workbook(f'{out}/xlsxwriter-{name}.xlsx'); sheet = book.add_worksheet('Calls'); other = book.add_worksheet('Other')
    bold = book.add_format({'bold': True, 'bg_color': '#FFCC00', 'border': 1}); day = book.add_format({'num_format': 'dd.mm.yyyy'}); money = book.add_format({'num_format': '#,##0.00 [$€-407];[Red]-#,##0.00'})
    if title: sheet.merge_range(0, 0, 0, 9, 'Calls of May', bold)
    top = title
    if not table:
        for c, text in enumerate(head): sheet.write_string(top, c, text, bold)
    for n, (id, (who, state, amount)) in enumerate(zip(ids, people)):
        r = top + 1 + n
        sheet.write_string(r, 0, who); sheet.write_string(r, 1, id); sheet.write_string(r, 2, state); sheet.write_number(r, 3, amount, money); sheet.write_datetime(r, 4, date(2026, 3, 1 + n % 28), day); sheet.write_formula(r, 5, f'=D{r+1}*2', None, amount * 2)
    last = top + len(ids)
    if table: sheet.add_table(top, 0, last, 5, {'columns': [{'header': text} for text in head[:5]] + [{'header': 'Twice'}], 'name': 'Calls', 'style': 'Table Style Medium 9'})
    elif autofilter: sheet.autofilter(top, 0, last, 5)
    sheet.freeze_panes(top + 1, 1); sheet.set_column(0, 0, 31); sheet.set_column(1, 1, 27); sheet.set_column(20, 22, 5, None, {'hidden': True})
    sheet.data_validation(top + 1, 2, last, 2, {'validate': 'list', 'source': ['open', 'done', 'new']})
    sheet.conditional_format(top + 1, 3, last, 3, {'type': 'data_bar'}); sheet.conditional_format(top + 1, 0, last, 5, {'type': 'formula', 'criteria': f'=$C{top+2}="open"', 'format': bold})
    sheet.write_comment(top + 1, 0, 'called twice'); sheet.write_url(top + 1, 8, 'https://example.com/') if far else None
    if merged: sheet.merge_range(top + 2, 6, top + 3, 7, 'both', bold)
    if hidden: sheet.set_column(6, 7, None, None, {'hidden': True})
    if image: sheet.insert_image(last + 3, 1, 'dot.png', {'image_data': io.BytesIO(png)})
    if chart:
        drawn = book.add_chart({'type': 'column'}); drawn.add_series({'values': ['Calls', top + 1, 3, last, 3]}); other.insert_chart('D2', drawn)
    other.write_formula('A1', f'=SUM(Calls!D{top+2}:D{last+1})'); other.write_array_formula('A2:A3', '{=Calls!D%d:D%d}' % (top + 2, top + 3)); book.define_name('Amounts', '=Calls!$D$%d:$D$%d' % (top + 2, last + 1)); book.close()
def opx(name, prefix=0, table=False, styled=False):
    book = openpyxl.Workbook(); sheet = book.active; sheet.title = 'Anrufe & mehr'
    for _ in range(prefix): sheet.append(['Title'])
    sheet.append(head[:5])
    for id, (who, state, amount) in zip(ids, people): sheet.append([who, id, state, amount, date(2026, 3, 1)])
    top, last = prefix + 1, prefix + 1 + len(ids)
    for row in sheet.iter_rows(min_row=top + 1, max_row=last, min_col=1, max_col=8 if styled else 5):
        for cell in row: cell.fill = PatternFill('solid', fgColor='DDEEFF'); cell.border = Border(bottom=Side('thin')); cell.alignment = Alignment(wrap_text=True)
        if row[0].value == '=1+1': row[0].data_type = 's'
    for cell in sheet[top]: cell.font = Font(bold=True, color='FF0000')
    for cell in sheet['C'][top:last]: pass
    choice = DataValidation(type='list', formula1='"open,done,new"'); choice.add(f'C{top+1}:C{last}'); sheet.add_data_validation(choice)
    sheet.conditional_formatting.add(f'D{top+1}:D{last}', CellIsRule(operator='lessThan', formula=['0'], font=Font(color='FF0000'))); sheet.conditional_formatting.add(f'D{top+1}:D{last}', ColorScaleRule(start_type='min', start_color='AA0000', end_type='max', end_color='00AA00'))
    if table: made = Table(displayName='T', ref=f'A{top}:E{last}'); made.tableStyleInfo = TableStyleInfo(name='TableStyleLight9', showRowStripes=True); sheet.add_table(made)
    else: sheet.auto_filter.ref = f'A{top}:E{last}'
    sheet['A%d' % (top + 1)].comment = Comment('hello', 'me'); sheet.column_dimensions['B'].width = 29; sheet.row_dimensions[top].height = 33; sheet.freeze_panes = f'A{top+1}'; sheet.print_title_rows = f'{top}:{top}'; sheet.sheet_properties.tabColor = '00FF00'; sheet.column_dimensions.group('H', 'J', hidden=False)
    sheet.protection.formatCells = False
    other = book.create_sheet('Summe'); other['A1'] = f"=SUM('Anrufe & mehr'!D{top+1}:D{last})"; other['A1'].number_format = '0.00E+00'; secret = book.create_sheet('Hidden'); secret['A1'] = 'x'; secret.sheet_state = 'hidden'
    book.save(f'{out}/openpyxl-{name}.xlsx')
xlsxw('plain'); xlsxw('title', title=1); xlsxw('table', table=True); xlsxw('titled', title=1, table=True); xlsxw('far', far=True); xlsxw('merged', merged=True); xlsxw('hidden', hidden=True); xlsxw('bare', image=False, autofilter=False, chart=False)
opx('plain'); opx('titles', prefix=3); opx('table', table=True); opx('styled', styled=True)
`

/** Prints what differs beside the added columns: cells, formulas, styles, and what belongs to a sheet or to the workbook. */
const comparer = `
import json, re, sys, zipfile
import openpyxl
from openpyxl.utils import get_column_letter, range_boundaries
before, after, sheet, first, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
problems = []
value = lambda cell: getattr(cell.value, 'text', cell.value)
one, two = zipfile.ZipFile(before), zipfile.ZipFile(after)
if two.testzip(): problems.append('damaged')
if [i.filename for i in one.infolist()] != [i.filename for i in two.infolist()]: problems.append('other parts')
changed = [i.filename for i in one.infolist() if one.read(i.filename) != two.read(i.filename)]
# The filter of the table takes in the added columns; the workbook names its range too.
book = 'xl/workbook.xml'
named = lambda z: re.sub(rb'(<definedName[^>]*_FilterDatabase[^>]*>)[^<]*', rb'\\1', z.read(book))
if book in changed and named(one) == named(two): changed.remove(book)
if len(changed) != 1: problems.append(f'parts changed: {changed}')
def widened(ref):
    left, top, right, bottom = range_boundaries(ref)
    return f'{get_column_letter(left)}{top}:{get_column_letter(first + count)}{bottom}'
try: a = openpyxl.load_workbook(before)
except Exception: json.dump({'problems': problems, 'cells': 0}, sys.stdout); sys.exit()
b = openpyxl.load_workbook(after)
if a.sheetnames != b.sheetnames: problems.append('sheets')
cells = 0
for name in a.sheetnames:
    s, t = a[name], b[name]
    added = range(first + 1, first + 1 + count) if name == sheet else []
    for r in range(1, max(s.max_row, t.max_row) + 1):
        for c in range(1, max(s.max_column, t.max_column) + 1):
            x, y = s.cell(r, c), t.cell(r, c); cells += 1
            if c in added:
                if x.value is None and not (x.has_style and x._style != y._style): continue
            if (value(x), x._style, x.data_type) != (value(y), y._style, y.data_type): problems.append(f'{name} {x.coordinate}: {x.value!r} {y.value!r}')
    same = {'merged': lambda w: sorted(map(str, w.merged_cells.ranges)), 'freeze': lambda w: w.freeze_panes, 'tables': lambda w: [(table.name, table.ref) for table in w.tables.values()],
            'validations': lambda w: [(str(v.sqref), v.formula1) for v in w.data_validations.dataValidation], 'conditions': lambda w: [(str(k.sqref), len(k.rules)) for k in w.conditional_formatting],
            'rows': lambda w: {k: (v.height, v.hidden) for k, v in w.row_dimensions.items()}, 'columns': lambda w: {k: (v.min, v.max, v.width, v.hidden) for k, v in w.column_dimensions.items() if not set(range(v.min or 0, (v.max or 0) + 1)) & set(added)}, 'state': lambda w: w.sheet_state, 'comments': lambda w: sum(1 for row in w.iter_rows() for cell in row if cell.comment)}
    was, now = s.auto_filter.ref, t.auto_filter.ref
    if now != was and not (name == sheet and now == widened(was)): problems.append(f'{name} filter: {was} {now}')
    for what, of in same.items():
        if of(s) != of(t): problems.append(f'{name} {what}: {of(s)} {of(t)}')
json.dump({'problems': problems, 'cells': cells}, sys.stdout)
`

/** Formulas and everything that is not a cell in LibreOffice's own form, without the names of styles. */
const besides = (fods) => [
  ...(fods.match(/ table:formula="[^"]*"/g) ?? []),
  ...(fods.match(belonging) ?? [])
    .map((tag) => tag.replace(styled, '').replace(lastColumn, '$1'))
    .toSorted(),
]
const belonging =
  /<(?:draw:frame|table:content-validation|table:database-range|table:named-range|calcext:conditional-format|office:annotation|table:filter-condition|chart:series) [^>]*>/g
// LibreOffice names any sheet of the workbook there, each time another one.
const styled =
  / (?:[\w-]+:)?(?:[\w-]*style-name|name|apply-style-name|svg:\w+|end-[xy])="[^"]*"| table:base-cell-address="[^"]*"/g
// A filter takes in the added columns: how far is compared in the workbook itself.
const lastColumn = /(table:target-range-address="[^"]*:[^"]*\.)[A-Z]+/

/** Rows with the cells of a sheet, without trailing empty ones. */
const rowsOf = (rows, isAdded) =>
  rows
    .map((row) => row.map((cell, n) => (isAdded(n) ? '' : cell)).join(' | '))
    .join('\n')
    .replaceAll(/[ |]+$/gm, '')
    .trimEnd()

const sheetOf = (file) => (file.includes('openpyxl') ? 'Anrufe & mehr' : 'Calls')

function make(folder, ids, convert) {
  run(python, ['-c', writer, folder, png, JSON.stringify(ids)])
  const made = readdirSync(folder).filter((file) => file.endsWith('.xlsx'))
  // LibreOffice and Gnumeric write them again in their own way.
  const again = join(folder, 'again')
  mkdirSync(again)
  const paths = (place, ending) => made.map((file) => join(place, file.replace('.xlsx', ending)))
  convert('ods', again, paths(folder, '.xlsx'))
  convert('xlsx', again, paths(again, '.ods'))
  for (const file of made) renameSync(join(again, file), join(folder, `libreoffice-${file}`))
  return made
    .filter((name) => /plain|title|table/.test(name))
    .filter((file) => {
      const words = [join(folder, file), join(folder, `gnumeric-${file}`)]
      return spawnSync('ssconvert', words, { stdio: 'ignore' }).status !== 0
    })
    .map((file) => `gnumeric-${file}`)
}

/** The differences that LibreOffice shows before and after in one workbook of `count` ids, and the place of the added columns. */
function compareShown(shown, name, count) {
  const [given, values] = shown.map((place) => sheetsOf(join(place, 'values'), name))
  const sheet = values.findIndex((rows) => rows.some((row) => row.includes('OUTCOME')))
  const first = values[sheet]?.find((row) => row.includes('OUTCOME')).indexOf('OUTCOME') ?? -1
  if (first < 0 || values[sheet].filter((row) => row[first] === 'not-found').length !== count)
    return { problems: ['not every row has its outcome'], cells: 0 }
  const problems = values.flatMap((rows, n) => {
    const isAdded = (column) => n === sheet && (column === first || column === first + 1)
    const isSame = rowsOf(given[n] ?? [], isAdded) === rowsOf(rows, isAdded)
    return isSame ? [] : [`LibreOffice shows other values in sheet ${n + 1}`]
  })
  if (given.length !== values.length)
    problems.push(`LibreOffice shows ${values.length} sheets, not ${given.length}`)
  const [old, now] = shown.map((place) =>
    besides(readFileSync(join(place, 'fods', `${name}.fods`), 'utf8')),
  )
  const less = (one, other) => JSON.stringify(one.filter((tag) => !other.includes(tag)).slice(0, 3))
  if (JSON.stringify(old) !== JSON.stringify(now))
    problems.push(`${less(old, now)} became ${less(now, old)}`)
  return { problems, cells: values.flat(2).length, first }
}

/** Whether Python has what the workbooks are written and compared with. */
export const hasPythonWriters = () =>
  spawnSync(python, ['-c', 'import openpyxl, xlsxwriter']).status === 0

/** Returns what differs, how many workbooks and cells were compared, and which could not be made. */
export async function checkGivenBack(within, convert) {
  const folder = join(within, 'given-back')
  const places = ['before', 'after'].map((name) => join(folder, name))
  for (const path of [folder, ...places]) mkdirSync(path)
  const [before, after] = places
  const ids = Array.from(
    { length: 25 },
    (_, n) => `64f0a1b2c3d4e5f6${n.toString(16).padStart(8, '0')}`,
  )
  const missing = make(before, ids, convert)
  const files = readdirSync(before).filter((file) => file.endsWith('.xlsx'))
  const problems = []
  let cells = 0
  const sandbox = await startSandbox([])
  for (const file of files) {
    const paths = [
      '--file',
      join(before, file),
      '--annotate',
      join(after, file),
      '--sheet',
      sheetOf(file),
    ]
    const words = ['contacts', 'delete', ...paths, '--yes', '-q']
    const { code, stderr } = await svc(words, { HOME: folder, ...sandbox.env })
    if (code !== 3) problems.push(`${file}: exit ${code} ${stderr}`)
  }
  await sandbox.stop()
  const done = readdirSync(after)
  const shown = places.map((place) => `${place}-shown`)
  const forms = { values: asSheets, fods: 'fods' }
  for (const [n, place] of places.entries())
    for (const [kind, form] of Object.entries(forms)) {
      mkdirSync(join(shown[n], kind), { recursive: true })
      convert(
        form,
        join(shown[n], kind),
        done.map((file) => join(place, file)),
      )
    }
  for (const file of done) {
    const found = compareShown(shown, basename(file, '.xlsx'), ids.length)
    cells += found.cells
    problems.push(...found.problems.map((problem) => `${file}: ${problem}`))
    if (found.first === undefined) continue
    const what = [join(before, file), join(after, file), sheetOf(file), String(found.first), '2']
    const compared = JSON.parse(run(python, ['-W', 'ignore', '-c', comparer, ...what]))
    cells += compared.cells
    problems.push(...compared.problems.slice(0, 5).map((problem) => `${file}: ${problem}`))
  }
  const writers = new Set(files.map((file) => file.split('-')[0])).size
  return { problems, workbooks: done.length, writers, cells, missing }
}
