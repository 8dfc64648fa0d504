/** CONTRIBUTING.md and the other pages for developers: what they say is so, and the verb of the example works. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { root } from './svc.ts'
import { ownFolder } from './ending.ts'

const folder = ownFolder('contributing')

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`)
const pages = ['CONTRIBUTING.md', 'SECURITY.md', 'docs/architecture.md', 'docs/figures.md', ...decisions]

describe.each(pages)('%s', (page) => {
  const text = textOf(page)

  test('names scripts that are in package.json, and parts that they know', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    for (const [, name = ''] of text.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name)
    const parts = { figures: textOf('tools/figures/figures.mjs'), bench: textOf('tools/bench/bench.mjs') }
    for (const [, name = '', part = ''] of text.matchAll(/npm run (figures|bench) -- (\w+)/g))
      expect(parts[name as keyof typeof parts]).toMatch(new RegExp(`^(?:  ${part}: |.*[{ ]${part}[, ])`, 'm'))
  })

  test('names files and folders that are there', () => {
    const made = ['src/commands/lists/count.ts', 'test/commands/lists-count.test.ts']
    const paths = [
      ...text.matchAll(
        /`((?:\.ci|src|test|tools|bin|docs)\/[\w./-]+|[a-z]+\/[\w/-]+\.ts)`|npm test -- (test\/[\w./-]+)/g,
      ),
    ]
    const named = paths
      .map(([, code, filter]) => code ?? filter ?? '')
      .filter((path) => !made.includes(path))
      .map((path) => (/^(?:api|bulk|commands|config|http|ids|output)\//.test(path) ? `src/${path}` : path))
    for (const path of named) expect(existsSync(join(root, path)), path).toBe(true)
    for (const [, link = ''] of text.matchAll(/\]\(([^)#:]+)(?:#[\w-]+)?\)/g))
      expect(existsSync(join(root, dirname(page), link)), link).toBe(true)
  })
})

test('the tree in the page on architecture has every folder of src, and nothing that is not there', () => {
  const [, tree = ''] = /\nsrc\/\n((?: {2}.*\n)+)/.exec(textOf('docs/architecture.md')) ?? []
  const named = [...tree.matchAll(/^ {2}([\w.]+)(\/?)/gm)]
  const folders = named.filter(([, , slash]) => slash === '/').map(([, name]) => name)
  const real = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(new Set(folders)).toEqual(new Set(real.map(({ name }) => name)))
  for (const [, name = ''] of named) expect(existsSync(join(root, 'src', name)), name).toBe(true)
})

interface Block {
  readonly language: string
  readonly file: string
  readonly code: string
}

function blocksUnder(heading: string): Block[] {
  const [section = ''] = new RegExp(`^## ${heading}\\n[^]*?(?=^## |(?![^]))`, 'm').exec(textOf('CONTRIBUTING.md')) ?? []
  return [...section.matchAll(/^```(\w+) (\S+)\n([^]*?)^```$/gm)].map(([, language = '', file = '', code = '']) => ({
    language,
    file,
    code,
  }))
}

/** A text with `-` lines replaced by the `+` lines behind them; `+` lines behind a line as it stands come after it. */
function patched(text: string, diff: string): string {
  return [...diff.matchAll(/^([ -])(.*)\n((?:\+.*\n)+)/gm)].reduce((now, [, sign, line = '', added = '']) => {
    expect(now.split(`${line}\n`)).toHaveLength(2)
    const lines = added.replaceAll(/^\+/gm, '')
    return now.replace(`${line}\n`, () => (sign === '-' ? lines : `${line}\n${lines}`))
  }, text)
}

test('the verb of "Add a verb" works as it is written there', { timeout: 240_000 }, async () => {
  const blocks = blocksUnder('Add a verb')
  expect(blocks.map(({ language }) => language)).toEqual(['ts', 'diff', 'ts'])
  const tree = mkdtempSync(join(folder, 'tree-'))
  for (const name of ['bin', 'src', 'test', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(root, name), join(tree, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  for (const { language, file, code } of blocks) {
    const path = join(tree, file)
    expect(existsSync(path)).toBe(language === 'diff')
    writeFileSync(path, language === 'diff' ? patched(readFileSync(path, 'utf8'), code) : code)
  }
  const run = (...words: string[]): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, words, { cwd: tree })
  await run('bin/build.mjs')
  const spec = blocks[2]?.file ?? ''
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--reporter=json']
  expect(JSON.parse((await run(...vitest, spec)).stdout)).toMatchObject({ numPassedTests: 1, numTotalTests: 1 })
  await run('node_modules/typescript/bin/tsc', '-p', '.')
  const { stdout } = await run('bin/svc.js', 'lists', '--help')
  expect(stdout).toMatch(/\n {2}count +count the contact lists\n/)
})
