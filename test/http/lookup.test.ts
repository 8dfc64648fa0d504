/** Names to addresses: what is asked for, how often, and that nothing of it keeps a connection, a run or the process. */
import { execFileSync } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { HostName, type NameHost } from '../../src/http/lookup.ts'
import { systemLookup } from '../../src/http/system-lookup.ts'
import { figure, patient } from '../figures/figure.ts'
import { answering, goodBody, http, openClient, tell } from './loopback.ts'
import { nameServer } from './name-server.ts'
import { buildProgram } from './process.ts'

const { signal } = new AbortController()
setMaxListeners(0, signal)
const nothing = ['/bin/sh', '-c', ':'] as const

function hostWith(nameServers: readonly string[]): NameHost {
  return { env: {}, platform: process.platform, self: ['/nowhere'], monotonic: () => performance.now(), nameServers }
}

async function failure(waiting: Promise<unknown>): Promise<unknown> {
  return waiting.then(
    () => undefined,
    ({ code, message }: Error & { code: string }) => ({ code, message }),
  )
}

const unanswered = { code: 'EAI_AGAIN', message: 'the name server did not answer' }

describe('a name', () => {
  it('is asked for in both families; the first that are there are IPv4', async () => {
    const server = await nameServer((type) => (type === 'A' ? ['127.0.0.1', '127.0.0.2'] : ['::1']))
    const name = new HostName('Service.Example', hostWith([server.address]), [nothing])
    expect(await name.addresses(signal)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.2', family: 4 },
      { address: '::1', family: 6 },
    ])
    expect([...server.questions].sort()).toEqual(['A service.example', 'AAAA service.example'])
  })

  it('does not wait for a family that is not answered', async () => {
    const server = await nameServer((type) => (type === 'A' ? ['127.0.0.1'] : undefined))
    const started = performance.now()
    const name = new HostName('service.example', hostWith([server.address]), [nothing])
    expect(await name.addresses(signal)).toEqual([{ address: '127.0.0.1', family: 4 }])
    expect(performance.now() - started).toBeLessThan(patient(500))
  })

  it('of the hosts file is looked up by the system, and no name server hears of it', async () => {
    const server = await nameServer(() => undefined)
    const found = await new HostName('localhost', hostWith([server.address]), [nothing]).addresses(signal)
    expect(found.map(({ address }) => address)).toContain('127.0.0.1')
    expect(server.questions).toEqual([])
  })

  it('that no name server knows is looked up by the system, by the first program that there is', async () => {
    const server = await nameServer(() => 'unknown')
    const print = ['/bin/sh', '-c', 'echo "127.0.0.9 STREAM $0"; echo "127.0.0.9 DGRAM"; echo "::1 RAW"'] as const
    const name = new HostName('printer', hostWith([server.address]), [['/no/such/program'], print, nothing])
    expect(await name.addresses(signal)).toEqual([
      { address: '127.0.0.9', family: 4 },
      { address: '::1', family: 6 },
    ])
  })

  it.each([
    ['unknown', { code: 'ENOTFOUND', message: 'unknown host name' }],
    [[], { code: 'ENOTFOUND', message: 'unknown host name' }],
    ['failing', unanswered],
  ] as const)('that nobody knows: %j', async (answer, expected) => {
    const server = await nameServer(() => answer)
    const name = new HostName('service.example', hostWith([server.address]), [nothing])
    expect(await failure(name.addresses(signal))).toEqual(expected)
  })

  it('is looked up once for all who wait for it', async () => {
    const server = await nameServer((type) => (type === 'A' ? ['127.0.0.1'] : []))
    const name = new HostName('service.example', hostWith([server.address]), [nothing])
    const all = await Promise.all(Array.from({ length: 16 }, () => name.addresses(signal)))
    expect(new Set(all).size).toBe(1)
    expect(server.questions).toHaveLength(2)
    await name.addresses(signal)
    expect(server.questions).toHaveLength(4)
  })

  it('that could not be looked up is not asked for again for as long as that took', async () => {
    const server = await nameServer(() => undefined)
    let now = 0
    const name = new HostName('service.example', { ...hostWith([server.address]), monotonic: () => now }, [nothing])
    const first = new AbortController()
    const waiting = failure(name.addresses(first.signal))
    await expect.poll(() => server.questions.length).toBe(2)
    now = 2000
    first.abort()
    expect(await waiting).toEqual(unanswered)
    now = 3999
    expect(await failure(name.addresses(signal))).toEqual(unanswered)
    expect([name.isBusy, server.questions.length]).toEqual([false, 2])
    now = 4000
    const again = new AbortController()
    const second = failure(name.addresses(again.signal))
    await expect.poll(() => server.questions.length).toBe(4)
    again.abort()
    await second
  })

  it('is given up with the first who gives it up, and so is the process that asks for it', async () => {
    const server = await nameServer(() => 'unknown')
    const sleeper = ['/bin/sh', '-c', 'exec sleep 47.11'] as const
    const name = new HostName('service.example', hostWith([server.address]), [sleeper])
    const isAsked = (): boolean => /sleep 47\.11/.test(execFileSync('ps', ['-A', '-o', 'args'], { encoding: 'utf8' }))
    const first = new AbortController()
    const waiting = [failure(name.addresses(first.signal)), failure(name.addresses(signal))]
    await expect.poll(isAsked).toBe(true)
    first.abort()
    expect(await Promise.all(waiting)).toEqual([unanswered, unanswered])
    expect(name.isBusy).toBe(false)
    await expect.poll(isAsked).toBe(false)
  })
})

it('the lookup that svc does for itself prints one address per line, or nothing', async () => {
  expect((await systemLookup('localhost')).split('\n')).toContain('127.0.0.1')
  expect(await systemLookup('no name')).toBe('')
})

describe('a service behind a name', () => {
  it('is reached at the address that answers', async () => {
    const service = await answering((socket) => socket.write(http(200, goodBody.read)))
    const server = await nameServer((type) => (type === 'A' ? ['127.0.0.1'] : ['::1']))
    const client = openClient(`http://service.example:${service.port}`, { nameServers: [server.address] })
    expect((await tell(client, 'read')).error).toBeUndefined()
    expect(service.requests[0]).toContain(`host: service.example:${service.port}`)
  })

  it('and a name server that never answers: within 250 ms of the deadline, in words', async () => {
    const { address } = await nameServer(() => undefined)
    for (const env of [{}, { HTTPS_PROXY: 'http://proxy.example:3128' }]) {
      const client = openClient('https://service.example', { timeout: 400, retries: 0, nameServers: [address], env })
      const { ms, error } = await tell(client, 'once')
      figure('milliseconds after a deadline', ms - 400)
      expect(ms).toBeLessThan(patient(650))
      expect(error).toMatchObject({ exitCode: 7, details: { ambiguous: false } })
      expect(error?.message).toContain('the name server did not answer')
    }
  })

  it('and a name server that fails for a moment: it is asked again', async () => {
    const service = await answering((socket) => socket.write(http(200, goodBody.read)))
    let failures = 2
    const server = await nameServer((type) => (failures-- > 0 ? 'failing' : type === 'A' ? ['127.0.0.1'] : []))
    const client = openClient(`http://service.example:${service.port}`, { nameServers: [server.address] })
    expect((await tell(client, 'read')).error).toBeUndefined()
  }, 30_000)
})

describe('the process, with a name server that never answers', () => {
  const run = buildProgram()

  it.each([
    ['once', 'whoami --timeout 1s --retries 0', 1000],
    // Full jitter: 0.5, 1 and 2 seconds at most between the attempts.
    ['with retries', 'whoami --timeout 500ms --retries 3', 4 * 500 + 3500],
    [
      'with 16 batches',
      `contacts delete ${Array.from({ length: 16 }, (_, n) => n.toString(16).padStart(24, 'f')).join(' ')} --yes --no-journal --batch-size 1 --concurrency 4 --max-failures 16 --timeout 1s --retries 0`,
      1000,
    ],
    ['at the doctor', 'doctor --timeout 1s', 1000],
  ])('%s: nothing of it is left when the program has ended', async (_, words, promised) => {
    const server = await nameServer(() => undefined)
    const ended = await run(words, { SVC_BASE_URL: 'https://service.example', NAME_SERVERS: server.address })
    expect(ended.code).toBe(7)
    expect(ended.stdout + ended.stderr).toMatch(/the name server did not answer|the name service does not answer/)
    figure('milliseconds that a name server keeps the process', ended.lingered)
    expect(ended.lingered).toBeLessThan(patient(250))
    // The process's end to the millisecond is measured by tools/bench/silent-dns.mjs; this machine may be busy.
    expect(ended.took).toBeLessThan(patient(promised + 1000))
  })
})
