import { spawn } from 'node:child_process'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { RowFormat } from '../../src/output/render.ts'
import {
  id,
  namedColumns,
  one,
  plainText,
  rows,
  text,
  type Output,
} from '../../src/output/result.ts'
import { writeBytes } from '../../src/output/streams.ts'
import { printed } from '../support/printed.ts'
import { realHost } from '../support/real-host.ts'

interface Thing {
  readonly id: string
  readonly name?: string | null
  readonly owner?: { readonly name?: string } | null
}

const shown: RowFormat<Thing> = { columns: { ID: id('id'), NAME: text('name') }, ids: 'id' }
const things: Thing[] = [
  { id: '1', name: 'one', owner: { name: 'Anna' } },
  { id: '2', name: null, owner: null },
]

test('a text has its control characters made visible', async () => {
  const { code, stdout } = await printed(plainText('a\tb\n\u001b[2J\r\n', 4))
  expect([code, stdout]).toEqual([4, 'a\tb\n\\u{1b}[2J\r\n'])
})

test('ids make line breaks visible', async () => {
  const data = rows([{ id: '1\n2', name: 'a\tb\nc' }])
  expect((await printed(data, shown, { format: 'ids' })).stdout).toBe('1\\u{a}2\n')
})

test.each(['ids', 'ndjson'] as const)('%s reads each row once', async (format) => {
  let readings = 0
  const row = Object.defineProperty({ id: '1' }, 'id', { get: () => `${(readings += 1)}` })
  await printed(rows([row]), shown, { format })
  expect(readings).toBe(1)
})

test('--fields names columns by their headings, in any letter case; what no column has is refused before', async () => {
  const columns = namedColumns(shown.columns ?? {}, ['NAME', 'id'])
  const print = { format: 'csv', columns } as const
  expect((await printed(rows(things), shown, print)).stdout).toBe('name,id\none,1\n,2\n')
  for (const wrong of ['constructor', 'owner.name', 'ids']) {
    const error = expect.objectContaining({ message: `unknown column "${wrong}"`, exitCode: 2 })
    expect(() => namedColumns(shown.columns ?? {}, ['id', wrong])).toThrow(error)
  }
})

test('JSON is whole: of one thing, and of rows with a document of their own', async () => {
  const read = async (output: Output<Thing>): Promise<unknown> =>
    JSON.parse((await printed(output, shown, { format: 'json' })).stdout)
  expect(await read(one(things[0] as Thing))).toEqual(things[0])
  expect(await read(rows(things, { document: { all: things } }))).toEqual({ all: things })
})

test('a text that no cell of a workbook can hold is named by its row', async () => {
  const long = (length: number) => ({ id: '1', name: 'x'.repeat(length) })
  const xlsx = { format: 'xlsx' } as const
  expect((await printed(rows([long(32_767)]), shown, xlsx)).code).toBe(0)
  const { error } = await printed(rows([...things, long(32_768)]), shown, xlsx)
  const limits = '1,048,576 rows, and 32,767 characters in a cell'
  const message = `the output is more than a workbook can hold: ${limits}`
  expect(error).toMatchObject({ exitCode: 1, message })
})

const bytes = [Buffer.alloc(300_000, 'x'), Buffer.from('end')]
const streamTo = (take: (chunk: Buffer, done: (error?: Error) => void) => void) =>
  new Writable({ write: (chunk: Buffer, _encoding, done) => take(chunk, done) })

test('a slow reader gets all of it, in pieces that a terminal can take', async () => {
  let [written, largest] = [0, 0]
  const stdout = streamTo((chunk, done) => {
    largest = Math.max(largest, chunk.length)
    written += chunk.length
    setImmediate(done)
  })
  expect(await writeBytes(realHost, stdout, bytes)).toBe('written')
  expect([written, largest <= 131_072, stdout.writableEnded]).toEqual([300_003, true, false])
})

test('a reader that goes away is no error', async () => {
  const reader = spawn('head', ['-c', '1'], { stdio: ['pipe', 'ignore', 'inherit'] })
  expect(await writeBytes(realHost, reader.stdin, [Buffer.alloc(1 << 22, 'x')])).toBe('closed')
  const stdout = streamTo(() => void setImmediate(() => stdout.destroy()))
  expect(await writeBytes(realHost, stdout, bytes)).toBe('closed')
  expect(await writeBytes(realHost, stdout, bytes)).toBe('closed')
  expect(await writeBytes(realHost, new PassThrough().destroy(), bytes)).toBe('closed')
})
