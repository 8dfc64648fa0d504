/**
 * The limit: a bare keep-alive client that sends the same signed bytes over and over.
 *
 * Usage: node client.mjs <port> <connections> <requests> <get|post> [path]. Prints requests a second. The path is for get.
 */
import { connect } from 'node:net'
import { commandLine } from '../harness/tool.mjs'

const { words: positionals } = commandLine({}, true)
const [port, connections, requests] = positionals.slice(0, 3).map(Number)
const post = positionals[3] === 'post'
const body = post
  ? JSON.stringify({ contactIds: Array.from({ length: 100 }, (_, n) => n.toString(16).padStart(24, '0')) })
  : ''
const path = post
  ? 'POST /v1/contacts/bulk-delete'
  : `GET ${positionals[4] ?? '/v1/tickets/000000000000000000000001/history?chunkLastMessageId=40'}`
const head =
  `${path} HTTP/1.1\r\nHost: localhost\r\nX-Service-Key: k\r\nX-Service-Timestamp: 1\r\nX-Service-Signature: ${'0'.repeat(64)}\r\n` +
  (post ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` : '')
const request = Buffer.from(`${head}\r\n${body}`)

let left = requests
let done = 0
const started = performance.now()
for (let n = 0; n < connections; n += 1) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let rest = ''
  const send = () => {
    if (left <= 0) return socket.end()
    left -= 1
    socket.write(request)
  }
  socket.on('connect', send)
  socket.on('data', (data) => {
    rest += data.toString('latin1')
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(rest)?.[1] ?? 0)
    if (rest.length < end + 4 + length) return
    rest = ''
    done += 1
    if (done === requests) console.log((requests * 1000) / (performance.now() - started))
    send()
  })
}
