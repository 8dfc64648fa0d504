import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { program as commands, type Page as Commands } from '../support/tree.ts'
import { problemsOf, type Tree } from '../support/architecture.ts'
import { root } from '../support/svc.ts'

function sources(folder = 'src'): Tree {
  const tree = new Map<string, string>()
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:ts|bash|fish|zsh|json)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    tree.set(path.slice(root.length).replaceAll('\\', '/'), readFileSync(path, 'utf8'))
  }
  return tree
}

test('the sources keep the rules', () => {
  expect(problemsOf(sources())).toEqual([])
})

test('the tests use the words of CONTRIBUTING as well', () => {
  const wrong = [...sources('test')].filter(([, text]) =>
    /\b(?:journal|ledger|event log)\b/i.test(text),
  )
  expect(wrong.map(([file]) => file)).toEqual([
    'test/laws/architecture.test.ts',
    'test/support/architecture.ts',
  ])
})

describe('the folder is the manual', () => {
  const nouns = commands.commands.filter((command) => command.commands.length > 0)
  test.each(nouns.map((noun) => [noun.name, noun] as const))('%s', (name, noun) => {
    for (const { name: word } of noun.commands)
      expect(existsSync(join(root, 'src/commands', name, `${word}.ts`)), word).toBe(true)
  })
})

test('no verb reuses the name or key of a global option', () => {
  const wordsOf = ({ options }: Commands) =>
    options.flatMap(({ key, long, short }) => [key, long, short])
  const taken = new Set(wordsOf(commands).filter((word) => word !== undefined))
  const clashesOf = (command: Commands): string[] => [
    ...wordsOf(command).flatMap((word) =>
      word !== undefined && taken.has(word) ? [`${command.path} ${word}`] : [],
    ),
    ...command.commands.flatMap(clashesOf),
  ]
  expect(commands.commands.flatMap(clashesOf)).toEqual([])
})
