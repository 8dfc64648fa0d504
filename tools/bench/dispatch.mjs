/**
 * The least that a program does that sends the same with undici: bodies made of ids, signed, by plain `dispatch`; no record, and
 * of the answers only the status is looked at.
 *
 * Usage: node dispatch.mjs <port> <requests in flight> <requests>. Prints requests a second.
 */
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { commandLine } from '../harness/tool.mjs'

const { words: positionals } = commandLine({}, true)
const [port, connections, requests] = positionals.map(Number)
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 })
let [sent, done] = [0, 0]
const started = performance.now()

function send() {
  if (sent === requests) return
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
