/** What the README says of the repository is so. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exit } from '../../src/errors.ts'
import { createWorld, root } from '../svc.ts'
import { readme, tableUnder } from './readme.ts'

const world = createWorld()

test('every script that it names is in package.json, every path exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const named = new Set([...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name))
  expect([...named].filter((name) => !(name in scripts))).toEqual([])
  const paths = [...readme.matchAll(/\]\(([^)#]+)\)|`((?:src|test|bin)\/[\w./-]+)`|npm test -- (test\/\S+)/g)]
  const examples = ['src/commands/lists/count.ts', 'test/commands/lists-count.test.ts']
  const missing = paths
    .flatMap(([, link, code, filter]) => (link ?? code ?? filter ?? '').replace(/`$/, '').split(' '))
    .filter((path) => !examples.includes(path) && !existsSync(join(root, path)))
  expect(missing).toEqual([])
})

test('every folder of src is in the layout, and what the layout names exists', () => {
  const [, layout = ''] = /```text\n(bin\/svc\.js[^]*?)```/.exec(readme) ?? []
  const [, inSrc = ''] = /\nsrc\/\n([^]*)\ntest\//.exec(layout) ?? []
  const folders = [...inSrc.matchAll(/^ {2}(\w+)\//gm)].map(([, name]) => name)
  const real = readdirSync(join(root, 'src'), { withFileTypes: true })
  expect(new Set(folders)).toEqual(new Set(real.filter((entry) => entry.isDirectory()).map(({ name }) => name)))
  for (const [file] of inSrc.matchAll(/[\w-]+\.ts\b/g)) expect(existsSync(join(root, 'src', file))).toBe(true)
})

test('the table of exit codes has every code', async () => {
  const rows = tableUnder('Exit codes')
  const codes = rows.map(([code]) => code)
  expect(codes).toEqual([...Object.values(exit).map(String), '130, 143, 129'])
  const { stdout } = await world.svc('help exit-codes')
  for (const code of codes) expect(stdout).toMatch(new RegExp(`^ *${code ?? ''}\\b`, 'm'))
})

test('the outcomes of a receipt are those of svc help bulk', async () => {
  const outcomes = tableUnder('What a receipt claims').map(([name = '']) => name.replaceAll('`', ''))
  const { stdout } = await world.svc('help bulk')
  for (const outcome of outcomes) expect(stdout).toMatch(new RegExp(`^ {2}.*\\b${outcome}\\b`, 'm'))
  expect(new Set(outcomes).size).toBe(11)
})

test('topics, options and variables that it names exist', async () => {
  const { stdout: help } = await world.svc('--help')
  const { stdout: environment } = await world.svc('help environment')
  for (const [, name = ''] of readme.matchAll(/`((?:SVC|XDG)_[A-Z_]+)`/g)) expect(environment).toContain(name)
  const [, topics = ''] = /longer texts: ([^.]*)\./.exec(readme) ?? []
  for (const [, topic = ''] of topics.matchAll(/`([\w-]+)`/g)) expect(help).toContain(topic)
})

test('the picture is one file that needs nothing else', () => {
  const picture = readFileSync(join(root, 'test/readme/session.svg'), 'utf8')
  expect(picture).not.toMatch(/href|url\(|<script|<image|<foreignObject|on\w+=/)
  expect(picture).toContain('svc lists add-contacts VIP --file ids.txt')
  expect(picture).not.toContain('error:')
})

test('nothing in it belongs to one machine', () => {
  expect(readme).not.toMatch(/\/(?:work|home|root|tmp|Users)\/|registry\./)
})
