/**
 * The least program that sends what svc sends: bulk deletes of 100 ids, or reads of a path. It
 * prints the answer of a single request, or the requests a second. Usage: node least.mjs <base URL>
 * <requests in flight> <requests> [path to read]
 */
import { createHmac } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import Pool from 'undici/lib/dispatcher/pool.js'

const [baseUrl, connections, count, path] = process.argv.slice(2)
const requests = Number(count)
// As svc does: on Node 20, optimizing undici's parser would keep the process alive for 50 ms more.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only')

const pool = new Pool(baseUrl, { connections: Number(connections), pipelining: 1 })
const started = performance.now()
let [sent, done] = [0, 0]

function bodyOf(request) {
  // Multiplied by a prime, so that ids behind each other have other endings.
  const idAt = (_, n) => ((request * 100 + n) * 7919 + 1).toString(16).padStart(24, '0')
  return JSON.stringify({ contactIds: Array.from({ length: 100 }, idAt) })
}

function send() {
  if (sent === requests) return
  const body = path === undefined ? bodyOf(sent) : ''
  sent += 1
  const timestamp = String(Date.now())
  const signer = createHmac('sha256', 'sk_bench_0123456789').update(`${timestamp}.${body}`)
  const headers = {
    'X-Service-Key': 'pk_bench',
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signer.digest('hex'),
    'Content-Type': 'application/json',
  }
  let answer = ''
  const change = { method: 'POST', path: '/v1/contacts/bulk-delete', headers, body }
  pool.dispatch(path === undefined ? change : { method: 'GET', path, headers }, {
    onRequestStart: () => undefined,
    onResponseStart(_controller, status) {
      if (status !== 200) throw new Error(`status ${status}`)
    },
    onResponseData: (_controller, chunk) => requests === 1 && (answer += chunk),
    onResponseEnd() {
      done += 1
      if (done < requests) return send()
      const rate = (requests * 1000) / (performance.now() - started)
      console.log(requests === 1 ? JSON.stringify(JSON.parse(answer).data, null, 2) : rate)
      void pool.close()
    },
    onResponseError(_controller, error) {
      throw error
    },
  })
}
for (let n = 0; n < Number(connections); n += 1) send()
