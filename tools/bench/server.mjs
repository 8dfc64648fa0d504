/**
 * A service of constant speed for the limits: a bare TCP server that answers every request of a path with the same bytes
 * after the same time, and checks nothing. Not the sandbox: it would be the bottleneck.
 *
 * Usage: node server.mjs [--tls] <latency ms> <messages a ticket> <lists> [missing | <members>]. Each list has 100 members, others for each.
 * Prints its port. With `missing` it knows no contact. With a number of members each contact is on two lists, and of 50 two share
 * their phone number.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { commandLine } from '../harness/tool.mjs'

const { words: positionals, tls } = commandLine({ tls: false }, true)
const [latency = 0, messages = 5000, lists = 300] = positionals.slice(0, 3).map(Number)
const knowsNobody = positionals[3] === 'missing'
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

function chunk(ticket, cursor) {
  const from = cursor === null ? messages : Number(cursor)
  const next = from - 20
  return kept(`${ticket}/${from}`, () => ({
    ticket: { id: ticket, chatId: id(2), status: 'active', assigneeId: id(3), startedAt: time },
    messages: range(Math.max(0, next) + 1, Math.min(20, from), (n) => ({
      id: String(n),
      sentAt: time,
      fromId: '500',
      direction: n % 3 === 0 ? 'outgoing' : 'incoming',
      text: `Message number ${n}, as long as most are.`,
    })).reverse(),
    ...(next > 0 ? { nextChunkStartMessageId: String(next) } : {}),
  }))
}

/** How many members each list has. */
const each = Number(positionals[3]) || 100

const listOf = (n) => ({
  id: id(n + 1),
  name: `Campaign ${n}`,
  description: 'Spring mailing',
  contactsCount: each,
  createdAt: time,
  updatedAt: time,
})

function page(number, limit) {
  const from = (number - 1) * limit
  return kept(`page ${number}/${limit}`, () => ({
    lists: range(from, Math.min(limit, lists - from), listOf),
    pagination: pagination(number, limit, lists),
  }))
}

/** Members of lists that half overlap. They are text, since so many objects would make the server the bottleneck. */
function memberPage(list, page) {
  const all = (lists * each) / 2
  const rows = range((page - 1) * 100, Math.min(100, each - (page - 1) * 100), (at) => {
    const n = ((list * each) / 2 + at) % all
    const phone = `+1555${1_000_000 + n - Number(n % 50 === 1)}`
    return `{"id":"${id(n)}","createdAt":"${time}","contact":{"id":"${id(n)}","firstName":"Anna","lastName":"Miller","identities":{"phone":["${phone}"],"email":["contact${n}@example.com"]},"createdAt":"${time}","updatedAt":"${time}"}}`
  })
  const [about, turn] = [listOf(list - 1), pagination(page, 100, each)].map((part) =>
    JSON.stringify(part),
  )
  return answerOf(`{"data":{"list":${about},"members":[${rows.join()}],"pagination":${turn}}}`)
}

const membersOf = (list) =>
  kept(`members ${list}`, () => ({
    list: listOf(list - 1),
    members: range(list * 100, 100, (n) => {
      const identities = { phone: [`+1555${1_000_000 + n}`], email: [`contact${n}@example.com`] }
      const contact = {
        id: id(n),
        firstName: 'Anna',
        lastName: 'Miller',
        identities,
        createdAt: time,
        updatedAt: time,
      }
      return { id: id(n), contact, createdAt: time }
    }),
    pagination: pagination(1, 100, 100),
  }))

const employees = answer([
  {
    id: id(3),
    kind: 'human',
    firstName: 'Robin',
    lastName: 'Berg',
    status: 'active',
    channels: [],
  },
])

function respond(head, body) {
  if (head.startsWith('POST /v1/contacts/bulk-delete')) {
    if (!knowsNobody) return deletion(Math.round((body.length - 17) / 27))
    return answer({ deletedCount: 0, notFoundIds: JSON.parse(body).contactIds, blockedIds: [] })
  }
  const target = new URL(head.split(' ')[1], 'http://localhost')
  const [, ticket] = /^\/v1\/tickets\/(\w+)\/history$/.exec(target.pathname) ?? []
  if (ticket !== undefined) return chunk(ticket, target.searchParams.get('chunkLastMessageId'))
  if (target.pathname === '/v1/employees') return employees
  const list = /^\/v1\/lists\/([0-9a-f]{24})$/.exec(target.pathname)
  if (list !== null && Number(positionals[3]) > 0)
    return memberPage(parseInt(list[1], 16), Number(target.searchParams.get('page') ?? 1))
  if (list !== null) return membersOf(parseInt(list[1], 16))
  return page(
    Number(target.searchParams.get('page') ?? 1),
    Number(target.searchParams.get('limit') ?? 20),
  )
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
const options = { noDelay: true }
const server = tls
  ? createTlsServer({ ...options, cert: own('certificate'), key: own('key') }, serve)
  : createServer(options, serve)
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
