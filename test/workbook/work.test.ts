/** The work for a workbook is bounded by what is stored in it, however that is packed into attributes and far columns. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import { inline, workbook } from '../input/workbooks.ts'

const { svc, folder } = await createBulkWorld()
const idOf = (n: number): string => (0xabc_000_000 + n * 7919).toString(16).padStart(24, 'a')

/** Milliseconds of the processor that a dry run takes which gives the workbook back. */
async function costOf(
  name: string,
  cellsOf: (row: number) => string,
  count: number,
): Promise<number> {
  const rows = Array.from({ length: count }, (_, n) => {
    const row = n + 2
    return `<row r="${row}">${inline(`A${row}`, idOf(row))}${cellsOf(row)}</row>`
  })
  const path = join(folder, `${name}.xlsx`)
  writeFileSync(
    path,
    workbook(
      { sheets: [{ rows: `<row r="1">${inline('A1', 'id')}</row>${rows.join('')}` }] },
      { stored: true },
    ),
  )
  const before = process.cpuUsage()
  const { code, stderr } = await svc(
    `contacts delete --file ${path} --dry-run --annotate ${join(folder, `${name}-out.xlsx`)}`,
  )
  const { user, system } = process.cpuUsage(before)
  expect([code, stderr]).toEqual([0, expect.stringContaining('wrote')])
  return (user + system) / 1000
}

test('attributes and cells in the last column cost no more than three times what plain cells of that size do', async () => {
  const attributes = Array.from({ length: 300 }, (_, n) => ` a${n}="${n}"`).join('')
  await costOf('first', () => '', 100)
  const plain = await costOf('plain', (row) => inline(`B${row}`, 'x'.repeat(20)), 16_000)
  const dense = await costOf('dense', (row) => `<c r="B${row}"${attributes}/>`, 800)
  const far = await costOf('far', (row) => inline(`XFD${row}`, 'x'.repeat(20)), 16_000)
  expect(dense / plain).toBeLessThan(3)
  expect(far / plain).toBeLessThan(3)
}, 120_000)
