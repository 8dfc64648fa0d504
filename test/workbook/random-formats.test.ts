/**
 * Random number formats: a cell in one that hides, replaces or changes anything decides nothing. With SVC_CRAFTED 50,000 of them are
 * kept in that folder as workbooks, with what was read, so that `node tools/workbooks/workbooks.mjs` compares them with LibreOffice.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CellUse } from '../../src/workbook/cells.ts'
import { randomFrom } from '../dice.ts'
import { rowsBelowTitle } from '../input/inputs.ts'
import { inline, stylesOf, workbook } from '../input/workbooks.ts'

const folder = process.env['SVC_CRAFTED']
const books = folder === undefined ? 1 : 20
const formatsOfBook = folder === undefined ? 1000 : 2500

const shown =
  'General|@|0|#,##0|000|0.00|0%|yyyy-mm-dd|dd\\.mm\\.yyyy|d/m/yyyy|mm/dd/yyyy hh:mm:ss|yyyy\\-mm\\-dd\\ hh:mm|[$-407]dd\\.mm\\.yyyy;@|###\\ ####|"+"0|\\(000\\)\\ 000\\-0000|[<=9999999]###\\-####;\\(###\\)\\ ###\\-####|#00'
const pieces =
  '0|#|##|00|@|General|y|yy|yyyy|mm|dd|d|m|h|hh|:mm|:ss|-|/|.|,| |\\-|\\ |\\.|\\;|"x"|"-"|"."|""|_W|_)|_(|*x|* |;|;@|;;;|[Red]|[>5]|[=1]|[<=9999999]|[$-407]|[$-41E]|[$-F800]|[$-1070000]|[$€-407]|%|E+00|?|(|)|\\(|\\)|+|"+"|[h]|AM/PM|e|b|g|s|.0|\\x|\\0|\\#'
const values = ['0', '7', '46082', '46082.5', '46082.75', '1.5', '-3', '55512', '5551234567']

/** One that is made of pieces, or one of the list with a piece more or a character less. */
function formatFrom(below: (most: number) => number): string {
  const pick = (of: string): string => {
    const all = of.split('|')
    return all[below(all.length)] ?? ''
  }
  const some = (count: number): string => Array.from({ length: count }, () => pick(pieces)).join('')
  if (below(2) === 0) return some(1 + below(6))
  const one = pick(shown)
  const at = below(one.length + 1)
  return one.slice(0, at) + some(below(2)) + one.slice(at + below(2))
}

interface Cell {
  readonly text: string
  readonly row: number
  readonly use: CellUse
}

const uses: readonly CellUse[] = ['word', 'phone', 'value', 'value']

async function readCells(bytes: Buffer): Promise<Cell[]> {
  const read: Cell[] = []
  for (const { cells, line, sheetRow } of await rowsBelowTitle(bytes)) {
    for (const [n, use] of uses.entries())
      if (sheetRow?.unfit(n + 1, use) === undefined)
        read.push({ text: cells[n + 1] ?? '', row: line, use })
  }
  return read
}

test('texts that decide are in formats of one section; of numbers these have no padding, no literal letters and no condition either', async () => {
  const kept = []
  for (let book = 0; book < books; book += 1) {
    const below = randomFrom(1 + book)
    const formats = Array.from({ length: formatsOfBook }, () => formatFrom(below))
    const rows = formats.map((_, n) => {
      const [row, style] = [n + 2, n + 1]
      const value = values[below(values.length)] ?? ''
      const cells = `<c r="B${row}" s="${style}" t="inlineStr"><is><t>merge</t></is></c><c r="C${row}" s="${style}"><v>${value}</v></c><c r="D${row}" s="${style}"><v>${value}</v></c><c r="E${row}" s="${style}" t="b"><v>1</v></c>`
      return `<row r="${row}">${inline(`A${row}`, 'x')}${cells}</row>`
    })
    const top = `<row r="1">${['Title', 'Name', 'Phone', 'Day', 'State'].map((text, n) => inline(`${'ABCDE'[n] ?? ''}1`, text)).join('')}</row>`
    const bytes = workbook({ sheets: [{ rows: top + rows.join('') }], styles: stylesOf(formats) })
    const read = await readCells(bytes)
    const odd = read
      .map(({ row, use }) => ({ format: formats[row - 2] ?? '', use }))
      .filter(({ format, use }) => {
        const bare = format.replace(/^\[\$-\w{1,4}\]/, '').replace(/;@$/, '')
        const isLocal = use === 'phone' && bare.startsWith('[<=9999999]###')
        if (use === 'word')
          return bare !== '@' && !bare.startsWith('[<=9999999]###') && /[;@]/.test(bare)
        return !isLocal && /[;_*[xwgbe]|\\[0#]/i.test(bare.replace(/general|^0\.00e\+00$/i, ''))
      })
    expect(odd).toEqual([])
    expect(read.length).toBeGreaterThan(formatsOfBook / 10)
    if (folder === undefined) continue
    writeFileSync(join(folder, `${book}.xlsx`), bytes)
    kept.push({ name: `formats ${book}`, read: read.map(({ text, row }) => [text, row]) })
  }
  if (folder !== undefined) writeFileSync(join(folder, 'read.json'), JSON.stringify(kept))
}, 600_000)
