/** Rules for each command. If red, a page is not where its command leads, or an option has two meanings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { program as commands, type Page as Commands } from '../support/tree.ts'
import { root } from '../support/svc.ts'

describe('the folder is the manual', () => {
  const nouns = commands.commands.filter((command) => command.commands.length > 0)
  test.each(nouns.map((noun) => [noun.name, noun] as const))('%s', (name, noun) => {
    for (const { name: word } of noun.commands)
      expect(existsSync(join(root, 'src/commands', name, `${word}.ts`)), word).toBe(true)
  })
})

test('no verb reuses the name or key of a global option', () => {
  const wordsOf = ({ options }: Commands) => options.flatMap(({ long, short }) => [long, short])
  const taken = new Set(wordsOf(commands).filter((word) => word !== undefined))
  const clashesOf = (command: Commands): string[] => [
    ...wordsOf(command).flatMap((word) =>
      word !== undefined && taken.has(word) ? [`${command.path} ${word}`] : [],
    ),
    ...command.commands.flatMap(clashesOf),
  ]
  expect(commands.commands.flatMap(clashesOf)).toEqual([])
})
