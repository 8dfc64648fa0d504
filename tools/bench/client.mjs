/**
 * The limit: a bare keep-alive client that sends the same signed bytes over and over.
 *
 * Usage: node client.mjs <port> <connections> <requests> [path]. Prints requests a second.
 */
import { connect } from 'node:net'
import { commandLine } from '../harness/tool.mjs'

const { words } = commandLine({}, true)
const [port, connections, requests] = words.slice(0, 3).map(Number)
const path = words[3] ?? '/v1/tickets/000000000000000000000001/history?chunkLastMessageId=40'
const request = Buffer.from(
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Service-Key: k\r\nX-Service-Timestamp: 1\r\nX-Service-Signature: ${'0'.repeat(64)}\r\n\r\n`,
)

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
