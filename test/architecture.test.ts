import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { wholeTree } from './tree.ts'
import type { WholeTree as Commands } from '../src/program/tree.ts'
import { problemsOf, type Tree } from './architecture.ts'
import { createWorld, root } from './svc.ts'

const { svc } = createWorld()

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
  const broken: readonly (readonly [string, string, string, string])[] = [
    ['no barrels', 'src/http/index.ts', "export { x } from './http.ts'", 'no barrels'],
    ['a folder called utils', 'src/utils/text.ts', '', 'names say what a file knows'],
    ['a file called helpers', 'src/http/helpers.ts', '', 'names say what a file knows'],
    ['a default export', 'src/http/x.ts', 'export default 1', 'named exports only'],
    ['console', 'src/http/x.ts', 'console.log(1)', 'no console'],
    ['process.exit', 'src/host.ts', 'process.exit(1)', 'no process.exit'],
    ['process outside the host', 'src/http/x.ts', 'const a = process.env', 'process only in the host'],
    ['node:process', 'src/http/x.ts', "import { env } from 'node:process'", 'process only in the host'],
    [
      'the disk itself',
      'src/http/x.ts',
      "import { stat } from 'node:fs/promises'",
      'the world comes in through the host',
    ],
    ['a timer', 'src/http/x.ts', 'setTimeout(work, 5)', 'the world comes in through the host'],
    ['a child beside the host', 'src/plans/x.ts', "import { spawn } from 'node:child_process'", 'packages have owners'],
    ['errors import something', 'src/errors.ts', "import { x } from './host.ts'", 'one direction'],
    ['output imports bulk', 'src/output/x.ts', "import { x } from '../bulk/run.ts'", 'one direction'],
    ['http imports api', 'src/http/x.ts', "import { limits } from '../api/schemas.ts'", 'one direction'],
    ['the same lazily', 'src/http/x.ts', "const a = import('../api/client.ts')", 'one direction'],
    ['the same for its types', 'src/http/x.ts', "import type { Api } from '../api/client.ts'", 'one direction'],
    ['api imports ids', 'src/api/x.ts', "import { x } from '../ids/id.ts'", 'one direction'],
    ['a verb builds the program', 'src/commands/x.ts', "const a = import('../program/program.ts')", 'one direction'],
    ['a verb is handed to verbs', 'src/cli/x.ts', "import { x } from '../commands/api/api.ts'", 'one direction'],
    [
      'the journal knows claims',
      'src/bulk/record/x.ts',
      "import type { x } from '../outcomes/state.ts'",
      'one direction in bulk',
    ],
    ['a room knows the entrance', 'src/bulk/files/x.ts', "import { x } from '../bulk.ts'", 'one direction in bulk'],
    ['an operation elsewhere', 'src/bulk/files/x.ts', "a === 'tickets.assign'", 'an operation in one file'],
    ['a comment in dialect', 'src/resources/x.ts', '/** What it is. */', 'comments name the thing'],
    ['an outcome of one', 'src/bulk/files/x.ts', "if (outcome === 'not-found')", 'an operation in one file'],
    ['a figure of one', 'src/cli/x.ts', 'result.addedOrSkipped', 'an operation in one file'],
    ['its ids', 'src/cli/x.ts', "const a = 'goneIds'", 'an operation in one file'],
    ['the verb of one', 'src/cli/x.ts', "verb === 'merge'", 'an operation in one file'],
    ['a room without rules', 'src/bulk/attic/x.ts', '', 'every room has its arrows'],
    ['the sandbox uses the client', 'src/sandbox/x.ts', "import { x } from '../http/sign.ts'", 'one direction'],
    ['http knows commands', 'src/http/x.ts', "import { x } from '../commands/api.ts'", 'one direction'],
    ['a verb uses the client', 'src/commands/lists/x.ts', "import { x } from '../../http/http.ts'", 'one direction'],
    [
      'a verb of another noun',
      'src/commands/lists/x.ts',
      "import { x } from '../tickets/get.ts'",
      'never another noun',
    ],
    ['undici outside http', 'src/api/x.ts', "import { Client } from 'undici'", 'packages have owners'],
    ['cosmiconfig elsewhere', 'src/config/profile.ts', "import x from 'cosmiconfig'", 'packages have owners'],
    ['cli-table3 elsewhere', 'src/output/render.ts', "import x from 'cli-table3'", 'packages have owners'],
    ['chalk elsewhere', 'src/resources/x.ts', "import x from 'chalk'", 'packages have owners'],
    ['commander elsewhere', 'src/output/x.ts', "import x from 'commander'", 'packages have owners'],
    ['a function named by a participle', 'src/api/x.ts', 'export function counted(): number {', 'functions are verbs'],
    ['a method named by a participle', 'src/api/x.ts', '  async settled(): Promise<void> {', 'functions are verbs'],
    ['a failure as a text', 'src/api/x.ts', 'function read(): Result | string {', 'a failure is no text'],
    [
      'a failure as a text, later',
      'src/api/x.ts',
      'function read(): Promise<string | Result> {',
      'a failure is no text',
    ],
    ['src imports test', 'src/http/x.ts', "import { x } from '../../test/svc.ts'", 'src imports src'],
    ['a new area without rules', 'src/plugins/x.ts', "import { x } from '../errors.ts'", 'every area has a layer'],
  ]
  test.each(broken)('%s', (_name, file, text, rule) => {
    expect(problemsOf(new Map([[file, text]])).map((problem) => problem.rule)).toContain(rule)
  })
  test('a circle through a lazy import', () => {
    const tree = new Map([
      ['src/http/a.ts', "import type { B } from './b.ts'"],
      ['src/http/b.ts', "const a = await import('./a.ts')"],
    ])
    expect(problemsOf(tree)).toEqual([
      { file: 'src/http/a.ts', rule: 'no circles', what: 'src/http/a.ts -> src/http/b.ts -> src/http/a.ts' },
    ])
  })
  test('a crowded folder', () => {
    const tree = new Map(Array.from({ length: 21 }, (_, i) => [`src/http/file-${i}.ts`, '']))
    expect(problemsOf(tree).map(({ rule }) => rule)).toEqual(['at most 20 files in a folder'])
  })
  test('and accepts one that keeps them', () => {
    const text =
      "import type { Api } from '../api/api.ts'\nimport { SvcError } from '../errors.ts'\n// console.log(process.env)"
    expect(problemsOf(new Map([['src/bulk/x.ts', text]]))).toEqual([])
  })
})

const commands = await wholeTree()

describe('the folder is the manual', () => {
  const nouns = commands.commands.filter((command) => command.commands.length > 0)
  test.each(nouns.map((noun) => [noun.name, noun] as const))('%s', (name, noun) => {
    const words = noun.commands.map((command) => command.name).sort()
    for (const word of words) {
      expect(readFileSync(join(root, 'src/commands', name, `${word}.ts`), 'utf8')).toContain(`path: '${name} ${word}'`)
    }
  })
})

test('no verb reuses the name or key of a global option', () => {
  const wordsOf = ({ options }: Commands) => options.flatMap(({ key, long, short }) => [key, long, short])
  const taken = new Set(wordsOf(commands).filter((word) => word !== undefined))
  const clashesOf = (command: Commands): string[] => [
    ...wordsOf(command).flatMap((word) => (word !== undefined && taken.has(word) ? [`${command.path} ${word}`] : [])),
    ...command.commands.flatMap(clashesOf),
  ]
  expect(commands.commands.flatMap(clashesOf)).toEqual([])
})

test('help lists every noun', async () => {
  const { code, stdout } = await svc('--help')
  expect(code).toBe(0)
  for (const noun of commands.commands) expect(stdout).toContain(noun.name)
})
