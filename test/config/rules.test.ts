/** The changes that a profile forbids: they are not sent, whatever the command line says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandboxWorld, type Options } from '../svc.ts'
import { hasFeature } from '../has-feature.ts'

const world = await createSandboxWorld()
const { sandbox, folder } = world
const { examples } = sandbox
const [contact = '', other = ''] = examples.contactsWithoutChats
const { list, employee } = examples
const config = join(folder, 'profile.json')

/** With a profile of these rules: how it ended, and what the sandbox was asked meanwhile. */
async function under(rules: object, line: string | readonly string[], options: Options = {}) {
  const words = typeof line === 'string' ? line.split(' ') : line
  const { result, sent } = await world.requestsOf(words, { profile: rules, ...options })
  return { ...result, requests: sent }
}

/** Nothing was sent, and why. */
const refused = (why: string, code = 5): object => ({
  code,
  requests: [],
  stderr: expect.stringContaining(why) as string,
})

const pairs = join(folder, 'pairs.csv')
writeFileSync(pairs, `source,target\n${contact},${other}\n`)
const tickets = join(folder, 'tickets.txt')
writeFileSync(tickets, `${examples.tickets.active}\n`)

/** Every way to a change, with the operation that it is; undefined for requests that nobody knows. */
const writes: readonly (readonly [operation: string | undefined, line: string])[] = [
  ['lists.create', 'lists create --name New'],
  ['lists.create', 'lists create --name New --if-not-exists'],
  ['lists.update', `lists update ${list} --name New`],
  ['lists.add-contacts', `lists add-contacts ${list} ${contact}`],
  ['contacts.merge', `contacts merge ${contact} --into ${other}`],
  ['contacts.merge', `contacts merge --file ${pairs}`],
  ['contacts.delete', `contacts delete ${contact}`],
  ['contacts.delete', `contacts delete ${contact} --allow-empty --max-delete 9`],
  ['tickets.assign', `tickets assign ${examples.tickets.active} --to ${employee}`],
  ['tickets.assign', `tickets assign --file ${tickets} --to ${employee}`],
  [undefined, 'api lists -f name=New'],
  [undefined, `api contacts/bulk-delete --body {"contactIds":["${contact}"]}`],
  [undefined, `api contacts/${contact} -X DELETE`],
]

/** Each rule with the change that it forbids. */
const rules: readonly (readonly [
  rule: string,
  members: object,
  forbids: (operation: string | undefined) => boolean,
])[] = [
  ['readOnly', { readOnly: true }, () => true],
  ['allow', { allow: [] }, () => true],
  ['maxDelete', { maxDelete: 0 }, (operation) => operation === 'contacts.delete'],
]

const cases = rules.flatMap(([rule, members, forbids]) =>
  writes
    .filter(([operation]) => forbids(operation))
    .map(([, line]) => [rule, line, members] as const),
)
test.each(cases)('%s forbids: svc %s', async (rule, line, members) => {
  expect(await under(members, `${line} --yes`)).toMatchObject(refused(`(${rule}); nothing`))
})

test('dry runs, plans and what only reads are never refused', async () => {
  for (const line of [
    'api lists',
    'lists list --limit 1',
    `contacts delete ${contact} --dry-run`,
    ...(hasFeature('plans')
      ? [
          `contacts delete ${contact} --plan ${join(folder, 'delete.plan')}`,
          `contacts merge ${contact} --into ${other} --plan ${join(folder, 'merge.plan')}`,
          `tickets assign ${examples.tickets.active} --to ${employee} --plan ${join(folder, 'assign.plan')}`,
        ]
      : []),
    `lists create --name New --dry-run`,
  ]) {
    expect(await under({ readOnly: true, allow: [], maxDelete: 0 }, line)).toMatchObject({
      code: 0,
    })
  }
})

test('programs are told which profile forbids it', async () => {
  const { stderr } = await under({ readOnly: true }, 'lists create --name x --error-format json')
  expect(JSON.parse(stderr)).toMatchObject({ error: { category: 'policy', profile: 'prod' } })
})

test('svc api may write under maxDelete alone', async () => {
  expect(await under({ maxDelete: 0 }, 'api lists -f name=New')).toMatchObject({ code: 0 })
})

test('what a profile allows is sent, as many ids as maxDelete says', async () => {
  const [, , third = ''] = examples.contactsWithoutChats
  const line = `contacts delete ${third} --yes`
  expect(await under({ allow: ['contacts.delete'], maxDelete: 1 }, line)).toMatchObject({ code: 0 })
})

test('resume and undo are judged when they begin, by the profile of then', async () => {
  const both = join(folder, 'both.txt')
  writeFileSync(both, `${examples.tickets.active}\n${examples.tickets.long}\n`)
  const state = ['--state-dir', join(folder, 'judged')]
  const line = ['tickets', 'assign', '--file', both, '--to', employee, '--once', 'j', '-y']
  sandbox.setFaults('tickets.assign:2=401')
  await under({}, [...line, ...state], { fast: true })
  sandbox.setFaults()
  for (const verb of ['resume j', 'resume j --outcome error,unknown,not-attempted', 'undo j']) {
    const words = ['runs', ...verb.split(' '), '--yes', ...state]
    expect(await under({ allow: ['contacts.delete'] }, words)).toMatchObject(
      refused('does not allow tickets.assign'),
    )
  }
})

test.runIf(hasFeature('plans'))('a plan is applied as the profile allows', async () => {
  const path = join(folder, 'b.plan')
  expect(await under({}, `contacts delete ${contact} ${other} --plan ${path}`)).toMatchObject({
    code: 0,
  })
  expect(await under({ maxDelete: 1 }, `plans apply ${path} --yes`)).toMatchObject(
    refused('allows a run to delete 1 contact, and this one would delete 2 (maxDelete)'),
  )
})

test('profiles show has them', async () => {
  const line = ['profiles', 'show', '--json']
  const { stdout } = await under({ readOnly: true, allow: ['contacts.delete'] }, line)
  expect(JSON.parse(stdout)).toMatchObject({
    readOnly: { value: true, source: config },
    allow: { value: ['contacts.delete'], source: config },
    maxDelete: { value: null, source: config },
  })
})

test.each([
  [{ readOnly: 'yes' }, 'profiles.prod.readOnly must be true or false'],
  [{ allow: 'contacts.delete' }, 'profiles.prod.allow must be a list of operations'],
  [{ allow: ['contacts.list'] }, 'profiles.prod.allow.0 must be one of lists.create, lists.update'],
  [{ maxDelete: -1 }, 'profiles.prod.maxDelete must be 0 or more'],
  [{ maxDelete: 1.5 }, 'profiles.prod.maxDelete must be a whole number'],
  [{ maxDelete: '1' }, 'profiles.prod.maxDelete must be a number'],
  [{ maxDeletes: 1 }, 'did you mean "maxDelete"?'],
])('%j is a mistake in the file: exit 2, whatever the command', async (members, why) => {
  for (const line of ['lists list', `contacts delete ${contact} --yes`])
    expect(await under(members, line)).toMatchObject(refused(why, 2))
})
