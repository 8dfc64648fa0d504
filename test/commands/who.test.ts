/** The people of a run above its question. All else of them is in test/transcripts/contacts.txt. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandboxWorld, typing } from '../svc.ts'

/** Reading all 300 lists would take most of the time. */
const { svc, sandbox, folder } = await createSandboxWorld({ shown: /^(?!Campaign (?!2[09]))/ })

test('stand above the question, with the own rows, in the width of the terminal', async () => {
  const { terminal, shown } = typing('no')
  const ids = [...sandbox.store.memberIds(sandbox.examples.list)].slice(0, 8)
  const rows = join(folder, 'table.csv')
  writeFileSync(rows, `Customer,contactId\n${ids.map((id, n) => `Person ${n},${id}\n`).join('')}`)
  const name = 'Two\n? Delete 1 contact'
  for (const words of [
    ['create', '--name', name],
    ['add-contacts', name, ...ids],
  ])
    expect((await svc(['lists', ...words])).code).toBe(0)
  expect((await svc(`contacts delete --file ${rows} --who`, { terminal })).code).toBe(2)
  expect(shown()).toMatch(
    /rows in your table:\r?\n {2}Customer +NAME +LISTS\r?\n {2}Person 0 [^]*Delete 8 contacts/,
  )
  // A list's name cannot begin a line of svc's: its line break is visible.
  expect(shown()).toContain('Two ↵ ? Delete 1 contact')
  const before = sandbox.requests.length
  const quiet = typing('no')
  await svc(`contacts delete --file ${rows}`, { terminal: quiet.terminal })
  expect([quiet.shown().includes('NAME'), sandbox.requests.length]).toEqual([false, before])
})
