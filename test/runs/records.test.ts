/** Records of earlier versions: `records/` has one of each. This version takes over the last. */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { createBulkWorld } from '../support/bulk-world.ts'
import { openedRecord, opening } from '../support/record.ts'
import { realHost } from '../support/real-host.ts'
import { table } from '../support/table.ts'

const world = await createBulkWorld()
const { svc, unsent, recordIn } = world

/** Makes the record of svc 11 in a state folder of its own. */
async function former(more = '') {
  const state = world.state()
  const path = recordIn(state)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const database = await realHost.openDatabase(path)
  const sql = readFileSync(new URL('records/svc-11.sql', import.meta.url), 'utf8')
  database.exec(
    `PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL; BEGIN; ${sql} ${more} COMMIT`,
  )
  database.close()
  return { state, path }
}

const { state: shared } = await former()

/** A run, its exit code, and its receipts: outcome, sometimes with FORMER, or + for a lost answer. */
it.each(
  table(`
  cleanup-2026-03              | 3 | done blocked not-found
  delete-20261201-034326-dd40  | 3 | not-found not-found
  halves                       | 3 | done done done not-found done done not-found done
  merged                       | 0 | done done done
  hand-over                    | 3 | kept:- done:64000003 kept:- refused:-
  nobody                       | 0 |
  gone-and-blocked             | 3 | not-found+ blocked not-found+
  delete-20261201-034333-9f95  | 3 | not-found+
  gone-accepted                | 0 | not-found+ not-found+
  refused-lost                 | 3 | no-answer no-answer
  merge-lost                   | 3 | done no-answer done
  half-lost                    | 3 | no-answer no-answer done not-found
  half-resumed                 | 3 | done done done not-found
  assign-lost-done             | 0 | done: done:64000003
  assign-taken                 | 3 | no-answer:
  killed-resumed               | 3 | not-found+ not-found+`),
)('of svc 11: %s ended with %s: %s', async (name, code, told = '') => {
  const shown = await svc(`${shared} runs show ${name} --json`)
  const { once, run } = JSON.parse(shown.stdout) as Record<string, string | null>
  expect([shown.code, once ?? run]).toEqual([Number(code), name])
  const { stdout } = await svc(`${shared} runs export ${name} --json`)
  type Row = { outcome: string; reason: string; former?: string }
  const receipts = (JSON.parse(stdout) as Row[]).map(({ outcome, reason, former: who }) => {
    const lost = reason.includes('an earlier request got no answer') ? '+' : ''
    return `${outcome}${lost}${who === undefined ? '' : `:${who.slice(0, 8)}`}`
  })
  expect(receipts.join(' ')).toBe(told)
})

it('of svc 11: the same --once goes on with its job, and a new run begins', async () => {
  const { stdout } = await svc(`${shared} runs list --json`)
  expect(JSON.parse(stdout)).toHaveLength(16)
  expect((await svc(`${shared} runs list --unfinished -o ids`)).stdout).toBe('')
  const [id = ''] = world.fresh(1)
  expect((await world.bulk(`${shared} contacts delete ${id} --yes`)).code).toBe(0)
  expect((await svc(`${shared} runs remove halves --yes`)).code).toBe(0)
})

it.each([
  ["UPDATE runs SET open = 2, stop = NULL WHERE once = 'refused-lost';"],
  ["UPDATE runs SET open = NULL, counts = NULL, stop = NULL WHERE once = 'half-lost';"],
])('of svc 11, with an unfinished run: exit 2, and nothing is changed: %s', async (change) => {
  const { state, path } = await former(change)
  const before = readFileSync(path, 'latin1')
  for (const line of ['runs list', `contacts delete ${'a'.repeat(24)} --yes`])
    expect(await unsent(`${state} ${line}`, 2)).toContain('resume or close them with svc 11')
  expect(readFileSync(path, 'latin1')).toBe(before)
})

it('of svc 11: a kill in the middle loses nothing, and two commands at once take it over once', async () => {
  const killed = "UPDATE runs SET open = NULL, lock = 1 WHERE once = 'merged';"
  const { path } = await former(killed)
  const failing = opening((_, text) => {
    if (text.includes('DROP COLUMN')) throw new Error('killed')
  })
  const folder = dirname(path)
  await expect(openedRecord(folder, { openDatabase: failing })).rejects.toThrow('cannot be used')
  // A command of svc 11 that waits at its question.
  const waiting = await realHost.openDatabase(path)
  const insert = waiting.prepare("UPDATE runs SET stop = 'closed'")
  const both = await Promise.all([openedRecord(folder), openedRecord(folder)])
  for (const record of both) {
    const found = record.read((sql) => sql.all('SELECT * FROM run'), [])
    expect(found).toHaveLength(16)
    record.close()
  }
  expect(() => insert.run()).toThrow('no such table')
  waiting.close()
})
