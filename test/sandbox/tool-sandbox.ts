/**
 * A sandbox for the tools, as a program: it distorts answers, remembers every request, and has as many contacts as `--contacts` says. Takes
 * the words of `svc sandbox start` and prints the line of its `--json`, and in it the address where the tool reads what really happened: `/record`, and
 * `/contacts`, `/lists`, `/tickets` and `/employees` of the first company, a row as JSON on each line.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { nodeHost } from '../../src/host.ts'
import { parseFaults } from '../../src/sandbox/faults.ts'
import { startSandbox } from '../../src/sandbox/server.ts'
import { durationMs } from '../../src/values.ts'
import { readAnyFault } from './distortions.ts'
import { allLists, RequestLog } from './record.ts'
const text = { type: 'string' } as const
const options = {
  port: text,
  json: { type: 'boolean' },
  contacts: text,
  latency: text,
  faults: text,
} as const
const { values } = parseArgs({ args: process.argv.slice(4), options })
const log = new RequestLog()
const { baseUrl, keys, examples, company, server } = await startSandbox(nodeHost(process), {
  latency: durationMs(values.latency ?? '0ms'),
  faults: parseFaults(values.faults?.split(' ') ?? [], readAnyFault),
})
const { contacts } = company
for (let n = contacts.ids().length; n < Number(values.contacts ?? 0); n += 1) company.addContact(n)
server.prependListener('request', (request, response) => log.add(request, response))
log.watch(company)
const rows: Readonly<Record<string, () => Iterable<unknown>>> = {
  '/record': () => log.entries,
  '/contacts': () => contacts.ids().map((id) => ({ id, chat: company.chats.has(id) })),
  '/lists': () => allLists(company),
  '/tickets': () => Array.from(company.tickets.values(), ({ ticket }) => ticket),
  '/employees': () => company.employees,
}
const witness = createServer(({ url = '' }, response) => {
  const lines = Array.from(rows[url]?.() ?? [], (row) => `${JSON.stringify(row)}\n`)
  response.writeHead(url in rows ? 200 : 404, { connection: 'close' }).end(lines.join(''))
})
await once(witness.listen(0, '127.0.0.1'), 'listening')
const address = witness.address()
if (address === null || typeof address === 'string') throw new Error('no port')
const witnessUrl = `http://127.0.0.1:${address.port}`
console.log(JSON.stringify({ baseUrl, pid: process.pid, keys, examples, witnessUrl }))
