import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { manyIds } from '../ids/inputs.ts'
import { createWorld, root, type Options, type Result } from '../svc.ts'

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
  it('more ids than a command sends', async () => {
    const { code, stdout } = await svc(`ids check ${file('many.txt', manyIds(1_000_001))} --json`)
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ unique: 1_000_001 })])
  })

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

  describe('an empty input after the first', () => {
    const empty = file('empty.txt', '')
    const heading = file('heading.csv', 'id,name\n')
    const comments = file('comments.txt', '# nothing today\n\n')
    const sentence =
      'in a pipeline, that often means that a command before it failed; if it is intended, add --allow-empty'

    it.each([
      ['subtract', [lines, empty]],
      ['subtract', [lines, csv, heading]],
      ['subtract', [lines, comments, csv]],
      ['intersect', [lines, empty]],
      ['intersect', [empty, comments]],
    ])('is refused: ids %s %j', async (verb, inputs) => {
      const { code, stdout, stderr } = await svc(['ids', verb, ...inputs])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^error: ".*(empty\.txt|heading\.csv|comments\.txt)" has no ids$/m)
      expect(stderr).toContain(sentence)
    })

    it.each([
      ['subtract', [a, b, c]],
      ['intersect', []],
    ])('is taken by ids %s with --allow-empty', async (verb, ids) => {
      const { code, stdout } = await svc(['ids', verb, lines, empty, '--allow-empty'])
      expect({ code, stdout }).toEqual({ code: 0, stdout: ids.map((id) => `${id}\n`).join('') })
    })

    it('is standard input too, as a failed command leaves it', async () => {
      const { code, stdout, stderr } = await svc(['ids', 'subtract', lines, '-'], { stdin: '' })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('error: standard input has no ids')
    })

    it('is one whose lines are all bad, with --skip-invalid', async () => {
      const page = file('page.txt', '502\nBad gateway\n')
      const { code, stdout, stderr } = await svc(['ids', 'subtract', lines, page, '--skip-invalid'])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('has no ids')
    })

    it('is nothing to refuse in a union, nor is an empty first input', async () => {
      expect(await svc(['ids', 'union', lines, empty])).toMatchObject({ code: 0, stdout: `${a}\n${b}\n${c}\n` })
      for (const verb of ['subtract', 'intersect', 'union']) {
        expect(await svc(['ids', verb, empty, csv])).toMatchObject({ code: 0 })
      }
    })

    it('is in the help', async () => {
      for (const verb of ['subtract', 'intersect']) {
        const { stdout } = await svc(`ids ${verb} --help`)
        expect(stdout).toContain('--allow-empty')
        expect(stdout.replaceAll(/\s+/g, ' ')).toContain('that a command before it failed')
      }
      expect((await svc('ids union --help')).stdout).not.toContain('--allow-empty')
    })
  })

  it('says what was skipped above the heading, but for -q', async () => {
    const report = file('report.csv', `sep=;\nReport of March;;\nName;Contact ID;x\nBob;${a};\n`)
    const expected = [
      `note: "${report}": skipped Excel's "sep=" line`,
      `note: "${report}": skipped 1 title row above the heading in line 3: "Report of March"`,
    ]
    for (const words of [
      ['check', report],
      ['dedupe', report],
      ['subtract', report, csv],
      ['union', lines, report],
    ]) {
      const { code, stderr } = await svc(['ids', ...words])
      expect(code).toBe(0)
      expect(stderr.split('\n')).toEqual(expect.arrayContaining(expected))
    }
    expect((await svc(['ids', 'dedupe', report, '-q'])).stderr).toBe('')
  })

  it('refuses bad lines before it prints anything', async () => {
    const { code, stdout, stderr } = await svc(['ids', 'union', lines, bad])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('line 2')
  })

  it('70,000 ids, more than a block of the table, through a pipe', async () => {
    const count = 70_000
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

describe('standard input that is nothing to read from, in a real process', () => {
  function withStdin(path: string, flags: string, ...words: string[]) {
    const stdin = openSync(path, flags)
    try {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin/svc.js'), ...words], {
        stdio: [stdin, 'pipe', 'pipe'],
        env: { ...world.env },
        encoding: 'utf8',
      })
      return { code: status, stdout, stderr }
    } finally {
      closeSync(stdin)
    }
  }
  mkdirSync(join(folder, 'folder'), { recursive: true })

  it.each([
    ['ids check -'],
    [`ids subtract ${lines} -`],
    [`ids union - ${lines}`],
    ['contacts delete - --dry-run'],
    ['contacts delete --file - --dry-run'],
  ])('a folder: svc %s', (line) => {
    const { code, stdout, stderr } = withStdin(join(folder, 'folder'), 'r', ...line.split(' '))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/it is a folder/)
  })

  it('a file that is open for writing only', () => {
    const { code, stdout, stderr } = withStdin(file('out.txt', ''), 'w', 'ids', 'check', '-')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('standard input cannot be read: it is not open for reading')
  })

  it('but /dev/null is an empty file, and a file is read', () => {
    expect(withStdin('/dev/null', 'r', 'ids', 'dedupe', '-')).toMatchObject({ code: 0, stdout: '' })
    expect(withStdin(lines, 'r', 'ids', 'dedupe', '-')).toMatchObject({ code: 0, stdout: `${a}\n${b}\n${c}\n` })
  })
})
