/** Whole commands on a machine whose clock is wrong, or against a service whose clock is. */
import { expect, it } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const world = await createSandboxWorld({ contacts: 100 })
const { sandbox } = world
const minute = 60_000

const rows: readonly [string, number, string, number, number, RegExp][] = [
  ['right', 0, '', 0, 1, /^$/],
  [
    '90 s behind',
    -1.5 * minute,
    '',
    0,
    1,
    /^warning: this machine's clock is 1m(29|30|31)s behind the service; beyond 5 minutes/,
  ],
  [
    '6 minutes behind',
    -6 * minute,
    '',
    0,
    2,
    /^warning: this machine's clock is (5m59|6m[01])s behind the service; signing with the service's time/,
  ],
  [
    '6 minutes ahead',
    6 * minute,
    '',
    0,
    2,
    /^warning: this machine's clock is (5m59|6m[01])s ahead of the service; signing/,
  ],
  [
    'right, and the service is wrong',
    0,
    'clock=+10m',
    0,
    2,
    /^warning: this machine's clock is (9m59|10m[01])s behind the service; signing/,
  ],
  [
    'a day and an hour behind',
    -25 * 60 * minute,
    '',
    4,
    1,
    /^error: Invalid API credentials .*40121.*\n.*clock is 1d[01]h behind.*set the clock/,
  ],
  [
    '6 minutes behind, unknown to the service',
    -6 * minute,
    '*:1+=no-date',
    4,
    1,
    /^error: Invalid API credentials .*\n.*key or the secret is wrong.*clock is wrong by more than 5 minutes/,
  ],
]

it.each(rows)('the clock is %s', async (_what, clockOffset, faults, code, requests, words) => {
  sandbox.setFaults(faults)
  const before = sandbox.record.entries.length
  const result = await world.svc('lists list --limit 5 -o ids', { clockOffset, fast: true })
  sandbox.setFaults()
  expect(result.code).toBe(code)
  expect(sandbox.record.entries.length - before).toBe(requests)
  // The note about rows that were left out is not of interest here.
  expect(result.stderr.replace(/^note: .*\n/gm, '')).toMatch(words)
  expect(result.stderr.match(/^warning:/gm) ?? []).toHaveLength(words.source.includes('warning') ? 1 : 0)
})

it('a bulk run with several requests in flight goes through, with one warning', async () => {
  const ids = sandbox.examples.contactsWithoutChats.slice(0, 20)
  const result = await world.svc(
    `lists add-contacts ${sandbox.examples.emptyList} ${ids.join(' ')} batches-of=2 --concurrency 8`,
    { clockOffset: 8 * minute, fast: true },
  )
  expect(result.code).toBe(0)
  expect(result.stderr.match(/^warning:/gm)).toHaveLength(1)
  expect(sandbox.record.addedIds(sandbox.examples.emptyList).size).toBe(20)
})
