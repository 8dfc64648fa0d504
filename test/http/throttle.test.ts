/** How many requests of a command are under way, by what the service answers. */
import { expect, test } from 'vitest'
import { createApi } from '../../src/api/api.ts'
import type { Exchange } from '../../src/host.ts'
import { Attempts } from '../../src/http/client.ts'
import { callOf, openClient, type ClassName } from '../support/loopback.ts'

const turn = () => new Promise(setImmediate)

const goodBodies = {
  GET: '{"data":[]}',
  PATCH: `{"data":{"id":"${'5f'.repeat(12)}","name":"n","contactsCount":0}}`,
}

interface Service {
  /** How many requests it takes at a time. It refuses any other at once. */
  takes: number
  /** It refuses so many requests more, whatever it takes. */
  refuses?: number
  headers?: Record<string, string>
  /** How long an answer takes, by the client's clock. */
  takesMs?: number
  /** After so many answers, it refuses one more. */
  refusesAfter?: number
}
function clientOf(service: Service = { takes: Infinity }) {
  const seen = { underWay: 0, most: 0, refused: 0, answered: 0 }
  let taken = 0
  const send = async ({ method }: { method: string }): Promise<Exchange> => {
    seen.most = Math.max(seen.most, (seen.underWay += 1))
    const { refuses = 0, headers = {} } = service
    const isTaken = taken < service.takes && refuses === 0
    if (isTaken) taken += 1
    else service.refuses = Math.max(0, refuses - 1)
    for (let turns = isTaken ? 3 : 1; turns > 0; turns -= 1) await turn()
    if (isTaken) client.skip(service.takesMs ?? 0)
    if (isTaken) taken -= 1
    seen.underWay -= 1
    seen[isTaken ? 'answered' : 'refused'] += 1
    if (isTaken && seen.answered === service.refusesAfter) service.refuses = 1
    const body = Buffer.from(goodBodies[method as keyof typeof goodBodies])
    return { kind: 'response', status: isTaken ? 200 : 429, headers, body }
  }
  const client = openClient('https://api.example.com', {
    openTransport: () => ({ send, close: () => undefined }),
    wait: 60_000,
  })
  /** Sends so many requests together. Returns how many were under way at most. */
  const sendAll = async (count: number, of: ClassName = 'read') => {
    seen.most = 0
    await Promise.all(Array.from({ length: count }, () => callOf(of)(client)))
    return seen.most
  }
  return { client, seen, sendAll }
}

test.each<[ClassName, number, number]>([
  ['read', 100, 16],
  // Callers send as many changes as --concurrency says.
  ['repeatable', 32, 32],
])('%s: of %i requests, %i are under way', async (of, count, most) => {
  expect(await clientOf().sendAll(count, of)).toBe(most)
})

test.each<[ClassName, number]>([
  ['read', 1],
  ['read', 2],
  ['read', 4],
  ['repeatable', 1],
  ['repeatable', 8],
])('%s: a service that takes %i at a time gets no more in the end', async (of, takes) => {
  const { seen, sendAll } = clientOf({ takes })
  await sendAll(60, of)
  expect(seen.answered).toBe(60)
  // Each burst halves once: what is refused of 16 (of changes, 60), of 8, of 4 and of 2.
  expect(seen.refused).toBeLessThanOrEqual(of === 'read' ? 16 + 8 + 4 + 2 : 2 * 60)
  expect(await sendAll(30, of)).toBeLessThanOrEqual(takes)
})

test('refusals of one burst halve once, and each later burst again, down to one', async () => {
  const service: Service = { takes: Infinity }
  const { sendAll } = clientOf(service)
  const most: number[] = []
  for (const refuses of [0, 16, 8, 4, 2, 1, 0]) {
    service.refuses = refuses
    await sendAll(16)
    service.refuses = 0
    most.push(await sendAll(16))
  }
  expect(most).toEqual([16, 8, 4, 2, 1, 1, 1])
})

test('each 100 answers add one, and a refusal begins to count again', async () => {
  const service: Service = { takes: Infinity, refuses: 16 + 8 + 4 }
  const { sendAll } = clientOf(service)
  // After the refusals, 50 answers.
  const most = [await sendAll(50), await sendAll(50), await sendAll(99)]
  service.refuses = 1
  for (const count of [90, 9, 100]) most.push(await sendAll(count))
  expect(most).toEqual([16, 2, 3, 3, 2, 3])
})

test('what waits behind others does not run out of time; what is held does', async () => {
  // One that was refused at first waits for more than a minute, and is refused again.
  const busy = clientOf({ takes: 1, takesMs: 10_000, refusesAfter: 10 })
  await busy.sendAll(60)
  expect(busy.seen.answered).toBe(60)
  const full = clientOf({ takes: 0 })
  await expect(full.sendAll(60)).rejects.toMatchObject({ exitCode: 7 })
})

const pair = { method: 'PATCH' }

test('once the service asked for fewer, nothing is sent between two that belong together', async () => {
  const service: Service = { takes: Infinity }
  const { client, seen, sendAll } = clientOf(service)
  const attempts = new Attempts(client)
  const read = { method: 'GET' }
  await attempts.enter(read, true)
  // While others are under way, so that several may be afterwards.
  const others = sendAll(7)
  await turn()
  service.refuses = 1
  const request = createApi(client).request('employees.list', {})
  expect(attempts.endOf(request, await attempts.make(request))).toBeUndefined()
  attempts.leave()
  await others
  await attempts.enter(read, true)
  expect(attempts.endOf(request, await attempts.make(request))?.end).toBe('answered')
  attempts.keepDistance()
  const [waited, { answered }] = [client.waits.length, { ...seen }]
  await attempts.enter(pair, true)
  // As far apart as the service asked.
  expect(client.waits.slice(waited)).toHaveLength(1)
  expect(client.waits.at(-1)).toBeGreaterThan(900)
  const other = callOf('read')(client)
  for (let turns = 10; turns > 0; turns -= 1) await turn()
  expect(seen.answered).toBe(answered)
  attempts.leave()
  await other
  expect(seen.answered).toBe(answered + 1)
})

test('an attempt that its caller ends leaves its place', async () => {
  const { client, sendAll, seen } = clientOf({ takes: 1 })
  await sendAll(20)
  for (const attempts of [new Attempts(client), new Attempts(client)]) {
    await attempts.enter(pair)
    attempts.leave()
    attempts.leave()
  }
  const { answered } = seen
  await sendAll(20)
  expect(seen.answered).toBe(answered + 20)
})
