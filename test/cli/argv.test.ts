import { describe, expect, test } from 'vitest'
import { defineCommand } from '../../src/cli/command.ts'
import { noView, text } from '../../src/output/result.ts'
import { treeOf } from '../../src/program/tree.ts'
import { callOf } from '../../src/program/call.ts'
import { readCommandLine } from '../../src/program/command-line.ts'
import { createWorld } from '../svc.ts'
import { program } from '../tree.ts'

describe('a command line', () => {
  const call = async (...words: string[]) => callOf(await readCommandLine(program, words))

  test('the values that a verb is called with', async () => {
    const typed = ['-vqv', 'lists', 'list', '--limit', '3', '--no-header', '--json']
    expect(await call(...typed)).toMatchObject({
      command: { path: 'lists list' },
      arguments: [],
      options: { limit: 3 },
      allOptions: { limit: 3, verbose: 2, quiet: true, header: false, truncate: true, json: true },
    })
    const changed = await call(
      'contacts',
      'delete',
      '5f'.repeat(12),
      '--file',
      'a',
      '--file=b',
      '--',
      '-x',
    )
    expect(changed?.arguments).toEqual([['5f'.repeat(12), '-x']])
    expect(changed?.options).toMatchObject({ file: ['a', 'b'], where: [] })
    expect((await call('lists', 'get'))?.arguments).toEqual([undefined])
    expect(await call('lists', '-q')).toBeUndefined()
  })

  test('options of a verb can stand before it, and before its noun', async () => {
    const limit = { options: { limit: 3 }, arguments: [] }
    expect(await call('--limit', '3', 'lists', 'list', '-q')).toMatchObject(limit)
    expect(await call('lists', '--limit', '3', 'list')).toMatchObject(limit)
    expect(await call('--limit=3', 'lists', 'list')).toMatchObject(limit)
    const file = ['--dry-run', 'lists', '--file', 'ids.txt', 'add-contacts', 'VIP']
    expect(await call(...file)).toMatchObject({
      options: { dryRun: true, file: ['ids.txt'] },
      arguments: ['VIP', []],
    })
    const refused = async (...words: string[]) => {
      try {
        return await call(...words)
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(await refused('--nope', '3', 'lists', 'list')).toBe('unknown option "--nope"')
    expect(await refused('--limit', '3', 'lists')).toBe('unknown option "--limit"')
    expect(await refused('--limit', 'lists', 'list')).toBe('--limit <n|all> needs a value')
    expect(await refused('--limit', '3', 'lists', 'list', '--limit', '4')).toBe(
      '--limit <n|all> is given twice: "3" and "4"',
    )
  })

  test('free text is what an option says that it takes, whatever its name', async () => {
    const verb = defineCommand({
      path: 'close',
      summary: 'close',
      options: {
        name: { value: 'file', takes: 'file', summary: 'a file' },
        note: { value: 'words', takes: 'text', summary: 'a note' },
      },
      effect: 'reads',
      shows: noView,
      run: () => text(''),
    })
    const problemOf = async (...words: string[]) =>
      (await readCommandLine(treeOf(verb), words)).problem
    expect(await problemOf('--note', '-Sale')).toBeUndefined()
    const refused = await problemOf('--name', '-Sale')
    expect([refused?.message, refused?.details.hint]).toEqual([
      '--name needs a value, and "-Sale" begins with a dash',
      'to use it as the value, write --name=-Sale; a file of that name is ./-Sale',
    ])
  })

  test('80,000 words in less than a second of the processor', async () => {
    const before = process.cpuUsage().user
    const ids = Array.from({ length: 80_000 }, (_, n) => n.toString(16).padStart(24, 'f'))
    expect((await call('contacts', 'delete', ...ids, '--yes'))?.arguments).toEqual([ids])
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
  })
})

describe('the value of an option is never an option too', () => {
  const { svc } = createWorld()
  const text = /^error: /
  const json = /^\{"type":"error"/

  test.each([
    ['lists create --name --error-format=json', text],
    ['lists create --name --json=x', text],
    ['lists list --search -ojson --error-format text', text],
    ['lists list --search=--json', text],
    ['-p --json lists list', json],
    ['lists list --limit --json', json],
    ['lists list -- --json', text],
    ['lists nope --json', json],
    ['lists list -o json --limit x', json],
  ])('%s', async (line, format) => {
    const { stdout, stderr } = await svc(line)
    expect(stdout).toBe('')
    expect(stderr).toMatch(format)
  })

  test('nor a place in a hint', async () => {
    const { stderr } = await svc(['lists', 'lst', '--config', '-p', '--profile=east'])
    expect(stderr).not.toContain('-p=')
    const search = await svc(['lists', 'list', '--search', '--config=x.json'])
    expect(search.stderr).toContain('\n    svc profiles add <name>\n')
  })

  test('the help of a command with the word --all in a name is the usual one', async () => {
    const { stdout } = await svc(['contacts', 'delete', '--reason', '--all', '--help'])
    expect(stdout).toContain('\nmore: --help --all\n')
    const all = await svc('contacts delete --help --all')
    expect(all.stdout).not.toContain('more: --help --all')
  })
})
