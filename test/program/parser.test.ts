import { expect, test } from 'vitest'
import { helpOf, parse } from '../../src/program/parser.ts'
import { refusal } from '../support/inputs.ts'
import { hintText } from '../support/shown-text.ts'
import { realHost } from '../support/real-host.ts'
import { wordsOf } from '../support/svc.ts'
import { table } from '../support/table.ts'

async function read(...words: string[]) {
  const parsed = await parse(realHost, {}, words)
  if (parsed.kind === 'text') throw new TypeError(`not a call: ${words.join(' ')}`)
  return parsed
}

const id = '5f'.repeat(12)

test.each([
  ['-vy lists list --limit 3 --json', [], { limit: 3, verbose: true, yes: true, json: true }],
  ['contacts list --in VIP --in Spring', [], { in: ['VIP', 'Spring'] }],
  ['contacts merge', [undefined], {}],
  ['contacts delete -', [['-']], {}],
  // The word behind an option is its value, whatever it begins with.
  ['contacts delete --file - x', [['x']], { file: '-' }],
  ['contacts delete --file --count x', [['x']], { file: '--count' }],
  ['-p --json lists list', [], { profile: '--json' }],
  ['-vpprod lists list', [], { verbose: true, profile: 'prod' }],
  // Behind -- no word is an option.
  ['contacts delete --file=b -- -x --yes', [['-x', '--yes']], { file: 'b' }],
  ['-p prod sandbox exec -- tool -p -x', [['tool', '-p', '-x']], { profile: 'prod' }],
  // Options of the program can stand anywhere.
  ['-o csv lists list', [], { output: 'csv' }],
  ['lists -o csv list', [], { output: 'csv' }],
  ['lists list -o csv', [], { output: 'csv' }],
  // Switches can be repeated.
  ['-v -y lists list -vy', [], { verbose: true, yes: true }],
  // Aliases of commander.
  ['lists ls', [], {}],
  ['contacts rm x', [['x']], {}],
  ['contacts show x', [['x']], {}],
  ['runs rm x', ['x'], {}],
  ['runs show x', ['x'], {}],
] as const)('svc %s', async (line, words, values) => {
  const call = await read(...wordsOf(line))
  expect(call.arguments).toEqual(words)
  expect(call.values).toMatchObject(values)
})

test('50,000 words in less than a second of the processor', async () => {
  // Loading the verb takes time, too.
  await read('contacts', 'delete', id)
  const before = process.cpuUsage().user
  const ids = Array.from({ length: 50_000 }, (_, n) => n.toString(16).padStart(24, 'f'))
  expect((await read('contacts', 'delete', ...ids, '--yes')).arguments).toEqual([ids])
  expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
})

test.each(
  table(`
  --limit 3 lists list           | unknown option '--limit'
  employees list --kind cat      | "cat" is not a kind; choose human or ai
  --errors xml lists list        | "xml" is not an error format; choose text or json
  completion tcsh                | "tcsh" is not a shell that svc supports; choose bash, zsh, fish, or powershell
  doctor now                     | too many arguments for 'doctor'. Expected 0 arguments but got 1.
  lists get --bogus              | unknown option '--bogus'
  lists list --bogus -p          | option '-p, --profile <name>' argument missing
  -o csv lists list -o json      | --output is given twice
  lists list --json -o csv       | option '--json' cannot be used with option '-o, --output <format>'
  contacts delete --dry-run=true | unknown option '--dry-run=…'
  lists create -- -Sale          | the name must not be an id, be blank, start with "-", or have control characters
  lists update A --description=-5% | --description must not start with "-"
  lists list --secret=sk_1'2345  | unknown option '--secret=…'`),
)('svc %s: %s', async (line = '', message = '') => {
  const error = await refusal(() => read(...wordsOf(line)))
  expect(error.message).toBe(message)
  expect(hintText(error.details.hint)).toMatch(/^see: svc (?:.* )?--help$/)
})

test.each(
  table(`
  employees list --kind cat -h         | employees list
  -o bogus --help lists list           | lists list
  lists list --limit x --help          | lists list
  lists get --bogus --help             | lists get
  lists list --json -o csv -h          | lists list
  contacts rm --search --help x        | contacts delete
  -p lists contacts list --help -p     | contacts list
  lists bogus -qh                      | lists
  bogus --help                         |
  --version --help                     |
  --help --secret=abc                  |`),
)('svc %s: the help of svc %s', async (line = '', command = '') => {
  const parsed = await parse(realHost, {}, wordsOf(line))
  if (parsed.kind === 'call') throw new TypeError('not a help')
  expect(parsed.text.split('\n')[0]).toMatch(new RegExp(`^Usage: svc ${command}(?:\\|\\w+)? ?[[<]`))
})

test.each(
  table(`
  lists list --serach x         | --search
  lists list --serach=a_value   | --search
  contacts delete --yse=a_value | --yes
  contacts delte                | delete
  contact list                  | contacts
  help dublicates               | contacts duplicates
  help spreadsheet              | help spreadsheets
  merge                         | contacts merge
  profiles add a --secret b     | --secret-stdin, --secret-file, or --secret-command`),
)('svc %s: did you mean %s?', async (line = '', meant = '') => {
  const [word, ...words] = wordsOf(line)
  const error = await refusal(() =>
    word === 'help' ? helpOf(realHost, words) : parse(realHost, {}, wordsOf(line)),
  )
  expect(error.details.lines).toEqual([`Did you mean ${meant}?`])
  expect(error.message).not.toContain('a_value')
})
