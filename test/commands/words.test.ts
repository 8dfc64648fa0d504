/** Names and other words as they are typed and shown: dashes, blanks, halves of characters, other spellings. */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import type { ContactList, ListMember } from '../../src/api/schemas.ts'
import { createSandboxWorld, guardSecret, typing } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()

// Words that begin with a dash: free text takes them, everything else asks what is meant.
const ids = '0123456789abcdef01234567 1123456789abcdef01234567'.split(' ') as [string, string]

const dashed = [
  '-Sale',
  '-vacation',
  '-quick',
  '-offer',
  '-pSale',
  '-yes-sale',
  '-V',
  '--Sale',
  '--limit=5',
  '-5%',
  '- 5',
  '—',
  '-🎈',
]

describe('free text', () => {
  test.each(dashed)('--name and --description take %s', async (word) => {
    const words = ['lists', 'create', '--description', word, '--name', word, '--json']
    const { code, stdout, stderr } = await svc(words)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ name: word, description: word })
    const { id } = JSON.parse(stdout) as ContactList
    const updated = await svc(['-o', 'ndjson', 'lists', 'update', id, '--description', `${word}!`, '-q'])
    expect(JSON.parse(updated.stdout)).toMatchObject({ name: word, description: `${word}!` })
  })

  test.each(dashed)('--search, -f, --query and --body take %s', async (word) => {
    await svc(['lists', 'list', '--search', word, '-o', 'ids'])
    expect(new URLSearchParams(sandbox.requests.at(-1)?.url.split('?')[1]).get('search')).toBe(word)
    await svc(['api', '/v1/lists', '--query', `${word}=1`])
    expect(new URLSearchParams(sandbox.requests.at(-1)?.url.split('?')[1]).get(word.split('=')[0] ?? '')).toMatch(/1$/)
    await svc(['api', '/v1/lists', '-f', `${word}=x`])
    expect(Object.keys(JSON.parse(sandbox.requests.at(-1)?.body ?? '') as object)).toEqual([word.split('=')[0]])
    await svc(['api', '/v1/lists', '--body', word])
    expect(sandbox.requests.at(-1)?.body).toBe(word)
  })

  test.each(['--yes', '-y', '-q', '-vv', '--utc', '-o', '--dry-run', '--description', '--help', '--'])(
    'is not %s, which is an option, unless it is written with =',
    async (word) => {
      const before = sandbox.requests.length
      const { code, stdout, stderr } = await svc(['lists', 'create', '--name', word, '--description', 'x'])
      expect([code, stdout, sandbox.requests.length - before]).toEqual([2, '', 0])
      expect(stderr).toBe(
        `error: --name needs a value, and "${word}" is an option\n  to use it as the value, write --name=${word}\n`,
      )
      const made = await svc(['lists', 'create', `--name=${word}`, '--json'])
      expect(JSON.parse(made.stdout)).toMatchObject({ name: word })
    },
  )
})

describe('every other option', () => {
  test.each([
    [
      'lists list --limit -1',
      '--limit needs a value, and "-1" begins with a dash\n  to use it as the value, write --limit=-1',
    ],
    [
      'lists list --fields -x',
      '--fields needs a value, and "-x" begins with a dash\n  to use it as the value, write --fields=-x',
    ],
    [
      'lists list -o -json',
      '--output needs a value, and "-json" begins with a dash\n  to use it as the value, write --output=-json',
    ],
    [
      'lists list -p --utc',
      '--profile needs a value, and "--utc" is an option\n  to use it as the value, write --profile=--utc',
    ],
    [
      `contacts delete ${ids[0]} --receipts -x`,
      '--receipts needs a value, and "-x" begins with a dash\n  to use it as the value, write --receipts=-x; a file of that name is ./-x',
    ],
    [
      'contacts delete --file --yes',
      '--file needs a value, and "--yes" is an option\n  to use it as the value, write --file=--yes; a file of that name is ./--yes',
    ],
    [
      `tickets assign ${ids[0]} --to "-Robin Berg"`,
      `--to needs a value, and "-Robin Berg" begins with a dash\n  to use it as the value, write --to='-Robin Berg'`,
    ],
    [
      'lists create --name x --description-file -d',
      '--description-file needs a value, and "-d" begins with a dash\n  to use it as the value, write --description-file=-d; a file of that name is ./-d',
    ],
  ])('%s is exit 2, and nothing is sent', async (line, message) => {
    const before = sandbox.requests.length
    expect(await svc(line)).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
    expect(sandbox.requests.length).toBe(before)
  })

  test('a dash alone is standard input', async () => {
    const made = await svc('lists create --name Piped --description-file - --json', { stdin: 'from a pipe\n' })
    expect(JSON.parse(made.stdout)).toMatchObject({ description: 'from a pipe' })
  })
})

test('a list whose name begins with a dash is reached by name: or behind --', async () => {
  const made = await svc('lists create --name -Only -o ids')
  const refused = await svc('lists get -Only')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('name:-Only, or after --')
  for (const line of ['lists get name:-Only -o ids', 'lists get -o ids -- -Only'])
    expect(await svc(line)).toEqual({ code: 0, stdout: made.stdout, stderr: '' })
})

// Names in another spelling, for changes: asked on a terminal, refused with the exact command elsewhere.
const { assignableTickets, contactsWithoutChats, employee } = sandbox.examples
const [ticket = ''] = assignableTickets
const [contact = ''] = contactsWithoutChats
const changes = (): number => sandbox.requests.filter(({ method }) => method !== 'GET').length

test.each([
  ['lists update "nobody yet" --description x', "lists update 'Nobody yet' --description x", 'list'],
  ['lists update --name "nobody yet" "nobody yet"', "lists update --name 'nobody yet' 'Nobody yet'", 'list'],
  ['lists update --dry-run "nobody yet" --name x', "lists update --dry-run 'Nobody yet' --name x", 'list'],
  [`lists add-contacts "nobody yet" ${contact}`, `lists add-contacts 'Nobody yet' ${contact}`, 'list'],
  [`tickets assign ${ticket} --to "robin berg"`, `tickets assign ${ticket} --to 'Robin Berg'`, 'employee'],
  [`tickets assign ${ticket} "--to=robin  berg"`, `tickets assign ${ticket} '--to=Robin Berg'`, 'employee'],
  [
    `tickets assign ${ticket} --to ${employee} --if-assignee "alice adams"`,
    `tickets assign ${ticket} --to ${employee} --if-assignee 'Alice Adams'`,
    'employee',
  ],
])(
  '%s: exit 6 with the exact command, without a terminal, with --yes and with --no-input',
  async (line, exact, what) => {
    const before = changes()
    const { terminal, shown } = typing('y')
    for (const [more, options] of [
      ['', {}],
      [' --yes', { terminal }],
      [' --no-input', { terminal }],
    ] as const) {
      const { code, stdout, stderr } = await svc(`${line}${more}`, options)
      expect([code, stdout]).toEqual([6, ''])
      expect(stderr).toMatch(
        new RegExp(`^error: no ${what} is called ".*", but one is called ".*"; nothing was sent\\n`),
      )
      expect(stderr).toContain(`  a change needs the exact name:\n    svc ${exact}${more}\n`)
    }
    expect([changes(), shown()]).toEqual([before, ''])
  },
)

test('a command that is the same word as the name stays as it is', async () => {
  await svc('lists create --name Lists')
  const { code, stderr } = await svc('-q lists update lists --description x')
  expect([code, stderr]).toEqual([6, expect.stringContaining('    svc -q lists update Lists --description x\n')])
})

test('on a terminal it is asked: yes makes the change, no does not', async () => {
  const no = typing('n')
  const declined = await svc('lists update "nobody YET" --description x', { terminal: no.terminal })
  expect(declined).toMatchObject({ code: 9, stdout: '' })
  expect(no.shown().replaceAll(/\s+/g, ' ')).toMatch(
    /No list is called "nobody YET"\. Use "Nobody yet" \([0-9a-f]{24}\)\? \(y\/N\)/,
  )
  const before = changes()
  const yes = typing('y')
  const done = await svc('lists update "nobody YET" --description asked --json', { terminal: yes.terminal })
  expect([done.code, changes() - before]).toEqual([0, 1])
  expect(JSON.parse(done.stdout)).toMatchObject({ name: 'Nobody yet', description: 'asked' })
})

test('lists create asks before a second list of one name, and --yes does not answer that', async () => {
  const before = changes()
  const words =
    /^error: a list called "VIP" already exists \([0-9a-f]{24}\); nothing was created\n {2}lists cannot be deleted/
  for (const [more, options] of [
    ['', {}],
    [' --yes', { terminal: typing('y').terminal }],
    [' --no-input', { terminal: typing('y').terminal }],
  ] as const)
    expect(await svc(`lists create --name VIP${more}`, options)).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(words) as string,
    })
  const no = typing('n')
  expect((await svc('lists create --name VIP', { terminal: no.terminal })).code).toBe(9)
  expect(no.shown()).toMatch(/already exists, and lists cannot be deleted/)
  expect((await svc('lists create --name VIP --if-not-exists --allow-duplicate-name')).code).toBe(2)
  expect(changes()).toBe(before)
  // One that is found on the last page.
  expect((await svc('lists create --name "Campaign 000"')).code).toBe(6)
  expect((await svc('lists create --name VIP', { terminal: typing('y').terminal })).code).toBe(0)
  expect((await svc('lists create --name vip --allow-duplicate-name')).code).toBe(0)
  expect(changes()).toBe(before + 2)
})

test.each([
  ['a part of a name', `tickets assign ${ticket} --to robin`, 'did you mean "Robin Berg"?'],
  ['the other part', `tickets assign ${ticket} --to BERG`, 'did you mean "Robin Berg"?'],
  ['that of a list', 'lists get "nobody"', 'did you mean "Nobody yet"?'],
])('%s suggests the name', async (_, line, hint) => {
  const before = changes()
  const { code, stderr } = await svc(line)
  expect([code, stderr]).toEqual([6, expect.stringContaining(`\n  ${hint}\n  see the names with:\n`)])
  expect(changes()).toBe(before)
})

test('a part of many names, and one inside of a word, suggest none', async () => {
  for (const part of ['Campaign', 'obod']) {
    expect((await svc(['lists', 'get', part])).stderr).not.toContain('did you mean')
  }
})

test.each([
  `lists add-contacts VIP ${contact.slice(1)}`,
  'lists add-contacts VIP --file missing.txt',
  'lists add-contacts VIP --expect 3 oops',
])('%s: an id or a file is wrong, not the name', async (line) => {
  expect(await svc(line)).toMatchObject({ code: 2, stderr: expect.not.stringContaining('did you mean') as string })
})

// Half a character in a customer's name: JSON that every reader takes.
const list = sandbox.examples.emptyList
await svc(`lists add-contacts ${list} ${sandbox.examples.contactsHostile.join(' ')}`)
const stored = sandbox.examples.contactsHostile.map((id) => sandbox.store.contact(id)?.firstName ?? '')

/** UTF-8 has no unpaired surrogates: encoding replaces them. */
const whole = (text: string): string => Buffer.from(text).toString()
const note = 'in 1 row half a character (an unpaired surrogate) became U+FFFD'

/** What jq reads, or undefined without one. */
function readByJq(text: string, program: string): string | undefined {
  const { error, stdout, status } = spawnSync('jq', ['-c', program], { input: text, encoding: 'utf8' })
  if (error !== undefined) return undefined
  expect(status).toBe(0)
  return stdout
}

test('there is such a contact', () => {
  expect(stored.filter((name) => name !== whole(name))).toEqual(['Lone\ud800surrogate'])
})

describe('members with half a character in a name', () => {
  test.each(['ndjson', 'json'] as const)(
    'as %s: every row is read, and a note counts those that changed',
    async (format) => {
      const { code, stdout, stderr } = await svc(`lists members ${list} -o ${format}`)
      const rows = format === 'json' ? stdout : `[${stdout.trimEnd().replaceAll('\n', ',')}]`
      expect(code).toBe(0)
      const names = (JSON.parse(rows) as ListMember[]).map(({ contact }) => contact.firstName)
      expect(new Set(names)).toEqual(new Set(stored.map(whole)))
      expect(JSON.parse(stderr)).toEqual({
        type: 'note',
        level: 'info',
        time: expect.any(String) as string,
        message: note,
      })
      expect((await svc(`lists members ${list} -o ${format} -q`)).stderr).toBe('')
      const ids = readByJq(rows, '.[].contact.id')
      expect(ids?.trimEnd().split('\n').length ?? stored.length).toBe(stored.length)
    },
  )

  test('one record, and rows that a projection leaves whole', async () => {
    const made = await svc(['lists', 'create', '--name', 'Half \udc00', '--json'])
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'Half \ufffd' })
    expect((JSON.parse(made.stderr) as { message: string }).message).toMatch(/^in this output half a character/)
    expect((await svc(`lists members ${list} -o ndjson --fields contact.id`)).stderr).toBe('')
  })
})

test('errors on stderr', async () => {
  const { stderr } = await svc(['lists', 'get', 'No \ud800 such', '--json'])
  expect(stderr).toContain('no list is called \\"No \ufffd such\\"')
  expect(readByJq(stderr, '.error.exitCode') ?? '6\n').toBe('6\n')
})

// Blanks around a name are part of it: it is shown with them, and found by what was shown.
const secret = 'sk_blanks_0123456789'
guardSecret(secret)

test('of a list', async () => {
  const outer = await svc(['lists', 'create', '--name', '  Blanks ', '-o', 'ids'])
  const plain = await svc(['lists', 'create', '--name', 'Blanks', '-o', 'ids'])
  for (const [name, { stdout }] of [
    ['  Blanks ', outer],
    ['Blanks', plain],
  ] as const) {
    expect((await svc(['lists', 'get', name, '-o', 'ids'])).stdout).toBe(stdout)
    const { stdout: shown } = await svc(['lists', 'get', name, '-o', 'tsv', '--fields', 'name', '--no-header'])
    expect(shown).toBe(`${name}\n`)
    const table = await svc(['lists', 'get', name])
    expect(table.stdout).toContain(`\nNAME         ${name}\n`)
  }
})

test('of an employee', async () => {
  const employees = [
    ['1', ' Robin', 'Berg'],
    ['2', 'Robin', 'Berg '],
    ['3', 'Robin', 'Berg'],
    ['4', 'Robin ', ' Berg'],
    ['5', ' ', null],
  ].map(([n, firstName, lastName]) => ({ id: `64a${'0'.repeat(20)}${n ?? ''}`, firstName, lastName, kind: 'human' }))
  const server = createServer((_request, response) => response.end(JSON.stringify({ data: employees })))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  afterAll(() => server.close())
  const env = {
    SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    SVC_API_KEY: 'pk_blanks',
    SVC_API_SECRET: secret,
  }
  const { stdout } = await svc('employees list -o tsv --fields id,name --no-header', { env })
  const rows = stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows.map(([, name]) => name)).toEqual([' Robin Berg', 'Robin Berg ', 'Robin Berg', 'Robin   Berg', ' '])
  for (const [id, name = ''] of rows) {
    const found = await svc(['tickets', 'assign', '64e000000000000000000001', '--to', name, '--dry-run', '--json'], {
      env,
      fast: true,
    })
    expect(JSON.parse(found.stdout)).toMatchObject({ body: { newAssigneeId: id } })
  }
})
