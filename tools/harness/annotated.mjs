/** What `--annotate` must write: the input row for row, and behind it what became of each id. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const source = readFileSync(new URL('../../test/output/opened.ts', import.meta.url), 'utf8')
const { code } = transformSync(source, { loader: 'ts', format: 'esm' })
const { textsOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`)

const quoted = (cell) => (/[",;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** Writes the ids or pairs of an input anew as people have them: title, heading, other columns, a row without an id. */
export function decorate(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const [heading, ...pairs] = lines.map((line) => line.split(','))
  const isPairs = heading.length > 1
  const data = isPairs ? pairs : lines.map((id) => [id])
  const rows = [
    { cells: ['Kunden, März'] },
    { cells: ['Name', ...(isPairs ? heading : ['Contact ID']), 'Note'] },
    ...data.map((ids, n) => ({
      cells: [`Müller ${n}`, ...ids, `王; "${n}" ${'x'.repeat(200)}`],
      id: ids[0].toLowerCase(),
    })),
    { cells: ['Nobody', ...data[0].map(() => 'no id'), ''], id: 'invalid' },
  ].map((row) => ({ ...row, text: row.cells.map(quoted).join(';') }))
  writeFileSync(path, `${rows.map(({ text }) => text).join('\n')}\n`)
  return rows
}

/** Whether the file is there, and what is wrong with it. `outcomes`: of each id, once they are known. */
export function checkAnnotated(path, rows, outcomes) {
  if (!existsSync(path)) return { isThere: false, problems: outcomes === undefined ? [] : [`${path} is missing`] }
  const found = path.endsWith('.xlsx') ? cellsOf(path, rows) : linesOf(path, rows)
  const problems = found.length === rows.length ? [] : [`${path} has ${found.length} of ${rows.length} rows`]
  for (const [n, row] of rows.entries()) {
    const outcome = found[n]
    const wanted = row.id === 'invalid' ? 'invalid' : outcomes?.get(row.id)
    if (outcome === undefined) problems.push(`${path}: row ${n + 1} is not that of the input`)
    else if (row.id !== undefined && (outcome === '' || (outcomes !== undefined && outcome !== wanted)))
      problems.push(`${path}: row ${n + 1} has the outcome "${outcome}", not "${wanted}"`)
  }
  return { isThere: true, problems }
}

/** The outcome of each row; undefined for one that is not that of the input. */
function linesOf(path, rows) {
  const text = readFileSync(path, 'utf8')
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : [text]
  return lines.map((line, n) => {
    const before = rows[n]?.text
    return before !== undefined && line.startsWith(before) ? (line.slice(before.length).split(';')[1] ?? '') : undefined
  })
}

function cellsOf(path, rows) {
  const width = Math.max(...rows.map(({ cells }) => cells.length))
  let sheet
  try {
    sheet = textsOf(readFileSync(path))
  } catch {
    return []
  }
  return sheet.map((cells, n) =>
    Array.from({ length: width }, (_, i) => i).every((i) => (cells[i] ?? '') === (rows[n]?.cells[i] ?? ''))
      ? (cells[width] ?? '')
      : undefined,
  )
}
