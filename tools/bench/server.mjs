/**
 * A service of constant speed: every request of a path gets the same bytes after the same time.
 * Each contact is on two lists. Its word is its options as JSON.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { root } from '../harness/tool.mjs'

const defaults = { tls: false, latency: 0, messages: 20, lists: 300, members: 100 }
const { tls, latency, messages, lists, members } = { ...defaults, ...JSON.parse(process.argv[2]) }
const time = '2026-03-01T10:15:00.000Z'
const id = (n) => n.toString(16).padStart(24, '0')

function rowsOf({ searchParams }, total, make) {
  const [page, limit] = ['page', 'limit'].map((name) => Number(searchParams.get(name)))
  const before = (page - 1) * limit
  const count = Math.min(limit, total - before)
  return [Array.from({ length: count }, (_, n) => make(before + n)), before + count < total]
}

const list = (n) => ({ id: id(n + 1), name: `Campaign ${n}`, contactsCount: members })

function member(n) {
  const identities = { phone: [`+1555${1_000_000 + n}`], email: [`contact${n}@example.com`] }
  const contact = {
    id: id(n + 1),
    firstName: 'Anna',
    lastName: 'Miller',
    identities,
    createdAt: time,
  }
  return { id: id(n + 1), createdAt: time, contact }
}

/** Twenty messages before the cursor. */
function history(ticket, cursor) {
  const last = Number(cursor ?? messages)
  const message = (_, n) => ({ id: String(last - n), sentAt: time, text: `Message ${last - n}` })
  return {
    ticket: { id: ticket, status: 'active' },
    messages: Array.from({ length: Math.min(20, last) }, message),
    nextChunkStartMessageId: last > 20 ? String(last - 20) : null,
  }
}

function answerTo(target) {
  const url = new URL(target, 'http://localhost')
  const [, , noun, about] = url.pathname.split('/')
  if (noun === 'tickets') return history(about, url.searchParams.get('chunkLastMessageId'))
  if (about === undefined) {
    const [rows, hasNext] = rowsOf(url, lists, list)
    return { lists: rows, pagination: { total: lists, hasNext } }
  }
  const n = parseInt(about, 16)
  const before = (n * members) / 2
  const everybody = Math.max(members, (lists * members) / 2)
  const [rows, hasNext] = rowsOf(url, members, (at) => member((before + at) % everybody))
  return { list: list(n - 1), members: rows, pagination: { total: members, hasNext } }
}

/** As many ids as a body of this length has. */
const deletionOf = ({ length }) => ({
  deletedCount: Math.round((length - 17) / 27),
  ...{ notFoundIds: [], blockedIds: [] },
})

/** The bytes of each answer to a reading, made once. */
const made = new Map()
function bytesOf(head, body) {
  const [method, target] = head.split(' ', 2)
  if (made.has(target)) return made.get(target)
  const data = JSON.stringify({ data: method === 'POST' ? deletionOf(body) : answerTo(target) })
  const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(data)}`
  const bytes = Buffer.from(`HTTP/1.1 200 OK\r\n${length}\r\n\r\n${data}`)
  if (method === 'GET') made.set(target, bytes)
  return bytes
}

function serve(socket) {
  let rest = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data])
    const end = rest.indexOf('\r\n\r\n')
    const head = rest.toString('latin1', 0, Math.max(0, end))
    const length = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (end < 0 || rest.length < length) return
    const bytes = bytesOf(head, rest.subarray(end + 4, length))
    // A client waits for each answer, so nothing is behind its request.
    rest = Buffer.alloc(0)
    if (latency === 0) socket.write(bytes)
    else setTimeout(() => socket.write(bytes), latency)
  })
}

/** The certificate of the tests, which is made out to this machine. */
const own = (name) => readFileSync(`${root}/test/support/certificates/${name}.pem`)
const server = tls
  ? createTlsServer({ noDelay: true, cert: own('certificate'), key: own('key') }, serve)
  : createServer({ noDelay: true }, serve)
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
