/**
 * A service of constant speed for the limits: a bare TCP server that answers every request of a path with the same bytes
 * after the same time, and checks nothing. Not the sandbox: it would be the bottleneck.
 *
 * Usage: node server.mjs [--tls] <latency ms>. It has 300 lists, and every contact that is deleted. Prints its port.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { commandLine } from '../harness/tool.mjs'

const { words: positionals, tls } = commandLine({ tls: false }, true)
const latency = Number(positionals[0] ?? 0)
const lists = 300
const time = '2026-03-01T10:15:00.000Z'
const id = (n) => n.toString(16).padStart(24, '0')

const answer = (data) => answerOf(JSON.stringify({ data }))
const answerOf = (body) =>
  Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

const made = new Map()
/** The bytes of an answer, made once. */
function kept(key, make) {
  const bytes = made.get(key) ?? answer(make())
  if (made.size < 10_000) made.set(key, bytes)
  return bytes
}

const range = (from, count, make) =>
  Array.from({ length: Math.max(0, count) }, (_, n) => make(from + n))

function pagination(page, limit, total) {
  const totalPages = Math.ceil(total / limit)
  return { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 }
}

const deletion = (count) =>
  kept(`deletion ${count}`, () => ({ deletedCount: count, notFoundIds: [], blockedIds: [] }))

const listOf = (n, contactsCount) => ({
  id: id(n + 1),
  name: `Campaign ${n}`,
  description: 'Spring mailing',
  contactsCount,
  createdAt: time,
  updatedAt: time,
})

function page(number, limit) {
  const from = (number - 1) * limit
  return kept(`page ${number}/${limit}`, () => ({
    lists: range(from, Math.min(limit, lists - from), (n) => listOf(n, n)),
    pagination: pagination(number, limit, lists),
  }))
}

function respond(head, body) {
  if (head.startsWith('POST /v1/contacts/bulk-delete'))
    return deletion(Math.round((body.length - 17) / 27))
  const { searchParams } = new URL(head.split(' ')[1], 'http://localhost')
  return page(Number(searchParams.get('page') ?? 1), Number(searchParams.get('limit') ?? 20))
}

function serve(socket) {
  let rest = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data])
    for (;;) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = rest.toString('latin1', 0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (rest.length < end + 4 + length) return
      const bytes = respond(head, rest.subarray(end + 4, end + 4 + length))
      rest = rest.subarray(end + 4 + length)
      if (latency === 0) socket.write(bytes)
      else setTimeout(() => socket.write(bytes), latency)
    }
  })
}

/** The certificate of the tests, which is made out to this machine. */
const own = (name) =>
  readFileSync(new URL(`../../test/http/certificates/${name}.pem`, import.meta.url))
const options = { noDelay: true }
const server = tls
  ? createTlsServer({ ...options, cert: own('certificate'), key: own('key') }, serve)
  : createServer(options, serve)
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
