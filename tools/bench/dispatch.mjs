/**
 * The limit to which a bulk delete is compared: sends the same signed bodies with undici's plain `dispatch`, records nothing, and
 * of the answers looks only at the status.
 *
 * Usage: node dispatch.mjs <port> <requests in flight> <requests>. Prints requests a second.
 */
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { commandLine, refuse } from '../harness/tool.mjs'

const { words: positionals } = commandLine({}, true)
const [port, connections, requests] = positionals.map(Number)
if (![port, connections, requests].every(Number.isSafeInteger))
  refuse('usage: node dispatch.mjs <port> <requests in flight> <requests>')
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 })
let [sent, done] = [0, 0]
const started = performance.now()

function send() {
  if (sent === requests) return
  // Multiplied by a prime, so that ids behind each other have other endings.
  const contactIds = Array.from({ length: 100 }, (_, n) =>
    ((sent * 100 + n) * 7919 + 1).toString(16).padStart(24, '0'),
  )
  sent += 1
  const body = JSON.stringify({ contactIds })
  const timestamp = String(Date.now())
  const headers = {
    'X-Service-Key': 'pk_bench',
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': createHmac('sha256', 'sk_bench_0123456789')
      .update(`${timestamp}.${body}`)
      .digest('hex'),
    'Content-Type': 'application/json',
  }
  pool.dispatch(
    { method: 'POST', path: '/v1/contacts/bulk-delete', headers, body },
    {
      onRequestStart: () => undefined,
      onResponseStart(_controller, status) {
        if (status !== 200) throw new Error(`status ${status}`)
      },
      onResponseData: () => undefined,
      onResponseEnd() {
        done += 1
        if (done === requests) {
          console.log((requests * 1000) / (performance.now() - started))
          void pool.close()
        } else send()
      },
      onResponseError(_controller, error) {
        throw error
      },
    },
  )
}
for (let n = 0; n < connections; n += 1) send()
