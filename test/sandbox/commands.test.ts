import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Host, Signal } from '../../src/host.ts'
import { main } from '../../src/main.ts'
import { Collector, createWorld } from '../svc.ts'
import { ask } from './client.ts'

const world = createWorld()
const { folder } = world

interface Running {
  readonly ended: Promise<number>
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: Signal) => void
  readonly raised: Signal[]
}

/** Runs svc in this process, and goes on while it runs. */
function svc(argv: readonly string[], more: Partial<Host> = {}): Running {
  const listeners: ((signal: Signal) => void)[] = []
  const raised: Signal[] = []
  const [stdout, stderr] = [new Collector(), new Collector()]
  const raise = (signal: Signal): void => void raised.push(signal)
  const ended = world.svc(argv, {
    ...{ stdout, stderr },
    signals: (deliver) => void listeners.push(deliver),
    program: (host) => main({ ...host, raise, ...more }),
  })
  return {
    ended: ended.then(({ code }) => code),
    stdout: () => stdout.text,
    stderr: () => stderr.text,
    signal: (signal) => listeners.forEach((listen) => listen(signal)),
    raised,
  }
}

const live: Running[] = []
function start(...argv: string[]): Running {
  const running = svc(['sandbox', 'start', ...argv])
  live.push(running)
  return running
}
afterEach(async () => {
  for (const running of live) running.signal('SIGTERM')
  await Promise.all(live.splice(0).map((running) => running.ended))
})

interface Ready {
  readonly baseUrl: string
  readonly pid: number
  readonly keys: { name: string; apiKey: string; apiSecret: string; scope: string; plan: string }[]
  readonly examples: Record<string, unknown>
}

async function ready(running: Running): Promise<Ready> {
  await expect.poll(running.stdout).toMatch(/\n$/)
  return JSON.parse(running.stdout()) as Ready
}

describe('sandbox start', () => {
  test('--json is one line as soon as it listens, and it runs until a signal comes', async () => {
    const running = start('--port', '0', '--json')
    const line = await ready(running)
    expect(line.pid).toBe(process.pid)
    expect(line.keys.map((key) => key.name).join()).toBe('read-write,read,no-plan,limited-history')
    expect(Object.keys(line.examples)).toContain('contactsWithoutChats')
    const [key] = line.keys
    if (key === undefined) throw new Error('no key')
    expect((await ask(line.baseUrl, key, { path: '/v1/lists' })).status).toBe(200)
    expect((await ask(line.baseUrl, key, { path: '/_sandbox/record' })).status).toBe(404)
    running.signal('SIGINT')
    await running.ended
    expect(running.raised).toEqual(['SIGINT'])
    expect(running.stdout().split('\n')).toHaveLength(2)
    expect(running.stderr()).toBe('')
    await expect(ask(line.baseUrl, key, { path: '/v1/lists' })).rejects.toThrow('ECONNREFUSED')
  })

  test('the options reach it', async () => {
    const words = '--port 0 --json --faults *:1=418 --faults *:2=503 --latency 30ms'
    const { baseUrl, keys } = await ready(start(...words.split(' ')))
    const [key] = keys
    if (key === undefined) throw new Error('no key')
    const before = performance.now()
    expect((await ask(baseUrl, key, { path: '/v1/lists' })).status).toBe(418)
    expect(performance.now() - before).toBeGreaterThan(25)
    for (const status of [503, 200])
      expect((await ask(baseUrl, key, { path: '/v1/lists' })).status).toBe(status)
  })
})

describe('sandbox exec', () => {
  let out: string
  let own: string
  const before = process.env['TMPDIR']
  beforeEach(() => {
    own = mkdtempSync(join(folder, 'exec-'))
    out = join(own, 'out')
    process.env['TMPDIR'] = own
  })
  afterEach(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    const left = readdirSync(own).filter((name) => name.startsWith('svc-sandbox'))
    if (left.length > 0) throw new Error(`left behind: ${left.join()}`)
  })

  const sh = (script: string, options: string[] = [], more: Partial<Host> = {}): Running =>
    svc(['sandbox', 'exec', ...options, '--', 'sh', '-c', script, 'sh', out], more)

  test('the command svc is this program, whatever its path looks like', async () => {
    const script = join(folder, "it's a svc.mjs")
    const text = `writeFileSync(${JSON.stringify(out)}, JSON.stringify(process.argv.slice(2)))`
    writeFileSync(script, `import { writeFileSync } from 'node:fs'\n${text}`)
    const self: Host['self'] = [process.execPath, script]
    const running = svc(['sandbox', 'exec', '--', 'svc', 'lists', 'a b', '$x'], { self })
    expect(await running.ended).toBe(0)
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(['lists', 'a b', '$x'])
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'passes %s on and waits for the command',
    async (signal) => {
      const running = sh(
        `trap 'sleep 0.2; echo got >> "$1"; exit 3' TERM HUP INT; echo up > "$1"; while :; do sleep 0.05; done`,
      )
      await expect.poll(() => existsSync(out) && readFileSync(out, 'utf8')).toBe('up\n')
      running.signal(signal)
      await running.ended
      expect(readFileSync(out, 'utf8')).toBe('up\ngot\n')
      expect(running.raised).toEqual([signal])
    },
  )

  test('on a terminal, Ctrl-C reaches the command without us', async () => {
    const isTerminal = { stdin: true, stdout: true, stderr: true }
    const running = sh(`trap 'echo got >> "$1"' INT; echo up > "$1"; sleep 0.2; exit 0`, [], {
      isTerminal,
    })
    await expect.poll(() => existsSync(out) && readFileSync(out, 'utf8')).toBe('up\n')
    running.signal('SIGINT')
    await running.ended
    expect(readFileSync(out, 'utf8')).toBe('up\n')
  })
})
