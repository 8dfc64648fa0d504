/** Workbooks that svc wrote, opened by LibreOffice: as csv, cell for cell what svc was given, and as PDF with pages. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { startSandbox } from '../harness/processes.mjs'
import { bin, run } from '../harness/tool.mjs'

/** Commas, quotes, UTF-8, each cell as it is shown. */
const asCsv = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false'

/** Messages have other columns for people than for programs. */
const inMessages = ['--fields', 'sentAt,direction,fromId,text']

/** Inputs of svc, by the name of the workbook that it writes. */
const reads = ({ tickets }) => ({
  lists: ['lists', 'list'],
  members: ['lists', 'members', 'VIP'],
  found: ['contacts', 'find', '--name', 'anna miller'],
  employees: ['employees', 'list'],
  history: ['tickets', 'history', tickets.long, '--limit', '200', ...inMessages],
  hostile: ['tickets', 'history', tickets.hostile, ...inMessages],
})

/** A time as the cell's format shows it; a day and a line end as LibreOffice writes them. */
const shown = (cell) =>
  cell
    .replaceAll('\r\n', '\n')
    .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2')
    .replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$1-$2')

const cellsOf = (bytes) => parse(bytes, { relax_column_count: true }).map((row) => row.map(shown))

/** LibreOffice knows no column without a value. */
const trimmed = (row) => JSON.stringify(row?.slice(0, row.findLastIndex((cell) => cell !== '') + 1))

/** Rows of a converted workbook that are not those that are expected. */
function compare(name, found, expected) {
  const count = Math.max(found.length, expected.length)
  return Array.from({ length: count }, (_, n) => n)
    .filter((n) => trimmed(found[n]) !== trimmed(expected[n]))
    .map((n) => `${name}.xlsx row ${n + 1}: ${trimmed(found[n])}, not ${trimmed(expected[n])}`)
}

/** `convert(format, into, paths)`: as LibreOffice does. Returns what is wrong, and how many cells were compared. */
export async function checkWritten(folder, convert) {
  const into = join(folder, 'written')
  mkdirSync(into)
  const sandbox = await startSandbox([])
  const env = { PATH: process.env.PATH, HOME: into, ...sandbox.env }
  const svc = (...words) => run(process.execPath, [bin, ...words], { env, encoding: 'buffer' })
  const path = (name, kind = 'xlsx') => join(into, `${name}.${kind}`)
  const expected = new Map()
  try {
    for (const [name, words] of Object.entries(reads(sandbox.examples))) {
      writeFileSync(path(name), svc(...words, '-o', 'xlsx', '--no-header'))
      expected.set(name, cellsOf(svc(...words, '-o', 'csv', '--no-header')))
    }
  } finally {
    await sandbox.stop()
  }
  const written = [...expected.keys()]
  const paths = written.map((name) => path(name))
  convert(asCsv, into, paths)
  convert('pdf', into, paths)
  const problems = []
  for (const [name, cells] of expected)
    problems.push(...compare(name, cellsOf(readFileSync(path(name, 'csv'))), cells))
  for (const name of written) {
    if (!/\/Type\s*\/Page\b/.test(readFileSync(path(name, 'pdf'), 'latin1')))
      problems.push(`${name}.pdf has no page`)
  }
  return { problems, cells: [...expected.values()].flat(2).length, workbooks: written.length }
}
