/** Plans that were altered in any way are refused, as svc decides it: by `parsePlan`, the digest, the service and the clock. */
import { expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import {
  encodePlan,
  expiryProblem,
  parsePlan,
  type PlanDocument,
} from '../../src/plans/plan-file.ts'
import { Items } from '../../src/bulk/record/items.ts'
import { figure, howMany } from '../figures/figure.ts'
import { Dice } from '../simulator/dice.ts'

const count = howMany('PLANS', 1000)

/** From 0 up to, not including, `below`; the same numbers each time. */
const dice = new Dice(20260301)
const random = (below: number): number => dice.whole(0, below - 1)
const pick = <T>(from: readonly T[]): T => dice.pick(from)

const idOf = (n: number): string => n.toString(16).padStart(24, '6400')
const setOf = (ids: readonly string[]): string => Items.ofIds(ids, () => 0).setSha256()
const ids = Array.from({ length: 6 }, (_, n) => idOf(n))
const now = Date.parse('2026-03-01T10:15:00.000Z')
const hour = 3600_000
const document: PlanDocument = {
  schema: 'svc.plan/2',
  operation: 'contacts.delete',
  baseUrl: 'https://api.example.com',
  profile: 'prod',
  keyEnding: '…a1b2',
  target: null,
  ids,
  input: { read: 6, unique: 6, duplicates: 0, invalid: 0 },
  sha256: setOf(ids),
  options: {},
  plannedBy: { user: 'ana', host: 'desk' },
  reason: 'DSAR 4711',
  plannedAt: new Date(now).toISOString(),
  expiresAt: new Date(now + 72 * hour).toISOString(),
  nonce: '0123456789abcdef0123456789abcdef',
}
const { ids: _ids, ...withoutIds } = document
const pairs: [string, string, number][] = [
  [idOf(1), idOf(2), 2],
  [idOf(3), idOf(4), 7],
]
const sumOf = (rows: typeof pairs): string =>
  Items.ofPairs(rows.map(([id, other, line]) => ({ id, other, line }))).setSha256()
const merge: PlanDocument = {
  ...withoutIds,
  operation: 'contacts.merge',
  pairs,
  input: { read: 2, unique: 2, duplicates: 0, invalid: 0 },
  sha256: sumOf(pairs),
}
const original = encodePlan(document)
const digest = parsePlan(original, 'a plan').sha256

/** Whether it would be sent with the digest that was reviewed. */
function isSent(bytes: Buffer, at = now + hour): boolean {
  try {
    const plan = parsePlan(bytes, 'altered')
    return plan.sha256 === digest && expiryProblem(plan.document, at) === undefined
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 6) return false
    throw error
  }
}

/** Whether it is a plan as svc writes one. */
function isPlan(bytes: Buffer): boolean {
  try {
    parsePlan(bytes, 'altered')
    return true
  } catch (error) {
    if (error instanceof SvcError && error.exitCode === 6) return false
    throw error
  }
}

const changed = (at: number, remove: number, insert: Buffer | string): Buffer =>
  Buffer.concat([original.subarray(0, at), Buffer.from(insert), original.subarray(at + remove)])
const textOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const keys = Object.keys(document)
const valueOf = (key: string): string => JSON.stringify(document[key as keyof PlanDocument])

/** Alterations after which it is no plan any more, whatever digest was reviewed. */
const damages: readonly (() => Buffer)[] = [
  () => original.subarray(0, random(original.length)),
  () => Buffer.concat([original, pick([original, Buffer.from('\n'), Buffer.from(' ')])]),
  () => {
    const key = pick(keys)
    const member = `"${key}":${valueOf(key)}`
    return pick([changed(1, 0, `${member},`), changed(original.length - 1, 0, `,${member}`)])
  },
  () => {
    const first = random(keys.length - 1)
    const other = keys.toSpliced(first, 2, keys[first + 1] ?? '', keys[first] ?? '')
    return Buffer.from(`{${other.map((key) => `"${key}":${valueOf(key)}`).join(',')}}`)
  },
  () => {
    const without = pick(keys)
    return textOf(Object.fromEntries(Object.entries(document).filter(([key]) => key !== without)))
  },
  () => {
    const key = pick([
      'yes',
      'approvals',
      '__proto__',
      'constructor',
      'toString',
      'pairs',
      'source',
    ])
    return changed(original.length - 1, 0, `,"${key}":[]`)
  },
  () => Buffer.from(JSON.stringify(document, undefined, 1 + random(4))),
  () => textOf({ ...document, ids: ids.with(random(6), idOf(100 + random(1000))) }),
  () => textOf({ ...document, ids: ids.slice(0, random(6)) }),
  () => textOf({ ...document, ids: [...ids, pick(ids).toUpperCase()] }),
  () => textOf({ ...document, ids: [...ids.slice(1), 'x'.repeat(24)] }),
  () => textOf({ ...document, input: { ...document.input, unique: pick([0, 5, 7, 1e7]) } }),
  () => textOf({ ...document, expiresAt: document.plannedAt }),
  () => textOf({ ...document, expiresAt: '2026-13-01T10:15:00.000Z' }),
  () =>
    textOf({ ...document, options: pick<object>([{ ifAssignee: idOf(1) }, { toString: true }]) }),
  () => textOf({ ...document, target: { id: idOf(1) } }),
  () => textOf({ ...document, operation: pick(['contacts.merge', 'lists.add-contacts', 'x']) }),
  () => textOf({ ...document, pairs }),
  () => textOf({ ...merge, operation: pick(['contacts.delete', 'lists.add-contacts']) }),
  () => textOf({ ...merge, target: { id: idOf(1) } }),
  () => textOf({ ...merge, pairs: pairs.toReversed().with(0, [idOf(3), idOf(5), 7]) }),
  () => {
    const twice = [...pairs, pick(pairs)]
    const input = { ...merge.input, unique: 3 }
    return textOf({ ...merge, pairs: twice, input, sha256: sumOf(twice) })
  },
  () => {
    const contradicting: typeof pairs = [...pairs, [idOf(1), idOf(9), 8]]
    const input = { ...merge.input, unique: 3 }
    return textOf({ ...merge, pairs: contradicting, input, sha256: sumOf(contradicting) })
  },
]

/** Other plans, as svc itself could have written them: only the digest tells them from the one that was reviewed. */
const changes: readonly (() => Partial<PlanDocument>)[] = [
  () => {
    const less = ids.slice(0, 1 + random(5))
    return { ids: less, sha256: setOf(less), input: { ...document.input, unique: less.length } }
  },
  () => ({ ids: ids.toReversed() }),
  () => ({ reason: `DSAR ${random(1e6)}` }),
  () => ({ expiresAt: new Date(now + (73 + random(1000)) * hour).toISOString() }),
  () => ({ plannedBy: { user: 'eve', host: 'desk' } }),
  () => ({ keyEnding: '…0000' }),
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
  expect(isPlan(encodePlan(merge))).toBe(true)
  const passed: string[] = []
  for (let n = 0; n < count; n += 1) {
    const damaged = damages[n % damages.length]?.() ?? original
    if (isPlan(damaged)) passed.push(damaged.toString())
    const others = [encodePlan({ ...document, ...pick(changes)() }), edited()]
    passed.push(...others.filter((other) => isSent(other)).map(String))
  }
  figure('altered plans judged', count * 3)
  figure('altered plans sent', passed.length)
  expect(passed).toEqual([])
})

test('a plan can be applied until the moment at which it expires, by clocks that differ by ten minutes', () => {
  const problem = (at: number): string | undefined => expiryProblem(document, at)
  const end = Date.parse(document.expiresAt)
  expect(problem(end - 1)).toBe(undefined)
  expect(problem(end)).toBe(`it expired on ${document.expiresAt}`)
  expect(problem(now - 10 * 60_000)).toBe(undefined)
  expect(problem(now - 10 * 60_000 - 1)).toBe(
    `it was planned on ${document.plannedAt}, but by this machine's clock that is in the future`,
  )
})
