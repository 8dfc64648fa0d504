/** Statements of the pages about the program and the repository are true. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { topics } from '../../src/commands/help.ts'
import { parse } from '../../src/program/parser.ts'
import { outcomes } from '../../src/runs/engine.ts'
import { realHost } from '../support/real-host.ts'
import { createWorld, root, wordsOf } from '../support/svc.ts'
import { manualPage, markdown } from '../support/manual.ts'
import { blocksOf, pageAt, pages, type Page } from '../support/pages.ts'

const world = createWorld()
const named = pages.map((page) => [page.path, page] as const)

const forDevelopers = [
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['api', 'architecture', 'figures', 'requests'].map((name) => `docs/${name}.md`),
]
const all = [...pages, ...forDevelopers.map(pageAt)].map((page) => [page.path, page] as const)

test.each(all)('%s names scripts, paths and headings that exist', (path, { text }) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const runs = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name)
  expect(runs.filter((name) => !(name in scripts))).toEqual([])
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
  const broken = links.filter(([, target = '', anchor]) => {
    const file = target === '' ? path : join(dirname(path), target)
    return (
      !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
    )
  })
  expect(broken.map(([link]) => link)).toEqual([])
  if (!forDevelopers.includes(path)) return
  const inCode =
    /`((?:\.ci|src|test|tools|bin|docs)\/[\w./-]+|[a-z]+\/[\w/-]+\.ts)`|test -- (test\/[\w./-]+)/g
  const paths = [...text.matchAll(inCode)].map(([, code, filter]) => code ?? filter ?? '')
  const missing = paths.filter(
    (each) => !existsSync(join(root, each)) && !existsSync(join(root, 'src', each)),
  )
  expect(missing).toEqual([])
})

test('the page on architecture has each folder of src', () => {
  const [, tree = ''] = /\nsrc\/\n((?: {2}.*\n)+)/.exec(pageAt('docs/architecture.md').text) ?? []
  const named = [...tree.matchAll(/^ {2}([\w.-]+)\//gm)].map(([, name = '']) => name)
  const real = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  expect(new Set(named)).toEqual(new Set(real.map(({ name }) => name)))
})

/** `API: Limits, page and limit; operation 8, rule 4` in a comment names headings and rules. */
test('each part of the API that a comment names has its heading, and its rule', () => {
  const sections = pageAt('docs/api.md').text.split(/^#+ /m)
  const files = ['src', 'test/promises/description'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
  )
  const named = files
    .flatMap((text) => [...text.matchAll(/\bAPI: ([^.)]+)/g)])
    .flatMap(([, names = '']) => names.replaceAll(/\s+\*?\s*/g, ' ').split('; '))
  expect(named.length).toBeGreaterThan(30)
  const missing = named.filter((name) => {
    const [heading = '', rule] = name.split(', ')
    const section = sections.find(
      (each) => each.toLowerCase().match(/^[^:\n]+/)?.[0] === heading.toLowerCase(),
    )
    const [, number] = /^rule (\d+)$/.exec(rule ?? '') ?? []
    return section === undefined || (number !== undefined && !section.includes(`\n${number}. `))
  })
  expect(missing).toEqual([])
})

function anchorsOf(path: string): string[] {
  return [...pageAt(path).text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

test.each(named)('%s shows commands and options that exist', async (_path, page) => {
  const wrong: string[] = []
  for (const command of commandsIn(page))
    await parse(realHost, {}, wordsOf(command)).catch((error: Error) => {
      if (/^unknown |needs a command$/.test(error.message)) wrong.push(command)
    })
  expect(wrong).toEqual([])
})

/** Commands of svc that no test runs: in blocks that are only read, and in sentences. */
function commandsIn(page: Page): string[] {
  const blocks = blocksOf(page).filter(({ language }) => language !== 'console')
  const lines = blocks.flatMap(({ code }) => code.replaceAll(/\\\n */g, '').split('\n'))
  const prose = page.text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`((?:npx )?svc\s[^`]+)`/g)
  const typed = [...lines, ...[...prose].map(([, code = '']) => code.replaceAll(/\s+/g, ' '))]
  return typed.flatMap((line) =>
    [...line.matchAll(/(?<![\w."/-])svc ([a-z][^|&;>)#]*?)(?= -- |[|&;>)#]|$)/g)].map(
      ([, words = '']) => words,
    ),
  )
}

test('svc help bulk has each outcome', async () => {
  const { stdout } = await world.svc('help bulk')
  for (const outcome of outcomes) {
    expect(stdout).toMatch(new RegExp(`^\\| ${outcome}\\b|^${outcome}\\b`, 'm'))
  }
})

test('pages that people read whole are short', () => {
  const countWords = (text: string) => text.trim().split(/\s+/).length
  const counts = [
    countWords(Object.values(topics).join('\n')) / 2_400,
    countWords(pageAt('docs/reliability.md').text) / 800,
    pageAt('README.md').text.split('\n').length / 151,
    pageAt('CONTRIBUTING.md').text.split('\n').length / 131,
  ]
  expect(counts.filter((count) => count > 1)).toEqual([])
})

test('the page on scripts has each operation, for rules of --faults', () => {
  const [, listed = ''] =
    /The operations are ([^]*?)\.\s/.exec(pageAt('docs/scripting.md').text) ?? []
  const names = [...listed.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name)
  expect(names).toEqual(Object.keys(operations))
})

test('npm run docs writes the reference', async () => {
  await expect(markdown()).toMatchFileSnapshot(join(root, 'docs/reference.md'))
})

test('npm run docs writes the manual page', async () => {
  await expect(manualPage()).toMatchFileSnapshot(join(root, 'docs/svc.1'))
})

test('npm run docs draws the tour as it is now', async () => {
  const picture = execFileSync(process.execPath, ['tools/demo/picture.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  await expect(picture).toMatchFileSnapshot(join(root, 'docs/tour.svg'))
})
