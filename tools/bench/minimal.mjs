/**
 * The least that a program does for `lists list`: one signed request through undici's Client, and its answer read as JSON and
 * printed. `start.mjs` bundles it into CommonJS, as svc is bundled. For https, Node reads NODE_EXTRA_CA_CERTS.
 */
import { createHmac } from 'node:crypto'
import { connect as connectTcp } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import Client from 'undici/lib/dispatcher/client.js'

const { SVC_BASE_URL: baseUrl } = process.env
const { hostname, port, protocol } = new URL(baseUrl)

// As svc does: on Node 20, optimizing undici's parser would keep the process alive for 50 ms more.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--liftoff-only')

/** Returns a socket, and the event that says that it is open. Like svc, loads `node:tls` only for https. */
async function open() {
  if (protocol === 'http:') return [connectTcp({ host: hostname, port }), 'connect']
  const tls = await import('node:tls')
  return [tls.connect({ host: hostname, port }), 'secureConnect']
}

async function connect(callback) {
  const [socket, event] = await open()
  socket.once(event, () => callback(null, socket))
  socket.once('error', (error) => callback(error, null))
}

const timestamp = String(Date.now())
const headers = {
  'X-Service-Key': 'pk_bench',
  'X-Service-Timestamp': timestamp,
  'X-Service-Signature': createHmac('sha256', 'sk_bench_0123456789')
    .update(`${timestamp}.`)
    .digest('hex'),
}
const chunks = []
const client = new Client(baseUrl, { connect: (_options, callback) => void connect(callback) })
client.dispatch(
  { method: 'GET', path: '/v1/lists?page=1&limit=20', headers },
  {
    onRequestStart: () => undefined,
    onResponseStart(_controller, status) {
      if (status !== 200) throw new Error(`status ${status}`)
    },
    onResponseData: (_controller, chunk) => chunks.push(chunk),
    onResponseEnd() {
      const { data } = JSON.parse(Buffer.concat(chunks).toString())
      process.stdout.write(`${JSON.stringify(data.lists, null, 2)}\n`)
    },
    onResponseError(_controller, error) {
      throw error
    },
  },
)
