/** Workbooks that are damaged or made to do harm: exit 2, in bounded memory, and never an id that no cell has. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { buildBulk } from '../bulk/child.ts'
import { idsOf, read, refusal, temporaryFolder } from './inputs.ts'
import { main, workbook, workbookParts, zip, type Parts, type SheetXml, type WorkbookXml } from './workbooks.ts'

const folder = temporaryFolder()
const program = buildBulk('ids/reader.ts')
afterAll(() => {
  folder.remove()
  program.remove()
})

const ids = idsOf(40)
const good: WorkbookXml = {
  sheets: [
    { name: 'One', rows: ids.map((_, n) => `<row r="${n + 1}"><c r="A${n + 1}" t="s"><v>${n}</v></c></row>`).join('') },
  ],
  texts: ids.map((id) => `<t>${id}</t>`),
  styles: '<cellXfs><xf numFmtId="0"/></cellXfs>',
}

const worksheet = `<worksheet xmlns="${main}">`

/** Numbers below `most` that follow from a seed (an LCG of Numerical Recipes). */
function randomOf(seed: number): (most: number) => number {
  let state = seed + 1
  return (most) => {
    for (let n = 0; n < 3; n += 1) state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

/** One of the ways in which bytes get damaged. */
function damage(bytes: Buffer, random: (most: number) => number, put: string): Buffer {
  const at = random(bytes.length)
  const to = Math.min(bytes.length, at + 1 + random(60))
  switch (random(5)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)])
    case 2:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)])
    case 3:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([put.charCodeAt(random(put.length))]),
        bytes.subarray(at),
      ])
    default: {
      const changed = Buffer.from(bytes)
      changed[at] = put.charCodeAt(random(put.length))
      return changed
    }
  }
}

/** The ids that were read, or `refused`. Whatever else happens is a defect. */
async function outcome(bytes: Buffer): Promise<readonly string[] | 'refused'> {
  try {
    return [...(await read(bytes)).ids]
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return 'refused'
    throw error
  }
}

describe('at random', () => {
  const seeds = Array.from({ length: 80 }, (_, seed) => seed)

  test('a damaged archive is refused, or gives exactly what was in it', async () => {
    const whole = workbook(good)
    const found = await Promise.all(seeds.map((seed) => outcome(damage(whole, randomOf(seed), '\x00\xff\x01P'))))
    const read = found.filter((each) => each !== 'refused')
    expect(read).toEqual(read.map(() => ids))
    expect(read.length).toBeLessThan(40)
  })

  test('damaged XML is refused, or gives ids that its cells have', async () => {
    const parts = workbookParts(good)
    const names = Object.keys(parts).filter((name) => name !== '[Content_Types].xml')
    const found = await Promise.all(
      seeds.map((seed) => {
        const random = randomOf(seed)
        const name = names[random(names.length)] ?? ''
        return outcome(zip({ ...parts, [name]: damage(Buffer.from(String(parts[name])), random, '<>&"\'/ \x00\xff0') }))
      }),
    )
    const read = found.filter((each) => each !== 'refused')
    expect(read.flat().filter((id) => !ids.includes(id))).toEqual([])
    expect(read.length).toBeLessThan(40)
  })
})

describe('each of these is refused in words', () => {
  const parts = workbookParts(good)
  const withPart = (path: string, content: string | Buffer): Parts => ({ ...parts, [path]: content })
  const withSheet = (sheet: SheetXml, more: WorkbookXml = {}): Parts => workbookParts({ ...more, sheets: [sheet] })
  const sheetPath = 'xl/worksheets/sheet0.xml'
  const row = (inside: string): Parts => withSheet({ rows: `<row r="1">${inside}</row>` })

  test.each<[string, Parts, string]>([
    [
      'a part that is missing',
      Object.fromEntries(Object.entries(parts).filter(([path]) => path !== sheetPath)),
      `it has no part "${sheetPath}"`,
    ],
    ['shared texts that are missing', withSheet(good.sheets?.[0] ?? {}), 'cell A1 refers to text "0"'],
    ['a shared text that is no number', row('<c t="s"><v>-1</v></c>'), 'refers to text "-1"'],
    ['no sheets', workbookParts({ sheets: [] }), 'it has no sheets'],
    ['XML that ends too early', withPart(sheetPath, `${worksheet}<sheetData>`), 'is not well-formed XML'],
    ['an entity of its own', withPart(sheetPath, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), 'is not well-formed XML'],
    ['bytes that are no UTF-8', withPart(sheetPath, Buffer.from('<a>\xff</a>', 'latin1')), 'is not valid UTF-8'],
    ['rows out of order', withSheet({ rows: '<row r="2"/><row r="2"/>' }), 'row "2" follows row 2'],
    ['a row that is no number', withSheet({ rows: '<row r="x"/>' }), 'row "x"'],
    ['a row too many', withSheet({ rows: '<row r="1048576"/><row/>' }), 'more than 1,048,576 rows'],
    ['a cell of another row', row('<c r="A2"/>'), 'a cell "A2" in row 1'],
    ['a cell twice', row('<c r="B1"/><c r="B1"/>'), 'out of order'],
    ['a column too many', row('<c r="XFD1"/><c/>'), 'out of order'],
    ['a column that there is not', row('<c r="XFE1"/>'), 'out of order'],
    [
      'merged cells that are none',
      withSheet({ after: '<mergeCells><mergeCell ref="A1"/></mergeCells>' }),
      '"A1" are no cells',
    ],
    ['a text of 2 MB', row(`<c t="inlineStr"><is><t>${'x'.repeat(2 << 20)}</t></is></c>`), 'a text of more than 1 MB'],
    [
      'one in runs',
      row(`<c t="inlineStr"><is>${`<r><t>${'x'.repeat(9 << 16)}</t></r>`.repeat(2)}</is></c>`),
      'a text of more than 1 MB',
    ],
    [
      'one as a value',
      row(`<c t="str"><v>${'x'.repeat(9 << 16)}<!-- -->${'x'.repeat(9 << 16)}</v></c>`),
      'a text of more than 1 MB',
    ],
    ['one as an attribute', row(`<c t="${'x'.repeat(2 << 20)}"/>`), 'a text of more than 1 MB'],
    [
      'one as a comment',
      withPart(sheetPath, `${worksheet}<!--${'<'.repeat(2 << 20)}--></worksheet>`),
      'a text of more than 1 MB',
    ],
    [
      'a row of 9 MB',
      workbookParts({
        sheets: [{ rows: `<row>${'<c t="s"><v>0</v></c>'.repeat(9)}</row>` }],
        texts: [`<t>${'x'.repeat(1_000_000)}</t>`],
      }),
      'more than 8 MB in row 1',
    ],
    [
      'a list of sheets of 17 MB',
      withPart(
        'xl/workbook.xml',
        `<workbook xmlns="${main}">${`<a b="${'x'.repeat(1 << 16)}"/>`.repeat(280)}</workbook>`,
      ),
      'has more than 16 MB',
    ],
  ])('%s', async (_name, bad, what) => {
    const error = await refusal(read(zip(bad)))
    expect(error.exitCode).toBe(2)
    expect(error.message).toContain(what)
  })
})

type Repeated = readonly [bytes: Buffer, length: number, sum: number]

/** `text` so many times in a row, between a beginning and an end, packed without being unpacked here. */
function repeated(begin: string, text: string, times: number, end = ''): Repeated {
  const perBlock = Math.ceil((1 << 20) / text.length)
  const packed = (content: string): Buffer => deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH })
  const block = packed(text.repeat(perBlock))
  const blocks = Array.from({ length: Math.floor(times / perBlock) }, () => block)
  const bytes = Buffer.concat([packed(begin), ...blocks, deflateRawSync(end)])
  const content = Buffer.from(text.repeat(perBlock))
  const sum = crc32(
    end,
    blocks.reduce((before) => crc32(content, before), crc32(begin)),
  )
  return [bytes, begin.length + blocks.length * content.length + end.length, sum]
}

describe('bombs', () => {
  test('each is exit 2, and none takes more than 300 MB', { timeout: 300_000 }, async () => {
    const part = (path: string, [bytes, length, sum]: Repeated): Buffer =>
      zip({ ...workbookParts(good), [path]: bytes }, { packed: [path, length, sum] })
    const sheet = (packed: Repeated): Buffer => part('xl/worksheets/sheet0.xml', packed)
    const texts = (packed: Repeated): Buffer => part('xl/sharedStrings.xml', packed)
    const sheetEnd = '</sheetData></worksheet>'
    const bombs: [name: string, bytes: Buffer, what: string][] = [
      ['60 million rows', sheet(repeated(`${worksheet}<sheetData>`, '<row/>', 60_000_000, sheetEnd)), '1,048,576 rows'],
      [
        '10 million columns',
        sheet(repeated(`${worksheet}<cols>`, '<col min="1" max="1" hidden="1"/>', 10_000_000)),
        'too many columns',
      ],
      [
        'a text of 300 MB',
        sheet(
          repeated(
            `${worksheet}<sheetData><row><c t="inlineStr"><is><t>`,
            'x',
            300_000_000,
            `</t></is></c></row>${sheetEnd}`,
          ),
        ),
        'a text of more than 1 MB',
      ],
      [
        'a million shared texts',
        texts(repeated(`<sst xmlns="${main}">`, `<si><t>${'x'.repeat(300)}</t></si>`, 1_000_000)),
        'its texts have more than',
      ],
      [
        '25 million cells in a row',
        sheet(repeated(`${worksheet}<sheetData><row>`, '<c><v>1</v></c>', 25_000_000, `</row>${sheetEnd}`)),
        'out of order',
      ],
      [
        'a text of a megabyte in a million cells',
        workbook({
          sheets: [{ rows: '<row><c t="s"><v>0</v></c></row>'.repeat(1_000_000) }],
          texts: [`<t>${'x'.repeat(1_000_000)}</t>`],
        }),
        'more in it than a spreadsheet',
      ],
      [
        '2 million merged cells',
        sheet(repeated(`${worksheet}<mergeCells>`, '<mergeCell ref="A1:B2"/>', 2_000_000)),
        'more in it than a spreadsheet',
      ],
      // With a hole, and its directory behind it.
      ['310 MB with a password', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'is encrypted'],
    ]
    const files = bombs.map(([name, bytes]) => folder.file(`${name}.xlsx`, bytes))
    const encrypted = openSync(files.at(-1) ?? '', 'r+')
    writeSync(encrypted, Buffer.from('EncryptedPackage', 'utf16le'), 0, 32, 310_000_001)
    closeSync(encrypted)
    const child = program.start(
      `import * as disk from 'node:fs'
      import { readIds } from './bulk.mjs'
      for (const path of process.argv.slice(2)) {
        const options = { format: 'auto', skipInvalid: false }
        await readIds([{ kind: 'file', path, disk }], options).catch(({ exitCode, message }) => console.log(exitCode, message))
      }
      console.log(process.resourceUsage().maxRSS / 1024)`,
      files,
    )
    const { code, stdout, stderr } = await child.finished
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    const memory = Number(lines.pop())
    expect(lines).toEqual(bombs.map(([, , what]) => expect.stringMatching(new RegExp(`^2 .*${what}`))))
    expect(memory).toBeLessThan(300)
  })

  test('a sheet, or a number format, takes no longer than its length', { timeout: 180_000 }, async () => {
    const parts = workbookParts(good)
    const main = parts['xl/workbook.xml'] as string
    const relationships = parts['xl/_rels/workbook.xml.rels'] as string
    const sheets = zip({
      ...parts,
      'xl/workbook.xml': main.replace('</sheets>', `${'<sheet/>'.repeat(200_000)}</sheets>`),
      'xl/_rels/workbook.xml.rels': relationships.replace(
        '</Relationships>',
        `${'<Relationship Target=""/>'.repeat(80_000)}</Relationships>`,
      ),
    })
    expect(await outcome(sheets)).toEqual(ids)
    const format = '['.repeat(200_000)
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="${format}"/></numFmts>${good.styles}`
    expect(await outcome(workbook({ ...good, styles }))).toEqual(ids)
  })
})
