import { describe, expect, test } from 'vitest'
import { shortcutOf } from '../../src/program/argv.ts'
import { allowsColor, errorFormatOf } from '../../src/program/before-parsing.ts'
import { readCommandLine } from '../../src/program/command-line.ts'
import { program } from '../../src/program/nouns.ts'
import { wordsOf } from '../svc.ts'

describe('what the words alone ask for', () => {
  test.each([
    ['-V lists', { kind: 'version' }],
    ['__complete -- lists ""', { kind: 'complete', words: ['lists', ''], isBrief: false }],
    ['lists list', undefined],
    ['lists list --help', undefined],
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

  test('a value that begins with a dash is joined to its option', async () => {
    expect((await readCommandLine(program, ['lists', 'create', '--name', '-Sale'])).parserWords).toEqual([
      'lists',
      'create',
      '--name=-Sale',
    ])
    await expect(
      readCommandLine(program, ['lists', 'list', '--limit', '-5']).then(({ parserWords }) => parserWords),
    ).rejects.toThrow('--limit needs a value')
    await expect(
      readCommandLine(program, ['lists', 'list', '-ojson']).then(({ parserWords }) => parserWords),
    ).rejects.toThrow('unknown option "-ojson"')
  })
})

describe('found before parsing', () => {
  test.each([
    ['', {}, 'text'],
    ['--json', {}, 'json'],
    ['-o ndjson', {}, 'json'],
    ['--output=json', {}, 'json'],
    ['-o csv', { SVC_OUTPUT: 'json' }, 'text'],
    ['', { SVC_OUTPUT: 'ndjson' }, 'json'],
    ['--json --error-format=text', {}, 'text'],
    ['--error-format json', {}, 'json'],
    ['--error-format nonsense --json', {}, 'json'],
    ['-- --json', {}, 'text'],
  ])('the form of errors: %s %j', (line, env, format) => {
    expect(errorFormatOf({ argv: wordsOf(line), env })).toBe(format)
  })

  test.each([
    ['', {}, true],
    ['--color never', {}, false],
    ['--color=never', {}, false],
    ['--color never --color always', {}, true],
    ['', { NO_COLOR: '1' }, false],
    ['', { NO_COLOR: '' }, true],
    ['', { TERM: 'dumb' }, false],
  ])('whether messages may have colors: %s %j', (line, env, allowed) => {
    expect(allowsColor({ argv: wordsOf(line), env })).toBe(allowed)
  })
})
