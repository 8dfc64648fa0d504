/**
 * `--json` of every command: one complete document on success; on failure nothing or one complete document, and the
 * error as a JSON line on stderr. Commands are found by walking the tree, so that a new one without a row here fails.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { createSandboxWorld, type Options } from '../svc.ts'

const { svc, sandbox, as, folder } = await createSandboxWorld()
const { list, tickets, employee, contactsWithoutChats, contactsWithChats, assignableTickets } = sandbox.examples
const [one = '', two = '', three = '', four = ''] = contactsWithoutChats
const unknown = '0123456789abcdef01234567'
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}
const ids = file('ids.txt', `${three}\n${four}\n`)
const bad = file('bad.txt', `${three}\nno id\n`)
const pairs = file('pairs.csv', `source,target\n${contactsWithoutChats[10] ?? ''},${contactsWithoutChats[11] ?? ''}\n`)
const people = file('people.csv', 'Phone\n+55 11 91234-5678\n')
const changes = file('changes.csv', `ticket,employee\n${assignableTickets[1] ?? ''},${employee}\n`)
const key = sandbox.keys[0]
const profile = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, apiSecret: key?.apiSecret }
const config = file('config.json', JSON.stringify({ current: 'a', profiles: { a: profile, b: profile } }))
/** With a configuration file instead of credentials in the environment. */
const configured: Options = {
  env: { SVC_CONFIG: config, SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined },
}
const noPlan: Options = { env: as('no-plan') }

interface Row {
  /** Words behind the command. */
  readonly good: string
  readonly bad: string
  readonly options?: Options
  readonly badOptions?: Options
}

const rows: Record<string, readonly Row[]> = {
  'lists list': [
    { good: '', bad: '--limit 0' },
    { good: '--search zzz', bad: '', badOptions: noPlan },
    { good: '--page 2', bad: '--fields nme' },
    {
      good: '--fields id,name',
      bad: '',
      badOptions: { env: { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_RETRIES: '0' } },
    },
  ],
  'lists get': [
    { good: list, bad: unknown },
    { good: 'VIP', bad: 'Newsletter' },
    { good: 'name:-VIP', bad: '' },
  ],
  'lists members': [{ good: 'VIP', bad: 'nobody' }],
  'lists create': [
    { good: '--name Json', bad: '--name ""' },
    { good: '--name Json --dry-run', bad: '--name Json', badOptions: { env: as('read') } },
  ],
  'lists update': [
    { good: 'VIP --description json', bad: 'VIP' },
    { good: 'VIP --name Other --dry-run', bad: `${unknown} --name x` },
  ],
  'lists add-contacts': [
    { good: `VIP --file ${ids}`, bad: `VIP --file ${bad}` },
    { good: `VIP ${one} --dry-run`, bad: `${unknown} ${one}` },
    // Nobody deletes or merges these: the run can be sent again.
    { good: `VIP ${contactsWithoutChats[20] ?? ''} ${contactsWithoutChats[21] ?? ''}`, bad: `VIP ${unknown}` },
  ],
  'lists diff': [{ good: 'VIP VIP', bad: 'VIP' }],
  'contacts match': [{ good: `--file ${people} --in "Trade fair"`, bad: `--file ${ids}` }],
  'contacts duplicates': [{ good: '--in "Trade fair"', bad: '--by fax' }],
  'contacts get': [{ good: '64007f0bd5aad2927b00036f --in VIP', bad: 'x' }],
  'contacts find': [{ good: '--name "anna miller"', bad: '--name " "' }],
  'contacts merge': [
    { good: `${one} --into ${two} --yes`, bad: `${one} --into ${two} --yes` },
    { good: `${one} --into ${two} --dry-run`, bad: `${three} --into ${four}` },
    { good: `--file ${pairs} --yes`, bad: `--file ${ids} --yes` },
  ],
  'contacts delete': [
    { good: `--file ${ids} --yes`, bad: `--file ${bad} --yes` },
    { good: `${three} --dry-run`, bad: `${contactsWithChats[0] ?? ''} --yes` },
    { good: '--file /dev/null --yes', bad: three },
  ],
  'tickets get': [{ good: tickets.active, bad: tickets.new }],
  'tickets history': [
    { good: tickets.long, bad: tickets.new },
    { good: `${tickets.hostile} --limit 3 --order oldest`, bad: `${tickets.long} --cursor 1` },
    { good: tickets.noMessages, bad: '' },
    { good: `${tickets.active} ${tickets.closed} --limit 1`, bad: `${tickets.new} ${unknown}` },
  ],
  'tickets assign': [
    { good: `${assignableTickets[0] ?? ''} --to ${employee}`, bad: `${tickets.closed} --to ${employee}` },
    { good: `${tickets.active} --to "Robin Berg" --dry-run`, bad: `${tickets.active} --to "Sam Twin"` },
    { good: `--file ${changes}`, bad: `--file ${bad} --to ${employee}` },
  ],
  'employees list': [{ good: '', bad: '--kind robot' }],
  api: [{ good: '/v1/lists', bad: '/v1/nothing' }],
  'runs list': [{ good: '', bad: '--nope' }],
  'runs show': [{ good: '<run>', bad: 'none' }],
  'runs resume': [{ good: '<run>', bad: 'none' }],
  'runs retry': [{ good: '<run> --outcome error --yes', bad: 'none --outcome error' }],
  'runs undo': [{ good: '<assigns>', bad: 'none' }],
  'runs export': [{ good: '<run>', bad: 'none' }],
  'runs prune': [{ good: '--older-than 30d --yes', bad: '--older-than soon' }],
  'ids check': [{ good: ids, bad }],
  'ids dedupe': [{ good: ids, bad }],
  'ids union': [{ good: `${ids} ${ids}`, bad: `${ids} ${bad}` }],
  'ids intersect': [{ good: `${ids} ${ids}`, bad: `${ids} ${bad}` }],
  'ids subtract': [{ good: `${ids} ${ids}`, bad: `${ids} ${bad}` }],
  'profiles list': [{ good: '', bad: '--nope', options: configured }],
  'profiles show': [{ good: '', bad: 'nobody', options: configured, badOptions: configured }],
  'profiles add': [
    {
      good: `c --url ${sandbox.baseUrl} --key k --secret-env SVC_API_SECRET`,
      bad: 'a --url ftp://x --key k --secret-env X',
      options: { env: { ...configured.env, SVC_API_SECRET: key?.apiSecret } },
      badOptions: configured,
    },
  ],
  'profiles use': [{ good: 'b', bad: 'nobody', options: configured, badOptions: configured }],
  'profiles rename': [{ good: 'c d', bad: 'nobody x', options: configured, badOptions: configured }],
  'profiles remove': [{ good: 'd --yes', bad: 'nobody --yes', options: configured, badOptions: configured }],
  'profiles path': [{ good: '', bad: '--nope', options: configured }],
  whoami: [{ good: '', bad: '', badOptions: noPlan }],
  doctor: [{ good: '', bad: '', badOptions: { env: { SVC_API_SECRET: 'sk_another_secret_that_is_long_enough' } } }],
  sign: [{ good: 'GET /v1/lists', bad: 'GET /v2/lists --curl' }],
}

/**
 * These have no JSON form; their failures have. `sandbox start` prints secrets that no other
 * command may print, which the tests of the sandbox look at.
 */
const failuresOnly: Readonly<Record<string, string>> = {
  'sandbox start': '--port 99999',
  completion: 'tcsh',
  help: 'nothing',
  'sandbox exec': 'no-dashes',
  'sandbox shell': '--shell nosuch',
}

interface Leaf {
  readonly path: string
  readonly needsArguments: boolean
}

function leaves(command: CommandUnknownOpts, path: readonly string[] = []): Leaf[] {
  const needsArguments = command.registeredArguments.some(({ required }) => required)
  if (command.commands.length === 0) return [{ path: path.join(' '), needsArguments }]
  return command.commands.flatMap((each) => leaves(each, [...path, each.name()]))
}

const program = await buildProgram({ columns: () => 80 }, () => () => Promise.resolve())
// A command that runs by itself needs no row of its own.
for (const { path, needsArguments } of leaves(program))
  if (!needsArguments && !(path in failuresOnly)) rows[path] ??= [{ good: '', bad: '--nope' }]

test('every command has a row', () => {
  const hidden = leaves(program).filter(({ path }) => path.startsWith('__'))
  expect(hidden).toEqual([])
  const paths = leaves(program).map(({ path }) => path)
  expect([...Object.keys(rows), ...Object.keys(failuresOnly)].sort()).toEqual(paths.sort())
})

/** With a recorded run that is complete in place of `<run>`, for the commands that take one. */
async function withRun(words: string): Promise<string> {
  const [place] = /<(?:run|assigns)>/.exec(words) ?? []
  if (place === undefined) return words
  const wanted = place === '<run>' ? 'lists.add-contacts' : 'tickets.assign'
  const recorded = JSON.parse((await svc('runs list --json')).stdout) as {
    run: string
    status: string
    operation: string
  }[]
  return words.replace(
    place,
    recorded.find(({ status, operation }) => status === 'complete' && operation === wanted)?.run ?? '',
  )
}

const all = Object.entries(rows).flatMap(([path, some]) => some.map((row) => [path, row] as const))

describe('succeeds with one document', () => {
  test.each(all.map(([path, row]) => [`${path} ${row.good}`, path, row] as const))(
    '%s',
    async (_, path, { good, options }) => {
      const { code, stdout, stderr } = await svc(`${path} ${await withRun(good)} --json`, options)
      expect([code, stderr.includes('"type":"error"')]).toEqual([0, false])
      expect(() => JSON.parse(stdout) as unknown).not.toThrow()
      expect(stdout.endsWith('\n')).toBe(true)
      // Notes are JSON lines too.
      for (const line of stderr.split('\n').filter((each) => each !== '')) {
        expect(JSON.parse(line)).toMatchObject({ type: 'note', message: expect.any(String) as string })
      }
    },
  )
})

const members = ['category', 'exitCode', 'httpStatus', 'code', 'message', 'hint', 'request', 'profile', 'run']

/** What an error line says. */
function fromError(line: Record<string, unknown> | undefined) {
  const error = (line?.['type'] === 'error' ? line['error'] : {}) as Record<string, unknown>
  return { exitCode: error['exitCode'], members: Object.keys(error).filter((name) => name !== 'cursor') }
}

/** A bulk run's summary, or the checks of doctor: the document itself carries the code; `ids check` has the count. */
function fromDocument(path: string, document: Record<string, unknown>) {
  return { exitCode: path === 'ids check' && document['invalid'] === 1 ? 2 : document['exitCode'], members }
}

describe('fails with an error on stderr, or with a document that says so', () => {
  const failures = [
    ...all.map(([path, { bad: words, badOptions }]) => [path, words, badOptions] as const),
    ...Object.entries(failuresOnly).map(([path, words]) => [path, words, undefined] as const),
  ]
  test.each(failures.map(([path, words, options]) => [`${path} ${words}`, path, words, options] as const))(
    '%s',
    async (_, path, words, options) => {
      const { code, stdout, stderr } = await svc(`${path} ${words} --json`, options)
      expect(code).toBeGreaterThan(1)
      const lines = stderr
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      const told =
        stdout === '' ? fromError(lines.at(-1)) : fromDocument(path, JSON.parse(stdout) as Record<string, unknown>)
      expect(told).toEqual({ exitCode: code, members })
    },
  )
})

test('a mistake in the command line is found before anything is parsed', async () => {
  for (const line of [
    '--json listz',
    'lists frob --json',
    'lists list --json --nope',
    '--output=json lists list x y',
    'lists get --error-format json',
  ]) {
    const { code, stdout, stderr } = await svc(line)
    expect([line, code, stdout]).toEqual([line, 2, ''])
    expect(JSON.parse(stderr)).toMatchObject({ type: 'error', error: { category: 'usage', exitCode: 2 } })
  }
})
