import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createWorld, type Options, type Result } from '../svc.ts'

const world = createWorld()
const { folder } = world

function svc(words: string | string[], options: Options = {}): Promise<Result> {
  return world.svc(words, options)
}

const [a, b, c, d] = [1, 2, 3, 4].map((n) => `64f0a1b2c3d4e5f60000000${n}`) as [string, string, string, string]
const A = a.toUpperCase()

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const lines = file('lines.txt', `# mine\n${a}\n${b}\n\n${A}\n${c}\n`)
const csv = file('table.csv', `name,contactId\nBob,${c}\nAnn,${A}\n`)
const bad = file('bad.txt', `${a}\nnonsense\n${b}\n`)

describe('ids check', () => {
  it('counts', async () => {
    const sha256 = createHash('sha256').update(`${a}\n${b}\n${c}\n`).digest('hex')
    const { code, stdout, stderr } = await svc(['ids', 'check', lines, '--json'])
    expect(JSON.parse(stdout)).toEqual({
      format: 'lines',
      read: 4,
      unique: 3,
      duplicates: 1,
      invalid: 0,
      sha256,
      bad: [],
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect((await svc(['ids', 'check', lines])).stdout).toMatch(/UNIQUE +3\n/)
  })

  it('names the bad lines, exit 2; with --skip-invalid exit 0', async () => {
    const found = await svc(['ids', 'check', bad])
    expect(found.code).toBe(2)
    expect(found.stderr).toContain(`"${bad}" line 2: "nonsense": contains "n" at character 1`)
    expect(found.stdout).toMatch(/INVALID +1\n/)
    const skipped = await svc(['ids', 'check', bad, '--skip-invalid', '--json'])
    expect(skipped.code).toBe(0)
    expect(JSON.parse(skipped.stdout)).toMatchObject({
      read: 3,
      unique: 2,
      invalid: 1,
      bad: [{ line: 2, text: 'nonsense' }],
    })
  })

  it('says what cannot be read', async () => {
    const missing = await svc('ids check none.txt')
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('"none.txt" cannot be read: there is no such file')
    const terminal = await svc('ids check -', { isTerminal: { stdin: true } })
    expect(terminal.code).toBe(2)
    expect(terminal.stderr).toContain('standard input is a terminal')
  })

  it('takes the format and the column', async () => {
    const table = file('two.csv', `id;other\n${a};${b}\n`)
    const found = await svc(['ids', 'dedupe', table, '--column', 'other'])
    expect(found.stdout).toBe(`${b}\n`)
    expect((await svc(['ids', 'check', csv, '--input-format', 'lines'])).code).toBe(2)
    expect((await svc(['ids', 'check', csv, '--input-format', 'xml'])).code).toBe(2)
  })
})

describe('combining', () => {
  it.each([
    [
      ['dedupe', lines],
      [a, b, c],
    ],
    [
      ['dedupe', csv],
      [c, A],
    ],
    [
      ['union', csv, lines],
      [c, A, b],
    ],
    [
      ['intersect', lines, csv],
      [a, c],
    ],
    [
      ['intersect', csv, lines],
      [c, A],
    ],
    [['subtract', lines, csv], [b]],
    [['subtract', lines, csv, bad, '--skip-invalid'], []],
    [['intersect', lines, csv, bad, '--skip-invalid'], [a]],
  ])('ids %j', async (words, ids) => {
    const { code, stdout } = await svc(['ids', ...words])
    expect({ code, stdout }).toEqual({ code: 0, stdout: ids.map((id) => `${id}\n`).join('') })
  })

  it('reads standard input once, in any place', async () => {
    expect((await svc(['ids', 'subtract', '-', csv], { stdin: `${d}\n${a}\n` })).stdout).toBe(`${d}\n`)
    expect((await svc(['ids', 'subtract', lines, '-'], { stdin: JSON.stringify([a, b]) })).stdout).toBe(`${c}\n`)
    expect((await svc('ids union - -', { stdin: a })).code).toBe(2)
  })

  it('prints rows where a format is asked for, and reads them again', async () => {
    const json = await svc(['ids', 'dedupe', csv, '--json'])
    expect(JSON.parse(json.stdout)).toEqual([{ id: c }, { id: A }])
    expect((await svc('ids dedupe -', { stdin: json.stdout })).stdout).toBe(`${c}\n${A}\n`)
    const table = await svc(['ids', 'dedupe', csv, '-o', 'csv'])
    expect((await svc('ids dedupe -', { stdin: table.stdout })).stdout).toBe(`${c}\n${A}\n`)
  })

  it('refuses bad lines before it prints anything', async () => {
    const { code, stdout, stderr } = await svc(['ids', 'union', lines, bad])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('line 2')
  })

  it('200,000 ids through a pipe', async () => {
    const count = 200_000
    async function* all(): AsyncGenerator<Buffer> {
      for (let n = 0; n < count; n += 1000) {
        yield Buffer.from(
          Array.from({ length: 1000 }, (_, i) => `64f0${(n + i).toString(16).padStart(20, '0')}\n`).join(''),
        )
      }
    }
    const { stdout } = await svc('ids dedupe -', { stdin: Readable.from(all()) })
    expect(stdout.length).toBe(count * 25)
  })
})
