/**
 * Requests that the service carries out although nobody was told so: after the client gave up, after it answered 500 or 503,
 * even after the whole command has ended. What is claimed must be true when it is said, and still be true when everything
 * that was in flight has landed.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { OperationName } from '../../src/api/operations.ts'
import type { LoggedRequest } from '../../src/sandbox/record.ts'
import { createBulkWorld, linesOf, type BulkWorld, type ReceiptLine } from '../bulk/bulk-world.ts'
import { howMany } from '../figures/figure.ts'
import type { Result } from '../svc.ts'

/** The client waits for 60 ms: some of these land between two attempts, some while svc reads, some when it is gone. */
const faults = [
  'late(1ms)',
  'late(40ms)',
  'late(250ms)',
  'delay(90ms, before)',
  'delay(300ms, before)',
  'drop-before(late=30ms)',
  'reset(late=250ms)',
  '500(apply)',
  '500(late=30ms)',
  '502(late=250ms)',
  '503(retry-after=1, apply)',
  '503(retry-after=1, late=30ms)',
  '503(retry-after=1, late=250ms)',
  'html(late=30ms)',
  '408(late=30ms)',
] as const

/** How the first attempt alone, two in a row, and every attempt fare: each fault one of them with each operation, and each of them with two. */
const whens = ['1', '1-2', '1+'] as const
const isWhole = howMany('MATRIX', 0) > 0

interface Cell {
  readonly line: string
  /** What is wrong with the claim as things stand; called at once and again when all has landed. */
  readonly check: (result: Result, entries: readonly LoggedRequest[]) => string | undefined
}

let numbers = 0

/** Exit 0: done once. A refusal: not done. Never twice. */
function once(code: number, times: number): string | undefined {
  if (times > 1) return `done ${times} times`
  if (code === 0) return times === 1 ? undefined : 'said to be done'
  if (code === 7) return undefined
  return times === 0 ? `exit ${code}` : `done, but exit ${code}`
}

const cells: Readonly<Record<string, (world: BulkWorld) => Cell>> = {
  'contacts.delete': ({ sandbox, fresh }) => {
    const ids = fresh(4)
    const nobody = 'ffffffffffffffffffffffff'
    return {
      line: `contacts delete ${ids.join(' ')} ${nobody} --yes -o ndjson batches-of=3`,
      check({ stdout }, entries) {
        const receipts = linesOf<ReceiptLine>(stdout)
        if (receipts.length !== 5) return `${receipts.length} receipts`
        const deleted = entries.flatMap((entry) => entry.deleted ?? [])
        if (new Set(deleted).size !== deleted.length) return 'deleted twice'
        for (const { id, outcome } of receipts) {
          const isGone = !sandbox.store.hasContact(id)
          const isTrue = {
            deleted: deleted.includes(id),
            gone: isGone,
            'not-found': id === nobody,
            unknown: true,
            error: !deleted.includes(id),
            'not-attempted': !deleted.includes(id),
          }[outcome]
          if (isTrue !== true) return `${id} is said to be ${outcome}`
        }
        return undefined
      },
    }
  },
  'lists.add-contacts': ({ sandbox, fresh }) => {
    const ids = fresh(4)
    const list = sandbox.examples.emptyList
    return {
      line: `lists add-contacts ${list} ${ids.join(' ')} -o ndjson batches-of=3`,
      check({ stdout }) {
        const receipts = linesOf<ReceiptLine>(stdout)
        const members = sandbox.store.memberIds(list)
        if (receipts.length !== 4) return `${receipts.length} receipts`
        for (const { id, outcome } of receipts) {
          const isTrue = { ok: members.has(id), unknown: true }[outcome] ?? !members.has(id)
          if (!isTrue) return `${id} is said to be ${outcome}`
        }
        return undefined
      },
    }
  },
  'contacts.merge': ({ fresh }) => {
    const [source = '', target = ''] = fresh(2)
    return {
      line: `contacts merge ${source} --into ${target} --yes`,
      check: ({ code }, entries) => {
        if (entries.filter(({ path }) => path.includes(source)).length > 1) return 'sent again'
        return once(code, entries.filter(({ merged }) => merged?.source === source).length)
      },
    }
  },
  'tickets.assign': ({ sandbox }) => {
    const { assignableTickets, employee } = sandbox.examples
    const ticket = assignableTickets[numbers++] ?? ''
    return {
      line: `tickets assign ${ticket} --to ${employee}`,
      check: ({ code }, entries) => once(code, entries.filter(({ assigned }) => assigned?.ticket === ticket).length),
    }
  },
  'lists.create': ({ sandbox }) => {
    const name = `late-${(numbers += 1)}`
    return {
      line: `lists create --name ${name}`,
      check: ({ code }) => once(code, [...sandbox.store.allLists()].filter((list) => list.name === name).length),
    }
  },
  'lists.update': ({ sandbox }) => {
    const { list } = sandbox.examples
    const description = `late-${(numbers += 1)}`
    return {
      line: `lists update ${list} --description ${description}`,
      check({ code }) {
        const isChanged = [...sandbox.store.allLists()].find(({ id }) => id === list)?.description === description
        if (code === 0) return isChanged ? undefined : 'said to be changed'
        return code === 7 ? undefined : `exit ${code}`
      },
    }
  },
}

describe('late requests', () => {
  const worlds = new Map<string, BulkWorld>()
  const landed = new Set<string>()
  beforeAll(async () => {
    for (const name of Object.keys(cells)) worlds.set(name, await createBulkWorld({ contacts: 1000 }))
  })

  it.concurrent.for(Object.entries(cells))('%s', { timeout: 600_000 }, async ([name, prepare], { expect }) => {
    const world = worlds.get(name)
    if (world === undefined) throw new Error('no world')
    const { sandbox, svc } = world
    const problems: string[] = []
    for (const [i, fault] of faults.entries()) {
      for (const when of isWhole ? whens : [whens[(i + Object.keys(cells).indexOf(name)) % 3]]) {
        const { line, check } = prepare(world)
        sandbox.setFaults(`${name}:${when}=${fault}`)
        const before = sandbox.record.entries.length
        const bulk = isBulk(name) ? ' --max-failures 10' : ''
        const result = await svc(`${line} --timeout 60ms --max-retry-wait 2s${bulk}`, { fast: true })
        const atOnce = check(result, sandbox.record.entries.slice(before))
        await sandbox.settle()
        const entries = sandbox.record.entries.slice(before)
        if (entries.some((entry) => entry.fault !== null && entry.applied)) landed.add(fault)
        const later = check(result, entries)
        if (atOnce !== undefined) problems.push(`${fault} at ${when}, at once: ${atOnce}`)
        if (later !== undefined) problems.push(`${fault} at ${when}, later: ${later}`)
      }
    }
    expect(problems).toEqual([])
  })

  it('each kind of fault has really carried something out behind its back', () => {
    expect([...landed].toSorted()).toEqual(faults.toSorted())
  })
})

function isBulk(name: string): boolean {
  const bulk: readonly OperationName[] = ['contacts.delete', 'lists.add-contacts']
  return bulk.some((one) => one === name)
}
