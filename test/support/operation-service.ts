/** A service for the pages of operations, which answers as a test says. The engine sends. */
import { createApi } from '../../src/api/api.ts'
import { SvcError } from '../../src/errors.ts'
import type { Exchange, Host } from '../../src/host.ts'
import { Client } from '../../src/http/client.ts'
import {
  openRuns,
  sendDue,
  type Batch,
  type BulkOperation,
  type Job,
} from '../../src/runs/engine.ts'
import { Redactor } from '../../src/safe-text.ts'
import { ownFolder } from './ending.ts'
import { changeRecord } from './record.ts'
import { hostWith, realHost } from './real-host.ts'

/** How a request ends: the data of its answer, a status, or a failure of the connection. */
export type End = { data: unknown } | number | 'no-answer' | 'not-sent'

/** A 429 that asks for 2 s. */
export const throttled = 429

function exchangeOf(end: End): Exchange {
  if (typeof end === 'string')
    return { kind: 'failed', sent: end === 'no-answer', error: new Error('reset') }
  const isData = typeof end === 'object'
  const document = isData ? end : { code: end === 403 ? 40361 : 40001, message: 'no' }
  return {
    kind: 'response',
    status: isData ? 200 : end,
    headers: {
      'content-type': 'application/json',
      ...(end === throttled && { 'retry-after': '2' }),
    },
    body: Buffer.from(JSON.stringify(document)),
  }
}

interface PerformOptions {
  /** The wall clock and the monotonic one. They stand still but for waits and what the test adds. */
  clock?: { now: number; monotonic: number }
  /** Called when an item is read, with how often that was so. */
  atRead?: (count: number, stop: () => void) => void
  /** Called before a connection is open. */
  atConnect?: () => void
  /** Called before a transaction, in which an attempt waits. */
  atTick?: (stop: () => void) => void
}

/**
 * Performs a batch until a request ends it, or the script does. `sends` and `reads` are the ends of
 * its requests, in their order.
 */
export async function perform(
  operation: object,
  { items = [], outcomes = ['not-sent'], details }: Partial<Batch>,
  sends: readonly End[],
  reads: readonly End[] = [],
  options: PerformOptions = {},
) {
  const { clock = { now: 1_700_000_000_000, monotonic: 0 }, atRead, atTick, atConnect } = options
  const operationOfAny = operation as BulkOperation
  const state = ownFolder('state')
  const closing: (() => void)[] = []
  const stopping = new AbortController()
  const stop = () => stopping.abort(new SvcError('interrupted', 'the script is over'))
  const isOver = () => sent.length === sends.length && read === reads.length
  let isSending = false
  const sent: { body: unknown; details: object | undefined; at: number }[] = []
  let read = 0
  const take: ReturnType<NonNullable<Host['openTransport']>>['send'] = async (request) => {
    if (request.method === 'GET') {
      const reading = reads[read]
      if (reading === undefined) throw new Error('one reading too many')
      read += 1
      atRead?.(read, stop)
      return exchangeOf(reading)
    }
    atConnect?.()
    if (request.canLeave?.() === false)
      return { kind: 'failed', sent: false, error: new Error('too late') }
    const end = sends[sent.length]
    if (end === undefined) throw new Error('one request too many')
    const body: unknown = JSON.parse(request.body.toString())
    // What is on disk when the request leaves.
    const found = batches().find((each) => each.outcomes[0] !== 'done')
    sent.push({ body, details: found?.details, at: clock.monotonic })
    return exchangeOf(end)
  }
  const host = hostWith({
    env: { SVC_STATE_DIR: state },
    now: () => clock.now,
    monotonic: () => clock.monotonic,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      if (isOver()) stop()
      clock.now += ms
      clock.monotonic += ms
      return realHost.sleep(0, signal)
    },
    tick: async () => {
      if (isSending) atTick?.(stop)
      await realHost.tick()
    },
    openTransport: () => ({ send: take, close: () => undefined }),
  })
  const { runs } = await openRuns({ host, atClose: (task) => closing.push(task) })
  const count = items.length
  const input = { read: count, unique: count, duplicates: 0, leftOut: 0, withoutId: 0 }
  const [{ expected } = {}] = items
  const job = {
    operation: operationOfAny.name,
    item: 'contact',
    input,
    accepted: [],
    expected: expected === undefined ? undefined : { id: expected },
  } as unknown as Job
  const turn = await runs.begin(operationOfAny, job, items)
  const batches = () => runs.withBatches(turn.run).batches
  await changeRecord(
    state,
    'UPDATE batch SET outcome = ?, details = ?, lost = ?',
    ...[outcomes[0] ?? null, details === undefined ? null : JSON.stringify(details)],
    Number(outcomes[0] === 'no-answer'),
  )
  const quiet = () => undefined
  const signal = new AbortController().signal
  const client = new Client({
    ...{ host, timeout: 20_000, wait: 60_000, beforeChange: quiet, secret: 'a secret' },
    profile: { baseUrl: 'https://api.example.com', apiKey: 'pk_0123456789' },
    messages: { note: quiet, log: quiet, redactor: new Redactor() },
    signals: { cancelled: signal, aborted: signal },
  })
  isSending = true
  const run = await sendDue(turn, operationOfAny, createApi(client), {
    concurrency: 1,
    signal: stopping.signal,
  })
  const ended = batches()
  for (const close of closing) close()
  if (!isOver()) throw new Error('one request too few')
  return { ended, outcomes: ended.flatMap((each) => each.outcomes).join(' '), sent, run }
}
