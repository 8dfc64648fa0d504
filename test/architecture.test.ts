import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { program as commands, type Page as Commands } from './tree.ts'
import { problemsOf, type Tree } from './architecture.ts'
import { root } from './svc.ts'
import { table } from './table.ts'

function sources(): Tree {
  const tree = new Map<string, string>()
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    tree.set(path.slice(root.length).replaceAll('\\', '/'), readFileSync(path, 'utf8'))
  }
  return tree
}

test('the sources keep the rules', () => {
  expect(problemsOf(sources())).toEqual([])
})

describe('each rule notices a tree that breaks it', () => {
  const broken = table(`
    src/http/index.ts       | export { x } from './http.ts'               | no barrels
    src/http/x.ts           | export { y } from './y.ts'                  | no re-exports
    src/utils/text.ts       |                                             | names say what a file knows
    src/host.ts             | process.exit(1)                             | no process.exit
    src/http/x.ts           | const a = process.env                       | process only in the host
    src/http/x.ts           | import { stat } from 'node:fs/promises'     | the world comes in through the host
    src/runs/x.ts           | hint: 'see them with: svc runs list'        | a command in a message is a part
    src/cli/x.ts            | const isJson = host.argv.length > 0         | a line is read once
    src/errors.ts           | import { x } from './host.ts'               | one direction
    src/output/x.ts         | import { x } from '../runs/run.ts'          | one direction
    src/commands/x.ts       | const a = import('../program/program.ts')   | one direction
    src/http/x.ts           | import { x } from '../output/result.ts'     | one direction
    src/sandbox/x.ts        | const a = import('../runs/run.ts')          | one direction
    src/commands/lists/x.ts | import { x } from '../../http/http.ts'      | one direction
    src/commands/lists/x.ts | import { x } from '../tickets/get.ts'       | never another noun
    src/api/x.ts            | import { Client } from 'undici'             | packages have owners
    src/http/x.ts           | import { x } from '../../test/svc.ts'       | src imports src
    src/plugins/x.ts        | import { x } from '../errors.ts'            | every area has a layer
  `)
  test.each(broken)('%s: %s', (file = '', text = '', rule) => {
    expect(problemsOf(new Map([[file, text]])).map((problem) => problem.rule)).toContain(rule)
  })
  test('a circle through a lazy import', () => {
    const tree = new Map([
      ['src/http/a.ts', "import type { B } from './b.ts'"],
      ['src/http/b.ts', "const a = await import('./a.ts')"],
    ])
    const what = 'src/http/a.ts -> src/http/b.ts -> src/http/a.ts'
    expect(problemsOf(tree)).toMatchObject([{ rule: 'no circles', what }])
  })
  test('a crowded folder', () => {
    const tree = new Map(Array.from({ length: 21 }, (_, i) => [`src/http/file-${i}.ts`, '']))
    expect(problemsOf(tree).map(({ rule }) => rule)).toEqual(['at most 20 files in a folder'])
  })
  test('a tree that keeps the rules is accepted', () => {
    const text =
      "import type { Api } from '../api/api.ts'\nimport { SvcError } from '../errors.ts'\n// console.log(process.env)"
    expect(problemsOf(new Map([['src/runs/x.ts', text]]))).toEqual([])
  })
})

describe('the folder is the manual', () => {
  const nouns = commands.commands.filter((command) => command.commands.length > 0)
  test.each(nouns.map((noun) => [noun.name, noun] as const))('%s', (name, noun) => {
    const folders = [`commands/${name}`, 'people/verbs', 'sandbox/verbs']
    for (const { name: word } of noun.commands) {
      const places = folders.filter((each) => existsSync(join(root, 'src', each, `${word}.ts`)))
      expect(places, word).not.toEqual([])
    }
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
