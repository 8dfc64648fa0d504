/** The changes that a profile forbids: they are not sent, whatever the command line says. What it allows is in test/commands/profiles/add.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../../support/svc.ts'

const world = await createSandboxWorld()
const { list, employee, tickets, contactsWithoutChats } = world.sandbox.examples
const [contact = '', other = ''] = contactsWithoutChats
const pairs = join(world.folder, 'pairs.csv')
writeFileSync(pairs, `source,target\n${contact},${other}\n`)

/** Every way to a change. */
const writes = [
  `contacts delete ${contact}`,
  'lists create --name New',
  `lists update ${list} --name New`,
  `lists add-contacts ${list} ${contact}`,
  `contacts merge ${contact} --into ${other}`,
  `contacts merge --file ${pairs}`,
  `tickets assign ${tickets.active} --to ${employee}`,
]

test.each([
  ...writes.map((line) => ['readOnly', line, { readOnly: true }] as const),
  ['maxDelete', writes[0] ?? '', { maxDelete: 0 }] as const,
])('%s forbids: svc %s', async (rule, line, profile) => {
  const { result, requests } = await world.requestsOf(`${line} --yes`, { profile })
  expect({ ...result, changes: requests.filter(({ method }) => method !== 'GET') }).toMatchObject({
    code: 2,
    changes: [],
    stderr: expect.stringContaining(`(${rule}); nothing`) as string,
  })
})
