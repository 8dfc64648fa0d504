/** The people of a run: rows of the user's own table, names and lists by reading. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fullName } from '../../src/api/names.ts'
import { terminalCells } from '../../src/output/text/width.ts'
import { safe } from '../../src/safe-text.ts'
import { rowsOf, workbook } from '../input/workbooks.ts'
import { createSandboxWorld, typing } from '../svc.ts'
import { hasFeature } from '../has-feature.ts'

/** Reading all 300 lists would take most of the time. */
const known = /^(?!Campaign (?!2[09]))/
const { svc, sandbox, folder } = await createSandboxWorld({ shown: known })
const members = (list: string): string[] => [...(sandbox.store.memberIds(list) ?? [])]
const vip = members(sandbox.examples.list)
const listNamed = (wanted: string): string =>
  [...sandbox.store.allLists()].find(({ name }) => name === wanted)?.id ?? ''
const names = new Map(
  [...sandbox.store.contacts()].map((contact) => [contact.id, safe(fullName(contact))]),
)
const nameOf = (id: string): string => names.get(id) ?? ''
const listsOf = (id: string): Set<string> =>
  new Set(
    [...sandbox.store.allLists()].flatMap((list) =>
      known.test(list.name) && sandbox.store.memberIds(list.id).has(id) ? [safe(list.name)] : [],
    ),
  )
let files = 0

function file(content: string | Buffer, name = 'table.csv'): string {
  files += 1
  const path = join(folder, `${files}-${name}`)
  writeFileSync(path, content)
  return path
}

const table = (ids: readonly string[]): string[][] => [
  ['Customer', 'Tel.', 'contactId', 'City'],
  ...ids.map((id, n) => [`Person ${n}`, `+49 171 ${1000 + n}`, id, n % 2 === 0 ? 'Bonn' : '']),
]
const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.join(',')}\n`).join('')

/** The notes of a dry run. */
async function told(line: string, columns?: number): Promise<string> {
  const isTerminal = columns === undefined ? {} : { isTerminal: { stderr: true }, columns }
  const { code, stderr } = await svc(`${line} --dry-run`, isTerminal)
  expect(code).toBe(0)
  return stderr
}

describe('rows of the own table', () => {
  const shown =
    'note: rows in your table (--no-truncate shows them all):\n' +
    '  Customer    Tel.          City\n' +
    '  Person 0    +49 171 1000  Bonn\n' +
    '  Person 1    +49 171 1001\n' +
    '  Person 2    +49 171 1002  Bonn\n' +
    '  Person 3    +49 171 1003\n' +
    '  Person 4    +49 171 1004  Bonn\n' +
    '  (114 more)\n' +
    '  Person 119  +49 171 1119\n'
  const rows = table(vip.slice(0, 120))
  const tables: readonly [string, () => string][] = [
    ['csv', () => file(csv(rows))],
    [
      'a workbook',
      () => file(workbook({ sheets: [{ name: 'People', rows: rowsOf(...rows) }] }), 'table.xlsx'),
    ],
    ['duplicates and other columns in between', () => file(csv([...rows, ...rows.slice(3, 9)]))],
  ]
  const readable = tables.filter(([name]) => name !== 'a workbook' || hasFeature('workbook'))
  test.each(readable)('of %s: the first five and the last, without ids', async (_, write) => {
    expect(await told(`contacts delete --file ${write()}`)).toContain(shown)
  })

  test('all of them with --no-truncate', async () => {
    const text = await told(`contacts delete --file ${file(csv(rows))} --no-truncate --who`)
    expect(text).not.toMatch(/more\)|shows them all/)
    const shown = text.match(/^ {2}Person \d+ .*$/gm) ?? []
    expect(shown).toHaveLength(120)
    expect(text).toMatch(/^ {2}Customer +Tel\. +City +NAME +LISTS$/m)
    const [id = ''] = vip.slice(7)
    const [, line = '', lists = ''] = /^( {2}Person 7 .*  )(.*)$/m.exec(text) ?? []
    expect(line).toContain(`  +49 171 1007  `)
    expect(line).toContain(`  ${nameOf(id)}  `)
    expect(new Set(lists.split('; '))).toEqual(listsOf(id))
  })

  test('in the width of the terminal, inert', async () => {
    const wide = [
      ...table(vip.slice(0, 2)),
      ['\u001b[31mred\u202e', 'x'.repeat(300), vip[2] ?? '', ''],
    ]
    const path = file(csv(wide.map((row, n) => [n === 0 ? 'Remark' : `\u001b[31m${n}`, ...row])))
    for (const [options, columns, heading] of [
      ['', 40, /\n {2}Remark +Customer\n/],
      ['--who', 60, /\n {2}Remark +Customer +NAME +LISTS\n/],
      // A name that has no room says nothing: the own columns are fewer.
      ['--who', 40, /\n {2}Remark +NAME +LISTS\n/],
    ] as const) {
      const text = await told(`contacts delete --file ${path} ${options}`, columns)
      expect(['\u001b[31m', '\u202e'].filter((mark) => text.includes(mark))).toEqual([])
      expect(text).toContain('\\u{1b}')
      expect(text).toMatch(heading)
      // Lines of other notes are wrapped.
      const [, below = ''] = text.split(' in your table:\n')
      const rows = below.split('\n').slice(0, 4)
      expect(rows.map((line) => line.startsWith('  '))).toEqual([true, true, true, true])
      expect(Math.max(...rows.map(terminalCells))).toBeLessThanOrEqual(columns)
    }
  })

  test('of a list, of several tables and of one with nothing but ids there are none', async () => {
    const [list, ids] = [
      file(vip.slice(0, 9).join('\n')),
      file(csv(vip.slice(0, 9).map((id) => [id]))),
    ]
    for (const words of [list, ids, `${file(csv(rows))} --file ${file(csv(rows))}`])
      expect(await told(`contacts delete --file ${words}`)).not.toContain('your table')
  })
})

describe('--who', () => {
  const ids = [
    ...vip.slice(0, 30),
    ...members(listNamed('Trade fair')).slice(0, 7),
    '64000000d5aad2927bffffff',
  ]
  const path = file(ids.join('\n'))

  test('a list that cannot be read: that error, and nothing is written', async () => {
    const out = join(folder, 'never.csv')
    sandbox.setFaults('lists.get:10+=500')
    const result = await svc(
      `contacts delete --file ${path} --who --dry-run --retries 0 --annotate ${out}`,
    )
    sandbox.setFaults()
    expect(result).toMatchObject({ code: 7, stdout: '' })
    expect(existsSync(out)).toBe(false)
  })

  test('stands above the question, with the own rows, in the width of the terminal', async () => {
    const { terminal, shown } = typing('no')
    const rows = file(csv(table(vip.slice(0, 8))))
    const name = 'Two\n? Delete 1 contact'
    for (const words of [
      ['create', '--name', name],
      ['add-contacts', name, ...vip.slice(0, 8)],
    ])
      expect((await svc(['lists', ...words])).code).toBe(0)
    expect((await svc(`contacts delete --file ${rows} --who`, { terminal })).code).toBe(9)
    expect(shown()).toMatch(
      /rows in your table .*:\r?\n {2}Customer +Tel\. +City +NAME +LISTS\r?\n {2}Person 0 [^]*Delete 8 contacts/,
    )
    // A list's name cannot begin a line of svc's: its line break is visible.
    expect(shown()).toContain('Two ↵ ? Delete 1 contact')
    const before = sandbox.requests.length
    const quiet = typing('no')
    await svc(`contacts delete --file ${rows}`, { terminal: quiet.terminal })
    expect([quiet.shown().includes('NAME'), sandbox.requests.length]).toEqual([false, before])
  })
})

test('--dry-run --annotate writes what would happen to each row, and nothing is sent', async () => {
  const [one = '', two = ''] = vip
  const out = join(folder, 'would.csv')
  const rows = file(`Name,id\nAnna,${one}\nBen,12\nAnna again,${one.toUpperCase()}\nCem,${two}\n`)
  const before = sandbox.requests.length
  expect(await told(`contacts delete --file ${rows} --skip-invalid --annotate ${out}`)).toContain(
    `wrote "${out}"`,
  )
  expect(readFileSync(out, 'utf8')).toBe(
    `Name,id,OUTCOME,REASON\nAnna,${one},would be sent,\nBen,12,invalid,${/invalid,(.*)/.exec(readFileSync(out, 'utf8'))?.[1] ?? ''}\n` +
      `Anna again,${one.toUpperCase()},duplicate,the same id as in line 2\nCem,${two},would be sent,\n`,
  )
  expect(sandbox.requests.length).toBe(before)
  expect(
    (await svc(`contacts delete --file ${rows} --skip-invalid --dry-run --annotate ${out}`)).code,
  ).toBe(2)
})
