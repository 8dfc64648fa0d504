import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { BadLine } from '../../src/ids/bad-lines.ts'
import { idSearch, readIds } from '../../src/ids/reader.ts'
import { readPieces } from '../../src/ids/rows.ts'
import { findInRows } from '../../src/ids/search.ts'
import { SvcError } from '../../src/errors.ts'
import { safe } from '../../src/output/text/safe.ts'
import { argument, fileInput, idOf, idsOf, read, refusal, stdin, temporaryFolder } from './inputs.ts'
import { atRandom } from '../figures/figure.ts'

const folder = temporaryFolder()
afterAll(() => {
  folder.remove()
})

const [a, b, c] = ['64f0a1b2c3d4e5f600000001', '64f0a1b2c3d4e5f600000002', '64f0a1b2c3d4e5f600000003'] as const
const A = a.toUpperCase()
const auto = { format: 'auto', skipInvalid: false } as const

function makeFifo(path: string): void {
  if (spawnSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]).status !== 0) throw new Error('no FIFO could be made')
}

/** UTF-16 with a byte order mark unless told otherwise. */
function utf16(text: string, big = false, mark = true): Buffer {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')
  return big ? bytes.swap16() : bytes
}

describe('inputs that are accepted', () => {
  const cases: [name: string, content: string | Uint8Array, ids: string[], lines?: number[]][] = [
    ['an empty file', '', []],
    ['only blanks and comments', '  \n# ids of today\n\t\n#\n', []],
    ['only a byte order mark', '\ufeff', []],
    ['a byte order mark', `\ufeff${a}\n${b}\n`, [a, b], [1, 2]],
    ['line feeds', `${a}\n${b}\n`, [a, b], [1, 2]],
    ['CRLF', `${a}\r\n${b}\r\n`, [a, b], [1, 2]],
    ['CR alone', `${a}\r${b}\r`, [a, b], [1, 2]],
    ['mixed line ends', `${a}\r\n\n${b}\r\r${c}`, [a, b, c], [1, 3, 5]],
    ['no last newline', `${a}\n${b}`, [a, b], [1, 2]],
    ['UTF-16 LE with its mark', utf16(`${a}\r\n${b}\r\n`), [a, b], [1, 2]],
    ['UTF-16 BE with its mark', utf16(`${a}\n${b}`, true), [a, b], [1, 2]],
    ['UTF-16 LE without a mark', utf16(`${a}\n`, false, false), [a], [1]],
    ['UTF-16 BE without a mark', utf16(`${a}\n`, true, false), [a], [1]],
    ['trailing blanks', `${a}  \n\t${b}\t\n`, [a, b], [1, 2]],
    ['no-break spaces around', `\u00a0${a}\u00a0\n\u202f${b}\u3000\n`, [a, b], [1, 2]],
    ['upper case', `${A}\n`, [A], [1]],
    ['duplicates in either case', `${a}\n${A}\n${b}\n${b}\n`, [a, b], [1, 3]],
    ['the first spelling wins', `${A}\n${a}\n`, [A], [1]],
    ['quoted lines', `"${a}"\n'${b}'\n`, [a, b], [1, 2]],
    ['lines of an array', `"${a}",\n"${b}",\n${c};\n`, [a, b, c], [1, 2, 3]],
    ['lines of an array with a comment', `"${a}",\n# more\n"${b}",\n`, [a, b], [1, 3]],
    ['ObjectId', `ObjectId("${a}")\nObjectId('${b}')\nnew ObjectId("${c}"),\n`, [a, b, c], [1, 2, 3]],
    ['a header id', `id\n${a}\n`, [a], [2]],
    ['a header contactId', `contactId\n${a}\n`, [a], [2]],
    ['a header contact_id, quoted', `"contact_id"\n"${a}"\n`, [a], [2]],
    ['a header behind comments', `# export\n\nid\n${a}\n`, [a], [4]],
    ['csv with a header', `name,id\nBob,${a}\n"Smith, Ann",${b}\n`, [a, b], [2, 3]],
    ['csv with semicolons', `id;name\n${a};Bob, the one\n${b};\n`, [a, b], [2, 3]],
    ['csv with tabs', `name\tcontactId\nBob\t${a}\n`, [a], [2]],
    [
      'csv with quoted line breaks: the line where the record begins',
      `id,note\n${a},"one\r\ntwo\r\nthree"\n${b},x\n`,
      [a, b],
      [2, 5],
    ],
    ['csv with CR line ends', `id,name\r${a},Bob\r${b},Ann`, [a, b], [2, 3]],
    ['csv with mixed line ends and blank lines', `id,name\r\n${a},Bob\n\n,,\r${b},Ann`, [a, b], [2, 5]],
    ['csv behind comments', `# made today\n#\nid,name\n${a},Bob\n`, [a], [4]],
    ['csv with a byte order mark and quotes', `\ufeff"id","name"\r\n"${a}","Bob"\r\n`, [a], [2]],
    ['csv with ObjectId', `id,name\nObjectId("${a}"),Bob\n`, [a], [2]],
    ['a spreadsheet’s blank columns', `${a},,\n${b},,\n`, [a, b], [1, 2]],
    ...[false, true].map((isBig): [string, Buffer, string[], number[]] => [
      `csv in UTF-16 without a mark, of other letters (${isBig})`,
      utf16(`name;id\r\n${'李雷'.repeat(40)};${a}\r\n${'Ā'.repeat(5)};${b}\n`, isBig, false),
      [a, b],
      [2, 3],
    ]),
    ['csv in UTF-16', utf16(`id\tname\r\n${a}\tZoë\r\n`), [a], [2]],
    ['csv with a name in another encoding', Buffer.from(`id,name\n${a},Zo\xeb\n`, 'latin1'), [a], [2]],
    ['a JSON array', JSON.stringify([a, b]), [a, b], [1, 2]],
    ['a JSON array of objects', `[{"id":"${a}"},\n {"contactId":"${b}"}, {"contact_id":"${c}"}]`, [a, b, c], [1, 2, 3]],
    ['an empty JSON array', ' [] ', []],
    ['one JSON object over several lines', `{\n  "id": "${a}"\n}\n`, [a], [1]],
    ['NDJSON of objects', `{"id":"${a}","n":1}\n\n{"contactId":"${b}"}\r\n`, [a, b], [1, 3]],
    ['NDJSON with $oid', `{"id":{"$oid":"${a}"}}\n`, [a], [1]],
    ['NDJSON with a byte order mark', `\ufeff{"id":"${a}"}\n`, [a], [1]],
    ['no id at all but digits and letters e', '5e1234567890123456789012\n', ['5e1234567890123456789012'], [1]],
    ['all digits', '123456789012345678901234\n', ['123456789012345678901234'], [1]],
    ['zeros at the end, but letters too', '64f0a1b2c3d4e5f600000000\n', ['64f0a1b2c3d4e5f600000000'], [1]],
  ]
  it.each(cases)('%s', async (_, content, ids, lines = []) => {
    for (const size of [65_536, 1, 7]) {
      const { ids: table, invalid } = await readIds([stdin(content, size)], auto)
      expect([...table]).toEqual(ids)
      expect(invalid).toBe(0)
      expect(ids.map((__, index) => table.line(index))).toEqual(lines)
    }
  })

  it('0, 1, 100, 101 and 200 ids', async () => {
    for (const count of [0, 1, 100, 101, 200]) {
      const ids = idsOf(count)
      const found = await read(ids.map((id) => `${id}\n`).join(''))
      expect([...found.ids]).toEqual(ids)
      expect(found).toMatchObject({ read: count, duplicates: 0, invalid: 0 })
    }
  })

  it('line ends and lines that are cut in two far behind the beginning', async () => {
    // More than is read at once.
    const ids = idsOf(12_000)
    for (const [head, tail] of [
      ['', ''],
      ['id,name\r\n', ',Bob'],
    ] as const) {
      const content = `${head}${ids.map((id) => `${id}${tail}\r\n`).join('')}`
      // A file is read into one buffer again and again.
      for (const input of [stdin(content, 25 + head.length), fileInput(folder.file('cut.txt', content))]) {
        const { ids: table } = await readIds([input], auto)
        expect([...table]).toEqual(ids)
        expect(table.line(11_999)).toBe(head === '' ? 12_000 : 12_001)
      }
    }
  })

  it('arguments: no line, duplicates counted, quotes and ObjectId taken off', async () => {
    const words = [a, A, `ObjectId("${b}")`, '123456789012345000000000']
    const found = await readIds(
      words.map((text) => argument(text)),
      auto,
    )
    expect([...found.ids]).toEqual([a, b, '123456789012345000000000'])
    expect([found.read, found.duplicates, found.ids.line(1)]).toEqual([4, 1, 0])
  })

  it('several inputs, one after the other, of different formats', async () => {
    const lines = folder.file('one.txt', `${a}\n`)
    const json = folder.file('two.json', JSON.stringify([a, b]))
    const found = await readIds([argument(c), fileInput(lines), fileInput(json)], auto)
    expect([...found.ids]).toEqual([c, a, b])
    expect(found.duplicates).toBe(1)
    expect(found.formats).toEqual(['lines', 'json'])
  })

  it('a FIFO', async () => {
    const path = join(folder.path, 'fifo')
    makeFifo(path)
    const writer = spawn('sh', ['-c', `printf '${a}\\n' > "$1"; `, 'sh', path])
    const found = await readIds([fileInput(path)], auto)
    writer.kill()
    expect([...found.ids]).toEqual([a])
  })

  it('a FIFO without a writer can be left', async () => {
    const path = join(folder.path, 'silent')
    makeFifo(path)
    const stop = new AbortController()
    setTimeout(() => {
      stop.abort(new Error('stopped'))
    }, 50)
    await expect(readIds([fileInput(path)], { ...auto, signal: stop.signal })).rejects.toThrow('stopped')
    // Lets the read that still waits come to its end.
    spawnSync('sh', ['-c', ': > "$1"', 'sh', path])
  })

  it('a symbolic link', async () => {
    const target = folder.file('target.txt', a)
    const path = join(folder.path, 'link.txt')
    symlinkSync(target, path)
    expect((await readIds([fileInput(path)], auto)).ids.size).toBe(1)
  })

  it('a million ids, in flat memory', async () => {
    const count = 1_000_000
    async function* lines(): AsyncGenerator<Buffer> {
      for (let n = 0; n < count; n += 10_000) {
        let text = ''
        for (let i = n; i < n + 10_000; i += 1) text += `${idOf(i)}\n`
        yield Buffer.from(text)
      }
    }
    const before = process.memoryUsage().arrayBuffers
    const found = await readIds([{ kind: 'stdin', stream: Readable.from(lines()), isTerminal: false }], auto)
    expect(found.ids.size).toBe(count)
    expect(found.ids.id(count - 1)).toBe(idOf(count - 1))
    expect(found.ids.line(count - 1)).toBe(count)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 << 20)
  })
})

describe('columns', () => {
  const table = `Contact ID,name,other\n${a},Bob,${b}\n`
  it('by name', async () => {
    expect([...(await read(table, { column: 'Contact ID' })).ids]).toEqual([a])
  })
  it('by number', async () => {
    expect([...(await read(table, { column: '1' })).ids]).toEqual([a])
    expect([...(await read(`${a},Bob\n${b},Ann\n`, { column: '1' })).ids]).toEqual([a, b])
  })
  it('one column under another name, in any letter case', async () => {
    for (const column of ['Contact', 'contact'])
      expect([...(await read(`Contact\n${a}\n`, { column })).ids]).toEqual([a])
    expect([...(await read(`Key,key\n${b},${a}\n`, { column: 'key' })).ids]).toEqual([a])
    expect([...(await read(`[{"Number":"${a}"}]`, { column: 'number' })).ids]).toEqual([a])
  })
  it('a path in JSON', async () => {
    const document = JSON.stringify({
      members: [
        { id: b, contact: { id: a } },
        { id: b, contact: { id: c } },
      ],
    })
    expect([...(await read(document, { column: 'members.contact.id' })).ids]).toEqual([a, c])
    expect([...(await read(document, { column: 'members.contact.id', format: 'json' })).ids]).toEqual([a, c])
    expect([...(await read(`{"x":{"y":"${a}"}}\n{"x":{"y":"${b}"}}\n`, { column: 'x.y' })).ids]).toEqual([a, b])
    expect([...(await read(JSON.stringify([{ 'x.y': a }]), { column: 'x.y' })).ids]).toEqual([a])
    expect([...(await read(`{\n"notFoundIds":["${a}","${b}"]}`, { column: 'notFoundIds' })).ids]).toEqual([a, b])
  })
  it('a key called __proto__ is a key', async () => {
    const error = await refusal(read(`{"__proto__":{"id":"${a}"}}\n`))
    expect(error.message).toContain('"__proto__"')
    expect([...(await read(`{"__proto__":{"id":"${a}"}}\n`, { column: '__proto__.id' })).ids]).toEqual([a])
  })

  const refused: [name: string, content: string, options: { column?: string }, ...fragments: string[]][] = [
    [
      'no known name',
      `Number,name,mail\n${a},y,z\n`,
      {},
      '3 columns: "Number", "name", "mail"; none is called "id" or "contactId"',
      '--column Number',
    ],
    ['no known name and no id', 'Number,name,mail\nx,y,z\n', {}, '3 columns: "Number"', '--column <name>'],
    ['no heading', `${a},Bob\n`, {}, '2 columns and no heading', 'Bob', '--column 1'],
    ['a heading that a shell would run', `"$(reboot)",x\n${a},y\n`, {}, '"$(reboot)", "x"', '--column <name>'],
    ['two known names in other spellings', `Contact ID,name,id\n${a},Bob,${b}\n`, {}, '"Contact ID", "id"'],
    ['two known names', `id,contactId\n${a},${b}\n`, {}, '"id", "contactId"', '--column 1 or --column 2'],
    ['a duplicate header', `id,id\n${a},${b}\n`, {}, '2 columns that may hold the ids'],
    [
      'a duplicate header that is named',
      `x,x\n${a},${b}\n`,
      { column: 'x' },
      '2 columns called "x"',
      'give one of them another name',
    ],
    ['an unknown column', `id,name\n${a},Bob\n`, { column: 'contact' }, 'no column "contact"', '"id", "name"'],
    [
      'a misspelled column',
      `key,nam\n${a},Bob\n`,
      { column: 'kye' },
      'no column "kye"',
      'did you mean --column "key"?',
    ],
    ['a column in two letter cases', `Key,KEY\n${a},${b}\n`, { column: 'key' }, '2 columns called "key"'],
    ['a file of pairs', `source,target\n${a},${b}\n`, {}, '2 columns: "source", "target"; none is called "id"'],
    ['a column beyond the last', `id,name\n${a},Bob\n`, { column: '3' }, '2 columns, not 3'],
    ['two members', JSON.stringify([{ id: a, contactId: b }]), {}, '"id", "contactId"'],
    [
      'an object that is no list',
      JSON.stringify({ lists: [], pagination: {} }, null, 1),
      {},
      'a JSON object of "lists", "pagination"',
      '--column members.contact.id',
    ],
  ]
  it.each(refused)('%s is refused', async (_, content, options, ...fragments) => {
    const error = await refusal(read(content, options))
    expect(error.exitCode).toBe(2)
    for (const fragment of fragments) expect(`${error.message}\n${error.details.hint}`).toContain(fragment)
  })
})

describe('bad lines are refused, saying what happened', () => {
  const cases: [name: string, line: string | Uint8Array, ...fragments: string[]][] = [
    ['23 digits', a.slice(1), '23 hexadecimal digits; an id has 24'],
    ['25 digits', `${a}0`, '25 hexadecimal digits; an id has 24'],
    ['0x', `0x${a}`, 'begins with 0x'],
    ['a zero-width space', `${a.slice(0, 5)}\u200b${a.slice(5)}`, 'U+200B', 'character 6'],
    ['a zero-width space at the end', `${a}\u200b`, 'U+200B'],
    ['a byte order mark in the middle', `\ufeff${a}`, 'U+FEFF'],
    ['a soft hyphen', `${a}\u00ad`, 'U+00AD'],
    ['a Cyrillic letter', a.replace('a', '\u0430'), 'U+0430'],
    ['a full-width digit', a.replace('6', '\uff16'), 'U+FF16'],
    ['a typographic quote', `\u201c${a}\u201d`, 'U+201C'],
    ['a direction mark', `\u202e${a}`, 'U+202E'],
    ['a control character', `${a}\u0007`, 'U+0007'],
    ['an emoji', `${a.slice(1)}\u{1f600}`, '"\u{1f600}" (U+1F600) at character 24, not a hexadecimal digit'],
    ['a name', 'Müller', '"Müller": contains "M" at character 1'],
    ['a name in Chinese', '李雷', '"李雷": contains "李" (U+674E) at character 1, not a hexadecimal digit'],
    ['a name in Cyrillic', 'Анна', '"Анна": contains "А" (U+0410) at character 1, not a hexadecimal digit'],
    ['a letter that is no hexadecimal digit', a.replace('a', 'ä'), '"ä" (U+00E4) at character 5'],
    ['the letter O', a.replace('0', 'O'), '"O" at character 4'],
    ['scientific notation', '5.07E+23', 'scientific notation'],
    ['scientific notation with a comma', '"5,07E+23"', 'scientific notation'],
    ['scientific notation that looks hexadecimal', '507e23', 'scientific notation'],
    ['rounded digits', '507123456789012000000000', 'rounded by a spreadsheet'],
    ['rounded digits, shorter', '50712345678901200000', 'rounded by a spreadsheet'],
    ['lost leading zeros', '12345678901234567890123', '23 hexadecimal digits', 'dropped zeros at its beginning'],
    ['a formula', `="${a}"`, 'spreadsheet formula'],
    ['a quoted formula', `"=""${a}"""`, 'spreadsheet formula'],
    ['a leading apostrophe', `'${a}`, 'apostrophe'],
    ['two ids, blank', `${a} ${b}`, '2 ids on one line'],
    ['two ids, comma', `${a}, ${b}`, '2 ids on one line'],
    ['three ids, semicolons', `${a};${b};${c}`, '3 ids on one line'],
    ['two ids, no-break space', `${a}\u00a0${b}`, '2 ids on one line'],
    ['an id and a name', `${a} Bob`, 'more than an id on the line'],
    ['an e-mail address', 'bob@example.com', '"o" at character 2'],
    ['empty quotes', '""', 'empty'],
    ['escape characters', '\u001b[31mred', 'U+001B'],
    ['invalid UTF-8', Buffer.from(`${a}\xff`, 'latin1'), 'invalid UTF-8 at byte 49'],
    [
      'invalid UTF-8 behind characters of several bytes',
      Buffer.from('e282acc3a9ff41', 'hex'),
      'invalid UTF-8 at byte 30',
    ],
    ['a cut UTF-8 character', Buffer.from(`${a.slice(0, 4)}\xe2\x82`, 'latin1'), 'invalid UTF-8 at byte 29'],
  ]
  it.each(cases)('%s', async (_, line, ...fragments) => {
    const content = Buffer.concat([Buffer.from(`${a}\n`), Buffer.from(line as string), Buffer.from(`\n${b}\n`)])
    const error = await refusal(read(content))
    expect(error).toMatchObject({ category: 'usage', exitCode: 2 })
    for (const fragment of ['line 2', ...fragments]) expect(error.message).toContain(fragment)
    // What stands in a file never commands the terminal.
    expect(error.message).toBe(safe(error.message, { newlines: 'keep' }))

    const skipped = await read(content, { skipInvalid: true })
    expect([...skipped.ids]).toEqual([a, b])
    expect(skipped).toMatchObject({ read: 3, duplicates: 0, invalid: 1 })
    expect(skipped.ids.line(1)).toBe(3)
  })

  const values: [name: string, value: string, fragment: string][] = [
    ['a number', '507123456789012345678901', 'a number: its last digits are lost'],
    ['null', 'null', 'null, not an id'],
    ['true', 'true', 'of type boolean'],
    ['an array', '[]', 'an array, not an id'],
    ['an object without an id', '{"name":"Bob"}', 'an object without "id" or "contactId" (it has "name")'],
    ['an empty object', '{}', 'it is empty'],
    ['a short string', '"64f0"', '4 hexadecimal digits'],
  ]
  it.each(values)('%s in JSON', async (_, value, fragment) => {
    const array = await refusal(read(`["${a}", ${value}]`))
    expect(array.message).toContain('item 2')
    expect(array.message).toContain(fragment)
    const lines = await refusal(read(`{"id":"${a}"}\n${value}\n`))
    expect(lines.message).toContain('line 2')
    expect(lines.message).toContain(fragment)
  })

  it('a line of NDJSON that is no JSON', async () => {
    const error = await refusal(read(`{"id":"${a}"}\n{"id":\n`))
    expect(error.message).toContain('line 2')
    expect(error.message).toContain('not JSON')
  })

  it('a header under another name is suggested as a column', async () => {
    const error = await refusal(read(`Contact\n${a}\n`))
    expect(error.message).toContain('line 1')
    expect(error.message).toContain('--column Contact')
  })

  it('a missing cell and an empty one', async () => {
    const error = await refusal(read(`name,id\nBob,${a}\nEve\nMax,""\n`))
    expect(error.message).toContain('2 ids are invalid')
    expect(error.message).toContain('line 3: "Eve": has no column 2')
    expect(error.message).toContain('line 4: empty')
  })

  it('one bad line in ten thousand', async () => {
    const ids = idsOf(10_000)
    ids[7_776] = 'oops'
    const error = await refusal(read(ids.join('\n')))
    expect(error.message).toContain('1 id is invalid')
    expect(error.message).toContain('line 7,777: "oops"')
  })

  it('names twenty of many, and their number', async () => {
    const error = await refusal(read(`${a}\n${'nonsense\n'.repeat(1_234)}`))
    expect(error.message).toContain('1,234 ids are invalid')
    expect(error.message).toContain('and 1,214 more')
    expect(error.message.match(/line \d+/g)).toHaveLength(20)
  })

  it('another file or column than was meant: says that none is an id, and shows three', async () => {
    const error = await refusal(read(`name,contact\n${'Anna,unknown\n'.repeat(1_234)}`, { column: 'name' }))
    expect(error.message).toMatch(
      /^none of 1,234 lines holds a valid id \(24 hexadecimal digits\)\n(?: {2}.* line \d: "Anna": .*\n){3} {2}and 1,231 more$/,
    )
    expect(error.details.hint).toBe(
      'if these were not meant to be the ids, choose another column (--column <name>) or another file',
    )
    // Words of the command line are in no column.
    const words = await refusal(
      readIds(
        ['x', 'y'].map((text) => argument(text)),
        auto,
      ),
    )
    expect(words.message).toContain('2 ids are invalid')
  })

  it('names bad lines of all inputs at once, arguments too', async () => {
    const path = folder.file('bad.txt', `${a}\nxyz\n`)
    const error = await refusal(readIds([argument('../employees'), fileInput(path)], auto))
    expect(error.message).toContain('argument 1: "../employees"')
    expect(error.message).toContain(`"${path}" line 2`)
  })

  it('an argument that is the name of a file says how to read the file', async () => {
    const path = folder.file('mine.txt', `${a}\n`)
    const error = await refusal(readIds([argument(path)], auto))
    expect(error.details.hint).toBe(`there is a file with that name; to read ids from it:\n  --file "${path}"`)
  })

  it('a 10 MB line is counted, not kept', async () => {
    const bad: BadLine[] = []
    const long = 'f'.repeat(10 << 20)
    const found = await read(`${a}\n${long}\n${b}\n`, {
      skipInvalid: true,
      onReject: (line) => {
        bad.push(line)
      },
    })
    expect([...found.ids]).toEqual([a, b])
    expect(bad[0]?.reason).toContain('10,485,760 bytes long')
    expect(bad[0]?.text.length).toBeLessThan(1_000)
    const error = await refusal(read(`{"id":"${a}"}\n"${long}"\n`))
    expect(error.message).toContain('10,485,762 bytes long')
    const csv = await refusal(read(`id,x\n${a},"${long}\n`))
    expect(csv.message).toContain('line 2: a record of more than 1 MB')
  })

  it('a line that is made to be slow is not', async () => {
    const blanks = ' '.repeat(500_000)
    const start = performance.now()
    for (const line of [`a${blanks}b`, `ObjectId(${blanks}(`, `"${blanks}`, `1${'0'.repeat(500_000)}x`]) {
      for (const options of [{}, { column: '1' }, { format: 'ndjson' }] as const) {
        expect((await refusal(read(`${line}\n${a}\n`, options))).exitCode).toBe(2)
      }
    }
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  it('every bad line is handed on, in order, before the end', async () => {
    const bad: string[] = []
    const found = await read(`${a}\nx\n${b}\ny\nz\n`, {
      skipInvalid: true,
      onReject: async (line) => {
        await Promise.resolve()
        bad.push(`${line.line} ${line.text} ${line.reason !== ''}`)
      },
    })
    expect(bad).toEqual(['2 x true', '4 y true', '5 z true'])
    expect(found.bad).toHaveLength(3)
  })
})

describe('inputs that are refused as a whole', () => {
  const binary: [name: string, content: Uint8Array, ...fragments: string[]][] = [
    ['gzip', gzipSync(`${a}\n`), 'gzip archive', 'gunzip'],
    ['zip', Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.from('a.txt')]), 'is damaged: it is cut off'],
    [
      'xlsx',
      Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.from('[Content_Types].xml')]),
      'is damaged: it is cut off',
      'save it again as .xlsx',
    ],
    ['xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an old Office file, such as an .xls workbook'],
    ['pdf', Buffer.from('%PDF-1.7\n'), 'PDF'],
    ['a web page', Buffer.from('\r\n<!DOCTYPE html>\n<table>'), 'it is HTML or XML'],
    ['a table of a web page', Buffer.from('<table border="1"><tr><td>'), 'it is HTML or XML'],
    ['XML', Buffer.from('\ufeff<?xml version="1.0"?>\n<Workbook>'), 'it is HTML or XML'],
    ['png', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), 'NUL byte'],
    ['UTF-32', Buffer.from('fffe000036000000', 'hex'), 'UTF-32'],
    ['UTF-16 with half a character', Buffer.concat([utf16(a), Buffer.from([0x36])]), 'not valid UTF-16'],
    ['NUL', Buffer.from(`${a}\n${b}\0\n`), 'NUL byte at byte 49', 'line 2'],
    ['NUL far behind', Buffer.from(`${idsOf(2_700).join('\n')}\n\0`), 'NUL byte at byte 67,500 (line 2,701)'],
    ['NUL in csv', Buffer.from(`id,n\n${a},${'x'.repeat(70_000)}\0`), 'NUL byte'],
    ['invalid UTF-8 in a document', Buffer.from(`["${a}", "\xff"]`, 'latin1'), 'not valid UTF-8', 'byte 30'],
  ]
  it.each(binary)('%s', async (_, content, ...fragments) => {
    for (const size of [65_536, 5]) {
      const error = await refusal(readIds([stdin(content, size)], auto))
      expect(error).toMatchObject({ category: 'usage', exitCode: 2 })
      for (const fragment of fragments) expect(`${error.message}\n${error.details.hint}`).toContain(fragment)
      // Skipping bad lines does not make text of it.
      expect((await refusal(readIds([stdin(content, size)], { ...auto, skipInvalid: true }))).exitCode).toBe(2)
    }
  })

  const texts: [name: string, content: string, ...fragments: string[]][] = [
    ['people', 'Name,Telefon\nAna,0171 2345678\n', 'none is called', 'svc contacts match --file <table>'],
    ['several ids on the first line', `${a},${b}\n`, '2 ids per line', 'a line of its own'],
    ['a quote that is never closed', `id,name\n${a},"Bob\n${b},Ann\n`, 'line 2', 'never closed'],
    ['broken JSON', `[\n"${a}",\n,]`, 'is not JSON'],
    ['an open document', `[\n"${a}",\n`, 'this input is incomplete'],
    ['JSON objects one after the other over several lines', '{\n"id": 1\n}\n{\n"id": 2\n}\n', 'is not JSON', 'ndjson'],
    ['lines with a column', `${a}\n`, 'no column "x"'],
  ]
  it.each(texts)('%s', async (name, content, ...fragments) => {
    const error = await refusal(read(content, name === 'lines with a column' ? { column: 'x' } : {}))
    expect(error.exitCode).toBe(2)
    for (const fragment of fragments) expect(`${error.message}\n${error.details.hint}`).toContain(fragment)
  })

  it('--column with the format lines', async () => {
    expect((await refusal(read(`${a}\n`, { column: '1', format: 'lines' }))).message).toContain('is read as lines')
  })

  it('a folder, a missing file, a path that goes through a file', async () => {
    mkdirSync(join(folder.path, 'folder'))
    const file = folder.file('plain.txt', a)
    for (const [path, fragment] of [
      [join(folder.path, 'folder'), 'it is a folder'],
      [join(folder.path, 'none.txt'), 'there is no such file or folder'],
      [join(file, 'below'), 'a part of the path is not a folder'],
      ['', 'there is no such file or folder'],
    ] as const) {
      const error = await refusal(readIds([fileInput(path)], auto))
      expect(error.exitCode).toBe(2)
      expect(error.message).toBe(`"${path}" cannot be read: ${fragment}`)
    }
  })

  it('/dev/zero, at once', async () => {
    const error = await refusal(readIds([fileInput('/dev/zero')], auto))
    expect(error.message).toContain('NUL byte at byte 0 (line 1)')
  })

  it('- on a terminal, at once', async () => {
    const stream = new Readable({ read: () => undefined })
    const error = await refusal(readIds([{ kind: 'stdin', stream, isTerminal: true }], auto))
    expect(error.exitCode).toBe(2)
    expect(error.message).toContain('standard input is a terminal')
    expect(error.details.hint).toContain('-o ids |')
  })

  it('- twice', async () => {
    expect((await refusal(readIds([stdin(a), stdin(b)], auto))).message).toContain('only once')
  })

  it('a stream that is given up is closed', async () => {
    const stream = Readable.from(
      (async function* () {
        for (;;) yield Buffer.from([0, 0, 0, 0])
      })(),
    )
    await refusal(readIds([{ kind: 'stdin', stream, isTerminal: false }], auto))
    expect(stream.destroyed).toBe(true)
  })
})

describe('properties', () => {
  const hexId = fc
    .string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'.split('')), minLength: 24, maxLength: 24 })
    .filter((id) => !/^\d{15}0{9}$/.test(id))
  const end = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '  \r\n', '\n# note\n')

  it('any mix of line ends, blanks, case and duplicates: the first of each, with its line and checksum', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(hexId, end), { maxLength: 30 }),
        fc.array(fc.nat({ max: 29 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 60 }),
        async (entries, again, size) => {
          const repeated = again.flatMap((index) => {
            const entry = entries[index]
            return entry === undefined ? [] : [[entry[0].toUpperCase(), '\n'] as const]
          })
          const all = [...entries, ...repeated]
          const text = all.map(([id, after]) => id + after).join('')
          const expected = new Map<string, { id: string; line: number }>()
          text.split(/\r\n|\r|\n/).forEach((line, index) => {
            const id = line.trim()
            if (id === '' || id.startsWith('#') || expected.has(id.toLowerCase())) return
            expected.set(id.toLowerCase(), { id, line: index + 1 })
          })
          const found = await readIds([stdin(text, size)], { format: 'lines', skipInvalid: false })
          const values = [...expected.values()]
          expect([...found.ids]).toEqual(values.map(({ id }) => id))
          expect(values.map((_, index) => found.ids.line(index))).toEqual(values.map(({ line }) => line))
          expect(found.read).toBe(all.length)
          expect(found.duplicates).toBe(all.length - values.length)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('every format gives the same ids', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hexId, { minLength: 1, maxLength: 20 }), async (ids) => {
        const forms = [
          ids.join('\n'),
          JSON.stringify(ids),
          JSON.stringify(ids.map((id) => ({ id }))),
          ids.map((contactId) => JSON.stringify({ contactId, n: 1 })).join('\n'),
          `name;id\r\n${ids.map((id) => `"a;b ""c""";${id}`).join('\r\n')}`,
          `\ufeffid\tx\n${ids.map((id) => `${id}\t`).join('\n')}`,
        ]
        const results = await Promise.all(forms.map(async (form) => [...(await read(form)).ids]))
        for (const result of results) expect(result).toEqual(results[0])
      }),
      { numRuns: 100 },
    )
  })

  it('no bytes make it crash: they are read or refused with exit 2', async () => {
    const pieces = fc.constantFrom(
      a,
      A,
      ',',
      ';',
      '\t',
      '"',
      "'",
      '\n',
      '\r',
      '[',
      ']',
      '{',
      '}',
      '"id"',
      ':',
      'id',
      '#',
      '\ufeff',
      '=',
      ' ',
    )
    const texts = fc.array(pieces, { maxLength: 25 }).map((parts) => Buffer.from(parts.join('')))
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, fc.uint8Array({ maxLength: 60 })), async (bytes) => {
        const exitCode = await read(bytes, { skipInvalid: true }).then(
          (found) => (found.read === found.ids.size + found.duplicates + found.invalid ? 0 : 'a wrong sum'),
          (error: unknown) => (error instanceof SvcError ? error.exitCode : error),
        )
        expect([0, 2]).toContain(exitCode)
      }),
      { numRuns: atRandom(700) },
    )
  })
})

it('rows of a list come with the comments and blank lines above the first id', async () => {
  const kinds: string[] = []
  const text = `# mine\n\n${idOf(1)}\n# end\n`
  for await (const { rows } of findInRows(readPieces([stdin(text)], idSearch({}), { format: 'auto' }), idSearch({})))
    for (const { line, kind, finding = '' } of rows) kinds.push(`${line} ${kind} ${finding}`)
  expect(kinds).toEqual(['1 other ', '2 other ', `3 data ${idOf(1)}`, '4 other '])
})
