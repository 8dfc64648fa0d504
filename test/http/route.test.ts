/** Names to addresses: the system is asked once for all who wait, and what it says, or does not say, is told in words. */
import { describe, expect, it } from 'vitest'
import { Route } from '../../src/http/route.ts'
import { patient } from '../support/amount.ts'
import {
  answering,
  goodBody,
  http,
  openClient,
  rawServer,
  tell,
  type Lookup,
} from '../support/loopback.ts'

const here = [{ address: '127.0.0.1', family: 4 }]

describe('a service behind a name', () => {
  it('is reached at the address that answers', async () => {
    const service = await answering((socket) => socket.write(http(200, goodBody.read)))
    const lookup: Lookup = () => Promise.resolve([...here, { address: '::1', family: 6 }])
    const client = openClient(`http://service.example:${service.port}`, { lookup })
    expect((await tell(client, 'read')).error).toBeUndefined()
    expect(service.requests[0]).toContain(`host: service.example:${service.port}`)
  })

  it('a name server that never answers ends within 250 ms of the deadline, in words', async () => {
    for (const env of [{}, { HTTPS_PROXY: 'http://proxy.example:3128' }]) {
      const lookup: Lookup = () => new Promise(() => undefined)
      const options = { timeout: 400, wait: 0, lookup, env }
      const client = openClient('https://service.example', options)
      const { ms, error } = await tell(client, 'once')
      expect(ms).toBeLessThan(patient(650))
      expect(error).toMatchObject({ exitCode: 7, details: { ambiguous: false } })
      expect(error?.message).toMatch(/no connection .*within/)
    }
  })
})

it('one lookup at a time, for all who wait for it; who gives up leaves it to the others', async () => {
  const service = await rawServer(() => undefined)
  const asked: string[] = []
  let answer: (addresses: typeof here) => void = () => undefined
  const lookup: Lookup = (name) => {
    asked.push(name)
    return new Promise((resolve) => (answer = resolve))
  }
  const target = { isSecure: false, hostname: 'service.example', port: service.port }
  const route = new Route(target, undefined, { lookup })
  const first = new AbortController()
  const all = [
    route.connect(first.signal),
    ...Array.from({ length: 16 }, () => route.connect(new AbortController().signal)),
  ]
  await expect.poll(() => asked.length).toBe(1)
  first.abort()
  await expect(all[0]).rejects.toMatchObject({ code: 'SVC_ABORTED' })
  answer(here)
  const sockets = await Promise.all(all.slice(1))
  expect(asked).toEqual(['service.example'])
  sockets.forEach((socket) => socket.destroy())
})
