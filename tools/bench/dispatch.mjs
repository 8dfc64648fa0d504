/**
 * The limit to which svc is compared: sends signed requests with undici's plain `dispatch`, records nothing, and of the answers
 * looks only at the status. Without a path they are bulk deletes of 100 ids each.
 *
 * Usage: node dispatch.mjs <port> <requests in flight> <requests> [path to read]. Prints requests a second.
 */
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { commandLine, refuse } from '../harness/tool.mjs'

const { words } = commandLine({}, true)
const [port, connections, requests] = words.map(Number)
const path = words[3]
if (![port, connections, requests].every(Number.isSafeInteger))
  refuse('usage: node dispatch.mjs <port> <requests in flight> <requests> [path to read]')
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 })
let [sent, done] = [0, 0]
const started = performance.now()

function bodyOf(request) {
  // Multiplied by a prime, so that ids behind each other have other endings.
  const contactIds = Array.from({ length: 100 }, (_, n) =>
    ((request * 100 + n) * 7919 + 1).toString(16).padStart(24, '0'),
  )
  return JSON.stringify({ contactIds })
}

function send() {
  if (sent === requests) return
  const body = path === undefined ? bodyOf(sent) : ''
  sent += 1
  const timestamp = String(Date.now())
  const headers = {
    'X-Service-Key': 'pk_bench',
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': createHmac('sha256', 'sk_bench_0123456789')
      .update(`${timestamp}.${body}`)
      .digest('hex'),
    'Content-Type': 'application/json',
  }
  const change = { method: 'POST', path: '/v1/contacts/bulk-delete', headers, body }
  pool.dispatch(path === undefined ? change : { method: 'GET', path, headers }, {
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
  })
}
for (let n = 0; n < connections; n += 1) send()
