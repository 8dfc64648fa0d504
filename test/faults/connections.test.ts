import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { answering, goodBody, http, openClient, tell } from '../http/loopback.ts'

it('each request that may be sent only once opens a connection of its own, says that it may be closed, and nobody uses it after them', async () => {
  const used = new Map<Socket, number>()
  const sent: (readonly [socket: number | undefined, connection: string | undefined])[] = []
  const server = await answering((socket, request) => {
    if (!used.has(socket)) used.set(socket, used.size + 1)
    sent.push([used.get(socket), /^connection: (.*)$/im.exec(request)?.[1]])
    socket.write(http(200, request.startsWith('GET') ? goodBody.read : goodBody.once))
  })
  const client = openClient(server.baseUrl)
  // A read before, so that an idle connection is there to be taken.
  for (const retryClass of ['read', 'once', 'read', 'once', 'read'] as const)
    expect((await tell(client, retryClass)).error).toBeUndefined()
  const alive = [1, 'keep-alive'] as const
  expect(sent).toEqual([alive, [2, 'close'], alive, [3, 'close'], alive])
  await expect.poll(() => server.open()).toBe(1)
})

describe('answers that come twice', () => {
  it('a change, or a reading within a run, is not sent on a connection whose last answer is younger than 20 ms, a read is', async () => {
    let time = 0
    const used = new Map<Socket, number>()
    const numbers: (number | undefined)[] = []
    const server = await answering((socket, request) => {
      if (!used.has(socket)) used.set(socket, used.size + 1)
      numbers.push(used.get(socket))
      const retryClass = request.startsWith('GET')
        ? 'read'
        : request.includes('delete')
          ? 'convergent'
          : 'repeatable'
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
      expect(
        (await tell(client, retryClass, batch === undefined ? {} : { batch })).error,
      ).toBeUndefined()
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
