/** `svc sandbox start` and `exec` as real processes. What exec gives its command is in test/commands/sandbox/exec.txt. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownFolder } from '../../support/ending.ts'
import { bin, onTerminal, start, startSvc, type Running } from '../../support/spawned.ts'
import { ask, type Credentials } from '../../support/sandbox-client.ts'

interface Ready {
  readonly baseUrl: string
  readonly pid: number
  readonly keys: readonly (Credentials & { readonly name: string })[]
  readonly examples: Readonly<Record<string, unknown>>
}

/** Starts a sandbox; `first`: a request to it with its first key. */
async function started(more = '') {
  const running = startSvc(`sandbox start --port 0 --json ${more}`)
  onTestFinished(() => void running.kill())
  let text = ''
  running.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await expect.poll(() => text).toMatch(/\n$/)
  const line = JSON.parse(text) as Ready
  const [key] = line.keys
  if (key === undefined) throw new Error('no key')
  return { running, line, get: (path: string) => ask(line.baseUrl, key, { path }) }
}

test('start --json is one line as soon as it listens, and it runs until a signal comes', async () => {
  const { running, line, get } = await started()
  expect(line.pid).toBe(running.pid)
  expect(line.keys.map((key) => key.name).join()).toBe('read-write,read,no-plan,limited-history')
  expect(Object.keys(line.examples)).toContain('contactsWithoutChats')
  expect((await get('/v1/lists')).status).toBe(200)
  running.kill('SIGINT')
  const { signal, stdout, stderr } = await running.ended
  expect([signal, stdout.split('\n').length, stderr]).toEqual(['SIGINT', 2, ''])
  await expect(get('/v1/lists')).rejects.toThrow('ECONNREFUSED')
})

test('the options of start reach it', async () => {
  const { get } = await started('--faults *:1=418 --faults *:2=503 --latency 30ms')
  const before = performance.now()
  for (const status of [418, 503, 200]) expect((await get('/v1/lists')).status).toBe(status)
  expect(performance.now() - before).toBeGreaterThan(75)
})

/** A script in a sandbox, with a file for its words; the folder for temporary files is empty afterwards. */
function exec(script: string): Running & { out: string } {
  const [TMPDIR, out] = [ownFolder('exec'), join(ownFolder('exec'), 'out')]
  const words = [bin, 'sandbox', 'exec', '--', 'sh', '-c', script, 'sh', out]
  const running = start(process.execPath, words, { env: { TMPDIR } })
  onTestFinished(() => expect(readdirSync(TMPDIR)).toEqual([]))
  return Object.assign(running, { out })
}

test('the command svc of exec is this program', async () => {
  const { code, stdout } = await startSvc('sandbox exec -- svc lists get VIP -o ids').ended
  expect([code, stdout]).toEqual([0, '6400172181a0fa394c0000a0\n'])
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'exec passes %s on and waits for the command',
  async (signal) => {
    const running = exec(
      `trap 'sleep 0.2; echo got >> "$1"; exit 3' TERM HUP INT; echo up > "$1"; while :; do sleep 0.05; done`,
    )
    const said = () => existsSync(running.out) && readFileSync(running.out, 'utf8')
    await expect.poll(said).toBe('up\n')
    running.kill(signal)
    expect([(await running.ended).signal, said()]).toEqual([signal, 'up\ngot\n'])
  },
)

test('on a terminal, Ctrl-C reaches the command once, without us', async () => {
  const folder = ownFolder('exec')
  writeFileSync(
    join(folder, 'script'),
    `trap 'echo got' INT; echo up; sleep 0.5; sleep 0.5; echo end; exit 0`,
  )
  const on = onTerminal('svc sandbox exec -- sh script', {}, folder)
  await on.shows('up')
  on.pty.write('\u0003')
  await on.shows('end')
  await on.exited
  expect(on.text().match(/got/g)).toHaveLength(1)
})
