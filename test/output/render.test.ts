import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { done, one, rows, text, type Output, type View } from '../../src/output/result.ts'
import type { Format } from '../../src/output/format.ts'
import { print } from '../../src/output/render.ts'
import { OutputClosed } from '../../src/output/sink.ts'
import { options, printTo, printed, streamsTo } from './printed.ts'

interface Thing {
  readonly id: string
  readonly name?: string | null
  readonly owner?: { readonly name?: string } | null
}

const thingView: View<Thing> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'NAME', field: 'name' },
  ],
  id: ({ id }) => id,
}

const things: Thing[] = [
  { id: '1', name: 'one', owner: { name: 'Anna' } },
  { id: '2', name: null, owner: null },
]

/** A stream that hands each piece over, and is ready for the next one when that is done. */
const streamTo = (
  take: (chunk: Buffer, done: (error?: Error) => void) => void,
  highWaterMark = 16_384,
) => new Writable({ highWaterMark, write: (chunk: Buffer, _encoding, done) => take(chunk, done) })

test('an output without rows: text, pieces of it, nothing', async () => {
  expect((await printed(text('a\tb\n\u001b[2J\n'), thingView)).stdout).toBe('a\tb\n\\u{1b}[2J\n')
  async function* pieces(): AsyncGenerator<string> {
    yield 'smile 😀\r\n'
    yield 'end\r'
  }
  expect(await printed(text(pieces(), 4), thingView)).toMatchObject({
    code: 4,
    stdout: 'smile 😀\r\nend\\u{d}',
  })
  expect(await printed(done(5), thingView)).toMatchObject({ code: 5, stdout: '' })
})

test('ids make line breaks visible', async () => {
  const data = rows([{ id: '1\n2', name: 'a\tb\nc' }])
  expect((await printed(data, thingView, { format: 'ids' })).stdout).toBe('1\\u{a}2\n')
})

test('--fields sees only what the row itself has', async () => {
  const evil = JSON.parse(
    '{"id":"1","__proto__":{"name":"x"},"owner":{"__proto__":{"name":"y"}}}',
  ) as Thing
  const { stdout } = await printed(rows([evil]), thingView, {
    format: 'ndjson',
    fields: ['id', 'name', 'owner.name'],
  })
  expect(stdout).toBe('{"id":"1","name":null,"owner":{"name":null}}\n')
})

test('a computed field stands in the place of a member of its name, even if it is empty', async () => {
  const name = ({ id }: Thing): string | null => (id === '1' ? 'the 1' : null)
  const view: View<Thing> = { ...thingView, computed: { name } }
  const fields = ['name', 'owner.name']
  for (const format of ['json', 'ndjson'] as const)
    expect(
      JSON.parse((await printed(one(things[0] as Thing), view, { format, fields })).stdout),
    ).toEqual({ name: 'the 1', owner: { name: 'Anna' } })
  const named = things.map((thing) => ({ ...thing, name: 'its own' }))
  expect((await printed(rows(named), view, { format: 'csv', fields })).stdout).toBe(
    'name,owner.name\nthe 1,Anna\n,\n',
  )
})

describe('writing', () => {
  test('small rows go out in large pieces', async () => {
    let pieces = 0
    const stdout = streamTo((_, done) => {
      pieces += 1
      done()
    })
    const many = Array.from({ length: 20_000 }, (_, n) => ({ id: String(n) }))
    await printTo(stdout, rows(many), thingView, { format: 'ids' })
    expect(pieces).toBeLessThan(10)
  })

  test('notes come after the rows, and stdout stays open', async () => {
    const order: unknown[] = []
    const stdout = streamTo((_, done) => {
      order.push('row')
      done()
    })
    const output = rows(things, { ending: { notes: ['note'] } })
    const streams = streamsTo(stdout, (what) => void order.push(what))
    await print(output, thingView, { ...options, format: 'ids' }, streams)
    expect([order, stdout.writableEnded]).toEqual([['row', 'note'], false])
    for (let run = 0; run < 20; run += 1) await print(rows(things), thingView, options, streams)
    expect(stdout.listenerCount('error')).toBe(1)
  })
})

test.each<Format>(['ndjson', 'json', 'csv'])(
  'a read that fails prints nothing: %s',
  async (format) => {
    async function* failing(): AsyncGenerator<Thing> {
      yield* things
      await Promise.reject(new Error('gone'))
    }
    const { stdout, error } = await printed(rows(failing()), thingView, { format })
    expect([stdout, error]).toEqual(['', new Error('gone')])
  },
)

test('a reader that goes away while a write is under way, and afterwards', async () => {
  const stdout = streamTo(() => undefined)
  const many = Array.from({ length: 10_000 }, () => ({ id: 'x'.repeat(1000) }))
  const printing = printTo(stdout, rows(many), thingView, { format: 'ndjson' })
  setTimeout(() => stdout.destroy(), 20)
  await expect(printing).rejects.toBeInstanceOf(OutputClosed)
  await expect(printTo(stdout, rows(things), thingView)).rejects.toBeInstanceOf(OutputClosed)
})

describe('a bulk run', () => {
  const summary = { schema: 'svc.bulk/1' }
  const receipts = [{ id: 0 }, { id: 1 }, { id: 2 }]
  const output: Output<Thing> = { kind: 'one', json: summary, rows: things, exitCode: 3, receipts }

  test.each([false, true])(
    'as ndjson: receipts; without a reader (%s) the exit code is the run’s',
    async (isGone) => {
      const stdout = new PassThrough()
      if (isGone) stdout.destroy()
      const ended = await printTo(stdout, output, thingView, { format: 'ndjson' }).catch(
        (error: unknown) => error,
      )
      expect(ended instanceof OutputClosed ? ended.exitCode : ended).toBe(3)
      expect(ended instanceof OutputClosed).toBe(isGone)
      expect(stdout.read()?.toString()).toBe(isGone ? undefined : '{"id":0}\n{"id":1}\n{"id":2}\n')
    },
  )
})
