/** Plans that were altered in any way are refused, as svc decides it: by `parsePlan`, the digest, the service and the clock. */
import { expect, test } from 'vitest'
import { SvcError } from '../../../src/errors.ts'
import { expiryProblem, parsePlan } from '../../../src/features/plans/plan-file.ts'
import { Items } from '../../../src/runs/items.ts'
import { figure, howMany } from '../../figures/figure.ts'
import { textOf, type FileLine } from '../../runs/run-files.ts'
import { Dice } from '../../simulator/dice.ts'

const count = howMany('PLANS', 1000)

/** From 0 up to, not including, `below`; the same numbers each time. */
const dice = new Dice(20260301)
const random = (below: number): number => dice.whole(0, below - 1)
const pick = <T>(from: readonly T[]): T => dice.pick(from)

const idOf = (n: number): string => n.toString(16).padStart(24, '6400')
const ids = Array.from({ length: 6 }, (_, n) => idOf(n))
const now = Date.parse('2026-03-01T10:15:00.000Z')
const hour = 3600_000

type Row = readonly [id: string, line: number, other?: string]
const idRows = ids.map((id, n): Row => [id, n + 2])
const pairRows: readonly Row[] = [
  [idOf(1), 2, idOf(2)],
  [idOf(3), 7, idOf(4)],
]

function itemsOf(rows: readonly Row[]): Items {
  const items = rows.map(([id, line, other]) => ({ id, line, other }))
  return rows.some(([, , other]) => other !== undefined)
    ? Items.ofPairs(items)
    : Items.ofIds(
        items.map(({ id }) => id),
        (at) => items[at]?.line ?? 0,
      )
}

/** The members of a `plan` line that follow from its rows. */
function factsOf(rows: readonly Row[], size: number) {
  const items = itemsOf(rows)
  const unique = rows.length
  return {
    input: { read: unique, unique, duplicates: 0, invalid: 0, sha256: items.sha256() },
    kind: items.kind,
    set: items.setSha256(),
    batches: Math.ceil(unique / size),
  }
}

/** The plan line of svc, whose members stand in this order. */
const planLine = (change: object = {}, rows: readonly Row[] = idRows, size = 100): FileLine => ({
  t: 'plan',
  schema: 'svc.plan/3',
  plannedAt: new Date(now).toISOString(),
  expiresAt: new Date(now + 72 * hour).toISOString(),
  operation: 'contacts.delete',
  parameters: {},
  baseUrl: 'https://api.example.com',
  profile: 'prod',
  keyEnding: '…a1b2',
  accept: [],
  ...factsOf(rows, size),
  by: { user: 'ana', host: 'desk' },
  reason: 'DSAR 4711',
  ...change,
})

const idLines = (rows: readonly Row[], size = 100): FileLine[] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, n) => ({
    t: 'ids',
    b: n + 1,
    ids: rows.slice(n * size, (n + 1) * size),
  }))

/** A plan file of these lines: one session, one time. `step`: between the numbers of lines. */
const fileOf = (lines: readonly FileLine[], s = '0000000a', step = 1): Buffer =>
  Buffer.from(lines.map((line, i) => textOf({ s, i: i * step, ...line, at: now })).join(''))

const planOf = (change: object = {}, rows: readonly Row[] = idRows, size = 100): Buffer =>
  fileOf([planLine(change, rows, size), ...idLines(rows, size)])

/** A plan whose line was made of other rows. */
const withIds = (rows: readonly Row[]): Buffer => fileOf([planLine(), ...idLines(rows)])

const merge = { operation: 'contacts.merge' }
const original = planOf()
const digest = parsePlan(original, 'a plan').sha256

/** The plan that svc reads from it; undefined for any other file. */
function planIn(bytes: Buffer) {
  try {
    return parsePlan(bytes, 'altered')
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 6) return undefined
    throw error
  }
}

/** Whether it would be sent with the digest that was reviewed. */
function isSent(bytes: Buffer, at = now + hour): boolean {
  const plan = planIn(bytes)
  return plan?.sha256 === digest && expiryProblem(plan.line, at) === undefined
}

const changed = (at: number, remove: number, insert: Buffer | string): Buffer =>
  Buffer.concat([original.subarray(0, at), Buffer.from(insert), original.subarray(at + remove)])

const keys = Object.keys(planLine()).filter((key) => key !== 'reason')

/** A plan whose line has its members in another order, or lacks one, or has one more. */
function reshaped(change: (entries: [string, unknown][]) => [string, unknown][]): Buffer {
  const line = Object.fromEntries(change(Object.entries(planLine())))
  return fileOf([line as FileLine, ...idLines(idRows)])
}

/** Alterations after which it is no plan any more, whatever digest was reviewed. */
const damages: readonly (() => Buffer)[] = [
  () => original.subarray(0, random(original.length)),
  () => Buffer.concat([original, pick([original, Buffer.from('\n'), Buffer.from(' ')])]),
  () =>
    reshaped((entries) => {
      const first = random(entries.length - 1)
      return entries.toSpliced(first, 2, ...entries.slice(first, first + 2).toReversed())
    }),
  () => {
    const without = pick(keys)
    return reshaped((entries) => entries.filter(([key]) => key !== without))
  },
  () => {
    const key = pick(['yes', 'approvals', 'constructor', 'toString', 'name', 'startedAt'])
    return reshaped((entries) => [...entries, [key, []]])
  },
  // The checksums are right, but the form is not the one that svc writes.
  () => Buffer.from(original.toString().replace('"t":"plan"', '"t": "plan"')),
  () => withIds(idRows.with(random(6), [idOf(0x10000 + random(1000)), 2])),
  () => withIds(idRows.slice(0, 1 + random(5))),
  () => withIds([...idRows, [pick(ids).toUpperCase(), 9]]),
  () => withIds([...idRows.slice(1), ['x'.repeat(24), 2]]),
  // All of it as svc would write it, but for an id that is there twice.
  () => planOf({}, [...idRows, [pick(ids), 9]]),
  () => fileOf([planLine()]),
  () => fileOf([planLine(), ...idLines(idRows), ...idLines(idRows)]),
  () => fileOf(idLines(idRows)),
  () => fileOf([...idLines(idRows), planLine()]),
  () => fileOf([planLine({ batches: 2 }), ...idLines(idRows, 3).toReversed()]),
  () => planOf({ batches: pick([0, 2, 7]) }),
  // A request of the operation takes fewer ids.
  () => planOf(merge, [...pairRows], 2),
  () => planOf({ input: { ...factsOf(idRows, 100).input, unique: pick([0, 5, 7, 1e7]) } }),
  () => planOf({ expiresAt: '2026-13-01T10:15:00.000Z' }),
  () =>
    planOf({
      parameters: pick<object>([{ ifAssignee: { id: idOf(1) } }, { list: { id: idOf(1) } }]),
    }),
  () =>
    planOf({ operation: pick(['contacts.merge', 'lists.add-contacts', 'tickets.assign', 'x']) }),
  () => planOf({ operation: pick(['contacts.delete', 'lists.add-contacts']) }, pairRows, 1),
  () => planOf({ ...merge, parameters: { to: { id: idOf(1) } } }, pairRows, 1),
  () =>
    fileOf([planLine(merge, pairRows, 1), ...idLines(pairRows.with(0, [idOf(3), 7, idOf(5)]), 1)]),
  () => planOf(merge, [...pairRows, pick(pairRows)], 1),
  () => planOf(merge, [...pairRows, [idOf(1), 8, idOf(9)]], 1),
  () => fileOf([planLine(), ...idLines(idRows, 3)], '0000000a', 2),
]

/** Other plans, as svc itself could have written them: only the digest tells them from the one that was reviewed. */
const changes: readonly (() => Buffer)[] = [
  () => planOf({}, idRows.slice(0, 1 + random(5))),
  () => planOf({}, idRows.toReversed()),
  () => planOf({ reason: `DSAR ${random(1e6)}` }),
  () => planOf({ expiresAt: new Date(now + (73 + random(1000)) * hour).toISOString() }),
  () => planOf({ by: { user: 'eve', host: 'desk' } }),
  () => planOf({ keyEnding: '…0000' }),
  () => fileOf([planLine(), ...idLines(idRows)], '0000000b'),
]

/** Bytes changed, removed or added anywhere. */
function edited(): Buffer {
  const at = random(original.length)
  const flipped = Buffer.from([(original[at] ?? 0) ^ (1 << random(8))])
  const text = pick([' ', '\n', '\r\n', '\ufeff', '\0', ',', '{}', 'é'])
  return pick([changed(at, 1, flipped), changed(at, 1 + random(9), ''), changed(at, 0, text)])
}

test('altered plans are refused', { timeout: 600_000 }, () => {
  expect(isSent(original)).toBe(true)
  expect(planIn(planOf(merge, pairRows, 1))?.items.size).toBe(2)
  for (const change of changes) expect(planIn(change())).toBeDefined()
  const passed: string[] = []
  for (let n = 0; n < count; n += 1) {
    const damaged = damages[n % damages.length]?.() ?? original
    if (planIn(damaged) !== undefined) passed.push(damaged.toString())
    const others = [pick(changes)(), edited()]
    passed.push(...others.filter((other) => isSent(other)).map(String))
  }
  figure('altered plans judged', count * 3)
  figure('altered plans sent', passed.length)
  expect(passed).toEqual([])
})
