/** `--others`: a third person changes lists while svc reads them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ownFolder } from '../ending.ts'
import { createSandboxWorld } from '../svc.ts'
import { ask, rw } from './client.ts'
import { startSandbox, type Sandbox } from './watched.ts'

const folder = ownFolder('sandbox-others')

const changesOf = ({ record }: Sandbox) => record.entries.map(({ others }) => others)

async function readList(sandbox: Sandbox, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1)
    await ask(sandbox.baseUrl, rw, { path: `/v1/lists/${sandbox.examples.list}` })
}

/** What a sandbox's third person does before so many reads of a list. */
async function changesBefore(reads: number, options: { seed: number; others: number }) {
  const sandbox = await startSandbox({ contacts: 700, ...options })
  await readList(sandbox, reads)
  return changesOf(sandbox)
}

describe('what changes', () => {
  test('before every third request, one contact of the list that it names', async () => {
    const sandbox = await startSandbox({ contacts: 700, others: 3 })
    const { list } = sandbox.examples
    for (let n = 1; n <= 60; n += 1) {
      const before = sandbox.store.memberIds(list)
      await readList(sandbox, 1)
      const after = sandbox.store.memberIds(list)
      const { contact = '', from, to } = changesOf(sandbox).at(-1) ?? {}
      const left = [...before].filter((id) => !after.has(id))
      const joined = [...after].filter((id) => !before.has(id))
      const [isLeaving, isJoining] = [from === list, to === list]
      expect(isLeaving || isJoining).toBe(n % 3 === 0)
      expect(left).toEqual(isLeaving && !isJoining ? [contact] : [])
      expect(joined).toEqual(isJoining && !isLeaving ? [contact] : [])
      expect([...after].at(-1) === contact).toBe(isJoining)
    }
    const ways = changesOf(sandbox).flatMap((move) =>
      move === undefined
        ? []
        : [`${move.from === undefined ? '' : 'leaves '}${waysTo(move.to, list)}`],
    )
    expect(new Set(ways)).toEqual(
      new Set(['leaves ', 'joins it', 'leaves joins it', 'leaves joins another']),
    )
  })

  test('the same seed gives the same changes, another one others', async () => {
    const first = await changesBefore(12, { seed: 5, others: 2 })
    expect(first.filter((move) => move !== undefined)).toHaveLength(6)
    expect(await changesBefore(12, { seed: 5, others: 2 })).toEqual(first)
    expect(await changesBefore(12, { seed: 6, others: 2 })).not.toEqual(first)
  })

  test('a request that names no list changes any; one without a known key, or without lists, none', async () => {
    const sandbox = await startSandbox({ contacts: 700, others: 1 })
    await ask(sandbox.baseUrl, rw, { path: '/v1/employees' })
    await ask(sandbox.baseUrl, { ...rw, apiKey: 'pk_nobody' }, { path: '/v1/employees' })
    const [any, none] = changesOf(sandbox)
    expect(sandbox.store.hasList(any?.from ?? any?.to ?? '')).toBe(true)
    expect(none).toBeUndefined()
    const empty = await startSandbox({ empty: true, others: 1 })
    await ask(empty.baseUrl, rw, { path: '/v1/lists' })
    expect(changesOf(empty)).toEqual([undefined])
  })

  test('they are in the file of --data', async () => {
    const options = { contacts: 700, others: 1, data: join(folder, 'kept.json') }
    const first = await startSandbox(options)
    await readList(first, 20)
    const lists = [...first.store.allLists()]
    await first.close()
    expect(readFileSync(options.data, 'utf8').split('\n')).toHaveLength(22)
    const second = await startSandbox(options)
    expect([...second.store.allLists()]).toEqual(lists)
  })
})

function waysTo(to: string | undefined, list: string): string {
  if (to === undefined) return ''
  return to === list ? 'joins it' : 'joins another'
}

test('a read of members has everybody who stayed, or is incomplete', async () => {
  const codes = new Set<number>()
  for (const [seed, others] of [1, 1, 2, 2, 4, 8].entries()) {
    const world = await createSandboxWorld({ contacts: 700, seed, others })
    const { list } = world.sandbox.examples
    const before = world.sandbox.store.memberIds(list)
    const { code, stdout } = await world.svc('lists members VIP -o ids')
    codes.add(code)
    const moved = new Set(changesOf(world.sandbox).map((move) => move?.contact))
    const read = new Set(stdout.split('\n'))
    const missing = [...before].filter((id) => !moved.has(id) && !read.has(id))
    const isIncomplete = /\n#incomplete: .*\n$/.test(stdout)
    expect(code).toBe(isIncomplete ? 7 : 0)
    expect(isIncomplete ? [] : missing).toEqual([])
  }
  expect(codes).toEqual(new Set([0, 7]))
})
