/**
 * The least that a program does that reads the members of every list: undici's `dispatch`, four pages at once, each signed and read as JSON,
 * and of its members only the number is kept.
 *
 * Usage: node members.mjs <port> <requests in flight>. Prints how many members there are.
 */
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { commandLine } from '../harness/tool.mjs'

const [port, connections] = commandLine({}, true).words.map(Number)
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 })

function signedHeaders() {
  const timestamp = String(Date.now())
  const signature = createHmac('sha256', 'sk_bench_0123456789')
    .update(`${timestamp}.`)
    .digest('hex')
  return {
    'X-Service-Key': 'pk_bench',
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signature,
  }
}

/** The data of an answer. */
function get(path) {
  return new Promise((resolve, reject) => {
    const chunks = []
    pool.dispatch(
      { method: 'GET', path, headers: signedHeaders() },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, status) {
          if (status !== 200) throw new Error(`status ${status}`)
        },
        onResponseData: (_controller, chunk) => chunks.push(chunk),
        onResponseEnd: () => resolve(JSON.parse(Buffer.concat(chunks).toString()).data),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

const ids = []
for (let page = 1, hasNext = true; hasNext; page += 1) {
  const { lists, pagination } = await get(`/v1/lists?page=${page}&limit=100`)
  ids.push(...lists.map(({ id }) => id))
  hasNext = pagination.hasNext
}

let members = 0
async function readLists() {
  for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
    for (let page = 1, hasNext = true; hasNext; page += 1) {
      const data = await get(`/v1/lists/${id}?page=${page}&limit=100`)
      members += data.members.length
      hasNext = data.pagination.hasNext
    }
  }
}
await Promise.all(Array.from({ length: connections }, readLists))
console.log(members)
await pool.close()
