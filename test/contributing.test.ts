/** CONTRIBUTING.md and the other pages for developers: what they say is so. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './svc.ts'

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = ['CONTRIBUTING.md', 'SECURITY.md', 'docs/architecture.md', 'docs/figures.md']

describe.each(pages)('%s', (page) => {
  const text = textOf(page)

  test('names scripts that are in package.json', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
    for (const [, name = ''] of text.matchAll(/npm run ([\w:-]+)/g))
      expect(Object.keys(scripts)).toContain(name)
  })

  test('names files and folders that are there', () => {
    const made = [...text.matchAll(/^```ts (\S+)$/gm)].map(([, path]) => path)
    const paths = [
      ...text.matchAll(
        /`((?:\.ci|src|test|tools|bin|docs)\/[\w./-]+|[a-z]+\/[\w/-]+\.ts)`|npm test -- (test\/[\w./-]+)/g,
      ),
    ]
    const named = paths
      .map(([, code, filter]) => code ?? filter ?? '')
      .filter((path) => !made.includes(path))
      .map((path) => (/^(?:\.ci|src|test|tools|bin|docs)\//.test(path) ? path : `src/${path}`))
    for (const path of named) expect(existsSync(join(root, path)), path).toBe(true)
    for (const [, link = ''] of text.matchAll(/\]\(([^)#:]+)(?:#[\w-]+)?\)/g))
      expect(existsSync(join(root, dirname(page), link)), link).toBe(true)
  })
})

test('the tree in the page on architecture has every folder of src, and nothing that is not there', () => {
  const [, tree = ''] = /\nsrc\/\n((?: {2}.*\n)+)/.exec(textOf('docs/architecture.md')) ?? []
  const named = [...tree.matchAll(/^ {2}([\w.-]+)(\/?)/gm)]
  const folders = named.filter(([, , slash]) => slash === '/').map(([, name]) => name)
  const real = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  expect(new Set(folders)).toEqual(new Set(real.map(({ name }) => name)))
  for (const [, name = ''] of named) expect(existsSync(join(root, 'src', name)), name).toBe(true)
})
