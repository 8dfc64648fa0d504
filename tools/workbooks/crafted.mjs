/** Workbooks made to deceive, as svc reads them and as LibreOffice shows them. What is expected of each stands in test/workbook/crafted.ts. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { root, run } from '../harness/tool.mjs'

/** Each sheet as a file of its own, each cell as it is shown. */
const asSheets = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1'

/** The rows of all sheets of a converted workbook. */
function sheetsOf(folder, name) {
  return readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.csv'))
    .map((file) =>
      parse(readFileSync(join(folder, file)), {
        relax_column_count: true,
        skip_empty_lines: false,
      }),
    )
}

/** A cell without its letter case, outer blanks, and the commas between groups of digits. */
const bare = (cell) =>
  cell
    .trim()
    .toLowerCase()
    .replace(/^-?\d{1,3}(?:,\d{3})+$/, (all) => all.replaceAll(',', ''))

/** The ways in which formats of the list show a day that svc reads as ISO. */
function daysOf(text) {
  const [, ...parts] = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d))?$/.exec(text) ?? []
  const [year, month, day, hour, minute, second] = parts
  if (year === undefined) return []
  const forms = (part) => [part, String(Number(part))]
  const days = forms(day).flatMap((d) =>
    forms(month).flatMap((m) => [
      `${year}-${m}-${d}`,
      `${d}.${m}.${year}`,
      `${d}/${m}/${year}`,
      `${m}/${d}/${year}`,
      `${m}.${d}.${year}`,
      `${m}/${d}/${year.slice(2)}`,
    ]),
  )
  const times =
    hour === undefined
      ? ['', ' 0:00', ' 00:00', ' 0:00:00', ' 00:00:00']
      : forms(hour).flatMap((h) => [
          ` ${h}:${minute}:${second}`,
          ...(second === '00' ? [` ${h}:${minute}`] : []),
        ])
  return days.flatMap((one) => times.map((time) => one + time))
}

const isShown = (text, cell) => bare(cell) === bare(text) || daysOf(text).includes(cell.trim())

/** A text without blanks and commas between groups of digits, since a page has blanks of its own between and inside words. */
const squeeze = (text) =>
  text
    .toLowerCase()
    .replaceAll(/\s/g, '')
    .replaceAll(/(?<=\d),(?=\d{3})/g, '')

/** Whether a page of a PDF has the text, or a day as one of the formats shows it. */
const isPrinted = (text, pages) =>
  [text, ...daysOf(text)].some((one) => pages.includes(squeeze(one)))

/** Makes the columns so wide that no page cuts what a cell shows; hidden ones stay hidden. */
function printWide(folder, names, convert) {
  const flat = names.map((name) => join(folder, `${name}.fods`)).filter((path) => existsSync(path))
  for (const path of flat) {
    const sheet = readFileSync(path, 'utf8')
    writeFileSync(path, sheet.replaceAll(/style:column-width="[^"]*"/g, 'style:column-width="4in"'))
  }
  convertAll(flat, (some) => convert('pdf', folder, some))
}

/** The text of a workbook's pages as a PDF; undefined where LibreOffice prints none. */
function pagesOf(folder, name) {
  const path = join(folder, `${name}.pdf`)
  return existsSync(path) ? squeeze(run('pdftotext', ['-layout', path, '-'])) : undefined
}

/** Converts some at once, and each alone where LibreOffice falls over one of them, which then counts as not opened. */
function convertAll(paths, convert) {
  for (let from = 0; from < paths.length; from += 50) {
    const some = paths.slice(from, from + 50)
    try {
      convert(some)
    } catch (error) {
      const half = some.length >> 1
      if (half === 0) {
        console.log(`LibreOffice fell over ${some[0]}: ${String(error.message).slice(-100)}`)
        continue
      }
      convertAll(some.slice(0, half), convert)
      convertAll(some.slice(half), convert)
    }
  }
}

/** Returns how many there are, how many cells decide, what was read and is not shown, and what LibreOffice does not open. */
export function checkCrafted(folder, convert, name, test) {
  const into = join(folder, name)
  mkdirSync(into)
  const words = ['vitest', 'run', '--config', 'test/vitest.config.ts', test]
  run('npx', words, { cwd: root, env: { ...process.env, SVC_CRAFTED: into } })
  const cases = JSON.parse(readFileSync(join(into, 'read.json'), 'utf8'))
  const read = cases
    .map((one, n) => ({ ...one, file: String(n) }))
    .filter(({ read }) => typeof read !== 'string')
  const paths = read.map(({ file }) => join(into, `${file}.xlsx`))
  convertAll(paths, (some) => convert(asSheets, into, some))
  convertAll(paths, (some) => convert('fods', into, some))
  printWide(
    into,
    read.map(({ file }) => file),
    convert,
  )
  const [problems, unopened] = [[], []]
  let cells = 0
  for (const { name, file, read: deciding } of read) {
    const sheets = sheetsOf(into, file)
    if (sheets.length === 0) {
      unopened.push(name)
      continue
    }
    const pages = pagesOf(into, file)
    for (const [text, row] of deciding) {
      cells += 1
      if (pages === undefined || !isPrinted(text, pages))
        problems.push(`${name}: ${text} in row ${row} is read, and is not in the PDF: ${pages}`)
      if (!sheets.some((rows) => rows[row - 1]?.some((cell) => isShown(text, cell)))) {
        problems.push(
          `${name}: ${text} in row ${row} is read, and not shown: ${JSON.stringify(sheets)}`,
        )
      }
    }
  }
  return { problems, workbooks: cases.length, refused: cases.length - read.length, cells, unopened }
}
