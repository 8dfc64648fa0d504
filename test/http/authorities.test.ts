/** Certificates that a setting names are trusted beside Node's own. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:tls'
import type * as TlsModule from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { Route } from '../../src/http/route.ts'
import { realHost } from '../host.ts'
import { listen } from './loopback.ts'

/** Node's own certificates, as far as these tests are concerned; `reads` counts how often they are read. */
const node = vi.hoisted(() => ({ own: [] as string[], reads: 0 }))
vi.mock('node:tls', async (original) => ({
  ...(await original<typeof TlsModule>()),
  getCACertificates: () => {
    node.reads += 1
    return node.own
  },
}))

const certificate = text('certificate.pem')
const { rootCertificates } = await vi.importActual<typeof TlsModule>('node:tls')
const [stranger = ''] = rootCertificates

function text(name: string): string {
  return readFileSync(fileURLToPath(new URL(`certificates/${name}`, import.meta.url)), 'utf8')
}

let connections = 0
const server = createServer({ cert: certificate, key: text('key.pem') }, (socket) =>
  socket.on('error', () => undefined),
)
server.on('connection', () => (connections += 1))
server.on('tlsClientError', () => undefined)
const port = await listen(server)
afterAll(() => server.close())

/** Opens connections of one route, one after the other: how often the service was dialed, and Node's certificates read. */
async function open(authorities: readonly string[], own: readonly string[], times = 1) {
  node.own = [...own]
  node.reads = 0
  connections = 0
  const target = { hostname: '127.0.0.1', port, secure: true }
  const route = new Route(target, undefined, realHost, authorities)
  for (let n = 0; n < times; n += 1) (await route.open(new AbortController().signal)).destroy()
  return { connections, reads: node.reads }
}

test('the authorities of the setting decide, and Node’s own, which take long, are not read', async () => {
  expect(await open([certificate], [stranger], 3)).toEqual({ connections: 3, reads: 0 })
})

test('where they do not, Node’s own are trusted too: one connection more, and once', async () => {
  expect(await open([stranger], [certificate], 3)).toEqual({ connections: 4, reads: 1 })
})

test('nobody vouches: refused, as without the setting', async () => {
  await expect(open([stranger], [stranger])).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
})
