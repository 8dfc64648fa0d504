/** A sandbox for the tools. It prints its address, and that of what really happened. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { nodeHost } from '../../src/node-host.ts'
import { idOf } from '../../src/sandbox/company.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { RequestLog } from './sandbox-record.ts'

const { baseUrl, keys, company, service, server } = await startSandbox(nodeHost(process), {
  latency: 10,
})
const { contacts, chats } = company
const [usual] = contacts.values()
if (usual === undefined) throw new Error('no contact')
for (let n = contacts.size; n < Number(process.argv[2]); n += 1) {
  const id = idOf('contact', 10_000 + n)
  contacts.set(id, { ...usual, id })
  if (n % 3 === 1) chats.add(id)
}
const log = new RequestLog()
server.prependListener('request', (request) => log.add(request))
log.watch(company, service)
const rows: Readonly<Record<string, () => readonly unknown[]>> = {
  '/record': () => log.entries,
  '/contacts': () => [...contacts.keys()].map((id) => ({ id, chat: chats.has(id) })),
}
const witness = createServer(({ url = '' }, response) => {
  const all = JSON.stringify(rows[url]?.() ?? [])
  response.writeHead(url in rows ? 200 : 404, { connection: 'close' }).end(all)
})
await once(witness.listen(0, '127.0.0.1'), 'listening')
const address = witness.address()
if (address === null || typeof address === 'string') throw new Error('no port')
const witnessUrl = `http://127.0.0.1:${address.port}`
console.log(JSON.stringify({ baseUrl, keys, witnessUrl }))
