/** The short form of `tools/rehearse/rehearse.mjs`, and what the command itself promises. The scripts run in real shells. */
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { expect, test, vi } from 'vitest'
import { schemaOf, verbs } from '../commands/place.ts'
import { until } from '../bulk/spawned.ts'
import { ownFolder } from '../ending.ts'
import { createSandboxWorld, typing, type Result } from '../svc.ts'

// Few contacts, which each rehearsal begins with; the seed is that of every rehearsal: the same ids.
const dataFile = join(ownFolder('rehearse'), 'few.json')
const world = await createSandboxWorld({ contacts: 60, dataFile })
await world.svc(['lists', 'update', world.sandbox.examples.emptyList, '--description', 'saved'])
await until(() => existsSync(dataFile))
const requests = world.sandbox.record.entries.length
const [first = '', second = '', third = ''] = world.sandbox.examples.contactsWithoutChats
let number = 0

interface Row {
  readonly n: number | null
  readonly request: string | null
  readonly fault: string
  readonly exitCodes: number[]
  readonly result: string
  readonly problems: string[]
}

const few = ['--yes', '--data', dataFile]

async function rehearse(script: string, options: string[] = few): Promise<Result & { rows: Row[]; cwd: string }> {
  number += 1
  const cwd = join(world.folder, `place-${number}`)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'old.txt'), `${first}\n${second}\n`)
  writeFileSync(join(cwd, 'run.sh'), script)
  const words = ['sandbox', 'rehearse', '-o', 'ndjson', '--error-format', 'text', ...options, '--', 'bash', 'run.sh']
  const ended = await world.svc(words, { cwd })
  const rows = ended.stdout.split('\n').filter((line) => line !== '')
  return { ...ended, rows: rows.map((line) => JSON.parse(line) as Row), cwd }
}

const remove = 'svc contacts delete --file old.txt --yes'

// Each starts many processes, one after the other; the limit is for what hangs.
vi.setConfig({ testTimeout: 300_000 })

test.concurrent.each([
  // The 1 more, and the lists that the two are on.
  ['refused', `${remove}; echo done`, [0], `another end: contact ${first} should not be there and 171 more`],
  [
    'refused',
    `${remove} --receipts r.csv`,
    [7, 2, 2, 2, 2, 2],
    'still ends with 2 when it is repeated: the receipts file "r.csv" exists already',
  ],
  ['killed', `set -e; rm -f r.csv; ${remove} --receipts r.csv`, [137, 3], `but told as not-found: ${first} and 1 more`],
  [
    'lost',
    `until svc contacts merge ${first} --into ${second} --yes; do [ $? = 7 ] || exit 0; done`,
    [0],
    'sent again',
  ],
  // The second may be told that the first one is at work: 11.
  [
    'together',
    `set -e; ${remove} --accept not-found`,
    expect.arrayContaining([0, 0]) as number[],
    'but told as not-found: ',
  ],
])('%s finds what is wrong with: %s', async (fault, script, exitCodes, problem) => {
  const { code, rows } = await rehearse(script, [...few, '--only', fault])
  const merge = `POST /v1/contacts/${first}/merge`
  const request = fault === 'lost' ? merge : fault === 'together' ? null : 'POST /v1/contacts/bulk-delete'
  const wrong = rows.filter(({ result }) => result === 'wrong')
  expect(wrong).toEqual([expect.objectContaining({ fault, exitCodes, request }) as Row])
  expect(wrong[0]?.problems.join('\n')).toContain(problem)
  expect(code).toBe(3)
})

test('a script that is right is right with every fault; its folder stays as it is, and nothing of the caller gets in', async () => {
  const script = `set -eu
env | grep -c '^SVC_API_SECRET=sk_sandbox' > env.txt
svc contacts delete ${first} ${third} -p prod --state-dir /var/lib/nobody-has-this --yes --once job --receipts r.csv`
  const { code, rows, stderr, cwd } = await rehearse(script)
  expect(rows.map(({ fault, result, problems }) => [fault, result, problems])).toEqual(
    ['refused', 'lost', 'throttled', 'killed', 'together'].map((fault) => [fault, 'right', []]),
  )
  expect(code).toBe(0)
  expect(rows[3]?.exitCodes).toEqual([137, 0])
  const verb = verbs.find(({ path }) => path === 'svc sandbox rehearse')
  const schema = verb && (await schemaOf(verb))
  expect(schema && v.parse(schema, rows)).toEqual(rows)
  for (const note of [
    /not passed on to the script: SVC_BASE_URL, SVC_API_KEY, SVC_API_SECRET/,
    /in this rehearsal, -p prod is the sandbox/,
    /in this rehearsal, a temporary folder stands for the state folder \/var\/lib\/nobody-has-this/,
    /wrong: 0 of 5 rehearsals/,
  ])
    expect(stderr).toMatch(note)
  expect(readdirSync(cwd).sort()).toEqual(['old.txt', 'run.sh'])
  expect(readFileSync(join(cwd, 'old.txt'), 'utf8')).toBe(`${first}\n${second}\n`)
  // Not one request reached the service that the caller uses.
  expect(world.sandbox.record.entries).toHaveLength(requests)
})

test('what differs by itself is set aside and named; --budget says what it left out', async () => {
  const options = [...few, '--only', 'throttled', '--budget', '1ms']
  const { code, rows, stderr } = await rehearse('svc lists update VIP --description "$(date +%N)"', options)
  expect([code, rows]).toEqual([0, []])
  expect(stderr).toMatch(/set aside: description of list "VIP"/)
  expect(stderr).toMatch(/--budget left out \d rehearsals, from request 1 on/)
})

test.each([
  ['it fails without faults', 'echo why >&2; exit 7', few, 2, /without faults, the script ends with 7[^]*why/],
  ['it sends nothing', 'true', ['--yes'], 2, /sends no request/],
  ['nobody can be asked', 'true', [], 9, /confirmation needed/],
  ['the data cannot be read', 'true', ['--yes', '--data', 'none.json'], 2, /"none.json" cannot be read/],
])('%s', async (_, script, options, expected, words) => {
  const { code, stdout, stderr } = await rehearse(script, options)
  expect([code, stdout]).toEqual([expected, ''])
  expect(stderr).toMatch(words)
})

test('a folder of more than 100 MB is not copied', async () => {
  const cwd = join(world.folder, 'large')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'video'), '')
  truncateSync(join(cwd, 'video'), 100_000_001)
  const { code, stderr } = await world.svc(['sandbox', 'rehearse', '--yes', '--', 'true'], { cwd })
  expect([code, stderr]).toEqual([2, expect.stringContaining('more than 100 MB')])
})

test('on a terminal it asks first', async () => {
  const { terminal, shown } = typing('n')
  const { code } = await world.svc(['sandbox', 'rehearse', '--', 'true'], { terminal })
  expect([code, shown()]).toEqual([9, expect.stringContaining('Run the script many times, with all that it does')])
})
