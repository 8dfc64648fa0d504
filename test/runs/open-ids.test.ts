/** The ids that another run has open: which deletes and merges are refused, and how at most one of two that begin goes on. */
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Profile } from '../../src/config/profile.ts'
import { SvcError } from '../../src/errors.ts'
import { Items } from '../../src/input/items.ts'
import { operation as deleting } from '../../src/commands/contacts/delete.ts'
import { operation as merging } from '../../src/commands/contacts/merge.ts'
import { Runs } from '../../src/runs/find.ts'
import type { Operation } from '../../src/runs/job.ts'
import type { Head } from '../../src/runs/lines.ts'
import { refuseOpenIds, takeRivalsAway } from '../../src/runs/open-ids.ts'
import { ownFolder } from '../support/ending.ts'
import { realHost } from '../support/real-host.ts'
import { idOf } from '../support/inputs.ts'
import { table } from '../support/table.ts'
import { baseUrl, beginningOf, linesOf, writeRun } from '../support/records.ts'

const profile: Profile = {
  ...({ protected: false } as Profile),
  baseUrl,
  apiKey: 'k',
  name: 'prod',
}
const run = 'delete-20260301-101500-3f9a'
const deskHost = {
  ...realHost,
  computer: { ...realHost.computer, hostname: 'desk' },
  isRunning: () => false,
}
const operations = { delete: deleting, merge: merging } as Record<string, Operation>

const jobOf = (name: string, ...ids: string[]) => ({
  operation: operations[name] ?? deleting,
  items: Items.of(ids.map((id) => ({ id, line: 0 }))),
  run: '@mine',
})

/** Runs on a disk: the lines of one of them, and how many seconds old it is. */
function runsWith(
  lines: Parameters<typeof writeRun>[2],
  { name = run, age = 60, host = deskHost } = {},
) {
  const runs = new Runs(host, ownFolder('state'))
  const path = writeRun(runs.folder, name, lines)
  const then = Date.now() / 1000 - age
  utimesSync(path, then, then)
  return { runs, path }
}

/** The exit code of a command with these ids, or `begins`. */
async function codeOf(runs: Runs, name: string, ...ids: string[]): Promise<string> {
  try {
    await refuseOpenIds(runs, await runs.list(), jobOf(name, ...ids), profile)
    return 'begins'
  } catch (error) {
    if (error instanceof SvcError) return String(error.exitCode)
    throw error
  }
}

/** The ids 1 and 2 are those of the other run. */
it.each(
  table(`
  it was killed before its first request | delete | delete |                             |       | 2
  it was killed in a request             | delete | delete | try                         |       | 2
  this id is done there                  | delete | delete | try@0-1 done@0-1            |       | begins
  nothing is due there                   | delete | delete | try done,not-found          |       | begins
  it ended with something due            | delete | delete | try unknown! end            |       | 2
  it ended with nothing due              | delete | delete | try done end                |       | begins
  it was closed                          | delete | delete | try unknown! closed         |       | begins
  it was sent behind a close             | delete | delete | closed try                  |       | 2
  its merge may have been made           | merge  | merge  | try@0-1 unknown@0-1         |       | 2
  so it may, although it was closed      | merge  | merge  | try@0-1 unknown@0-1 closed  |       | 2
  its merge was made                     | merge  | merge  | try@0-1 done@0-1            |       | begins
  it is of another operation             | delete | merge  | try@0-1                     |       | begins
  it is on another service               | delete | delete | try                         | there | begins`),
)('%s: %s', async (_, own = '', other, words = '', where, told) => {
  const name = { delete: 'contacts.delete', merge: 'contacts.merge' }[other ?? '']
  const more = where === '' ? {} : { baseUrl: 'https://other.example.com' }
  const { runs } = runsWith([...beginningOf(name as Head['operation'], more), ...linesOf(words)])
  expect(await codeOf(runs, own, idOf(8), idOf(1).toUpperCase())).toBe(told)
  expect(await codeOf(runs, own, idOf(8))).toBe('begins')
})

it('a run at which somebody is working is exit 7', async () => {
  const { runs } = runsWith(beginningOf('contacts.delete'), {
    host: { ...deskHost, isRunning: () => true },
    age: 5,
  })
  expect(await codeOf(runs, 'delete', idOf(1))).toBe('7')
})

it('a run of its own name, begun by another process that is dead by now, is exit 7', async () => {
  const { runs } = runsWith(beginningOf('contacts.delete', { run: '@mine' }), { name: '@mine' })
  expect(await codeOf(runs, 'delete', idOf(1))).toBe('7')
})

it('a head that cannot be read may have any ids: a merge is exit 2, a delete begins', async () => {
  const { runs, path } = runsWith([])
  writeFileSync(path, 'hello\n')
  expect(await codeOf(runs, 'merge', idOf(1))).toBe('2')
  expect(await codeOf(runs, 'delete', idOf(1))).toBe('begins')
})

it.each(
  table(`
  with one of these ids         |              |       |            |   | gone
  with other ids                |              |       |            | 8 |
  on another service            | other        |       |            |   |
  of another operation          |              | merge |            |   |
  that is not written whole yet |              |       | 3          |   |
  of the same name              |              |       |            | own |`),
)('a hidden folder %s: %s%s%s%s', async (_, where, other, count, id, told) => {
  const more = {
    run: id === 'own' ? '@mine' : run,
    ...(where !== '' && { baseUrl: 'https://other.example.com' }),
    ...(count !== '' && { count: 3 }),
  }
  const lines = beginningOf(other === '' ? 'contacts.delete' : 'contacts.merge', {
    ...more,
    count: 2,
  })
  const { runs } = runsWith(
    lines.map((line) => ({ ...line, ...(line.t === 'run' && more) })),
    { name: '.new-1' },
  )
  writeRun(runs.folder, '.new-2', beginningOf('contacts.delete'))
  await takeRivalsAway(runs, jobOf('delete', id === '8' ? idOf(8) : idOf(1)), profile, '.new-2')
  expect(readdirSync(runs.folder)).toEqual(told === 'gone' ? ['.new-2'] : ['.new-1', '.new-2'])
  expect(readdirSync(join(runs.folder, '.new-2'))).toEqual(['1.ndjson'])
})
