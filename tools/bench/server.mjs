/**
 * A service of constant speed for the limits: a bare TCP server that answers every request of a path with the same bytes
 * after the same time, and checks nothing. Not the sandbox: it would be the bottleneck.
 *
 * Usage: node server.mjs [--tls] [--missing] [--latency ms] [--messages a ticket] [--lists n] [--members of each list]. Prints its port.
 * Each contact is on two lists. With --missing it knows no contact.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { commandLine } from '../harness/tool.mjs'

const options = commandLine({
  tls: false,
  missing: false,
  latency: '0',
  messages: 20,
  lists: 300,
  members: 100,
})
const { messages, lists, members } = options
const latency = Number(options.latency)
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
  const bytes = made.get(key) ?? make()
  if (made.size < 10_000) made.set(key, bytes)
  return bytes
}

const range = (from, count, make) =>
  Array.from({ length: Math.max(0, count) }, (_, n) => make(from + n))

function pagination(page, limit, total) {
  const totalPages = Math.ceil(total / limit)
  return { page, limit, total, totalPages, hasNext: page < totalPages, hasPrev: page > 1 }
}

function chunk(ticket, cursor) {
  const from = cursor === null ? messages : Number(cursor)
  const next = from - 20
  return answer({
    ticket: { id: ticket, chatId: id(2), status: 'active', assigneeId: id(3), startedAt: time },
    messages: range(Math.max(0, next) + 1, Math.min(20, from), (n) => ({
      id: String(n),
      sentAt: time,
      fromId: '500',
      direction: n % 3 === 0 ? 'outgoing' : 'incoming',
      text: `Message number ${n}, as long as most are.`,
    })).reverse(),
    ...(next > 0 ? { nextChunkStartMessageId: String(next) } : {}),
  })
}

const listOf = (n) => ({
  id: id(n + 1),
  name: `Campaign ${n}`,
  description: 'Spring mailing',
  contactsCount: members,
  createdAt: time,
  updatedAt: time,
})

const listsPage = (page, limit) =>
  answer({
    lists: range((page - 1) * limit, Math.min(limit, lists - (page - 1) * limit), listOf),
    pagination: pagination(page, limit, lists),
  })

/** Members of lists that half overlap. They are text, since so many objects would make the server the bottleneck. */
function membersPage(list, page) {
  const all = (lists * members) / 2
  const rows = range((page - 1) * 100, Math.min(100, members - (page - 1) * 100), (at) => {
    const n = ((list * members) / 2 + at) % all
    const identities = `{"phone":["+1555${1_000_000 + n}"],"email":["contact${n}@example.com"]}`
    return `{"id":"${id(n)}","createdAt":"${time}","contact":{"id":"${id(n)}","firstName":"Anna","lastName":"Miller","identities":${identities},"createdAt":"${time}","updatedAt":"${time}"}}`
  })
  const [about, turn] = [listOf(list - 1), pagination(page, 100, members)].map((part) =>
    JSON.stringify(part),
  )
  return answerOf(`{"data":{"list":${about},"members":[${rows.join()}],"pagination":${turn}}}`)
}

const robin = { id: id(3), kind: 'human', firstName: 'Robin', status: 'active', channels: [] }

function deletion(body) {
  if (options.missing)
    return answer({ deletedCount: 0, notFoundIds: JSON.parse(body).contactIds, blockedIds: [] })
  const deletedCount = Math.round((body.length - 17) / 27)
  return kept(deletedCount, () => answer({ deletedCount, notFoundIds: [], blockedIds: [] }))
}

function respond(head, body) {
  if (head.startsWith('POST /v1/contacts/bulk-delete')) return deletion(body)
  const [, target] = head.split(' ', 2)
  return kept(target, () => {
    const { pathname, searchParams } = new URL(target, 'http://localhost')
    const [, , noun, about] = pathname.split('/')
    const [page, limit] = ['page', 'limit'].map((name) => Number(searchParams.get(name)))
    if (noun === 'tickets') return chunk(about, searchParams.get('chunkLastMessageId'))
    if (noun === 'employees') return answer([robin])
    return about === undefined ? listsPage(page, limit) : membersPage(parseInt(about, 16), page)
  })
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
  readFileSync(new URL(`../../test/support/certificates/${name}.pem`, import.meta.url))
const server = options.tls
  ? createTlsServer({ noDelay: true, cert: own('certificate'), key: own('key') }, serve)
  : createServer({ noDelay: true }, serve)
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
