/**
 * Each operation × each fault of the sandbox through whole commands over real HTTP. What is expected is said here a second time, from the
 * rules; what is claimed is compared with what the sandbox really did. `npm run figures` has the whole product: each fault once and forever.
 * Here each fault meets each operation that changes something, in one of the two ways, and one of the reads, which differ in their bodies alone;
 * a fault that is like another meets two of those operations.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { operations, type OperationName } from '../../src/api/operations.ts'
import type { RetryClass } from '../../src/http/retry.ts'
import type { LoggedRequest } from '../../src/sandbox/record.ts'
import type { Sandbox } from '../sandbox/watched.ts'
import { figure, howMany } from '../figures/figure.ts'
import { createBulkWorld, linesOf, type BulkWorld, type ReceiptLine } from '../bulk/bulk-world.ts'
import type { Result } from '../svc.ts'

/**
 * `fine`: an answer to believe. `refused`: certainly not carried out. `throttled`: not carried out, try later. `lost`: sent,
 * and nobody knows. `elsewhere`: the same, but asking again is pointless. `unbelievable`: an answer whose numbers or ids
 * cannot be; bulk only.
 */
type Nature = 'fine' | 'refused' | 'throttled' | 'lost' | 'elsewhere' | 'unbelievable'

/** The first attempt is the last one. */
const final: ReadonlySet<Nature> = new Set(['fine', 'refused', 'unbelievable'])

interface Fault {
  readonly spec: string
  readonly nature: Nature | ((name: OperationName) => Nature)
  /** Whether the operation is carried out all the same. */
  readonly applied: boolean
  readonly only?: readonly OperationName[]
}

const bulk: readonly OperationName[] = ['lists.add-contacts', 'contacts.delete']
const isBulk = (name: OperationName): boolean => bulk.includes(name)
const small: readonly OperationName[] = ['lists.create', 'lists.update', 'contacts.merge', 'tickets.assign', ...bulk]

const fault = (spec: string, nature: Fault['nature'], applied = false, only?: Fault['only']): Fault => ({
  spec,
  nature,
  applied,
  ...(only === undefined ? {} : { only }),
})

const faults: readonly Fault[] = [
  ...[400, 401, 403, 404, 405, 407, 409, 410, 413, 418, 422, 451].map((status) => fault(String(status), 'refused')),
  fault('403(code=40351)', 'refused'),
  fault('404(body=html)', 'refused'),
  fault('400(body=empty)', 'refused'),
  fault('429', 'throttled'),
  fault('429(retry-after=2)', 'throttled'),
  fault('429(retry-after=date+3s)', 'throttled'),
  fault('429(retry-after=-1)', 'throttled'),
  fault('503(retry-after=2)', 'lost'),
  fault('503(retry-after=soon)', 'lost'),
  fault('503(apply)', 'lost', true),
  fault('503(apply, retry-after=2)', 'lost', true),
  ...[100, 101, 103, 204, 206, 408, 500, 501, 502, 503, 504, 599].map((status) => fault(String(status), 'lost')),
  fault('500(apply)', 'lost', true),
  fault('502(body=html)', 'lost'),
  fault('504(apply, body=empty)', 'lost', true),
  ...[300, 301, 302, 304, 307, 308].map((status) => fault(String(status), 'elsewhere')),
  fault('redirect(https://evil.example/)', 'elsewhere'),
  fault('redirect(https://evil.example/, 308)', 'elsewhere'),
  fault('html', 'elsewhere'),
  fault('html(apply)', 'elsewhere', true),
  fault('drop-before', 'lost'),
  fault('drop-after-apply', 'lost', true),
  fault('drop-mid', 'lost', true),
  fault('drop-mid(chunked)', 'lost', true),
  fault('drop-mid(whole-at=20)', 'lost', true),
  fault('reset', 'lost'),
  fault('reset(apply)', 'lost', true),
  fault('hang-before', 'lost'),
  fault('hang-after-apply', 'lost', true),
  fault('apply-half', 'lost', true, bulk),
  fault('truncated-json', 'lost', true),
  fault('invalid-json', 'lost', true),
  fault('garbage-after', 'lost', true),
  fault('content-length(+5)', 'lost', true),
  fault('content-length(-5)', 'lost', true),
  fault('empty', 'lost', true),
  fault('null', 'lost', true),
  fault('missing-data', 'lost', true),
  fault('wrong-shape', 'lost', true),
  fault('huge(9MB)', 'lost', true),
  fault('deep(100)', 'lost', true),
  fault('gzip', 'lost', true),
  fault('invalid-utf8', 'lost', true),
  // An answer with counts alone has no ids to change.
  fault('number-ids', (name) => (name === 'lists.add-contacts' ? 'fine' : 'lost'), true),
  fault('foreign-ids', foreignNature, true),
  fault('wrong-sums', (name) => (isBulk(name) ? 'unbelievable' : 'fine'), true),
  fault('delay(20ms)', 'fine', true),
  fault('delay(20ms, before)', 'fine', true),
  fault('drip(1ms)', 'fine', true, small),
  fault('content-type(text/plain)', 'fine', true),
  fault('content-type()', 'fine', true),
  fault('unknown-fields', 'fine', true),
  fault('no-date', 'fine', true),
  fault('date(yesterday)', 'fine', true),
  fault('lower-case', 'fine', true),
  fault('upper-case', 'fine', true),
]

/** Ids that were not asked for: seen wherever the answer must repeat what was. */
function foreignNature(name: OperationName): Nature {
  if (name === 'contacts.delete') return 'unbelievable'
  const repeats: readonly OperationName[] = [
    'lists.get',
    'lists.update',
    'contacts.merge',
    'tickets.history',
    'tickets.assign',
  ]
  return repeats.includes(name) ? 'lost' : 'fine'
}

const isWhole = howMany('MATRIX', 0) > 0
const reads = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].retry === 'read')
const changes = (Object.keys(operations) as OperationName[]).filter((name) => !reads.includes(name))
/** Another status of a class, another form of Retry-After, another body that cannot be read, another header. */
const likeOthers = [
  /^(?:40[5789]|41[038]|422|451|10[013]|20[46]|50[0124]|599|30[02478]|500\(apply\)|reset|reset\(apply\))$/,
  /^(?:403\(code|404\(body|400\(body|502\(body|504\(apply, body|429\(retry-after=[d-]|503\((?:retry-after=s|apply, ))/,
  /^(?:redirect\(.*308|drop-mid\(|invalid-json|garbage-after|content-length|null|missing-data|huge|deep|gzip|invalid-utf8)/,
  /^(?:delay|drip|content-type|unknown-fields|no-date|date\()/,
]

type Mode = 'first' | 'always'

/** How the `i`-th fault and an operation meet. */
function modesOf(i: number, { spec, nature }: Fault, name: OperationName, isFinal: boolean): readonly Mode[] {
  // Whether there is another fault behind one that ends it makes no difference.
  const modes: readonly Mode[] = isFinal ? ['first'] : ['first', 'always']
  if (isWhole) return modes
  const place = changes.indexOf(name)
  if (place < 0) {
    if (typeof nature === 'string' && reads.indexOf(name) !== i % reads.length) return []
  } else if (likeOthers.some((like) => like.test(spec)) && (i + place) % 3 !== 0) return []
  return modes.filter((_, mode) => isFinal || mode === (i + Math.max(place, 0)) % 2)
}

interface Expected {
  readonly requests: number
  readonly exit: number
}

function statusOf(spec: string): number {
  return Number(/^\d{3}/.exec(spec)?.[0] ?? 0)
}

function refusedExit(name: OperationName, status: number): number {
  if (status === 401) return 4
  if (status === 403) return 5
  // A batch that was refused leaves ids that are not done; 400 and 404 at the very beginning mean a wrong list.
  return isBulk(name) && status !== 400 && status !== 404 ? 3 : 6
}

/** Requests and exit code by the retry class of the operation and what happened to the attempt (docs/reliability.md). */
function expectation(name: OperationName, { spec, nature: natures, applied }: Fault, mode: Mode): Expected {
  const retryClass: RetryClass = operations[name].retry
  const once = retryClass === 'once'
  const nature = typeof natures === 'function' ? natures(name) : natures
  switch (nature) {
    case 'fine':
      return { requests: 1, exit: 0 }
    case 'unbelievable':
      return { requests: 1, exit: 7 }
    case 'refused':
      return { requests: 1, exit: refusedExit(name, statusOf(spec)) }
    case 'throttled':
      return mode === 'first' ? { requests: 2, exit: 0 } : { requests: 4, exit: 7 }
    case 'lost':
    case 'elsewhere': {
      if (!once) {
        if (nature === 'elsewhere') return { requests: 1, exit: 7 }
        // Nothing was certainly deleted, and what is gone followed an answered 5xx: a person should look.
        const isDoubtful = name === 'contacts.delete' && applied && /^5\d\d|^apply-half/.test(spec)
        return mode === 'first' ? { requests: 2, exit: isDoubtful ? 3 : 0 } : { requests: 4, exit: 7 }
      }
      // What was made is looked for; what was changed is read.
      if (name === 'contacts.merge') return { requests: 1, exit: 7 }
      if (applied) return { requests: 1, exit: 0 }
      if (name === 'lists.create') return { requests: 1, exit: 7 }
      return mode === 'first' ? { requests: 2, exit: 0 } : { requests: 3, exit: 7 }
    }
  }
}

/** A cell's command, and what is wrong with its claim; undefined when nothing is. */
interface Cell {
  readonly line: string
  readonly check: (result: Result, expected: Expected, entries: readonly LoggedRequest[]) => string | undefined
}

type Prepare = (world: BulkWorld, n: number, nature: Nature) => Cell

const nobody = 'ffffffffffffffffffffffff'

/** A read claims what a read without faults claims. */
function readCell(line: (world: BulkWorld) => string, rows: (document: unknown) => unknown): Prepare {
  const truths = new WeakMap<BulkWorld, string>()
  return (world) => ({
    line: line(world),
    check(result, { exit }) {
      if (exit !== 0) return undefined
      const said = JSON.stringify(rows(JSON.parse(result.stdout))).toLowerCase()
      const truth = truths.get(world) ?? said
      truths.set(world, truth)
      return said === truth ? undefined : 'another answer than without a fault'
    },
  })
}

const idsOf = (document: unknown): unknown => (document as { id: string }[]).map(({ id }) => id)

const cells: Readonly<Record<OperationName, Prepare>> = {
  'lists.list': readCell(() => 'lists list --limit 5 --json', idsOf),
  'lists.get': readCell(
    ({ sandbox }) => `lists get ${sandbox.examples.list} --json`,
    (list) => (list as { name: string }).name,
  ),
  'employees.list': readCell(() => 'employees list --limit 5 --json', idsOf),
  'tickets.history': readCell(
    ({ sandbox }) => `tickets history ${sandbox.examples.tickets.long} --limit 5 --json`,
    (history) => idsOf((history as { messages: unknown }).messages),
  ),
  'lists.create': ({ sandbox }, n, nature) => ({
    line: `lists create --name cell-${n} --json`,
    check({ stdout }, { exit }, entries) {
      const made = entries.flatMap((entry) => entry.created ?? [])
      if (made.length > 1) return 'made twice'
      if (exit === 7) return undefined
      if (exit !== 0) return made.length === 0 ? undefined : 'made, but said to be refused'
      const list = JSON.parse(stdout) as { id: string; name: string }
      if (made.length !== 1) return 'said to be made'
      // An id of another list cannot be told from the right one: nothing that was asked for stands in it.
      if (list.id.toLowerCase() !== made[0] && nature !== 'fine') return 'another list than the one made'
      return !sandbox.store.hasList(made[0] ?? '') ? 'not there' : undefined
    },
  }),
  'lists.update': ({ sandbox }, n) => ({
    line: `lists update ${sandbox.examples.list} --description cell-${n} --json`,
    check(_result, { exit }) {
      const [list] = [...sandbox.store.allLists()].filter(({ id }) => id === sandbox.examples.list)
      const changed = list?.description === `cell-${n}`
      if (exit === 0 && !changed) return 'said to be changed'
      return exit >= 3 && exit <= 6 && changed ? 'changed, but said to be refused' : undefined
    },
  }),
  'lists.add-contacts': (world) => {
    const { sandbox } = world
    const ids = world.fresh(3)
    const list = sandbox.examples.emptyList
    return {
      line: `lists add-contacts ${list} ${ids.join(' ')} -o ndjson`,
      check({ stdout }, { exit }) {
        const members = sandbox.store.memberIds(list)
        const rows = receiptsOf(stdout)
        if (rows.length !== 3) return `${rows.length} receipts`
        for (const { id, outcome } of rows) {
          if (outcome === 'ok' && !members.has(id)) return `${id} is no member`
          if (['error', 'not-attempted', 'missing'].includes(outcome) && members.has(id))
            return `${id} is ${outcome} and a member`
        }
        return exit === 0 && ids.some((id) => !members.has(id)) ? 'said to be members' : undefined
      },
    }
  },
  'contacts.delete': (world) => {
    const { sandbox } = world
    const ids = world.fresh(3)
    return {
      line: `contacts delete ${ids.join(' ')} ${world.busy[0]} ${nobody} --yes --accept blocked,not-found -o ndjson`,
      check({ stdout }) {
        const deleted = sandbox.record.deletedIds()
        const rows = receiptsOf(stdout)
        if (rows.length !== 5) return `${rows.length} receipts`
        for (const { id, outcome } of rows) {
          const there = sandbox.store.hasContact(id)
          if (outcome === 'deleted' && !deleted.has(id)) return `${id} was not deleted`
          if (outcome === 'gone' && there) return `${id} is not gone`
          if (outcome === 'not-found' && (there || deleted.has(id))) return `${id} was there`
          if (outcome === 'blocked' && !there) return `${id} is blocked and gone`
          if (['error', 'not-attempted'].includes(outcome) && deleted.has(id)) return `${id} is ${outcome} and deleted`
        }
        return undefined
      },
    }
  },
  'contacts.merge': (world) => {
    const [source, target] = world.fresh(2)
    return {
      line: `contacts merge ${source ?? ''} --into ${target ?? ''} --yes --json`,
      check(_result, { exit }, entries) {
        const merged = entries.filter((entry) => entry.merged !== undefined).length
        if (merged > 1) return 'merged twice'
        if (exit === 0 && merged === 0) return 'said to be merged'
        return exit !== 0 && exit !== 7 && merged > 0 ? 'merged, but said to be refused' : undefined
      },
    }
  },
  'tickets.assign': ({ sandbox }, n) => {
    const ticket = sandbox.examples.assignableTickets[n % sandbox.examples.assignableTickets.length] ?? ''
    const before = sandbox.store.tickets.assigneeOf(ticket)
    const to = wantedFor(sandbox, ticket, before ?? '')
    return {
      line: `tickets assign ${ticket} --to ${to} --json`,
      check({ stdout }, { exit }) {
        const now = sandbox.store.tickets.assigneeOf(ticket)
        if (exit === 0 && now !== to) return 'said to be assigned'
        if (exit === 0 && (JSON.parse(stdout) as { newAssigneeId: string }).newAssigneeId.toLowerCase() !== to)
          return 'another assignee'
        return exit >= 3 && exit <= 6 && now !== before ? 'assigned, but said to be refused' : undefined
      },
    }
  },
}

/** Somebody else who may have the ticket. */
function wantedFor({ store }: Sandbox, ticketId: string, before: string): string {
  const ticket = [...store.tickets.all()].find(({ id }) => id === ticketId)
  const found = store.employees.find(
    ({ id, status, channels }) =>
      id !== before && status === 'active' && channels.includes(String(ticket?.['channel'])),
  )
  if (found === undefined) throw new Error('nobody can have the ticket')
  return found.id
}

/** Of rows on stdout; ids in lower case. */
const receiptsOf = (stdout: string): ReceiptLine[] =>
  linesOf<ReceiptLine>(stdout).map((row) => ({ ...row, id: row.id.toLowerCase() }))

describe('the fault matrix', () => {
  const names = Object.keys(operations) as OperationName[]
  const worlds = new Map<OperationName, BulkWorld>()
  let count = 0

  beforeAll(async () => {
    for (const name of names) worlds.set(name, await createBulkWorld({ contacts: isWhole ? 2000 : 500 }))
  })

  it.concurrent.for(names)('%s', { timeout: 900_000 }, async (name, { expect }) => {
    const world = worlds.get(name)
    if (world === undefined) throw new Error('no world')
    const { sandbox } = world
    const problems: string[] = []
    let n = 0
    for (const [i, one] of faults.entries()) {
      if (one.only?.includes(name) === false) continue
      const nature = typeof one.nature === 'function' ? one.nature(name) : one.nature
      for (const mode of modesOf(i, one, name, final.has(nature))) {
        n += 1
        const expected = expectation(name, one, mode)
        const cell = cells[name](world, n, nature)
        const before = sandbox.record.entries.length
        sandbox.setFaults(`${name}:${mode === 'first' ? '1' : '1+'}=${one.spec}`)
        const timeout = one.spec.startsWith('hang') ? '2s' : '30s'
        // A run looks at all others of its folder.
        const state = isBulk(name) ? world.state() : ''
        const result = await world.svc(`${cell.line} --timeout ${timeout} ${state}`, { fast: true })
        sandbox.setFaults()
        const entries = sandbox.record.entries.slice(before)
        const requests = entries.filter((entry) => entry.operation === name).length
        if (['contacts.merge', 'lists.create'].includes(name) && ['lost', 'elsewhere'].includes(nature)) {
          figure('ambiguous merges and creates', 1)
          figure('of them sent again', requests - 1)
        }
        const wrong = [
          result.code === expected.exit ? undefined : `exit ${result.code}, not ${expected.exit}`,
          requests === expected.requests ? undefined : `${requests} requests, not ${expected.requests}`,
          cell.check(result, { ...expected, exit: result.code }, entries),
        ].filter((text) => text !== undefined)
        if (wrong.length > 0) problems.push(`${one.spec} ${mode}: ${wrong.join('; ')}\n${result.stderr}`)
      }
    }
    count += n
    expect(problems).toEqual([])
  })

  it('has this many cells, and no ambiguous merge or create was sent again', () => {
    figure('cells of the fault matrix', count)
    expect(count).toBeGreaterThan(isWhole ? 1000 : 320)
    for (const [name, only] of [
      ['contacts.merge', 'merged'],
      ['lists.create', 'created'],
    ] as const) {
      const record = worlds.get(name)?.sandbox.record.of(name) ?? []
      const changed = record.flatMap((entry) =>
        entry[only] === undefined ? [] : [JSON.stringify([entry.path, entry[only]])],
      )
      figure('ambiguous merges and creates sent again', changed.length - new Set(changed).size)
      expect(changed.length).toBeGreaterThan(20)
      expect(new Set(changed).size).toBe(changed.length)
    }
  })
})
