/** An answer that is cut is never taken for success. Each framing is cut in steps, and its last bytes one by one. */
import { expect, it } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import { amount } from '../amount.ts'
import { answering, http, ids, openClient, type TestClient } from '../http/loopback.ts'

const list = { id: ids.list, name: 'VIP – “é”', description: '', contactsCount: 1 }

/** Calls whose answers are read in different ways: by a schema, and as whatever JSON it is. */
const calls = {
  'a list': [
    list,
    (client: TestClient) =>
      client.call('lists.update', { ids: { listId: ids.list }, body: { name: 'n' } }),
  ],
  'svc api': [
    [1, { a: 'b' }],
    (client: TestClient) => client.raw('GET', '/v1/anything', Buffer.alloc(0)),
  ],
} as const

/** The ways in which HTTP says where an answer ends. */
const framings = {
  'content-length': (body: string) => http(200, body),
  chunked: (body: string) => {
    const bytes = Buffer.from(body)
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n${body[0]}\r\n`
    const second = `${(bytes.length - 1).toString(16)}\r\n${body.slice(1)}\r\n0\r\n\r\n`
    return Buffer.from(head + second)
  },
  'end of connection': (body: string) =>
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${body}`),
} as const

const step = Math.ceil(17 / amount(1))
let begin = 0

async function cutEverywhere(
  answer: Buffer,
  call: (baseUrl: string, at: number) => Promise<unknown>,
): Promise<string[]> {
  const server = await answering((socket, request) => {
    const at = Number(/cut-at-(\d+)/.exec(request)?.[1] ?? answer.length)
    const part = answer.subarray(0, at)
    // Politely and not.
    if (at % 2 === 0 || at === answer.length) socket.end(part)
    else socket.write(part, () => socket.resetAndDestroy())
  })
  const successes: string[] = []
  const offset = begin++ % step
  const places = Array.from({ length: answer.length + 1 }, (_, at) => at)
  const chosen = places.filter((at) => at % step === offset || at >= answer.length - 5)
  await Promise.all(
    chosen.map((at) =>
      call(server.baseUrl, at).then(
        () => successes.push(`${at} of ${answer.length}`),
        (error: unknown) => {
          if (!(error instanceof SvcError) || ![1, 7].includes(error.exitCode)) throw error
        },
      ),
    ),
  )
  await server.close()
  return successes
}

const rows = Object.entries(calls).flatMap(([name, call]) =>
  Object.entries(framings).map(([framing, frame]) => [name, framing, call, frame] as const),
)

it.each(rows)('%s, ended by %s', async (_, __, [data, call], frame) => {
  const answer = frame(JSON.stringify({ data }))
  const successes = await cutEverywhere(answer, async (baseUrl, at) => {
    // The place to cut travels in the key, so that one server serves all of them.
    const client = openClient(baseUrl, { wait: 0, apiKey: `cut-at-${at}` })
    try {
      return await call(client)
    } finally {
      client.close()
    }
  })
  expect(successes).toEqual([`${answer.length} of ${answer.length}`])
})
