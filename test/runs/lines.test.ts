/** Lines of a run file: their text, their checksum, and what is no line (docs/run-file.md, "Lines"). */
import { readFileSync } from 'node:fs'
import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeLine, encodeLine, goodLines, type Line } from '../../src/runs/lines.ts'
import { idOf } from '../input/inputs.ts'
import { createBulkWorld } from './bulk-world.ts'
import { headOf, idLinesOf, someIds } from './recorded-run.ts'
import { crc32Of, linesIn, sessionOf, textOf, type FileLine } from './run-files.ts'

const ids = someIds(3)
const stamped = (line: FileLine): Line => ({ s: '0000000a', i: 0, ...line, at: 1 }) as Line

const kinds: readonly FileLine[] = [
  sessionOf(null, 0, { unsure: true, key: 'abc', reopen: ['error'] }),
  headOf(ids, 2, { reason: 'für Zoë 😀\n', name: 'night-1' }),
  ...idLinesOf(ids, 2),
  { t: 'ids', b: 1, ids: [[ids[0], 2, ids[1], ids[2]]] },
  { t: 'try', b: 1, a: 1, p: [1, 1] },
  { t: 'res', b: 1, a: 1, k: 'refused', st: 422, code: 40022, m: 'no' },
  { t: 'res', b: 1, a: 1, k: 'answered', st: 200, d: { added: 1, skipped: 0, failed: 0 } },
  { t: 'read', b: 1, id: null },
  { t: 'file', path: '/tmp/a', draft: '/tmp/.svc-1.part', sha256: 'ab'.repeat(32) },
  { t: 'end', baseUrl: 'https://a', summary: { run: 'x', exitCode: 0, left: 0, more: [1] } },
  { t: 'undone', by: 'undo-x' },
  { t: 'free' },
  { t: 'pruned' },
]

describe('a line', () => {
  it.each(kinds.map((line) => [line.t, line] as const))(
    '%s is one JSON object with its checksum behind it, and a line feed',
    (_, line) => {
      const text = encodeLine(stamped(line))
      expect(text).toBe(textOf(stamped(line)))
      expect(decodeLine(Buffer.from(text.trimEnd()))).toEqual(stamped(line))
    },
  )

  it('has the CRC-32 of its bytes before `,"c":`, in eight digits', () => {
    const firstDigits = new Set<string>()
    for (let at = 0; at < 400; at += 1) {
      const text = encodeLine({ ...stamped({ t: 'free' }), at })
      const [, body = '', sum = ''] = /^(.*),"c":"([0-9a-f]{8})"\}\n$/.exec(text) ?? []
      expect([at, sum]).toEqual([at, crc32Of(Buffer.from(body))])
      firstDigits.add(sum.slice(0, 1))
    }
    expect(firstDigits).toContain('0')
  })

  it('keeps any text that it is given', () => {
    assert(
      property(string({ unit: 'binary' }), (reason) => {
        const line = stamped(headOf(ids, 2, { reason }))
        const text = encodeLine(line)
        expect(text.indexOf('\n')).toBe(text.length - 1)
        expect(decodeLine(Buffer.from(text.slice(0, -1)))).toEqual(line)
      }),
    )
  })
})

/** The bytes of a line with any text in place of its members. */
const withSum = (body: string): string => `${body},"c":"${crc32Of(Buffer.from(body))}"}`
const good = textOf(stamped({ t: 'try', b: 1, a: 1 })).trimEnd()
const tryWith = (members: string): string => withSum(`{"s":"0000000a","i":1,${members},"at":1`)

describe('no line', () => {
  it.each([
    ['nothing', ''],
    ['another checksum', good.replace(/.(?="\}$)/, (digit) => (digit === '0' ? '1' : '0'))],
    ['a checksum in capitals', good.replace(/"[0-9a-f]{8}"\}$/, (sum) => sum.toUpperCase())],
    ['a checksum that is not the last member', good.replace(/\}$/, ',"z":1}')],
    ['no checksum', good.replace(/,"c":.*$/, '}')],
    ['a checksum of other bytes', good.replace('"a":1', '"a":2')],
    ['a carriage return at its end', `${good}\r`],
    ['a space before it', ` ${good}`],
    ['half of it', good.slice(0, -10)],
    ['two of them', good + good],
    ['a list', withSum('[1')],
    ['no JSON', withSum('{"s":"0000000a","i":1,')],
    ['an unknown kind', tryWith('"t":"tried","b":1,"a":1')],
    ['a missing member', tryWith('"t":"try","b":1')],
    ['batch 0', tryWith('"t":"try","b":0,"a":1')],
    ['attempt 1.5', tryWith('"t":"try","b":1,"a":1.5')],
    ['a part that ends before it begins', tryWith('"t":"try","b":1,"a":1,"p":[2,1]')],
    ['a place of -1', withSum('{"s":"0000000a","i":-1,"t":"free","at":1')],
    ['a session of seven digits', withSum('{"s":"000000a","i":1,"t":"free","at":1')],
    ['an id that is none', tryWith('"t":"ids","b":1,"ids":[["../x",1]]')],
    ['an `ids` line without ids', tryWith('"t":"ids","b":1,"ids":[]')],
    ['a head of another version', textOf(stamped(headOf(ids, 2, { schema: 'svc.run/5' })))],
  ])('%s', (_, text) => {
    expect(decodeLine(Buffer.from(text))).toBeUndefined()
  })

  it('a line of more than 1 MiB', () => {
    const pad = (length: number): string => {
      const line = stamped(headOf(ids, 2, { reason: '' }))
      const text = textOf({ ...line, reason: 'x'.repeat(length) })
      return text.slice(0, -1)
    }
    const most = (1 << 20) - Buffer.byteLength(pad(0))
    expect(decodeLine(Buffer.from(pad(most)))).toBeDefined()
    expect(decodeLine(Buffer.from(pad(most + 1)))).toBeUndefined()
  })
})

describe('the good lines of bytes', () => {
  const lineOf = (n: number): string => textOf(stamped({ t: 'try', b: n, a: 1 }))
  const found = (text: string): unknown[] =>
    [...goodLines(Buffer.from(text))].map((line) => (line.t === 'try' ? line.b : line.t))

  it.each([
    ['empty lines are nothing', `\n\n${lineOf(1)}\n\n${lineOf(2)}\n`, [1, 2]],
    ['a torn line swallows nothing', `${lineOf(1)}${lineOf(2).slice(0, 20)}\n${lineOf(3)}`, [1, 3]],
    ['zeros are nothing', `${lineOf(1)}${'\0'.repeat(500)}\n${lineOf(3)}`, [1, 3]],
    ['a last line without its end is a line', `${lineOf(1)}${lineOf(2).trimEnd()}`, [1, 2]],
    ['a last line that is torn is nothing', `${lineOf(1)}${lineOf(2).slice(0, -2)}`, [1]],
    ['nothing has none', '', []],
  ])('%s', (_, text, lines) => {
    expect(found(text)).toEqual(lines)
  })
})

it('files that svc writes are lines that a reader of this page takes: whole, counted, without a secret', async () => {
  const world = await createBulkWorld({ contacts: 100 })
  const secret = world.env['SVC_API_SECRET'] ?? ''
  const ids = [...world.fresh(6), ...world.absent(1), idOf(999)]
  const line = `contacts delete --file ${world.file('ids', ids)} --yes --wait 0s batches-of=2`
  const faults = 'contacts.delete:2=500 contacts.delete:4=401'
  const { run, path, state } = await world.begun(faults, line)
  await world.bulk(`runs resume ${run} --yes --receipts ${world.output()} ${state}`)
  const text = readFileSync(path, 'utf8')
  expect(text).not.toContain(secret)
  const next = new Map<string, number>()
  for (const each of linesIn(path)) {
    const { c, ...rest } = each
    const written = textOf(rest)
    expect(text).toContain(written)
    expect(written).toContain(c)
    expect([each.s, each.i]).toEqual([each.s, next.get(each.s) ?? 0])
    next.set(each.s, each.i + 1)
    expect(Math.abs(each.at - Date.now())).toBeLessThan(60_000)
  }
  // Each write begins with a line end: nothing that was torn before it swallows its first line.
  for (const kind of ['session', 'try', 'res', 'end', 'free', 'file']) {
    expect(text).toMatch(new RegExp(`(?:^|\\n)\\n\\{"s":"[0-9a-f]{8}","i":\\d+,"t":"${kind}"`))
  }
  expect(next.size).toBe(2)
})
