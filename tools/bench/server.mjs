/**
 * A service of constant speed for the limits: a bare TCP server that answers every request of a path with the same bytes
 * after the same time, and checks nothing. Not the sandbox: it would be the bottleneck.
 *
 * Usage: node server.mjs <latency ms> <messages a ticket> <lists> [missing | <members>]. Each list has 100 members, others for each.
 * Prints its port. With `missing` it knows no contact. With a number of members each contact is on two lists, and of 50 two share
 * their phone number.
 */
import { createServer } from 'node:net'
import { commandLine } from '../harness/tool.mjs'

const { words: positionals } = commandLine({}, true)
const [latency = 0, messages = 5000, lists = 300] = positionals.slice(0, 3).map(Number)
const knowsNobody = positionals[3] === 'missing'
const time = '2026-03-01T10:15:00.000Z'
const id = (n) => n.toString(16).padStart(24, '0')

function answer(data) {
  const body = JSON.stringify({ data })
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const deletions = new Map()
function deletion(count) {
  let made = deletions.get(count)
  if (made === undefined)
    deletions.set(count, (made = answer({ deletedCount: count, notFoundIds: [], blockedIds: [] })))
  return made
}

const chunks = new Map()
function chunk(ticket, cursor) {
  const from = cursor === null ? messages : Number(cursor)
  const key = `${ticket}/${from}`
  let made = chunks.get(key)
  if (made !== undefined) return made
  const part = []
  for (let n = from; n > Math.max(0, from - 20); n -= 1) {
    part.push({
      id: String(n),
      sentAt: time,
      fromId: '500',
      direction: n % 3 === 0 ? 'outgoing' : 'incoming',
      text: `Message number ${n}, as long as most are.`,
    })
  }
  const next = from - 20
  made = answer({
    ticket: { id: ticket, chatId: id(2), status: 'active', assigneeId: id(3), startedAt: time },
    messages: part,
    ...(next > 0 ? { nextChunkStartMessageId: String(next) } : {}),
  })
  if (chunks.size < 5000) chunks.set(key, made)
  return made
}

const pages = new Map()
function page(number, limit) {
  const key = `${number}/${limit}`
  let made = pages.get(key)
  if (made !== undefined) return made
  const rows = []
  for (let n = (number - 1) * limit; n < Math.min(number * limit, lists); n += 1) {
    rows.push({
      id: id(n + 1),
      name: `Campaign ${n}`,
      description: 'Spring mailing',
      contactsCount: n,
      createdAt: time,
      updatedAt: time,
    })
  }
  const totalPages = Math.ceil(lists / limit)
  made = answer({
    lists: rows,
    pagination: { page: number, limit, total: lists, totalPages, hasNext: number < totalPages, hasPrev: number > 1 },
  })
  pages.set(key, made)
  return made
}

/** Of lists that half overlap; too many to be kept. */
function memberPage(list, page) {
  const [each, all] = [Number(positionals[3]), (lists * Number(positionals[3])) / 2]
  const rows = []
  for (let at = (page - 1) * 100; at < Math.min(page * 100, each); at += 1) {
    const n = ((list * each) / 2 + at) % all
    const phone = `+1555${1_000_000 + n - Number(n % 50 === 1)}`
    rows.push(
      `{"id":"${id(n)}","createdAt":"${time}","contact":{"id":"${id(n)}","firstName":"Anna","lastName":"Miller","identities":{"phone":["${phone}"],"email":["contact${n}@example.com"]},"createdAt":"${time}","updatedAt":"${time}"}}`,
    )
  }
  const pages = Math.ceil(each / 100)
  const pagination = { page, limit: 100, total: each, totalPages: pages, hasNext: page < pages, hasPrev: page > 1 }
  const body = `{"data":{"list":{"id":"${id(list)}","name":"Campaign ${list - 1}","contactsCount":${each}},"members":[${rows.join()}],"pagination":${JSON.stringify(pagination)}}}`
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const members = new Map()
function membersOf(list) {
  let made = members.get(list)
  if (made !== undefined) return made
  const rows = []
  for (let n = list * 100; n < list * 100 + 100; n += 1) {
    const identities = { phone: [`+1555${1_000_000 + n}`], email: [`contact${n}@example.com`] }
    const contact = { id: id(n), firstName: 'Anna', lastName: 'Miller', identities, createdAt: time, updatedAt: time }
    rows.push({ id: id(n), contact, createdAt: time })
  }
  const one = { id: id(list), name: `Campaign ${list - 1}`, contactsCount: 100, createdAt: time, updatedAt: time }
  const pagination = { page: 1, limit: 100, total: 100, totalPages: 1, hasNext: false, hasPrev: false }
  made = answer({ list: one, members: rows, pagination })
  members.set(list, made)
  return made
}

const employees = answer([
  { id: id(3), kind: 'human', firstName: 'Robin', lastName: 'Berg', status: 'active', channels: [] },
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
  return page(Number(target.searchParams.get('page') ?? 1), Number(target.searchParams.get('limit') ?? 20))
}

const server = createServer({ noDelay: true }, (socket) => {
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
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
