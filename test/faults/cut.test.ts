/**
 * An answer that is cut: never taken for success. `npm run figures -- answers` cuts at every single byte; here every operation and framing begins
 * at another one and goes on in steps, the last bytes one by one.
 */
import { expect, it } from 'vitest'
import { operations, type OperationName } from '../../src/api/operations.ts'
import { SvcError } from '../../src/errors.ts'
import type { Input } from '../../src/api/call.ts'
import { figure, howMany } from '../figures/figure.ts'
import { answering, http, ids, openClient } from '../http/loopback.ts'

const pagination = { page: 1, limit: 1, total: 1, totalPages: 1, hasNext: false, hasPrev: false }
const list = {
  id: ids.list,
  name: 'VIP – “é”',
  description: '',
  contactsCount: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
}
const contact = { id: ids.two, firstName: 'Zoë', lastName: null, identities: { phone: ['+49 30 1'] } }

const examples: Readonly<Record<OperationName, { input: Input; data: unknown }>> = {
  'lists.list': { input: { query: { limit: 1 } }, data: { lists: [list], pagination } },
  'lists.create': { input: { body: { name: 'n', description: '' } }, data: list },
  'lists.get': {
    input: { path: { listId: ids.list } },
    data: { list, members: [{ id: ids.one, contact }], pagination },
  },
  'lists.update': { input: { path: { listId: ids.list }, body: { name: 'n' } }, data: list },
  'lists.add-contacts': {
    input: { path: { listId: ids.list }, body: { contactIds: [ids.one] } },
    data: { added: 1, skipped: 0, failed: 0 },
  },
  'contacts.merge': {
    input: { path: { sourceContactId: ids.one }, body: { targetContactId: ids.two } },
    data: { mergedContactId: ids.one, contact },
  },
  'contacts.delete': {
    input: { body: { contactIds: [ids.one] } },
    data: { deletedCount: 0, notFoundIds: [ids.one], blockedIds: [] },
  },
  'tickets.history': {
    input: { path: { ticketId: ids.one } },
    data: { ticket: { id: ids.one, status: 'active' }, messages: [{ id: '9007199254740993', text: 'ok' }] },
  },
  'tickets.assign': {
    input: { path: { ticketId: ids.one }, body: { newAssigneeId: ids.two } },
    data: { ticketId: ids.one, chatId: ids.list, previousAssigneeId: null, newAssigneeId: ids.two },
  },
  'employees.list': { input: {}, data: [{ id: ids.one, firstName: 'A', kind: 'ai', channels: [] }] },
}

/** The ways in which HTTP says where an answer ends. */
const framings = {
  'content-length': (body: string) => http(200, body),
  chunked: (body: string) => {
    const bytes = Buffer.from(body)
    const half = Math.floor(bytes.length / 2)
    const chunks = [bytes.subarray(0, half), bytes.subarray(half)]
    const parts = chunks.flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ])
    const head = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
    return Buffer.concat([head, ...parts, Buffer.from('0\r\n\r\n')])
  },
  'end of connection': (body: string) =>
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${body}`),
} as const

const rows = (Object.keys(operations) as OperationName[]).flatMap((name) =>
  Object.entries(framings).map(([framing, frame]) => [name, framing, frame] as const),
)

/** Calls `attempt` with each number below `n`, eight at a time. */
async function each(n: number, attempt: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < n) await attempt(next++)
    }),
  )
}

const step = howMany('CUT_STEP', 17)
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
  let cuts = 0
  await each(answer.length + 1, async (at) => {
    if (at % step !== offset && at < answer.length - 5) return
    cuts += 1
    try {
      await call(server.baseUrl, at)
      successes.push(`${at} of ${answer.length}`)
    } catch (error) {
      if (!(error instanceof SvcError) || error.exitCode !== 7) throw error
    }
  })
  await server.close()
  figure('cuts of answers', cuts - 1)
  figure('cut answers taken for success', successes.length - 1)
  return successes
}

it.each(rows)('%s, ended by %s', async (name, _framing, frame) => {
  const { input, data } = examples[name]
  const answer = frame(JSON.stringify({ data }))
  const successes = await cutEverywhere(answer, async (baseUrl, at) => {
    // The place to cut travels in the key, so that one server serves all of them.
    const client = openClient(baseUrl, { retries: 0, apiKey: `cut-at-${at}` })
    try {
      return await client.call(name, input)
    } finally {
      client.close()
    }
  })
  expect(successes).toEqual([`${answer.length} of ${answer.length}`])
})

it.each(Object.entries(framings))('svc api, ended by %s', async (_framing, frame) => {
  const answer = frame(JSON.stringify({ data: [1, { a: 'b' }] }))
  const successes = await cutEverywhere(answer, async (baseUrl, at) => {
    const client = openClient(baseUrl, { retries: 0, apiKey: `cut-at-${at}` })
    try {
      return await client.raw('GET', '/v1/anything', Buffer.alloc(0))
    } finally {
      client.close()
    }
  })
  expect(successes).toEqual([`${answer.length} of ${answer.length}`])
})
