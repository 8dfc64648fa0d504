/** `svc contacts list` and `contacts get`: lists that are read once. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'
import { canRun } from '../has-feature.ts'

const { svc, sandbox, folder } = await createSandboxWorld()
const vip = sandbox.examples.list
const json = (text: string): unknown => JSON.parse(text)
const place = (name: string): string => join(folder, name)
interface Found {
  readonly id: string
  readonly lists: readonly { readonly id: string; readonly name: string }[]
  readonly found?: boolean
}

/** Everybody on a list by id, with the lists, newest first. */
function everybody(): Map<string, Found['lists'][number][]> {
  const all = new Map<string, { id: string; name: string }[]>()
  for (const { id, name, memberIds } of [...sandbox.store.allLists()].reverse())
    for (const member of memberIds) all.set(member, [...(all.get(member) ?? []), { id, name }])
  return all
}

describe('contacts get', () => {
  const [first = '', second = ''] = [...(sandbox.store.memberIds(vip) ?? [])]
  const nobody = '64000000d5aad2927bffffff'

  test('shows them in input order, each once, and names those that are on no list', async () => {
    const words = `${second} ${nobody} ${first.toUpperCase()} ${second}`
    const { code, stdout, stderr } = await svc(`contacts get ${words} --json --error-format text`)
    expect(code).toBe(3)
    expect((json(stdout) as Found[]).map(({ id, lists, found }) => [id, lists, found])).toEqual([
      [second, everybody().get(second), true],
      [nobody, [], false],
      [first, everybody().get(first), true],
    ])
    expect(stderr).toContain('a contact that is on no list cannot be found')
    const ids = place('ids.txt')
    writeFileSync(ids, `${second}\n${nobody}\n`)
    for (const [line, stdin] of [
      [`contacts get --file ${ids} ${first} -o ids`, ''],
      [`contacts get ${first} --file - --in VIP -o ids`, `${second}\n`],
      [`contacts get - --in VIP -o ids`, `${first}\n${second}\n`],
    ] as const) {
      const result = await svc(line, { stdin })
      expect([line, result.code, result.stdout]).toEqual([
        line,
        line.includes(ids) ? 3 : 0,
        expect.stringMatching(first),
      ])
      expect(result.stdout.trimEnd().split('\n').sort()).toEqual([first, second].sort())
    }
  })

  test('an input without ids that is whole, or may be empty, reads no list', async () => {
    const before = sandbox.requests.length
    for (const [stdin, option, code] of [
      ['[]', '', 0],
      ['id\n', '', 0],
      ['', '--allow-empty', 0],
      ['', '', 2],
    ] as const) {
      const result = await svc(`contacts get - --json ${option}`, { stdin })
      expect([stdin, option, result.code, result.stdout]).toEqual([
        stdin,
        option,
        code,
        code === 0 ? '[]\n' : '',
      ])
    }
    expect(sandbox.requests).toHaveLength(before)
  })
})

describe('a page that fails: no row, and no file', () => {
  const table = place('people.csv')
  writeFileSync(table, 'Phone\n+55 11 91234-5678\n')
  const lines = [
    'contacts list --json',
    'contacts list -o csv',
    `contacts get ${vip} --json`,
    'contacts find --name nobody --json',
    'contacts duplicates --json',
    `contacts match --file ${table} --annotate ${place('failed.csv')}`,
  ].filter(canRun)
  const answers = [
    ['lists.get:1+=500', 7],
    ['lists.get:4+=403', 5],
    ['lists.get:20+=404', 6],
  ] as const
  test.each([
    ...lines.map((line, n) => [line, `lists.list:${1 + (n % 2)}+=500`, 7] as const),
    // A page of members, the first or a later one; where one list alone is searched, the first.
    ...lines.flatMap((line, n) =>
      answers.filter((_, at) => n >= 3 || at === n).map((answer) => [line, ...answer] as const),
    ),
  ])('%s with %s: %i', async (line, fault, code) => {
    sandbox.setFaults(fault)
    const { stderr, ...result } = await svc(`${line} --retries 0`)
    sandbox.setFaults()
    expect(result).toEqual({
      code,
      stdout: line.includes('--json') ? '[\n' : '',
    })
    expect(stderr).toMatch(
      fault.startsWith('lists.get') ? /the list \\?".*" \([0-9a-f]{24}\) could not be read/ : /./,
    )
    expect(
      readdirSync(folder).filter((name) => name.startsWith('failed') || name.endsWith('.part')),
    ).toEqual([])
  })
})
