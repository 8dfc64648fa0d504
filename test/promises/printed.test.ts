/** Every command that svc prints in a transcript can be typed in sh as it stands. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from '../../src/program/parser.ts'
import { shellWord } from '../../src/wording.ts'
import { realHost } from '../support/real-host.ts'
import { root, wordsOf } from '../support/svc.ts'

const folder = join(root, 'test')
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const texts = names
  .filter((name) => name.endsWith('.txt'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .filter((text) => text.startsWith('## '))

type Printed = readonly [command: string, by: string]

/** The commands below a sentence that ends with a colon, behind "see:", and in errors of JSON. */
function commandsIn(text: string): Printed[] {
  let by = ''
  let isList = false
  const found: Printed[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('$ ')) by = line.replace(/^\$ (?:[A-Z_]+=\S* )*/, '')
    const told = /^(?:!\d*|\?) (.*)$/.exec(line)?.[1]?.replaceAll('\\e[', '')
    const command = /^ +(?:see: )?(svc .*)$/.exec(told ?? '')?.[1]
    const isCommand: boolean = isList || told?.includes('see: ') === true
    if (command !== undefined && isCommand) found.push([command, by])
    for (const [, all = ''] of told?.matchAll(/"type":\[("svc .*?")\]/g) ?? [])
      found.push(...(JSON.parse(`[${all}]`) as string[]).map((each) => [each, by] as const))
    isList = told?.endsWith(':') === true || (isList && command !== undefined)
  }
  return found
}

/** The words of `svc …` in a script for sh, for each time that it is started. */
function wordsInShell(script: string): string[][] {
  const printWords = `svc() { printf '%s\\0' "$@"; printf '\\n\\0'; }`
  const printed = execFileSync('sh', ['-c', `set -e\n${printWords}\n${script}`], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
  const lines = printed.split('\n\0').slice(0, -1)
  return lines.map((line) => line.split('\0').slice(0, -1))
}

const all = texts.flatMap(commandsIn)
const printed = [...new Map(all)]
/** Behind each command a mark: a command that is several has several between two marks. */
const typed = wordsInShell(printed.map(([command]) => `${command}\nsvc :`).join('\n'))

const rows = printed.map(([command, by], n) => ({ command, by, n }))
test.each(rows)('$command, printed by $by', async ({ command, by, n }) => {
  const [words = [], mark] = typed.slice(2 * n)
  expect(mark).toEqual([':'])
  expect(words).toEqual(wordsOf(command).slice(1))
  // A command that failed is no advice for itself.
  expect([command, by.includes(' --once ')]).not.toEqual([by, false])
  const { kind } = await parse(realHost, {}, words)
  expect(['call', 'text']).toContain(kind)
})

test('there are commands of every kind', () => {
  expect(printed.length).toBeGreaterThan(40)
  for (const [command] of printed) expect(command).not.toMatch(/&&|[|;<>]/)
})

/** Names that a shell could read otherwise, as they are printed for sh and for Windows. */
test.each([
  ['VIP', 'VIP', 'VIP'],
  ['far east', '"far east"', '"far east"'],
  ['a$HOME', `'a$HOME'`, `'a$HOME'`],
  ['a`id`', "'a`id`'", "'a`id`'"],
  ['a"b', `'a"b'`, `'a"b'`],
  ["it's", `"it's"`, `"it's"`],
  ["it's $5", `'it'\\''s $5'`, "'it''s $5'"],
  ['a\\b c', `'a\\b c'`, `"a\\b c"`],
  ['wow!', `'wow!'`, '"wow!"'],
  ['~', '"~"', '"~"'],
  ['*', '"*"', '"*"'],
  ['a;b', '"a;b"', '"a;b"'],
  ['客户 名单', '"客户 名单"', '"客户 名单"'],
  ['', '""', '""'],
  ['Ünal', '"Ünal"', '"Ünal"'],
  ['C:\\a b\\c!', `'C:\\a b\\c!'`, '"C:\\a b\\c!"'],
  ['C:\\a\\b.csv', `'C:\\a\\b.csv'`, 'C:\\a\\b.csv'],
  ['@name', '@name', '"@name"'],
  ['100%', '100%', '"100%"'],
  ['“x”', '"“x”"', `'“x”'`],
  ["it's ‘$5’", `'it'\\''s ‘$5’'`, "'it''s ‘‘$5’’'"],
])('the name %s is %s in sh, and %s in PowerShell', (name, inSh, onWindows) => {
  expect([shellWord(name), shellWord(name, true)]).toEqual([inSh, onWindows])
  expect(wordsInShell(`svc lists get ${shellWord(name)}`)).toEqual([['lists', 'get', name]])
})
