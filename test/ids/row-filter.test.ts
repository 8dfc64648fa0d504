/** Rows that are taken of a table: `--where`, and what `contacts match --annotate` wrote. */
import { afterAll, describe, expect, test } from 'vitest'
import { readPairs } from '../../src/ids/pairs.ts'
import { idOf, read, refusal, stdin, temporaryFolder } from './inputs.ts'
import { rowsOf, workbook } from './workbooks.ts'

const folder = temporaryFolder()
afterAll(folder.remove)
const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const decided = `source,target,DECISION\n${a},${b},merge\nx,y,\n${c},${d}, MERGE \n${d},${a},no\n`
const merge = { format: 'auto', skipInvalid: false, columns: ['source', 'target'] } as const
const pairsOf = (content: string, where: readonly string[]) => readPairs([stdin(content)], { ...merge, where })

describe('--where', () => {
  test.each<[string, string, string[], string[]]>([
    ['csv', `id,state\n${a},open\n${b},closed\n${c},Open \n`, ['state=open'], [a, c]],
    ['semicolons and a title', `My contacts\nid;state\n${a};open\n${b};closed\n`, ['STATE=OPEN'], [a]],
    ['two of them', `id,state,n\n${a},open,1\n${b},open,2\n`, ['state=open', 'n=2'], [b]],
    ['an empty value', `id,state\n${a},open\n${b},\n${c}, \n`, ['state='], [b, c]],
    ['a value with a sign', `id,state\n${a},a=b\n${b},a\n`, ['state=a=b'], [a]],
    ['the ids themselves', `id\n${a}\n${b}\n`, [`id=${b.toUpperCase()}`], [b]],
    ['rows that are no ids', `id,state\n${a},open\nnone,closed\n`, ['state=open'], [a]],
    ['quoted cells', `id,"the state"\n"${a}","open\nnow"\n"${b}",x\n`, ['the state=open\nnow'], [a]],
  ])('%s', async (_name, content, where, ids) => {
    const found = await read(content, { where })
    expect([...found.ids]).toEqual(ids)
    const all = content.trimEnd().split(/\n(?!now)/).length - (content.startsWith('My') ? 2 : 1)
    expect([found.read, found.leftOut]).toEqual([ids.length, all - ids.length])
    expect(found.notes.at(-1)).toMatch(/rows? left out: excluded by --where$/)
  })

  test('a workbook, whose hidden rows are left out with the others', async () => {
    const sheets = [{ name: 'All', rows: rowsOf(['id', 'state'], [a, 'open'], [b, 'closed']) }]
    const found = await read(workbook({ sheets }), { where: ['state=open'] })
    expect([[...found.ids], found.leftOut]).toEqual([[a], 1])
  })

  test('cells of it that cannot be read, in every row: it is not the ids that are wrong', async () => {
    const cell = (place: string): string => `<c r="${place}" t="str"><f>1</f><v>open</v></c>`
    const rows = `<row r="2"><c r="A2" t="inlineStr"><is><t>${a}</t></is></c>${cell('B2')}</row><row r="3"><c r="A3" t="inlineStr"><is><t>${b}</t></is></c>${cell('B3')}</row>`
    const sheets = [{ name: 'All', rows: rowsOf(['id', 'state']) + rows }]
    const { message } = await refusal(read(workbook({ sheets }), { where: ['state=open'] }))
    expect(message).toContain('cell B2: "open": a formula')
    expect(message).not.toContain('none of 2 lines')
  })

  test('pairs', async () => {
    const { pairs, leftOut, read: count } = await pairsOf(decided, ['DECISION=merge'])
    expect([pairs.map(({ id, other }) => [id, other]), leftOut, count]).toEqual([
      [
        [a, b],
        [c, d],
      ],
      2,
      2,
    ])
  })

  test('pairs whose DECISION nothing asks for are refused', async () => {
    for (const [content, where] of [
      [decided, []],
      [decided.replace('DECISION', ' Decision '), []],
      [decided, [`source=${a}`]],
    ] as const) {
      const { exitCode, message } = await refusal(pairsOf(content, where))
      expect([exitCode, message]).toEqual([2, expect.stringContaining('every row would be merged')])
    }
    expect((await pairsOf(decided, ['decision=no'])).pairs).toHaveLength(1)
  })

  test('pairs as JSON whose DECISION is another are bad lines', async () => {
    const all = ['Merge ', 'no', '', null, undefined].map((DECISION) =>
      JSON.stringify({ source: a, target: b, DECISION }),
    )
    for (const text of [all.join('\n'), `[${all.join(',')}]`]) {
      const { exitCode, message } = await refusal(pairsOf(text, []))
      expect([exitCode, message]).toEqual([2, expect.stringContaining('DECISION is not "merge"')])
      expect(await readPairs([stdin(text)], { ...merge, skipInvalid: true })).toMatchObject({ read: 5, invalid: 3 })
    }
  })

  test.each<[string, string, string[], string]>([
    ['an unknown heading', `id,state\n${a},open\n`, ['stat=open'], 'did you mean "state"?'],
    ['a repeated heading', `id,state,state\n${a},open,open\n`, ['state=open'], 'has 2 columns called "state"'],
    ['no heading', `${a}\n${b}\n`, ['state=open'], 'has none'],
    ['lines', `id\n${a}\n`, ['state=open'], 'has no column "state"'],
    ['JSON', JSON.stringify([{ id: a, state: 'open' }]), ['state=open'], 'csv and workbooks'],
    ['NDJSON', `${JSON.stringify({ id: a, state: 'open' })}\n`, ['state=open'], 'csv and workbooks'],
    ['no sign', `id,state\n${a},open\n`, ['state'], '--where takes <column>=<value>, not "state"'],
    ['no column', `id,state\n${a},open\n`, ['=open'], '--where takes <column>=<value>'],
  ])('%s is refused', async (_name, content, where, words) => {
    const { exitCode, message, details } = await refusal(read(content, { where }))
    expect([exitCode, `${message} ${details.hint ?? ''}`]).toEqual([2, expect.stringContaining(words)])
  })
})

describe('a table that contacts match annotated', () => {
  const heading = 'Name;contactId;MATCH;BY;NAME;LISTS;CANDIDATES'
  const row = (id: string, match: string): string => `x;${id};${match};phone;X;VIP;`
  const table = [heading, row(a, ' One'), row('', 'several'), row('', 'none'), row(b, 'one'), ''].join('\n')

  test.each(['contactId', 'CONTACTID', undefined])('gives the rows with one, with --column %s too', async (column) => {
    const found = await read(table, column === undefined ? {} : { column })
    expect([[...found.ids], found.read, found.leftOut]).toEqual([[a, b], 2, 2])
    expect(found.notes).toEqual(['standard input: 2 rows left out: MATCH is not "one"'])
  })

  test('whatever ids other columns and other rows have', async () => {
    const content = `id;contactId;MATCH;BY\n${c};${a};one;phone\n${d};${b};differs;phone\n`
    const found = await read(content, { column: 'id' })
    expect([[...found.ids], found.leftOut]).toEqual([[c], 1])
  })

  test('with --where, and among pairs', async () => {
    const other = table.replace(`x;${a}`, `y;${a}`)
    expect([...(await read(other, { where: ['Name=Y'] })).ids]).toEqual([a])
    const pairs = `source,target,contactId,MATCH,BY\n${a},${b},,one,phone\n${c},${d},,none,\n`
    expect((await pairsOf(pairs, [])).pairs).toHaveLength(1)
  })

  test('without one of the three headings it is a table like any other', async () => {
    const content = `Name;contactId;MATCH\nx;${a};one\ny;${b};none\n`
    expect([...(await read(content)).ids]).toEqual([a, b])
  })

  test.each<[string, string, string]>([
    ['another word under MATCH', table.replace('several', 'maybe'), 'line 3: "maybe" under MATCH'],
    ['no word', table.replace('several', ''), 'line 3: "" under MATCH'],
    ['MATCH twice', table.replace('LISTS', 'match'), 'two columns called "MATCH"'],
    ['BY twice', table.replace('LISTS', 'BY'), 'two columns called "BY"'],
    ['contactId twice', table.replace('LISTS', 'contactid'), 'columns'],
  ])('%s is refused', async (_name, content, words) => {
    for (const options of [{}, { skipInvalid: true }, { column: 'contactId' }]) {
      const { exitCode, message } = await refusal(read(content, options))
      expect([exitCode, message]).toEqual([2, expect.stringContaining(words)])
    }
  })

  test('none left is an empty input', async () => {
    const found = await read(`${heading}\n${row('', 'none')}\n`)
    expect([found.ids.size, found.read, found.leftOut]).toEqual([0, 0, 1])
  })
})
