/** The root of the repository has only its own files, and no tool adds one by mistake. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './svc.ts'

const entries =
  '.ci .editorconfig .github .gitignore .npmrc .oxlintrc.json .prettierignore CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md bin docs package-lock.json package.json src test tools tsconfig.json'
/** Further files of a clone, from .gitignore. */
const ignored = '.git .stryker-tmp coverage dist dist.next node_modules release reports'.split(' ')

function tracked(): string[] {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  // An unpacked archive has no history; its folder must hold the same.
  const paths =
    status === 0
      ? stdout.split('\0').filter((path) => existsSync(join(root, path)))
      : readdirSync(root)
  const first = new Set(paths.map((path) => path.replace(/\/.*/s, '')))
  return [...first].filter((entry) => entry !== '' && !ignored.includes(entry))
}

test('the root holds these entries and no others', () => {
  expect(tracked().toSorted().join(' ')).toBe(entries)
})

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

test('a rule of the linter or the compiler that is switched off has its reason beside it', () => {
  const files = ['src', 'test', 'tools', 'bin'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:ts|[cm]?js)$/.test(path))
      .map((path) => join(folder, path)),
  )
  const bare = files.flatMap((path) =>
    textOf(path)
      .split('\n')
      .filter((line) =>
        /\/[/*] *(?:(?:oxlint|eslint)-disable|@ts-|prettier-ignore)(?!.* (?:--|:) \S)/.test(line),
      )
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(files.length).toBeGreaterThan(300)
  expect(bare).toEqual([])
})
