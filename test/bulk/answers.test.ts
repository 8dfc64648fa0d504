/** What a service may answer that no journal should have to hold: numbers that readers do not agree on, and words without end. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createWorld } from '../svc.ts'
import { receiptsOf, type SummaryDocument } from './bulk-world.ts'
import { idsOf } from '../ids/inputs.ts'

const world = createWorld({ SVC_API_KEY: 'pk_test_0123456789', SVC_API_SECRET: 'sk_test_0123456789' })
let answer: (response: ServerResponse) => void = () => undefined
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    answer(response)
  })
})
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve)
})
afterAll(() => server.close())
const env = { SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
const ids = idsOf(3)
let states = 0

const json = (status: number, body: string) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body)
}

interface Ended {
  readonly code: number
  readonly summary: SummaryDocument
  readonly state: string
  readonly journal: string
}

async function deletion(more = ''): Promise<Ended> {
  const state = join(world.folder, `state-${(states += 1)}`)
  const { code, stdout } = await world.svc(
    `contacts delete ${ids.join(' ')} --yes --json --retries 0 ${more} --state-dir ${state}`,
    { env, fast: true },
  )
  const summary = JSON.parse(stdout) as SummaryDocument
  return { code, summary, state, journal: join(state, 'runs', summary.run ?? '', 'journal.ndjson') }
}

/** Every way to read a run again; each must be able to. */
async function again({ summary: { run }, state }: Ended): Promise<void> {
  for (const command of [`show ${run} --json`, `export ${run} -o ndjson`, `resume ${run} --yes --json`]) {
    const { code, stdout } = await world.svc(`runs ${command} --state-dir ${state}`, { env, fast: true })
    expect({ command, isRead: stdout !== '' && code !== 10 }).toEqual({ command, isRead: true })
  }
}

describe('an answer full of numbers that readers do not agree on', () => {
  it.each([
    ['counts', '{"data":{"deletedCount":1e20,"notFoundIds":[],"blockedIds":[]}}'],
    [
      'ids',
      `{"data":{"deletedCount":3,"notFoundIds":[${Array.from({ length: 500 }, () => '1e20').join(',')}],"blockedIds":[]}}`,
    ],
    [
      'more fields',
      `{"data":{"deletedCount":3,"notFoundIds":[],"blockedIds":[],"more":[1e20,1e400,-0.0,9007199254740993]}}`,
    ],
  ])('%s: is not believed, or is, and the run is read again', async (what, body) => {
    answer = json(200, body)
    const ended = await deletion()
    expect({ code: ended.code, ...ended.summary.result }).toMatchObject(
      what === 'more fields' ? { code: 0, deleted: 3 } : { code: 7, unknown: 3, deleted: 0 },
    )
    await again(ended)
  })

  it.each(['1e20', '-1', '40001.5', '9007199254740993', '1e400'])('the code of an error: %s', async (code) => {
    answer = json(422, `{"code":${code},"message":"no"}`)
    const ended = await deletion()
    expect(ended.summary.result).toMatchObject({ error: 3 })
    await again(ended)
  })
})

describe('a message of 100 KB', () => {
  const long = '€'.repeat(100_000 / 3)

  it.each([422, 500])('of a %i is kept up to 1 KB, in the journal and in every receipt', async (status) => {
    answer = json(status, JSON.stringify({ code: 40_001, message: long }))
    const receipts = join(world.folder, `long-${status}.ndjson`)
    const ended = await deletion(`--receipts ${receipts}`)
    expect(statSync(ended.journal).size).toBeLessThan(4_000)
    const lines = readFileSync(ended.journal, 'utf8').trimEnd().split('\n')
    const { m = '' } =
      lines.map((line) => JSON.parse(line) as { t: string; m?: string }).find(({ t }) => t === 'res') ?? {}
    // As much as fits, and no part of a character.
    expect([Buffer.byteLength(m), m]).toEqual([1023, '€'.repeat(341)])
    for (const { message } of receiptsOf(receipts)) expect(message).toBe(m)
    await again(ended)
  })
})
