/** `svc sandbox start` as a real process: what programs read of it, and its options. */
import { expect, onTestFinished, test } from 'vitest'
import { startSvc } from '../../support/spawned.ts'
import type { Signal } from '../../../src/host.ts'
import { Collector } from '../../support/streams.ts'
import { createWorld } from '../../support/svc.ts'
import { ask, type Credentials } from '../../support/sandbox-client.ts'

interface Ready {
  readonly baseUrl: string
  readonly pid: number
  readonly keys: readonly (Credentials & { readonly name: string })[]
  readonly ids: Readonly<Record<string, string>>
}

test('start --json is one line as soon as it listens, and it runs until a signal comes', async () => {
  const faults = '--faults lists.list:1=418 --faults lists.list:2=503'
  const running = startSvc(`sandbox start --port 0 --json ${faults}`)
  onTestFinished(() => void running.kill())
  let text = ''
  running.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await expect.poll(() => text).toMatch(/\n$/)
  const line = JSON.parse(text) as Ready
  const [key] = line.keys
  if (key === undefined) throw new Error('no key')
  const get = (path: string) => ask(line.baseUrl, key, { path })
  expect(line.pid).toBe(running.pid)
  expect(line.keys.map((key) => key.name).join()).toBe('read-write,read,no-plan,limited-history')
  expect(Object.keys(line.ids)).toEqual(['list', 'contact', 'employee', 'ticket'])
  expect((await get(`/v1/lists/${line.ids['list']}`)).status).toBe(200)
  for (const status of [418, 503, 200]) expect((await get('/v1/lists')).status).toBe(status)
  running.kill('SIGINT')
  const { signal, stdout, stderr } = await running.ended
  expect([signal, stdout.split('\n').length, stderr]).toEqual(['SIGINT', 2, ''])
  await expect(get('/v1/lists')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
})

test('on Windows, start says how PowerShell sets its variables', async () => {
  let deliver: ((signal: Signal) => void) | undefined
  const stdout = new Collector()
  const ended = createWorld().svc('sandbox start --port 0', {
    isWindows: true,
    stdout,
    signals: (callback) => (deliver = callback),
  })
  await expect
    .poll(() => stdout.text)
    .toMatch(
      /\n {2}\$env:SVC_BASE_URL="http:\S+"\n {2}\$env:SVC_API_KEY="\w+"\n {2}\$env:SVC_API_SECRET="\w+"\n/,
    )
  deliver?.('SIGINT')
  expect(await ended).toMatchObject({ code: 130 })
})
