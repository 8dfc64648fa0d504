import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { done, rows, text, type Format, type Output, type View } from '../../src/output/result.ts'
import { OutputClosed, print } from '../../src/output/render.ts'
import { StreamSink } from '../../src/output/sink.ts'
import { host, options, printed } from './printed.ts'

interface Thing {
  readonly id: string
  readonly name?: string | null
  readonly tags?: readonly (string | null)[]
  readonly parts?: readonly { readonly size?: number; readonly label?: string }[]
  readonly owner?: { readonly name?: string; readonly mail?: string } | null
}

const thingView: View<Thing> = {
  columns: [
    { title: 'ID', field: 'id', kind: 'id' },
    { title: 'NAME', field: 'name' },
    { title: 'TAGS', field: 'tags' },
  ],
  computed: { loud: ({ name }) => name?.toUpperCase() },
  id: ({ id }) => id,
}

const things: Thing[] = [
  { id: '1', name: 'one', tags: ['a', 'b'], parts: [{ size: 3, label: 'x' }, { size: 4 }], owner: { name: 'Anna' } },
  { id: '2', name: null, owner: null },
]

describe('what is no rows', () => {
  test('of text, and of nothing', async () => {
    expect((await printed(text('a\tb\n\u001b[2J\n'), thingView)).stdout).toBe('a\tb\n\\u{1b}[2J\n')
    async function* pieces(): AsyncGenerator<string> {
      yield 'smile 😀\r\n'
      yield 'end\r'
    }
    expect(await printed(text(pieces(), 4), thingView)).toMatchObject({ code: 4, stdout: 'smile 😀\r\nend\\u{d}' })
    expect(await printed(done(5), thingView)).toMatchObject({ code: 5, stdout: '' })
  })
})

describe('tsv and ids', () => {
  test('make line breaks visible', async () => {
    const data = [{ id: '1\n2', name: 'a\tb\nc' }]
    expect((await printed(rows(data), thingView, { format: 'tsv', header: false })).stdout).toBe(
      '1\\u{a}2\ta\\u{9}b\\u{a}c\t\n',
    )
    expect((await printed(rows(data), thingView, { format: 'ids' })).stdout).toBe('1\\u{a}2\n')
  })
})

describe('--fields', () => {
  test('sees only what the row itself has', async () => {
    const evil = JSON.parse('{"id":"1","__proto__":{"name":"x"},"owner":{"__proto__":{"name":"y"}}}') as Thing
    const { stdout } = await printed(rows([evil]), thingView, {
      format: 'ndjson',
      fields: ['id', 'name', 'owner.name'],
    })
    expect(stdout).toBe('{"id":"1","name":null,"owner":{"name":null}}\n')
  })
})

describe('writing', () => {
  test('a row is out as soon as it is there', async () => {
    const stdout = new PassThrough()
    let go: () => void = () => undefined
    async function* slow(): AsyncGenerator<Thing> {
      yield { id: 'first' }
      await new Promise<void>((resolve) => (go = resolve))
      yield { id: 'second' }
    }
    for (const format of ['ndjson', 'json'] as const) {
      const printing = print(
        rows(slow()),
        thingView,
        { ...options, format },
        { host, sink: new StreamSink(host, stdout), note: () => {}, summary: () => {} },
      )
      const [chunk] = (await once(stdout, 'data')) as [Buffer]
      expect(chunk.toString()).toContain('"first"')
      expect(chunk.toString()).not.toContain('second')
      go()
      await printing
      stdout.read()
    }
  })

  test('small rows go out in large pieces', async () => {
    const sizes: number[] = []
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        sizes.push(chunk.length)
        callback()
      },
    })
    const data = Array.from({ length: 20_000 }, (_, index) => ({ id: String(index) }))
    await print(
      rows(data),
      thingView,
      { ...options, format: 'ids' },
      { host, sink: new StreamSink(host, stdout), note: () => {}, summary: () => {} },
    )
    expect(sizes.length).toBeLessThan(10)
  })

  test('a slow reader holds the source back', async () => {
    let made = 0
    let written = 0
    let ahead = 0
    let largest = 0
    function* endless(): Generator<Thing> {
      for (; made < 40_000; made += 1) yield { id: 'x'.repeat(99) }
    }
    const stdout = new Writable({
      highWaterMark: 1024,
      write(chunk: Buffer, _encoding, callback) {
        largest = Math.max(largest, chunk.length)
        written += chunk.length / 100
        ahead = Math.max(ahead, made - written)
        setImmediate(callback)
      },
    })
    await print(
      rows(endless()),
      thingView,
      { ...options, format: 'ids' },
      { host, sink: new StreamSink(host, stdout), note: () => {}, summary: () => {} },
    )
    expect(written).toBe(40_000)
    expect(ahead).toBeLessThan(1000)
    expect(largest).toBeLessThan(100_000)
  })

  test('notes come after the rows, and stdout stays open', async () => {
    const order: string[] = []
    const stdout = new Writable({
      write(_chunk, _encoding, callback) {
        order.push('row')
        callback()
      },
    })
    const streams = {
      host,
      sink: new StreamSink(host, stdout),
      note: (text: string) => void order.push(text),
      summary: () => {},
    }
    const output = rows(things, { ending: { notes: ['note'] } })
    await print(output, thingView, { ...options, format: 'ids' }, streams)
    expect(order).toEqual(['row', 'note'])
    expect(stdout.writableEnded).toBe(false)
    for (let run = 0; run < 20; run += 1) await print(rows(things), thingView, options, streams)
    expect(stdout.listenerCount('error')).toBe(1)
  })

  test('a full disk is exit 10', async () => {
    const stdout = new Writable({
      write(_chunk, _encoding, callback) {
        callback(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))
      },
    })
    const printing = print(rows(things), thingView, options, {
      host,
      sink: new StreamSink(host, stdout),
      note: () => {},
      summary: () => {},
    })
    await expect(printing).rejects.toMatchObject({
      category: 'local',
      exitCode: 10,
      message: expect.stringContaining('no space left') as string,
    })
  })

  describe('when the reader goes away', () => {
    function source(): { rows: AsyncGenerator<Thing>; state: { returned: boolean; made: number } } {
      const state = { returned: false, made: 0 }
      async function* generate(): AsyncGenerator<Thing> {
        try {
          for (; ; state.made += 1) {
            await new Promise((resolve) => setImmediate(resolve))
            yield { id: 'x'.repeat(1000) }
          }
        } finally {
          state.returned = true
        }
      }
      return { rows: generate(), state }
    }

    test.each<Format>(['ndjson', 'json', 'csv', 'ids', 'table'])(
      'a real pipe that is closed stops the source: %s',
      async (format) => {
        const reader = spawn('head', ['-c', '1'], { stdio: ['pipe', 'ignore', 'inherit'] })
        const endless = source()
        const printing = print(
          rows(endless.rows),
          thingView,
          { ...options, format },
          { host, sink: new StreamSink(host, reader.stdin), note: () => {}, summary: () => {} },
        )
        await expect(printing).rejects.toBeInstanceOf(OutputClosed)
        expect(endless.state.returned).toBe(true)
      },
    )

    test('so does one that is destroyed while a write is under way', async () => {
      const stdout = new Writable({ write() {} })
      const endless = source()
      const printing = print(
        rows(endless.rows),
        thingView,
        { ...options, format: 'ids' },
        { host, sink: new StreamSink(host, stdout), note: () => {}, summary: () => {} },
      )
      setTimeout(() => stdout.destroy(), 20)
      await expect(printing).rejects.toBeInstanceOf(OutputClosed)
      expect(endless.state.returned).toBe(true)
      await expect(
        print(rows(things), thingView, options, {
          host,
          sink: new StreamSink(host, stdout),
          note: () => {},
          summary: () => {},
        }),
      ).rejects.toBeInstanceOf(OutputClosed)
    })
  })
})

describe('a bulk run', () => {
  const ending = { document: { schema: 'svc.bulk/1' }, rows: things, exitCode: 3 }

  function run(): { output: Output<Thing>; state: { stopped: boolean } } {
    const state = { stopped: false }
    async function* receipts(): AsyncGenerator {
      try {
        for (let index = 0; index < 3; index += 1) yield { id: index }
      } finally {
        state.stopped = true
      }
    }
    return { output: { kind: 'bulk', receipts: receipts(), summary: async () => ending }, state }
  }

  test('as ndjson: receipts, and the summary elsewhere', async () => {
    expect(await printed(run().output, thingView, { format: 'ndjson' })).toMatchObject({
      code: 3,
      stdout: '{"id":0}\n{"id":1}\n{"id":2}\n',
      summaries: [ending.document],
    })
  })

  test('whose reader goes away is stopped, and its summary is told', async () => {
    for (const format of ['ndjson', 'json'] as const) {
      const { output, state } = run()
      const stdout = new PassThrough()
      stdout.destroy()
      const summaries: unknown[] = []
      const printing = print(
        output,
        thingView,
        { ...options, format },
        { host, sink: new StreamSink(host, stdout), note: () => {}, summary: (value) => summaries.push(value) },
      )
      await expect(printing).rejects.toMatchObject({ name: 'OutputClosed', exitCode: 3 })
      expect([state.stopped, summaries]).toEqual(format === 'ndjson' ? [true, [ending.document]] : [false, []])
    }
  })
})
