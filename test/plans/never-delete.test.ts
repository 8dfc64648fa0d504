/** `neverDelete` of a policy: members of its lists are read first, and never sent to be deleted or merged into others. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Api } from '../../src/api/client.ts'
import { readProtected } from '../../src/plans/never-delete.ts'
import type { Policy } from '../../src/plans/policy.ts'
import { createBulkWorld, linesOf, receiptsOf, type ReceiptLine } from '../bulk/bulk-world.ts'

const world = await createBulkWorld()
const { svc, sandbox, free, folder } = world
const path = join(folder, 'policy.json')
const machinePolicy = { path, owner: process.getuid?.() }
let used = 0
const fresh = (count: number): string[] => free.slice(used, (used += count))
let outputs = 0

function write(neverDelete: readonly string[]): void {
  const policies = { [sandbox.baseUrl]: { neverDelete } }
  writeFileSync(path, JSON.stringify({ schema: 'svc.policy/1', policies }), { mode: 0o600 })
}

/** A list of its own with these members, which the policy names. */
async function keep(...ids: readonly string[]): Promise<string> {
  const name = `Kept ${(outputs += 1)}`
  await svc(['lists', 'create', '--name', name])
  if (ids.length > 0) await svc(['lists', 'add-contacts', name, ...ids])
  write([name])
  return name
}

/** How each id ended, in input order, the words for those kept, and which ids were sent. */
async function run(line: string) {
  const receipts = join(folder, `out-${(outputs += 1)}.ndjson`)
  const before = sandbox.requests.length
  const result = await svc(`${line} --yes --receipts ${receipts}`, { machinePolicy, fast: true })
  const rows: ReceiptLine[] = result.code === 2 ? [] : receiptsOf(receipts)
  const requests = sandbox.requests.slice(before)
  const sent = requests.flatMap(({ method, body }) => (method === 'POST' ? [body] : []))
  return { ...result, rows, outcomes: rows.map(({ outcome }) => outcome), sent, requests }
}

describe('a delete', () => {
  test('leaves members out of its batches, and names them', async () => {
    const [a = '', kept = '', b = ''] = fresh(3)
    const name = await keep(kept)
    const { code, outcomes, rows, sent, stderr } = await run(`contacts delete ${a} ${kept.toUpperCase()} ${b}`)
    expect([code, outcomes]).toEqual([3, ['deleted', 'error', 'deleted']])
    expect(rows.map(({ message, attempts }) => [message !== null, attempts])).toEqual([
      [false, 1],
      [true, 0],
      [false, 1],
    ])
    expect(stderr).toContain(`warning: contact ${kept.toUpperCase()}: error: not sent`)
    expect(rows[1]?.message).toContain(`not sent: it is on the list "${name}"`)
    expect(stderr).toContain(` (${path} (${sandbox.baseUrl}))\n  ${kept.toUpperCase()}\n`)
    expect(sent.map((body) => JSON.parse(body) as unknown)).toEqual([{ contactIds: [a, b] }])
  })

  test('of nobody else sends nothing, asks nothing, and adds up', async () => {
    const ids = fresh(150)
    await keep(...ids)
    const { code, stdout, stderr } = await svc(`contacts delete --file ${world.file('ids', ids)} --no-input --json`, {
      machinePolicy,
    })
    const summary = JSON.parse(stdout) as { result: unknown; batches: unknown; errors: { count: number }[] }
    expect(code, stderr).toBe(3)
    expect(summary.result).toMatchObject({ deleted: 0, error: 150, notAttempted: 0 })
    expect(summary.errors.map(({ count }) => count)).toEqual([100, 50])
    expect(summary.batches).toMatchObject({ total: 2, done: 0, failed: 2 })
  })

  test('of one shard, and of one in a batch whose answer is not believed', async () => {
    const ids = fresh(110)
    await keep(ids[105] ?? '', ids[3] ?? '')
    sandbox.setFaults('contacts.delete:1=truncated-json')
    const { rows } = await run(`contacts delete --file ${world.file('ids', ids)} --shard 2/2`)
    sandbox.setFaults()
    expect(rows.map(({ outcome }) => outcome === 'error')).toEqual(ids.slice(100).map((_, i) => i === 5))
  })

  test.each([
    ['of a list that is not there', ['No such list'], 6],
    ['of an id that is no list', ['0123456789abcdef01234567'], 6],
  ])('stops for the members %s', async (_, lists, exitCode) => {
    write(lists)
    const { code, sent } = await svcOf(`contacts delete ${fresh(1).join(' ')} --yes`)
    expect([code, sent]).toEqual([exitCode, 0])
  })

  test('stops when a list cannot be read', async () => {
    await keep(...fresh(1))
    for (const fault of ['lists.get:2+=403', 'lists.get:1=500, lists.get:2+=500', 'lists.list=401']) {
      sandbox.setFaults(fault)
      const { code, sent } = await svcOf(`contacts delete ${fresh(1).join(' ')} --yes`)
      sandbox.setFaults()
      expect(sent).toBe(0)
      expect(code).not.toBe(0)
    }
  })

  async function svcOf(line: string) {
    const before = sandbox.requests.length
    const { code } = await svc(line, { machinePolicy, fast: true })
    return { code, sent: sandbox.requests.slice(before).filter(({ url }) => url.endsWith('bulk-delete')).length }
  }
})

describe('a merge', () => {
  test('of a member into another is not sent, and neither is what must come after it; a member can be the target', async () => {
    const [a = '', kept = '', b = '', c = ''] = fresh(4)
    await keep(kept)
    const pairs = world.file('pairs.csv', ['source,target', `${kept},${b}`, `${b},${c}`, `${a},${kept}`])
    const { code, outcomes, sent } = await run(`contacts merge --file ${pairs}`)
    expect([code, outcomes]).toEqual([3, ['error', 'error', 'done']])
    expect(sent).toHaveLength(1)
  })

  test('of one: exit 5, named', async () => {
    const [kept = '', other = ''] = fresh(2)
    await keep(kept)
    const before = sandbox.requests.length
    const { code, stderr } = await svc(`contacts merge ${kept} --into ${other} --yes`, { machinePolicy })
    expect([code, sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')]).toEqual([5, []])
    expect(stderr).toContain(`${kept} is on the list "Kept`)
    expect((await svc(`contacts merge ${other} --into ${kept} --yes`, { machinePolicy })).code).toBe(0)
  })
})

describe('a resumed run reads the lists again', () => {
  /** Batches of two, one at a time, that ended under these faults, before anybody was kept. */
  async function begun(ids: readonly string[], faults: string) {
    write([sandbox.examples.emptyList])
    const state = world.state()
    sandbox.setFaults(faults)
    const words = `contacts delete --file ${world.file('ids', ids)} --batch-size 2 --concurrency 1 --once job ${state}`
    const { code } = await run(words)
    sandbox.setFaults()
    expect(code).not.toBe(0)
    return { words, state }
  }

  test('a batch that was never sent is cut without them, and so is one that was certainly refused', async () => {
    const ids = fresh(6)
    const { state } = await begun(ids, 'contacts.delete:2+=401')
    await keep(ids[2] ?? '', ids[5] ?? '')
    const { code, outcomes, sent } = await run(`runs resume job ${state}`)
    expect([code, outcomes]).toEqual([3, ['deleted', 'deleted', 'error', 'deleted', 'deleted', 'error']])
    expect(sent.join()).not.toMatch(new RegExp(`${ids[2]}|${ids[5]}`, 'i'))
    const shown = linesOf<ReceiptLine>((await svc(`runs export job -o ndjson ${state}`)).stdout)
    expect(shown.map(({ outcome }) => outcome)).toEqual(outcomes)
    expect(shown[5]?.message).toContain('not sent: it is on the list')
  })

  test('a batch that perhaps was and has one is not sent again, until it is off the list', async () => {
    const ids = fresh(6)
    const { words, state } = await begun(ids, 'contacts.delete:2+=drop-before')
    await keep(ids[3] ?? '')
    const again = await run(words)
    expect(again.outcomes).toEqual(['deleted', 'deleted', 'unknown', 'unknown', 'deleted', 'deleted'])
    expect(again.rows[2]?.message).toContain(`not sent again: ${ids[3]} is on the list`)
    expect(again.sent.join()).not.toMatch(new RegExp(ids[3] ?? '', 'i'))
    expect([again.code, (await run(words)).code]).toEqual([3, 3])
    const retried = await run(`runs retry job --outcome unknown ${state}`)
    expect(retried.outcomes.slice(2, 4)).toEqual(['unknown', 'unknown'])
    expect(retried.sent).toEqual([])
    write([sandbox.examples.emptyList])
    expect((await run(`runs retry job --outcome unknown ${state}`)).outcomes.slice(2, 4)).toEqual(
      ['gone', 'gone'].map(() => 'deleted'),
    )
  })

  test('retry of errors sends what was never sent and left the list, and nobody who is on it', async () => {
    const ids = fresh(4)
    const state = world.state()
    await keep(...ids.slice(1))
    expect((await run(`contacts delete ${ids.join(' ')} --batch-size 2 --once again ${state}`)).sent).toHaveLength(1)
    await keep(ids[2] ?? '')
    const { outcomes, sent } = await run(`runs retry again --outcome error ${state}`)
    expect(outcomes).toEqual(['deleted', 'error', 'error', 'deleted'])
    expect(sent.map((body) => JSON.parse(body) as unknown)).toEqual([{ contactIds: [ids[3]] }])
  })
})

describe('the reading', () => {
  const list = '0123456789abcdef01234567'
  const policy: Policy = [{ source: 'here', isMachines: false, members: { neverDelete: [list] } }]
  const id = (n: number): string => n.toString(16).padStart(24, '0')

  /** A service whose list has other members at each reading. */
  function api(...readings: (readonly [total: number, ids: readonly number[], missing?: 'short'])[]) {
    let reading = 0
    const members = async function* () {
      const [total, ids, missing] = readings[reading++] ?? [0, []]
      for (const n of ids) yield await Promise.resolve({ contact: { id: id(n) } })
      return { total, missing }
    }
    return { lists: { members } } as unknown as Api
  }

  test.each([
    [
      'twice the same',
      [
        [2, [1, 2]],
        [2, [2, 1]],
      ],
      true,
    ],
    [
      'the second and the third',
      [
        [1, [1]],
        [2, [1, 2]],
        [2, [1, 2]],
      ],
      true,
    ],
    [
      'the first and the third',
      [
        [2, [1, 2]],
        [1, [1]],
        [2, [1, 2]],
      ],
      false,
    ],
    [
      'another total',
      [
        [2, [1, 2]],
        [3, [1, 2]],
        [2, [1, 2]],
      ],
      false,
    ],
    [
      'other ids',
      [
        [2, [1, 2]],
        [2, [1, 3]],
        [2, [2, 3]],
      ],
      false,
    ],
    [
      'fewer than there are',
      [
        [2, [1], 'short'],
        [2, [1], 'short'],
        [2, [1], 'short'],
      ],
      false,
    ],
  ] as const)('%s', async (_, readings, isBelieved) => {
    const read = readProtected(api(...readings), policy)
    const told = await read.then(
      (isOn) => [isOn(id(1)), isOn(id(9))],
      (error: unknown) => error,
    )
    expect(told).toMatchObject(isBelieved ? [`${list}, which neverDelete names (here)`, undefined] : { exitCode: 7 })
  })
})
