/**
 * The sandbox's memory under load: clients that delete as fast as they can, and clients that send large bodies which are
 * refused. Prints the peak of its resident memory, and fails when that is above 150 MB.
 *
 *   node tools/bench/sandbox-memory.mjs [--clients 200] [--seconds 60]
 *
 * Needs a build (npm run prepare) and Linux, whose /proc tells the peak.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { signed, startSandbox } from '../harness/processes.mjs'
import { commandLine } from '../harness/tool.mjs'

const most = 150

const { clients, seconds } = commandLine({ clients: 200, seconds: 60 })

/** Ids that nobody has. */
const ids = (count) => Array.from({ length: count }, () => randomBytes(12).toString('hex'))

/** Sends one request and returns its status; 0 when the connection was closed on it. */
function send(url, agent, headers, body) {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
      answer.on('error', () => resolve(0))
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

const large = 'x'.repeat(128 * 1024 - 100)

/** What the clients of each part send. */
const parts = {
  'deleting 100 ids a request': (sandbox) => {
    const known = sandbox.examples.contactsWithoutChats
    const body = JSON.stringify({ contactIds: [known[Math.floor(Math.random() * known.length)], ...ids(99)] })
    return { headers: signed(sandbox.env, body), body }
  },
  '128 kB under no key': () => ({ headers: {}, body: large }),
  '128 kB under a key, wrongly signed': ({ env }) => ({ headers: { 'x-service-key': env.SVC_API_KEY }, body: large }),
  '128 kB correctly signed': ({ env }) => ({ headers: signed(env, large), body: large }),
}

/** Megabytes of resident memory at its peak. */
function peakOf(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(kilobytes) / 1024
}

/** A sandbox as anybody starts it, under one kind of load. Returns the requests that were answered, and the peak. */
async function load(make) {
  // As large a record as without the option, which the tests do not use.
  const sandbox = await startSandbox(['--record', '1000'])
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const url = `${sandbox.baseUrl}/v1/contacts/bulk-delete`
  const end = Date.now() + seconds * 1000
  const statuses = new Map()
  const client = async () => {
    while (Date.now() < end) {
      const { headers, body } = make(sandbox)
      const status = await send(url, agent, headers, body)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  try {
    await Promise.all(Array.from({ length: clients }, client))
    return { statuses, peak: peakOf(sandbox.pid) }
  } finally {
    agent.destroy()
    await sandbox.stop()
  }
}

let highest = 0
for (const [name, make] of Object.entries(parts)) {
  const { statuses, peak } = await load(make)
  highest = Math.max(highest, peak)
  const counts = [...statuses].map(([status, count]) => `${count.toLocaleString('en-US')} × ${status || 'closed'}`)
  console.log(`${name}: ${counts.join(', ')}; peak ${peak.toFixed(0)} MB`)
}
console.log(`${clients} clients for ${seconds} s: peak ${highest.toFixed(0)} MB of resident memory`)
process.exitCode = highest > most ? 1 : 0
