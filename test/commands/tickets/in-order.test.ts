/** How much of several tickets is read while one of them is printed. */
import { expect, test } from 'vitest'
import type { Message } from '../../../src/api/schemas.ts'
import { severalParts } from '../../../src/commands/tickets/in-order.ts'
import { Tally } from '../../../src/commands/tickets/tally.ts'
import { IdTable } from '../../../src/ids/id-table.ts'
import type { Ending, Rows } from '../../../src/output/result.ts'

/** Until nothing can go on by itself. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20_000; turn += 1) await Promise.resolve()
}

/** Tickets of 50,000 messages, and how many of each were read. */
function longTickets(count: number) {
  const ids = new IdTable()
  for (let n = 0; n < count; n += 1) ids.addText(n.toString(16).padStart(24, '0'), 0)
  const read = new Map<string, number>()
  async function* messages(ticketId: string): AsyncGenerator<Message & { ticketId: string }, Ending> {
    for (let n = 0; n < 50_000; n += 1) {
      read.set(ticketId, n + 1)
      yield await Promise.resolve({ ticketId, id: String(n) })
    }
    return {}
  }
  const reader = {
    open(ticketId: string) {
      read.set(ticketId, 0)
      return Promise.resolve({ messages: messages(ticketId), more: {} })
    },
    viewFor: <V>(view: V) => Promise.resolve(view),
  }
  return { ids, read, reader }
}

async function take(part: Rows<Message> | undefined, count: number): Promise<void> {
  if (part === undefined || !(Symbol.asyncIterator in part.rows)) throw new Error('no part')
  const rows = part.rows[Symbol.asyncIterator]()
  for (let n = 0; n < count; n += 1) await rows.next()
}

test('as many tickets as are allowed, and of those ahead a bounded number of messages', async () => {
  const { ids, read, reader } = longTickets(10)
  const tally = new Tally({ failed: () => undefined })
  const { parts } = await severalParts({ ids, concurrency: 3, reader, tally })
  const each = parts[Symbol.asyncIterator]()
  const first = (await each.next()).value as Rows<Message>
  await settled()
  expect([...read.values()]).toEqual([1000, 1000, 1000])
  await take(first, 5000)
  await settled()
  expect([...read.values()]).toEqual([5000, 1000, 1000])
  await each.next()
  await settled()
  expect([...read.values()].slice(1)).toEqual([1000, 1000, 1000])
  await each.return?.()
  await settled()
  expect(read.size).toBe(4)
})
