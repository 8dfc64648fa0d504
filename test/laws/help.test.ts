import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../src/errors.ts'
import { topics } from '../../src/commands/help.ts'
import { allPages, program, verbs, type Page } from '../support/tree.ts'
import { createWorld, root } from '../support/svc.ts'
import { table } from '../support/table.ts'
import { loadVerb, verbs as summaries } from '../../src/program/commands.ts'

const { svc } = createWorld()

const words = ({ path }: Page): string => path.replace(/^svc ?/, '')

describe('each command', () => {
  const commands = allPages.map((command) => [command.path, command] as const)
  test.each(commands)('%s', async (path, command) => {
    const { code, stdout, stderr } = await svc(`${words(command)} --help`)
    expect([code, stderr]).toEqual([0, ''])
    const [, sentence = ''] = stdout.split('\n\n')
    expect(sentence).toMatch(/^[A-Z][^]*\.$/)
    expect(stdout.replace(/\|\w+/, '').split(/[ \n](?=[[<\n])/)[0]).toBe(`Usage: ${path}`)
    expect(stdout).toContain('\nExamples:\n  svc ')
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/)
    const lines = stdout.trimEnd().split('\n')
    const isShort = command.commands.length === 0 && command.options.length < 8
    expect(lines.length).toBeLessThanOrEqual(isShort ? 25 : 40)
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
    for (const option of command.options) {
      expect(option.description, option.long).not.toBe('')
      expect(stdout).toContain(`  ${option.flags}`)
    }
    for (const each of command.arguments) expect(each.description, each.name()).not.toBe('')
  })

  const ofVerbs = verbs.map(({ path, command }) => [path, command] as const)
  test.each(ofVerbs)('%s ends with the output options that it takes', async (path, command) => {
    const { stdout } = await svc(words({ path } as Page) + ' --help')
    const last = stdout.slice(stdout.lastIndexOf('\n\n') + 2)
    const { formats = [], isRead } = command ?? {}
    const hasOwn = formats.length > 1 || isRead === true
    expect(last).toMatch(hasOwn ? /^Output: .*also -p, .*\(svc --help\)\n$/s : /: svc --help\n$/)
    const own = formats.length > 1 ? `-o ${formats.join('|')}, --json, --fields` : ''
    expect(last.includes(own)).toBe(true)
    expect(last.includes('--out')).toBe(isRead === true)
  })

  test('wherever -h and --help stand, whatever stands beside them, and without a configuration', async () => {
    for (const [line = '', command] of table(`
      --help                                | help
      lists                                 | help lists
      --help lists                          | help lists
      lists -qh                             | help lists
      -h lists get                          | help lists get
      lists --help get                      | help lists get
      lists get VIP --help                  | help lists get
      -o json tickets assign --help         | help tickets assign
      contacts delete --file ids.txt --help | help contacts delete
      contacts delete --help --all          | help contacts delete`)) {
      const env = { SVC_CONFIG: '/nowhere/config.js' }
      const [one, other] = [await svc(line, { env }), await svc(command ?? '')]
      expect(one.stdout + one.stderr, line).toBe(other.stdout)
    }
    expect((await svc('help contacts --all')).code).toBe(2)
  })
})

describe('topics', () => {
  test.each(Object.entries(topics))('%s is printed as it is', async (name, page) => {
    const { code, stdout, stderr } = await svc(`help ${name}`)
    expect([code, stdout, stderr]).toEqual([0, page, ''])
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/)
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  })

  test('are the six that svc names', async () => {
    const names = 'id-files bulk spreadsheets configuration scripting exit-codes'
    expect(Object.keys(topics)).toEqual(names.split(' '))
    const { stdout } = await svc('')
    expect(stdout).toContain(`Topics (svc help <topic>):\n  ${names.split(' ').join(', ')}\n`)
  })

  test('exit-codes has every code', async () => {
    const { stdout } = await svc('help exit-codes')
    for (const code of [...Object.values(exitCodes), 129])
      expect(stdout).toMatch(new RegExp(`^(?:\\d+, )*${code}\\b`, 'm'))
  })
})

test('the table of commands has the summaries of all pages', async () => {
  for (const [path, summary] of Object.entries(summaries))
    expect((await loadVerb(path)).summary, path).toBe(summary)
  const pages = readdirSync(join(root, 'src/commands'), { recursive: true, encoding: 'utf8' })
  const withVerbs = pages.filter(
    (page) =>
      page.endsWith('.ts') &&
      readFileSync(join(root, 'src/commands', page), 'utf8').includes('export const verb ='),
  )
  expect(withVerbs).toHaveLength(Object.keys(summaries).length)
})

test('no verb reuses the name of a global option', () => {
  const wordsOf = ({ options }: Page) => options.flatMap(({ long, short }) => [long, short])
  // The help of bulk verbs shows --yes and --wait, too.
  const shared = ['--yes', '-y', '--wait']
  const own = wordsOf(program).filter((word) => !shared.includes(word ?? ''))
  const taken = new Set(own)
  const clashes = verbs.flatMap((verb) =>
    wordsOf(verb).flatMap((word) =>
      word !== undefined && taken.has(word) ? [`${verb.path} ${word}`] : [],
    ),
  )
  expect(clashes).toEqual([])
})
