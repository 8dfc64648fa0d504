/** Workbooks made to deceive, as svc reads them and as LibreOffice shows them. What is expected of each stands in test/input/crafted.ts. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { root, run } from '../harness/tool.mjs'

/** Each sheet as a file of its own, each cell as it is shown. */
export const asSheets =
  'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1'

/** The rows of all sheets of a converted workbook. */
export function sheetsOf(folder, name) {
  return readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.csv'))
    .map((file) =>
      parse(readFileSync(join(folder, file)), {
        relax_column_count: true,
        skip_empty_lines: false,
      }),
    )
}

/** A cell without its letter case, outer blanks, and the commas between groups of digits; a date as ISO, which a built-in format shows as in English. */
const bare = (cell) =>
  cell
    .trim()
    .toLowerCase()
    .replace(/^\d{1,3}(?:,\d{3})+$/, (all) => all.replaceAll(',', ''))
    .replace(/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, (_, ...[month, day, year]) =>
      [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
    )

/** Returns how many there are, how many cells decide, what was read and is not shown, and what LibreOffice does not open. */
export function checkCrafted(folder, convert) {
  const into = join(folder, 'crafted')
  mkdirSync(into)
  const words = ['vitest', 'run', '--config', 'test/vitest.config.ts', 'test/input/xlsx.test.ts']
  run('npx', words, { cwd: root, env: { ...process.env, SVC_CRAFTED: into } })
  const cases = JSON.parse(readFileSync(join(into, 'read.json'), 'utf8'))
  const read = cases
    .map((one, n) => ({ ...one, file: String(n) }))
    .filter(({ read }) => typeof read !== 'string')
  const paths = read.map(({ file }) => join(into, `${file}.xlsx`))
  convert(asSheets, into, paths)
  const [problems, unopened] = [[], []]
  let cells = 0
  for (const { name, file, read: found } of read) {
    const sheets = sheetsOf(into, file)
    if (sheets.length === 0) {
      unopened.push(name)
      continue
    }
    for (const [text, row] of found) {
      cells += 1
      if (!sheets.some((rows) => rows[row - 1]?.some((cell) => bare(cell) === bare(text)))) {
        problems.push(
          `${name}: ${text} in row ${row} is read, and not shown: ${JSON.stringify(sheets)}`,
        )
      }
    }
  }
  return { problems, workbooks: cases.length, refused: cases.length - read.length, cells, unopened }
}
