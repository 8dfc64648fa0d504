/** `svc contacts …`: lists that cannot be read. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, folder } = await createSandboxWorld()
const vip = sandbox.examples.list
const place = (name: string): string => join(folder, name)

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
  ]
  const answers = [
    ['lists.get:1+=500', 7],
    ['lists.get:4+=403', 4],
    ['lists.get:20+=404', 1],
  ] as const
  test.each([
    ...lines.map((line, n) => [line, `lists.list:${1 + (n % 2)}+=500`, 7] as const),
    // A page of members, the first or a later one; where one list alone is searched, the first.
    ...lines.flatMap((line, n) =>
      answers.filter((_, at) => n >= 3 || at === n).map((answer) => [line, ...answer] as const),
    ),
  ])('%s with %s: %i', async (line, fault, code) => {
    sandbox.setFaults(fault)
    const { stderr, ...result } = await svc(`${line} --wait 0s`)
    sandbox.setFaults()
    expect(result).toEqual({
      code,
      stdout: '',
    })
    expect(stderr).toMatch(
      fault.startsWith('lists.get') ? /the list \\?".*" \([0-9a-f]{24}\) could not be read/ : /./,
    )
    expect(
      readdirSync(folder).filter((name) => name.startsWith('failed') || name.endsWith('.part')),
    ).toEqual([])
  })
})
