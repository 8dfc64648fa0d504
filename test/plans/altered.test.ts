/**
 * Plans and signatures that were altered in any way send nothing: judged by the pure functions that svc calls, with signatures of a
 * model, and as files by svc itself through ssh-keygen.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { changeOf, personsOf } from '../../src/plans/approvals.ts'
import { PlanFile, type PlanDocument } from '../../src/plans/plan-file.ts'
import { judge, type Policy } from '../../src/plans/policy.ts'
import { SvcError } from '../../src/errors.ts'
import { IdTable } from '../../src/input/id-table.ts'
import { figure, howMany } from '../figures/figure.ts'
import { Dice } from '../simulator/dice.ts'
import { createPlanWorld } from './plan-world.ts'
import { pairsSetSha256, setSha256 } from '../../src/bulk/record/items.ts'

const pure = howMany('PLANS', 1000)
const throughKeygen = howMany('SIGNED_PLANS', 12)

/** From 0 up to, not including, `below`; the same numbers each time. */
const dice = new Dice(20260301)
const random = (below: number): number => dice.whole(0, below - 1)
const pick = <T>(from: readonly T[]): T => dice.pick(from)

const idOf = (n: number): string => n.toString(16).padStart(24, '6400')
const setOf = (ids: readonly string[]): string => {
  const table = new IdTable()
  for (const id of ids) table.addText(id, 1)
  return setSha256(table)
}
const ids = Array.from({ length: 6 }, (_, n) => idOf(n))
const now = Date.parse('2026-03-01T10:15:00.000Z')
const hour = 3600_000
const key = (name: string): string => createHash('sha256').update(name).digest('hex')
const document: PlanDocument = {
  schema: 'svc.plan/1',
  operation: 'contacts.delete',
  baseUrl: 'https://api.example.com',
  profile: 'prod',
  keyEnding: '…a1b2',
  target: null,
  ids,
  input: { read: 6, unique: 6, duplicates: 0, invalid: 0 },
  source: null,
  sha256: setOf(ids),
  options: { batchSize: 100 },
  plannedBy: { user: 'ana', host: 'desk', key: key('ana') },
  reason: 'DSAR 4711',
  plannedAt: new Date(now).toISOString(),
  expiresAt: new Date(now + 72 * hour).toISOString(),
  nonce: '0123456789abcdef0123456789abcdef',
  peopleSha256: null,
}
const original = PlanFile.of(document).bytes

/** A signature as the model has it: whose key, over which bytes, in which namespace. */
interface Signature {
  readonly by: string
  readonly over: string
  readonly namespace: string
}
interface Case {
  readonly bytes: Buffer
  readonly signatures: readonly Signature[]
  /** The lines of the file of signers: a principal and the owner of the key. */
  readonly signers: readonly (readonly [principal: string, owner: string])[]
  readonly now: number
  readonly baseUrl: string
}
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const signature = (by: string, bytes = original, namespace = 'svc-plan'): Signature => ({
  by,
  over: sha256(bytes),
  namespace,
})
const right: Case = {
  bytes: original,
  signatures: [signature('ana'), signature('ben')],
  signers: ['ana', 'ben', 'cleo'].map((name) => [`${name}@example.com`, name] as const),
  now: now + hour,
  baseUrl: document.baseUrl,
}
const policy: Policy = [
  {
    source: 'a file',
    isMachines: true,
    members: { approvals: { 'contacts.delete': 1 }, signers: '/signers' },
  },
]

/** Whether it would be sent, as svc decides it. */
function isSent({ bytes, signatures, signers, now: at, baseUrl }: Case): boolean {
  try {
    const plan = PlanFile.parse(bytes, 'altered')
    if (plan.refusal(baseUrl, at) !== undefined) return false
    const personOf = personsOf(
      signers.map(([principal, owner]) => ({ principal, key: key(owner) })),
    )
    const found = signatures.flatMap(({ by, over, namespace }) => {
      const [principal] = signers.find(([, owner]) => owner === by) ?? []
      const isGood = principal !== undefined && over === sha256(bytes) && namespace === 'svc-plan'
      return isGood ? [{ principal, key: key(by), person: personOf(key(by)), signature: '' }] : []
    })
    return judge(policy, changeOf(plan, found)).length === 0
  } catch (error) {
    if (error instanceof SvcError) return false
    throw error
  }
}

function changed(bytes: Buffer, at: number, remove: number, insert: Buffer | string): Buffer {
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(insert), bytes.subarray(at + remove)])
}
const textOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const shuffled = <T>(list: readonly T[]): T[] => dice.some(list, list.length)

/** The same name in other letters: capitals, wide ones. */
function spelled(name: string): string {
  const wide = (letter: string): string =>
    String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)
  const forms = [(each: string) => each, (each: string) => each.toUpperCase(), wide]
  return Array.from(name, (letter) => pick(forms)(letter)).join('')
}

/** Another plan that svc itself could have written. */
function otherPlan(): Buffer {
  const less = ids.slice(0, 1 + random(5))
  const more = [...ids, idOf(100 + random(1000))]
  const others: Partial<PlanDocument>[] = [
    { ids: less, sha256: setOf(less), input: { ...document.input, unique: less.length } },
    { ids: more, sha256: setOf(more), input: { ...document.input, unique: more.length } },
    { ids: ids.toReversed() },
    { reason: `DSAR ${random(1e6)}` },
    { nonce: key(String(random(1e9))).slice(0, 32) },
    { expiresAt: new Date(now + (73 + random(1000)) * hour).toISOString() },
    { plannedBy: { ...document.plannedBy, key: key(pick(['ben', 'cleo', 'eve'])) } },
    { options: { batchSize: 1 + random(99) } },
    { keyEnding: '…0000' },
  ]
  return PlanFile.of({ ...document, ...pick(others) }).bytes
}

/** Every kind of alteration; what comes out must not be sent. */
const alterations: readonly (() => Partial<Case>)[] = [
  // Bits, bytes, ends.
  () => {
    const bytes = Buffer.from(original)
    const at = random(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
    return { bytes }
  },
  () => ({ bytes: changed(original, random(original.length), 1 + random(9), '') }),
  () => ({
    bytes: changed(
      original,
      random(original.length + 1),
      0,
      pick([' ', '\n', '\r\n', '\ufeff', '\0', ',', '{}', 'a']),
    ),
  }),
  () => ({ bytes: original.subarray(0, random(original.length)) }),
  () => ({
    bytes: Buffer.concat([
      original,
      pick([original, Buffer.from('\n'), Buffer.from('\r\n'), Buffer.from(' ')]),
    ]),
  }),
  // Keys twice, in another order, missing, unknown.
  () => {
    const name = pick(Object.keys(document))
    const value = name === 'reason' ? '"x"' : JSON.stringify(document[name as keyof PlanDocument])
    return {
      bytes: changed(
        original,
        pick([1, original.length - 1]),
        0,
        pick([`"${name}":${value},`, `,"${name}":${value}`]),
      ),
    }
  },
  () => {
    const keys = Object.entries(document)
    const other = shuffled(keys)
    return {
      bytes: other.every(([name], at) => name === keys[at]?.[0])
        ? Buffer.from('')
        : textOf(Object.fromEntries(other)),
    }
  },
  () => {
    const name = pick(Object.keys(document))
    return {
      bytes: textOf(Object.fromEntries(Object.entries(document).filter(([each]) => each !== name))),
    }
  },
  () => ({
    bytes: textOf({
      ...document,
      [pick(['yes', 'approvals', '__proto__', 'constructor', 'pairs'])]: [],
    }),
  }),
  () => ({ bytes: Buffer.from(JSON.stringify(document, undefined, 1 + random(4))) }),
  // Another plan, with the signatures of this one, or of which some are right.
  () => ({ bytes: otherPlan() }),
  () => {
    const bytes = otherPlan()
    return {
      bytes,
      signatures: [
        pick([signature('ana', bytes), signature('ben', bytes)]),
        signature('ana'),
        signature('ben'),
      ],
    }
  },
  () => ({ bytes: PlanFile.of({ ...document, plannedBy: { user: 'ana', host: 'desk' } }).bytes }),
  // Signatures: missing, of others, twice, in another namespace, of nobody.
  () => ({
    signatures: pick([
      [],
      [signature('ana')],
      [signature('ben')],
      [signature('ben'), signature('cleo')],
    ]),
  }),
  () => ({ signatures: [signature('ana'), signature('ana'), signature('eve')] }),
  () => ({
    signatures: [
      signature('ana'),
      signature(pick(['ben', 'cleo']), pick([original.subarray(1), otherPlan()])),
    ],
  }),
  () => ({
    signatures: [
      signature('ana'),
      signature('ben', original, pick(['', 'git', 'file', 'svc-evidence', 'SVC-PLAN'])),
    ],
  }),
  () => ({ signatures: [signature('ana', original, 'git'), signature('ben'), signature('cleo')] }),
  // Principals: nobody, the author's other key, one key under two names, in any order and by any number of lines.
  () => ({ signers: right.signers.slice(0, 1) }),
  () => ({ signers: right.signers.slice(1), signatures: [...right.signatures, signature('cleo')] }),
  () => ({ signers: shuffled([...right.signers, [spelled('ana@example.com'), 'ben']]) }),
  () => ({ signers: shuffled([...right.signers, [spelled('ben@example.com'), 'ana']]) }),
  () => ({
    signers: shuffled([
      ...right.signers,
      [spelled('ana@example.com'), 'spare'],
      [spelled('ben@example.com'), 'spare'],
    ]),
  }),
  () => {
    const links = Array.from({ length: 1 + random(5) }, (_, n) => `link${n}`)
    const names = ['ana@example.com', ...links, 'ben@example.com']
    const ties = links
      .concat('last')
      .flatMap((owner, n) => [
        [spelled(names[n] ?? ''), owner] as const,
        [spelled(names[n + 1] ?? ''), owner] as const,
      ])
    return {
      signers: shuffled([...right.signers, ...ties]),
      signatures: [...right.signatures, signature('ana')],
    }
  },
  // Clock and place.
  () => ({
    now: pick([now + 72 * hour, now + 73 * hour + random(1e12), now - hour - random(1e12)]),
  }),
  () => ({
    baseUrl: pick([
      'https://api.example.com.',
      'https://API.example.com',
      'http://api.example.com',
      'https://api.example.com/v1',
      'https://api.example.org',
    ]),
  }),
]

test('altered plans and signatures are refused by the pure functions', { timeout: 600_000 }, () => {
  expect(isSent(right)).toBe(true)
  expect(
    isSent({ ...right, signatures: right.signatures.toReversed(), now: now + 71 * hour }),
  ).toBe(true)
  const sent: unknown[] = []
  for (let n = 0; n < pure; n += 1) {
    const altered = { ...right, ...alterations[n % alterations.length]?.() }
    // A bit of the text in which nothing changes is no alteration.
    if (altered.bytes.equals(original) && altered.bytes !== original) continue
    if (isSent(altered)) sent.push(altered)
  }
  figure('altered plans judged', pure)
  figure('altered plans sent', sent.length)
  expect(sent).toEqual([])
})

test('altered files are refused by svc, through ssh-keygen', { timeout: 600_000 }, async () => {
  const world = await createPlanWorld()
  const { at, svc, sign, approve, allow, usual, publicKey, sandbox } = world
  const path = await world.plan()
  approve('ben', path)
  const [plan, ...signatures] = [path, ...filesBeside(path)].map((file) => readFileSync(file))
  if (plan === undefined) throw new Error('no plan')
  const alter = (bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes)
    const spot = random(copy.length)
    const byte = copy[spot] ?? 0
    // Of a signature only what is not blank counts.
    copy[spot] = byte ^ (1 << random(7))
    return /\s/.test(String.fromCharCode(byte)) ? copy.subarray(0, spot) : copy
  }
  const line = (name: string, owner: 'ana' | 'ben' | 'cleo' | 'eve'): string =>
    `${spelled(name)} ${publicKey(owner)}`
  /** The file of signers with lines more, and the plan as it was approved. */
  const tied = (...lines: readonly string[]): readonly Buffer[] => {
    allow(...shuffled([...usual, ...lines]))
    return [plan, ...signatures]
  }
  const ways: readonly (() => readonly Buffer[])[] = [
    () => tied(line('ana@example.com', 'ben')),
    () => tied(line('ben@example.com', 'ana')),
    () => tied(line('ana@example.com', 'eve'), line('ben@example.com', 'eve')),
    () =>
      tied(
        line('x@example.com', 'ana'),
        line('x@example.com', 'eve'),
        line('ben@example.com', 'eve'),
      ),
    () => [alter(plan), ...signatures],
    () => [plan, ...signatures.map(alter)],
    () => [plan, ...signatures.map((each) => each.subarray(0, random(each.length)))],
    () => [plan, ...signatures.slice(0, 1)],
    () => [plan, ...signatures.slice(1)],
    () => [plan, ...signatures.map(() => Buffer.from(sign('eve', plan)))],
    () => [plan, signatures[0] ?? plan, Buffer.from(sign('ben', plan, 'git'))],
    () => [plan, signatures[0] ?? plan, Buffer.from(sign('ben', Buffer.concat([plan, plan])))],
  ]
  const before = sandbox.requests.length
  const codes = new Map<number, number>()
  for (let n = 0; n < throughKeygen; n += 1) {
    allow(...usual)
    const [bytes, ...others] = ways[n % ways.length]?.() ?? []
    writeFileSync(at(`altered-${n}`), bytes ?? '')
    for (const [place, text] of others.entries())
      writeFileSync(at(`altered-${n}.${String(place).padStart(16, '0')}.sig`), text)
    const { code } = await svc(`plans apply ${at(`altered-${n}`)} --yes --state-dir ${at('state')}`)
    codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  allow(...usual)
  figure('altered plans through ssh-keygen', throughKeygen)
  figure('requests of altered plans', sandbox.requests.length - before)
  expect([...codes.keys()].filter((code) => code !== 5 && code !== 6)).toEqual([])
  expect(sandbox.requests.length - before).toBe(0)
  expect((await svc(`plans apply ${path} --yes --state-dir ${at('state')}`)).code).toBe(0)

  function filesBeside(file: string): string[] {
    const name = `${basename(file)}.`
    const author = `${world.keyOf('ana').slice(0, 16)}.sig`
    const found = readdirSync(at('.'))
      .filter((each) => each.startsWith(name))
      .map((each) => at(each))
    return found.toSorted((a, b) => Number(b.endsWith(author)) - Number(a.endsWith(author)))
  }
})

test('a plan has batches of the size that its operation takes', () => {
  const pair = { id: idOf(1), other: idOf(2), line: 1 }
  const planOf = (batchSize: number): Buffer => {
    const { ids: _ids, ...others } = document
    const merge = {
      ...others,
      operation: 'contacts.merge',
      pairs: [[pair.id, pair.other]],
      input: { read: 1, unique: 1, duplicates: 0, invalid: 0 },
      sha256: pairsSetSha256([pair]),
      options: { batchSize },
    } satisfies PlanDocument
    return PlanFile.of(merge).bytes
  }
  expect(PlanFile.parse(planOf(1), 'a plan').count).toBe(1)
  expect(() => PlanFile.parse(planOf(2), 'a plan')).toThrow('it does not fit its operation')
})

test('a plan has batches of 100 at the most, whatever its operation takes', () => {
  const planOf = (batchSize: number): Buffer =>
    textOf({ ...document, options: { batchSize } } satisfies PlanDocument)
  expect(PlanFile.parse(planOf(100), 'a plan').count).toBe(6)
  expect(() => PlanFile.parse(planOf(101), 'a plan')).toThrow('is damaged: options.batchSize: ')
})

test('a plan of a clock that is ten minutes fast can be applied, and of one that is faster not', () => {
  const plan = PlanFile.parse(original, 'a plan')
  const refusal = (minutes: number, more = 0): string | undefined =>
    plan.refusal(document.baseUrl, now - minutes * 60_000 - more)
  expect(refusal(10)).toBe(undefined)
  expect(refusal(10, 1)).toBe(`it was planned on ${document.plannedAt}, and it is earlier here`)
})

test('a plan can be applied until the moment at which it expires', () => {
  const plan = PlanFile.parse(original, 'a plan')
  const end = Date.parse(document.expiresAt)
  expect(plan.refusal(document.baseUrl, end - 1)).toBe(undefined)
  expect(plan.refusal(document.baseUrl, end)).toBe(`it expired on ${document.expiresAt}`)
  // A run that began in time goes on, at its own service.
  expect(plan.refusal(document.baseUrl, undefined)).toBe(undefined)
  expect(plan.refusal('https://api.example.org', undefined)).toContain('it is for https://api.ex')
})
