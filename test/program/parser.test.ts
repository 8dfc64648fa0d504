/** How a command line is read: values, places of options, and words that look like options. Unknown commands are in test/program/mistakes.txt. */
import { describe, expect, test } from 'vitest'
import { parse } from '../../src/program/parser.ts'
import { messageOf } from '../../src/errors.ts'
import { realHost } from '../support/real-host.ts'
import { refusal } from '../support/inputs.ts'
import { shownText } from '../support/shown-text.ts'
import { wordsOf } from '../support/svc.ts'
import { table } from '../support/table.ts'

async function read(...words: string[]) {
  const parsed = await parse(realHost, {}, words)
  if (parsed.kind === 'text') throw new TypeError(`not a call: ${words.join(' ')}`)
  return parsed
}

/** The message of the mistake that a line is. */
async function mistakeIn(...words: string[]): Promise<string> {
  try {
    await read(...words)
  } catch (error) {
    return messageOf(error)
  }
  throw new TypeError(`no mistake: ${words.join(' ')}`)
}

const id = '5f'.repeat(12)

describe('a command line', () => {
  test('the values that a verb is called with', async () => {
    const typed = ['-vy', 'lists', 'list', '--limit', '3', '--json']
    expect(await read(...typed)).toMatchObject({
      line: { path: 'lists list' },
      arguments: [],
      values: { limit: 3, verbose: true, yes: true, json: true },
    })
    const changed = await read('contacts', 'delete', id, '--file=b', '--', '-x')
    expect(changed.arguments).toEqual([[id, '-x']])
    expect(changed.values).toMatchObject({ file: 'b' })
    expect(await mistakeIn('contacts', 'delete', '--file', 'a', '--file', 'b')).toBe(
      '--file can be given only once',
    )
    expect(await mistakeIn('lists', 'list', '--limit', '3', '--limit=4')).toBe(
      '--limit can be given only once',
    )
    const both = await read('contacts', 'list', '--in', 'VIP', '--in', 'Spring')
    expect(both.values).toMatchObject({ in: ['VIP', 'Spring'] })
    expect(await mistakeIn('employees', 'list', '--kind', 'cat')).toBe(
      '--kind takes human or ai, not "cat"',
    )
    expect((await read('contacts', 'merge')).arguments).toEqual([undefined])
    expect((await read('contacts', 'delete', '-')).arguments).toEqual([['-']])
    expect((await read('lists', 'get', '-5')).arguments).toEqual(['-5'])
  })

  test('global options can stand anywhere, those of a verb behind it', async () => {
    for (const line of ['-o csv lists list', 'lists -o csv list', 'lists list -o csv'])
      expect((await read(...line.split(' '))).values).toMatchObject({ output: 'csv' })
    expect(await mistakeIn('--limit', '3', 'lists', 'list')).toBe('unknown option "--limit"')
    expect((await read('-o', 'csv', 'lists', 'list', '-o', 'json')).values).toMatchObject({
      output: 'json',
    })
  })

  test('50,000 words in less than a second of the processor', async () => {
    // Loading the verb takes time, too.
    await read('contacts', 'delete', id)
    const before = process.cpuUsage().user
    const ids = Array.from({ length: 50_000 }, (_, n) => n.toString(16).padStart(24, 'f'))
    expect((await read('contacts', 'delete', ...ids, '--yes')).arguments).toEqual([ids])
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
  })
})

test('a value begins with a dash only where it is joined to its option, but for the dash alone', async () => {
  const { values } = await read('contacts', 'delete', '--where=-x=1', '--file', '-', id)
  expect(values).toMatchObject({ where: ['-x=1'], file: '-' })
  for (const [line = '', hint] of table(`
    lists update VIP --name -10%  | --name=-10%
    contacts delete --file --count | --file=--count
    -p --json lists list          | --profile=--json
    lists get VIP -o '-a b'       | '--output=-a b'
    contacts delete --once -- x   | --once=--`)) {
    const name = /^'?(--\w+)/.exec(hint ?? '')?.[1]
    expect(shownText(await refusal(() => read(...wordsOf(line)))), line).toBe(
      `${name} has no value\nif that is meant: ${hint}`,
    )
  }
  // Options of the program are read first, so they do not stand between an option and another word.
  for (const line of ['contacts delete --file --json x', 'contacts delete --file --yes'])
    expect(await mistakeIn(...line.split(' ')), line).toBe('--file has no value')
  for (const line of ['-vp prod lists list', '-vpprod lists list', '--profile=prod lists list'])
    expect((await read(...line.split(' '))).values, line).toMatchObject({ profile: 'prod' })
  // Behind -- are the words of another command.
  const exec = await read('-p', 'prod', 'sandbox', 'exec', '--', 'tool', '-p', '-x')
  expect(exec.values).toMatchObject({ profile: 'prod' })
})

test.each(
  table(`
  contacts show                        | unknown command "contacts show"  | svc contacts get
  contacts rm                          | unknown command "contacts rm"    | svc contacts delete
  lists ls                             | unknown command "lists ls"       | svc lists list
  lists new                            | unknown command "lists new"      | svc lists create
  lists export                         | unknown command "lists export"   | svc lists members
  lists rename                         | unknown command "lists rename"   | svc lists update
  runs clean                           | unknown command "runs clean"     | svc runs remove
  tickets log                          | unknown command "tickets log"    | svc tickets history
  profiles rm                          | unknown command "profiles rm"    | svc profiles remove
  --help lists gte                     | unknown command "gte"            | svc lists get
  lists create --name Spring campaign  | too many words: "campaign"       | svc lists create --name "Spring campaign"
  lists create Spring                  | too many words: "Spring"         | svc lists create --name "Spring"
  lists update Trade fair --name X     | too many words: "fair"           | svc lists update "Trade fair" --name X
  lists update VIP New name -p prod    | too many words: "New" "name"     | svc lists update VIP --name "New name" -p prod
  contacts list VIP                    | too many words: "VIP"            | svc contacts list --in "VIP"
  doctor now                           | too many words: "now"
  lists get --bogus                    | unknown option "--bogus"
  lists get --bogus --help             | unknown option "--bogus"
  lists list --limit                   | --limit has no value
  lists list --json -o csv             | --json and --output cannot be used together
  contacts delete --dry-run=true       | --dry-run takes no value`),
)('svc %s: %s', async (line = '', message = '', meant) => {
  const error = await refusal(() => read(...wordsOf(line)))
  const { hint = '' } = error.details
  expect([error.message, /did you mean:\n *(.*)/.exec(hint)?.[1]]).toEqual([message, meant])
})
