import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createSandboxWorld, type SandboxWorld } from '../svc.ts'
import { answering, goodBody, http, openClient, tell, type TestClient } from '../http/loopback.ts'

const world = await createSandboxWorld({ contacts: 500 })
const { sandbox } = world
const { examples, record } = sandbox

/** Numbers of the sockets on which the requests of one operation came, since the n-th request. */
function socketsOf(operation: string, since: number): number[] {
  return record.entries.slice(since).flatMap((entry) => (entry.operation === operation ? [entry.connection] : []))
}

function clientOf({ sandbox }: SandboxWorld): TestClient {
  const [key] = sandbox.keys
  return openClient(sandbox.baseUrl, key === undefined ? {} : { apiKey: key.apiKey, secret: key.apiSecret })
}

describe('what may be sent only once never meets a stale socket', () => {
  it('merge, create and assign each open a connection of their own, and nobody uses it after them', async () => {
    const client = clientOf(world)
    const since = record.entries.length
    const [a = '', b = '', c = ''] = examples.contactsWithoutChats
    const [ticket = ''] = examples.assignableTickets
    const used = new Set<number>()
    const fresh = async (operation: string, call: () => Promise<unknown>): Promise<void> => {
      // A read before, so that an idle connection is there to be taken.
      await client.call('lists.list', { query: { limit: 1 } })
      const idle = record.entries.at(-1)?.connection ?? 0
      const from = record.entries.length
      await call().catch(() => undefined)
      const sockets = socketsOf(operation, from)
      expect(sockets).toHaveLength(1)
      for (const socket of sockets) {
        expect(socket).not.toBe(idle)
        expect(used).not.toContain(socket)
        used.add(socket)
      }
    }
    for (let i = 0; i < 3; i += 1) {
      await fresh('lists.create', () => client.call('lists.create', { body: { name: `fresh ${i}`, description: '' } }))
      await fresh('contacts.merge', () =>
        client.call('contacts.merge', { path: { sourceContactId: i === 0 ? a : b }, body: { targetContactId: c } }),
      )
      await fresh('tickets.assign', () =>
        client.call('tickets.assign', { path: { ticketId: ticket }, body: { newAssigneeId: examples.employee } }),
      )
    }
    // The reads between them all went over one and the same.
    expect(new Set(socketsOf('lists.list', since)).size).toBe(1)
    expect(used.size).toBe(9)
  })

  it('and say so to the service, which may close', async () => {
    const server = await answering((socket, request) =>
      socket.write(http(200, request.startsWith('GET') ? goodBody.read : goodBody.once)),
    )
    const client = openClient(server.baseUrl)
    await tell(client, 'read')
    await tell(client, 'once')
    expect(server.requests.map((request) => /^connection: .*$/im.exec(request)?.[0])).toEqual([
      'connection: keep-alive',
      'connection: close',
    ])
    await expect.poll(() => server.open()).toBe(1)
  })
})

describe('answers that come twice', () => {
  it('a change, or a reading within a run, is not sent on a connection whose last answer is younger than 20 ms, a read is', async () => {
    let time = 0
    const used = new Map<Socket, number>()
    const numbers: (number | undefined)[] = []
    const server = await answering((socket, request) => {
      if (!used.has(socket)) used.set(socket, used.size + 1)
      numbers.push(used.get(socket))
      const retryClass = request.startsWith('GET') ? 'read' : request.includes('delete') ? 'convergent' : 'repeatable'
      socket.write(http(200, goodBody[retryClass]))
    })
    const client = openClient(server.baseUrl, { monotonic: () => time })
    const requests = [
      [0, 'convergent', 1],
      [19, 'convergent', 2],
      [20, 'convergent', 1],
      [20, 'read', 2],
      [39, 'read', 3, 0],
      [39, 'repeatable', 4],
      [40, 'repeatable', 1],
    ] as const
    for (const [at, retryClass, , batch] of requests) {
      time = at
      expect((await tell(client, retryClass, batch === undefined ? {} : { batch })).error).toBeUndefined()
    }
    expect(numbers).toEqual(requests.map(([, , connection]) => connection))
  })

  it('one that nobody waits for ends the connection', async () => {
    const server = await answering((socket) => {
      socket.write(http(200, goodBody.read))
      setTimeout(() => socket.write(http(200, goodBody.read)), 5)
    })
    const client = openClient(server.baseUrl)
    for (let n = 1; n <= 3; n += 1) {
      expect((await tell(client, 'read')).error).toBeUndefined()
      await expect.poll(() => server.open()).toBe(0)
      expect(server.connections()).toBe(n)
    }
  })
})
