import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { tableWorkbook } from '../../../src/output/formats/xlsx.ts'
import { print } from '../../../src/output/render.ts'
import { StreamSink } from '../../../src/output/sink.ts'
import { longestCell, mostRows, serialOf, workbook, type Cell } from '../../../src/output/workbook/workbook.ts'
import { columnName } from '../../../src/words.ts'
import { document, one, rows, type Output, type View } from '../../../src/output/result.ts'
import { receiptView } from '../../../src/resources/bulk.ts'
import { contactListView } from '../../../src/resources/contact-list.ts'
import { Collector, createSandboxWorld } from '../../svc.ts'
import { openedWorkbook, textsOf } from '../opened.ts'
import { host, options } from '../printed.ts'

interface Thing {
  readonly id: string
  readonly text?: unknown
  readonly count?: unknown
  readonly at?: unknown
}

const view: View<Thing> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'TEXT', field: 'text' },
    { title: 'COUNT', field: 'count', kind: 'number' },
    { title: 'SENT', field: 'at', kind: 'time' },
  ],
}

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

const tableOf = (things: readonly Thing[], header = true): Promise<Buffer> =>
  bytesOf(tableWorkbook(things, view, { fields: undefined, header }))

async function printedBytes<T>(output: Output<T>, of: View<T>): Promise<Buffer> {
  const stdout = new Collector()
  const streams = { host, sink: new StreamSink(host, stdout), note: () => undefined, summary: () => undefined }
  await print(output, of, { ...options, format: 'xlsx' }, streams)
  return Buffer.concat(stdout.chunks)
}

const id = '640005edd5aad2927b000029'

describe('cells', () => {
  test('ids and phone numbers are text, numbers are numbers, times are dates in UTC', async () => {
    const at = '2026-03-01T10:15:00+01:00'
    const [heading, row] =
      openedWorkbook(await tableOf([{ id, text: '+4915112345678', count: 12, at }])).sheets[0]?.rows ?? []
    expect(heading?.map((cell) => cell?.text)).toEqual(['ID', 'TEXT', 'COUNT', 'SENT (UTC)'])
    expect(row?.map((cell) => [cell?.type, cell?.style, cell?.text])).toEqual([
      ['inlineStr', 0, id],
      ['inlineStr', 0, '+4915112345678'],
      ['n', 0, '12'],
      ['n', 1, String(Date.parse('2026-03-01T09:15:00Z') / 86_400_000 + 25_569)],
    ])
  })

  test.each<[string, Thing, string]>([
    ['no value', { id }, ''],
    ['null', { id, text: null }, ''],
    ['an array', { id, text: ['a', 'b'] }, 'a;b'],
    ['a number that a spreadsheet would round', { id, text: 1234567890123456 }, '1234567890123456'],
    ['what looks like a formula', { id, text: '=1+1' }, '=1+1'],
    ['markup', { id, text: '<b>&amp;</b>' }, '<b>&amp;</b>'],
    ['line ends', { id, text: ' a\nb\tc ' }, ' a\nb\tc '],
    ['what commands a terminal, made visible', { id, text: 'a\u{1b}[2Jb\r' }, 'a\\u{1b}[2Jb\\u{d}'],
    ['the form that workbooks have for such characters', { id, text: '_x000D_' }, '_x000D_'],
    ['Umlauts, Chinese, emoji', { id, text: 'Jürgen 王小明 👩‍👩‍👧' }, 'Jürgen 王小明 👩‍👩‍👧'],
  ])('%s', async (_, thing, text) => {
    const bytes = await tableOf([thing])
    expect(textsOf(bytes)[1]?.[1] ?? '').toBe(text)
    expect(openedWorkbook(bytes).sheets[0]?.xml).not.toMatch(/<f[ >]/)
  })

  test.each([
    ['no time', 'soon', 'soon'],
    ['a time that spreadsheets disagree on', '1850-01-01T00:00:00Z', '1850-01-01T00:00:00Z'],
  ])('%s is text', async (_, at, text) => {
    const [, row] = openedWorkbook(await tableOf([{ id, at }])).sheets[0]?.rows ?? []
    expect(row?.[3]).toEqual({ type: 'inlineStr', style: 0, text })
  })

  test('what XML cannot hold is written in the form that workbooks have for it', async () => {
    const text = 'a\0b\rc\u{fffe}_x0041_'
    const bytes = await bytesOf(workbook({ widths: [] }, [[text]]))
    expect(openedWorkbook(bytes).sheets[0]?.xml).toContain('>a_x0000_b_x000D_c_xFFFE__x005F_x0041_<')
  })

  test('one of more than 32,767 characters is exit 10, which names it', async () => {
    const things = [{ id }, { id, text: 'x'.repeat(longestCell) }, { id, text: 'x'.repeat(longestCell + 1) }]
    expect(textsOf(await tableOf(things.slice(0, 2)))[2]?.[1]).toHaveLength(longestCell)
    await expect(tableOf(things)).rejects.toMatchObject({
      exitCode: 10,
      message: 'cell B4 (TEXT) would have 32,768 characters, and a workbook takes 32,767',
    })
  })
})

describe('sheets', () => {
  test('the heading stays in sight; without it nothing does', async () => {
    const [sheet] = openedWorkbook(await tableOf([{ id }])).sheets
    expect(sheet?.xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
    // On paper all columns stand side by side.
    expect(sheet?.xml).toContain('<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>')
    expect(sheet?.xml).toContain('</sheetData><pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>')
    const bare = await tableOf([{ id }], false)
    expect(textsOf(bare)).toEqual([[id]])
    expect(openedWorkbook(bare).sheets[0]?.xml).not.toContain('<pane')
  })

  test('no rows: the heading alone', async () => {
    expect(textsOf(await tableOf([]))).toEqual([['ID', 'TEXT', 'COUNT', 'SENT (UTC)']])
  })

  test('the same rows give the same bytes', async () => {
    const things = Array.from({ length: 5000 }, (_, count) => ({ id, count, text: `text ${count}` }))
    expect((await tableOf(things)).equals(await tableOf(things))).toBe(true)
  })

  test('past 1,048,576 rows it goes on in a further sheet, under the same heading', async () => {
    function* many(count: number): Generator<Cell[]> {
      for (let row = 1; row <= count; row += 1) yield row < 3 || row > mostRows - 3 ? [String(row)] : []
    }
    const heading = ['N']
    const two = openedWorkbook(await bytesOf(workbook({ widths: [], heading }, many(mostRows + 1)))).sheets
    expect(two.map(({ rows: all }) => [all.length, all.at(-1)?.[0]?.text])).toEqual([
      [mostRows, String(mostRows - 1)],
      [3, String(mostRows + 1)],
    ])
    expect(two[1]?.rows[0]?.[0]?.text).toBe('N')
    const one = openedWorkbook(await bytesOf(workbook({ widths: [], heading }, many(mostRows - 1))))
    expect(one.sheets).toHaveLength(1)
  })

  test('columns have names', () => {
    expect([0, 25, 26, 701, 702, 16_383].map(columnName)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD'])
  })

  test('days are counted as spreadsheets do', () => {
    expect(serialOf(Date.parse('1900-03-01T00:00:00Z'))).toBe(61)
    expect(serialOf(Date.parse('2026-03-01T12:00:00Z'))).toBe(46_082.5)
    expect(serialOf(Date.parse('1900-02-28T00:00:00Z'))).toBeUndefined()
  })
})

describe('what a verb returns', () => {
  const list = { id, name: 'VIP', description: '', contactsCount: 3, updatedAt: '2026-03-01T10:15:00Z' }

  test('one thing is a row, a document the rows of its table', async () => {
    expect(textsOf(await printedBytes(one(list), contactListView))[1]?.slice(0, 3)).toEqual([id, 'VIP', '3'])
    const outcome = { id, line: 1, outcome: 'deleted', batch: 1, attempts: 1, code: null, message: null }
    expect(textsOf(await printedBytes(document({}, [outcome]), receiptView))).toHaveLength(2)
  })

  test('a source that fails midway leaves nothing, not even a temporary file', async () => {
    async function* failing(): AsyncGenerator<Thing> {
      for (let count = 0; count < 20_000; count += 1) yield { id, count }
      throw await Promise.resolve(new Error('the service went away'))
    }
    const stdout = new Collector()
    const streams = { host, sink: new StreamSink(host, stdout), note: () => undefined, summary: () => undefined }
    const before = readdirSync(tmpdir()).filter((name) => name.endsWith('.part'))
    await expect(print(rows(failing()), view, { ...options, format: 'xlsx' }, streams)).rejects.toThrow('went away')
    expect(stdout.chunks).toEqual([])
    expect(readdirSync(tmpdir()).filter((name) => name.endsWith('.part') && !before.includes(name))).toEqual([])
  })
})

describe('commands', async () => {
  const world = await createSandboxWorld()
  const { examples } = world.sandbox

  async function opened(line: string): Promise<string[][]> {
    const stdout = new Collector()
    expect(await world.svc(line, { stdout })).toMatchObject({ code: 0 })
    return textsOf(Buffer.concat(stdout.chunks))
  }

  test.each([
    ['lists list -o xlsx', ['ID', 'NAME', 'CONTACTS', 'UPDATED (UTC)', 'DESCRIPTION'], 300],
    ['lists members VIP -o xlsx', ['CONTACT', 'NAME', 'PHONE', 'EMAIL', 'JOINED (UTC)'], undefined],
    ['employees list -o xlsx', ['ID', 'NAME', 'KIND', 'POSITION', 'ACCESS', 'STATUS', 'CHANNELS'], undefined],
    [
      `tickets history ${examples.tickets.long} -o xlsx`,
      ['SENT (UTC)', 'DIRECTION', 'FROM', 'TEXT', 'ATTACHMENTS'],
      undefined,
    ],
    ['lists list --fields name,id --limit 2 -o xlsx', ['NAME', 'ID'], 2],
  ])('%s', async (line, heading, count) => {
    const [first, ...others] = await opened(line)
    expect(first).toEqual(heading)
    expect(others.length).toBeGreaterThan(0)
    expect(others).toHaveLength(count ?? others.length)
  })

  test('never on a terminal', async () => {
    const { code, stdout, stderr } = await world.svc('lists members -o xlsx -- VIP', { isTerminal: { stdout: true } })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('\n    svc lists members -o xlsx --out output.xlsx -- VIP\n')
  })

  test('a command without tables has no such format', async () => {
    expect(await world.svc('api lists -o xlsx')).toMatchObject({ code: 2, stdout: '' })
  })

  test('a read that fails midway leaves nothing', async () => {
    world.sandbox.setFaults('lists.list:2=500')
    const { code, stdout } = await world.svc('lists list -o xlsx --page-size 10 --retries 0')
    world.sandbox.setFaults()
    expect([code, stdout]).toEqual([7, ''])
  })
})
