/** `--annotate` from and to workbooks: a new one with the values of the table, and the outcome of each row behind them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { partsOf, rowsOf as cellsOf, textsOf } from '../output/opened.ts'
import { inline, stylesOf, workbook } from '../input/workbooks.ts'
import { createBulkWorld } from '../runs/bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, sandbox, output } = world

/** An id that nobody has, and why it is not deleted. */
const [absent, notFound] = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'there is no such contact']
const remove = (from: string, more: string): string =>
  `contacts delete --file ${from} --yes ${more}`
const freshId = (): string => world.fresh(1).join('')

let files = 0
function input(content: string | Buffer, name = 'in.csv'): string {
  const path = join(world.folder, `${(files += 1)}-in-${name}`)
  writeFileSync(path, content)
  return path
}

/** Deletes what is in an input, and gives what was written beside it. */
async function annotated(content: string): Promise<string> {
  const out = output('csv')
  await bulk(remove(input(content), `--annotate ${out}`))
  return readFileSync(out, 'latin1')
}

const zone = process.env['TZ']
afterEach(() => {
  process.env['TZ'] = zone
})

describe('workbooks', () => {
  it('a csv becomes one: every cell is text, the heading stays in sight', async () => {
    const [id, out] = [freshId(), output('xlsx')]
    const given = `sep=;\nid;Name;Betrag\n${id};Jürgen 王;007\n${absent};=1+1;\n`
    await bulk(remove(input(given), `--annotate ${out}`))
    const bytes = readFileSync(out)
    expect(textsOf(bytes)).toEqual([
      ['id', 'Name', 'Betrag', 'OUTCOME', 'REASON'],
      [id, 'Jürgen 王', '007', 'done'],
      [absent, '=1+1', '', 'not-found', notFound],
    ])
    const xml = partsOf(bytes).get('xl/worksheets/sheet1.xml')
    expect(xml).not.toMatch(/<f[ >]/)
    expect(xml).toContain('<pane ySplit="1"')
    const types = cellsOf(bytes).flatMap((row) => row.flatMap((cell) => cell?.[0] ?? []))
    expect(new Set(types)).toEqual(new Set(['s']))
  })

  /** A gap, a column far away, a date, a time, numbers, a formula and a hidden row. */
  function book(id: string): string {
    const rows = [
      `<row r="1">${inline('A1', 'Name')}${inline('B1', 'Contact ID')}${inline('C1', 'Seit')}${inline('D1', 'Betrag')}</row>`,
      `<row r="4">${inline('A4', 'Jürgen; 王')}${inline('B4', id)}<c r="C4" s="1"><v>46082</v></c><c r="D4"><v>-1.50</v></c></row>`,
      `<row r="5">${inline('A5', '=1+1')}${inline('B5', absent)}<c r="C5" s="1"><v>46082.5</v></c><c r="D5" s="2"><f>1+1</f><v>1234.5</v></c></row>`,
      `<row r="6"><c r="B6"><v>5.07E+23</v></c><c r="C6" t="b"><v>1</v></c></row>`,
      `<row r="8" hidden="1">${inline('B8', absent)}</row>`,
      `<row r="9">${inline('B9', id)}${inline('XFB9', 'far')}</row>`,
    ]
    const styles = stylesOf(['yyyy\\-mm\\-dd', '#,##0.00'])
    return input(workbook({ sheets: [{ rows: rows.join('') }], styles }), 'in.xlsx')
  }

  it('csv begins with the mark by which spreadsheets know UTF-8, and its text does not become a formula', async () => {
    const [id, out] = [freshId(), output('csv')]
    const { stderr } = await bulk(remove(book(id), `--skip-invalid --annotate ${out}`))
    expect(stderr).toContain('; without 1 hidden row')
    expect(readFileSync(out, 'utf8').split('\n').slice(0, 3)).toEqual([
      '\ufeffName,Contact ID,Seit,Betrag,,OUTCOME,REASON',
      `"Jürgen; 王",${id},2026-03-01,"-1.5","",done,`,
      `"'=1+1",${absent},2026-03-01 12:00:00,1234.5,,not-found,${notFound}`,
    ])
  })

  it('OUTCOME and REASON of an earlier run are replaced; one of them alone stays', async () => {
    const ids = [freshId(), freshId()] as const
    expect(await annotated(`id,OUTCOME,REASON,n\n${ids[0]},"ok; x",why,1\n`)).toBe(
      `id,n,OUTCOME,REASON\n${ids[0]},1,done,\n`,
    )
    expect(await annotated(`id,OUTCOME,n\n${ids[1]},ok,1\n`)).toBe(
      `id,OUTCOME,n,OUTCOME,REASON\n${ids[1]},ok,1,done,\n`,
    )
  })

  it('a text that is too long for a cell is exit 2 before anything is sent', async () => {
    const from = input(`id,n\n${freshId()},${'x'.repeat(32_768)}\n`)
    const before = sandbox.requests.length
    const { code, stderr } = await svc(remove(from, `--annotate ${output('xlsx')}`))
    expect([code, sandbox.requests.length]).toEqual([2, before])
    expect(stderr).toContain('32,767 characters in a cell')
    expect((await svc(remove(from, `--annotate ${output('csv')}`))).code).toBe(0)
  })

  it('to a workbook: texts, numbers and days as such, in any time zone of this computer, without hidden rows', async () => {
    process.env['TZ'] = 'Asia/Kathmandu'
    const [id, out] = [freshId(), output('xlsx')]
    const { stderr } = await bulk(remove(book(id), `--skip-invalid --annotate ${out}`))
    expect(stderr).toContain('; without 1 hidden row')
    const rows = cellsOf(readFileSync(out))
    const text = (value: string): string[] => ['s', value]
    const number = (value: string): string[] => ['n', value]
    expect(rows.slice(1, 4)).toEqual([
      [...[text('Jürgen; 王'), text(id), number('46082'), number('-1.5'), undefined], text('done')],
      [
        ...[text('=1+1'), text(absent), number('46082.5'), number('1234.5'), undefined],
        ...[text('not-found'), text(notFound)],
      ],
      [
        ...[undefined, undefined, text('TRUE'), undefined, undefined],
        ...[text('invalid'), expect.arrayContaining(['s'])],
      ],
    ])
    expect(rows).toHaveLength(5)
  })

  it('what was written is read again: by the next command, and by it once more', async () => {
    const id = freshId()
    const [first, second] = [output('xlsx'), output('xlsx')]
    await bulk(remove(book(id), `--skip-invalid --annotate ${first}`))
    const { summary } = await bulk(remove(first, `--skip-invalid --annotate ${second}`))
    expect([summary.input?.unique, textsOf(readFileSync(second))[0]]).toEqual([
      2,
      ['Name', 'Contact ID', 'Seit', 'Betrag', '', 'OUTCOME', 'REASON'],
    ])
  })
})
