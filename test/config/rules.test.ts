/** The changes that a profile forbids: they are not sent, whatever the command line says. What it allows is in test/transcripts/profiles.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const world = await createSandboxWorld()
const { sandbox, folder } = world
const { examples } = sandbox
const [contact = '', other = ''] = examples.contactsWithoutChats
const { list, employee } = examples

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
test.each(cases)('%s forbids: svc %s', async (rule, line, profile) => {
  const { result, sent } = await world.requestsOf(`${line} --yes`.split(' '), { profile })
  expect({ ...result, sent }).toMatchObject({
    code: 5,
    sent: [],
    stderr: expect.stringContaining(`(${rule}); nothing`) as string,
  })
})
