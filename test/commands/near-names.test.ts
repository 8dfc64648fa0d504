/** Names in another spelling, for changes: asked on a terminal, refused with the exact command elsewhere. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandboxWorld, typing } from '../svc.ts'

const { svc, sandbox, folder } = await createSandboxWorld()
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

const path = join(folder, 'ids.txt')
writeFileSync(path, `${contact}\n`)

test.each([
  [`lists add-contacts Spring campaign ${path} --yes`, `lists add-contacts 'Spring campaign' --file ${path} --yes`],
  [`-q lists add-contacts Spring campaign --file ${path}`, `lists add-contacts 'Spring campaign' -q --file ${path}`],
  [`lists add-contacts Spring campaign 2026 ${contact}`, `lists add-contacts 'Spring campaign 2026' ${contact}`],
])('%s: a name with blanks needs quotes', async (line, command) => {
  const { code, stderr } = await svc(line)
  expect(code).toBe(2)
  expect(stderr).toContain(`\n    svc ${command}\n`)
})

test.each([
  `lists add-contacts VIP ${contact.slice(1)}`,
  'lists add-contacts VIP --file missing.txt',
  'lists add-contacts VIP --expect 3 oops',
])('%s: an id or a file is wrong, not the name', async (line) => {
  expect(await svc(line)).toMatchObject({ code: 2, stderr: expect.not.stringContaining('did you mean') as string })
})
