/** Workbooks that are damaged or made to do harm: exit 2, in bounded memory, and never an id that no cell has. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { buildBulk } from '../runs/child.ts'
import { atRandom } from '../figures/figure.ts'
import { idsOf, read, temporaryFolder } from '../input/inputs.ts'
import { main, workbook, workbookParts, zip, type WorkbookXml } from '../input/workbooks.ts'

const folder = temporaryFolder()

const [book, relations] = ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels'] as const
const ids = idsOf(40)
const good: WorkbookXml = {
  sheets: [
    {
      name: 'One',
      rows: ids
        .map((_, n) => `<row r="${n + 1}"><c r="A${n + 1}" t="s"><v>${n}</v></c></row>`)
        .join(''),
    },
  ],
  texts: ids.map((id) => `<t>${id}</t>`),
  styles: '<cellXfs><xf numFmtId="0"/></cellXfs>',
}

/** The ids that were read; none where it was refused. Whatever else happens is a defect. */
async function outcome(bytes: Buffer): Promise<readonly string[]> {
  try {
    return [...(await read(bytes)).ids]
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 2) return []
    throw error
  }
}

/** Bytes in which some are left out, doubled or replaced. */
const damages = fc.tuple(
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  fc.integer({ min: -60, max: 60 }),
  fc.constantFrom(...Array.from('\0\xff\x01P<>&"\'/ 0'), ''),
)

function damaged(bytes: Buffer, [place, skip, put]: readonly [number, number, string]): Buffer {
  const at = Math.floor(place * bytes.length)
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(put, 'latin1'),
    bytes.subarray(Math.max(0, at + skip)),
  ])
}

test('a damaged archive is refused, or gives exactly what was in it', async () => {
  const whole = workbook(good)
  let refused = 0
  await fc.assert(
    fc.asyncProperty(damages, async (damage) => {
      const found = await outcome(damaged(whole, damage))
      expect(found).toEqual(found.length === 0 ? [] : ids)
      if (found.length === 0) refused += 1
    }),
    { numRuns: atRandom(80) },
  )
  expect(refused).toBeGreaterThan(40)
})

test('damaged XML is refused, or gives ids that its cells have', async () => {
  const parts = workbookParts(good)
  const names = Object.keys(parts).filter((name) => name !== '[Content_Types].xml')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), damages, async (name, damage) => {
      const found = await outcome(
        zip({ ...parts, [name]: damaged(Buffer.from(String(parts[name])), damage) }),
      )
      expect(found.filter((id) => !ids.includes(id))).toEqual([])
    }),
    { numRuns: atRandom(80) },
  )
})

type Repeated = readonly [bytes: Buffer, length: number, sum: number]

/** So many megabytes of `text`, between a beginning and an end, packed without being unpacked here. */
function repeated(begin: string, text: string, megabytes: number, end = ''): Repeated {
  const packed = (content: string | Buffer): Buffer =>
    deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH })
  const content = Buffer.from(text.repeat(Math.ceil((1 << 20) / text.length)))
  const blocks = Array.from({ length: megabytes }, () => content)
  const block = packed(content)
  const bytes = Buffer.concat([packed(begin), ...blocks.map(() => block), deflateRawSync(end)])
  const sum = crc32(
    end,
    blocks.reduce((before, each) => crc32(each, before), crc32(begin)),
  )
  return [bytes, begin.length + blocks.length * content.length + end.length, sum]
}

const sheet = (inside: string, text: string, megabytes: number, end = ''): Buffer =>
  part(
    'xl/worksheets/sheet0.xml',
    repeated(`<worksheet xmlns="${main}">${inside}`, text, megabytes, end),
  )
const part = (path: string, [bytes, length, sum]: Repeated): Buffer =>
  zip({ ...workbookParts(good), [path]: bytes }, { packed: [path, length, sum] })
const sheetEnd = '</sheetData></worksheet>'
const long = `<si><t>${'x'.repeat(300)}</t></si>`
const shared = { rows: '<row><c t="s"><v>0</v></c></row>'.repeat(1_000_000) }

const tooLarge = 'unpacks to more than a'
/** Each workbook with the reason of its refusal. */
const bombs: readonly (readonly [string, Buffer, string])[] = [
  ['rows', sheet('<sheetData>', '<row/>', 7, sheetEnd), '1,048,576 rows'],
  ['columns', sheet('<cols>', '<col min="1" max="1" hidden="1"/>', 3), 'out of order'],
  ['a text', sheet('<sheetData><row><c t="inlineStr"><is><t>', 'x', 300, sheetEnd), tooLarge],
  ['texts', part('xl/sharedStrings.xml', repeated(`<sst xmlns="${main}">`, long, 300)), tooLarge],
  [
    'cells in a row',
    sheet('<sheetData><row>', '<c><v>1</v></c>', 2, `</row>${sheetEnd}`),
    'out of order',
  ],
  [
    'a text in a million cells',
    workbook({ sheets: [shared], texts: [`<t>${'x'.repeat(1e6)}</t>`] }),
    tooLarge,
  ],
  ['merged cells', sheet('<mergeCells>', '<mergeCell ref="A1:B2"/>', 48), tooLarge],
  // With a hole, and its directory behind it.
  ['310 MB with a password', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'larger than 256 MB'],
]

test('bombs: each is exit 2, and none takes more than 400 MB', { timeout: 300_000 }, async () => {
  const files = bombs.map(([name, bytes]) => folder.file(`${name}.xlsx`, bytes))
  const encrypted = openSync(files.at(-1) ?? '', 'r+')
  writeSync(encrypted, Buffer.from('EncryptedPackage', 'utf16le'), 0, 32, 310_000_001)
  closeSync(encrypted)
  const program = buildBulk('input/reader.ts')
  const child = program.start(
    `import * as disk from 'node:fs'
    import { readIds } from './bulk.mjs'
    for (const path of process.argv.slice(2)) {
      const options = { skipInvalid: false }
      await readIds([{ kind: 'file', path, disk }], options).catch(({ exitCode, message }) => console.log(exitCode, message))
    }
    console.log(process.resourceUsage().maxRSS / 1024)`,
    files,
  )
  const { code, stdout, stderr } = await child.finished
  program.remove()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trim().split('\n')
  expect(Number(lines.pop())).toBeLessThan(400)
  expect(lines).toEqual(
    bombs.map(([, , what]) => expect.stringMatching(new RegExp(`^2 .*${what}`))),
  )
})

test(
  'a sheet, or a number format, takes no longer than its length',
  { timeout: 180_000 },
  async () => {
    const { [book]: main = '', [relations]: types = '', ...parts } = workbookParts(good)
    const sheets = String(main).replace('</sheets>', `${'<sheet/>'.repeat(200_000)}</sheets>`)
    const many = String(types).replace('</R', `${'<Relationship Target=""/>'.repeat(80_000)}</R`)
    expect(await outcome(zip({ ...parts, [book]: sheets, [relations]: many }))).toEqual(ids)
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="${'['.repeat(200_000)}"/></numFmts>${good.styles}`
    expect(await outcome(workbook({ ...good, styles }))).toEqual(ids)
  },
)
