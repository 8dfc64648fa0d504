/** What a person cannot see in a sheet decides nothing: see also `random.test.ts`. The sandbox knows João Souza and Noor Haddad. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rowsOf, workbook } from '../../support/workbooks.ts'
import { createSandboxWorld } from '../../support/svc.ts'

const { svc, folder } = await createSandboxWorld()
const joaosId = '6402d0a2d5aad2927b00137a'
const noorsId = '6402d25ed5aad2927b001386'

test('a formula decides nothing and a hidden row is left out; a decision beside a formula stays', async () => {
  const text = (cell: string, shown: string): string =>
    `<c r="${cell}" t="inlineStr"><is><t>${shown}</t></is></c>`
  const formula = (cell: string, shown: string): string =>
    `<c r="${cell}" t="str"><f>Z1</f><v>${shown}</v></c>`
  const phone = '+55 11 91234-5678'
  const rows = [
    rowsOf(['Name', 'Phone', 'contactId', 'MATCH']),
    `<row r="2">${text('A2', 'João Souza')}${formula('B2', phone)}</row>`,
    `<row r="3">${text('A3', 'João Souza')}${text('B3', phone)}${formula('C3', noorsId)}</row>`,
    `<row r="4">${formula('A4', 'Peter')}${text('B4', phone)}${text('C4', joaosId)}</row>`,
    `<row r="5" hidden="1">${text('A5', 'João Souza')}${text('B5', phone)}</row>`,
  ].join('')
  const [path, copy] = [join(folder, 'cells.xlsx'), join(folder, 'cells.csv')]
  writeFileSync(path, workbook({ sheets: [{ rows }] }))
  const line = `contacts match ${path} --in "Trade fair"`
  const { code, stderr } = await svc(`${line} --out ${copy}`)
  // The third row has a decision: an id that somebody wrote as text.
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/hidden rows or columns of .* are left out[^]*2 rows without a decision/),
  ])
  const written = readFileSync(copy, 'utf8').replaceAll('"', '').trimEnd().split('\n').slice(1)
  expect(written).toEqual([
    `João Souza,${phone},,unreadable,cell B2: ${phone} is a formula; paste the column as values,`,
    expect.stringMatching(`^João Souza,.*,,check,cell C3: ${noorsId} is a formula`),
    expect.stringMatching(`^Peter,.*,${joaosId},check,cell A4: Peter is a formula`),
  ])
})
