import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { answering, goodBody, http, openClient, tell } from '../../support/loopback.ts'

it('each request that may be sent only once opens a connection of its own, says that it may be closed, and nobody uses it after them', async () => {
  const used = new Map<Socket, number>()
  const sent: { connection: number | undefined; header: string | undefined }[] = []
  const server = await answering((socket, request) => {
    // By their order from 1.
    if (!used.has(socket)) used.set(socket, used.size + 1)
    const [, header] = /^connection: (.*)$/im.exec(request) ?? []
    sent.push({ connection: used.get(socket), header })
    socket.write(http(200, goodBody[request.startsWith('GET') ? 'read' : 'once']))
  })
  const client = openClient(server.baseUrl)
  // A read before, so that an idle connection is there to be taken.
  for (const retryClass of ['read', 'once', 'read', 'once', 'read'] as const)
    expect((await tell(client, retryClass)).error).toBeUndefined()
  const alive = { connection: 1, header: 'keep-alive' }
  const closed = (connection: number) => ({ connection, header: 'close' })
  expect(sent).toEqual([alive, closed(2), alive, closed(3), alive])
  await expect.poll(() => server.open()).toBe(1)
})
