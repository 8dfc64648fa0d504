import { describe, expect, test } from 'vitest'
import { shortcutOf } from '../../src/program/argv.ts'
import { callOf } from '../../src/program/call.ts'
import { readCommandLine } from '../../src/program/command-line.ts'
import { program } from '../tree.ts'
import { wordsOf } from '../svc.ts'

describe('what the words alone ask for', () => {
  test.each([
    ['-V lists', { kind: 'version' }],
    ['__complete -- lists ""', { kind: 'complete', words: ['lists', ''], isBrief: false }],
    ['lists list', undefined],
    ['lists list --help', { kind: 'help' }],
    ['lists list -p x --help', undefined],
    ['-- --help', undefined],
    ['', { kind: 'help' }],
  ])('svc %s', (line, shortcut) => {
    expect(shortcutOf(wordsOf(line))).toEqual(shortcut)
  })
})

describe('a command line', () => {
  const read = (line: string) => readCommandLine(program, wordsOf(line))

  test.each([
    ['-o json lists get VIP', 'svc lists get', ['VIP']],
    ['lists --json get VIP --limit 3', 'svc lists get', ['VIP', '3']],
    ['lists get -- list', 'svc lists get', ['list']],
    ['lists get -5', 'svc lists get', ['-5']],
    ['foo lists', 'svc', ['foo', 'lists']],
  ])('svc %s', async (line, path, operands) => {
    const { command, operands: found } = await read(line)
    expect([command.path, found]).toEqual([path, operands])
  })

  test('the first word that looks like an option and is none', async () => {
    expect((await read('lists list -qv --limt 3 --nope')).unknown).toBe('--limt')
    expect((await read('lists list --json=x')).unknown).toBe('--json=x')
    expect((await read('lists list -V')).unknown).toBe('-V')
    expect((await read('lists list --search x -- --nope')).unknown).toBeUndefined()
  })

  test('help is asked for anywhere, the version before any command', async () => {
    const asked = async (line: string) => {
      const { asksHelp, asksVersion } = await read(line)
      return [asksHelp, asksVersion]
    }
    expect(await asked('lists -h list')).toEqual([true, false])
    expect(await asked('-vh')).toEqual([true, false])
    expect(await asked('lists get -- -h')).toEqual([false, false])
    expect(await asked('lists list --search -h')).toEqual([false, false])
    expect(await asked('-q -V')).toEqual([false, true])
    expect(await asked('lists -V')).toEqual([false, false])
  })

  const call = async (...words: string[]) => callOf(await readCommandLine(program, words))

  test('the values that a verb is called with', async () => {
    const typed = ['-vqv', 'lists', 'list', '--limit', '3', '--no-header', '--json']
    expect(await call(...typed)).toMatchObject({
      command: { path: 'lists list' },
      arguments: [],
      options: { limit: 3 },
      allOptions: { limit: 3, verbose: 2, quiet: true, header: false, truncate: true, json: true },
    })
    const changed = await call('contacts', 'delete', '5f'.repeat(12), '--file', 'a', '--file=b', '--', '-x')
    expect(changed?.arguments).toEqual([['5f'.repeat(12), '-x']])
    expect(changed?.options).toMatchObject({ file: ['a', 'b'], where: [] })
    expect((await call('lists', 'get'))?.arguments).toEqual([undefined])
    expect(await call('lists', '-q')).toBeUndefined()
  })

  test('80,000 words in less than a second of the processor', async () => {
    const before = process.cpuUsage().user
    const ids = Array.from({ length: 80_000 }, (_, n) => n.toString(16).padStart(24, 'f'))
    expect((await call('contacts', 'delete', ...ids, '--yes'))?.arguments).toEqual([ids])
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
  })

  test('a value that begins with a dash', async () => {
    expect((await call('lists', 'create', '--name', '-Sale'))?.options).toMatchObject({ name: '-Sale' })
    await expect(call('lists', 'list', '--limit', '-5')).rejects.toThrow('--limit needs a value')
    await expect(call('lists', 'list', '-ojson')).rejects.toThrow('unknown option "-ojson"')
  })

  test.each([
    ['lists list --limit 0 --nope', '--limit'],
    ['lists list --page', '--page <n> needs a value'],
    ['lists list -o nope --limit 0', '-o'],
    ['ids check', 'the argument <input> is missing'],
    ['lists list VIP', 'too many arguments for svc lists list: "VIP"'],
    ['lists list VIP --nope', 'unknown option "--nope"'],
    ['lists nope --nope', 'unknown command "nope"'],
    ['lists --nope nope', 'unknown option "--nope"'],
    ['contacts delete --plan x --once y', "option '--plan <file>' cannot be used with option '--once <name>'"],
  ])('svc %s: the first mistake', async (line, message) => {
    await expect(call(...wordsOf(line))).rejects.toThrow(message)
  })
})
