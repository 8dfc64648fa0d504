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

const deletes = [`contacts delete ${contact}`]
/** Every way to a change. */
const writes = [
  ...deletes,
  'lists create --name New',
  `lists update ${list} --name New`,
  `lists add-contacts ${list} ${contact}`,
  `contacts merge ${contact} --into ${other}`,
  `contacts merge --file ${pairs}`,
  `tickets assign ${examples.tickets.active} --to ${employee}`,
  `tickets assign --file ${tickets} --to ${employee}`,
  'api lists -f name=New',
  `api contacts/bulk-delete --body {"contactIds":["${contact}"]}`,
  `api contacts/${contact} -X DELETE`,
]

test.each([
  ...writes.map((line) => ['readOnly', line, { readOnly: true }] as const),
  ...writes.map((line) => ['allow', line, { allow: [] }] as const),
  ...deletes.map((line) => ['maxDelete', line, { maxDelete: 0 }] as const),
])('%s forbids: svc %s', async (rule, line, profile) => {
  const { result, sent } = await world.requestsOf(`${line} --yes`.split(' '), { profile })
  expect({ ...result, sent }).toMatchObject({
    code: 2,
    sent: [],
    stderr: expect.stringContaining(`(${rule}); nothing`) as string,
  })
})
