/** A service for the pages of operations, which answers as a test says. The engine sends. */
import type { Api } from '../../src/api/api.ts'
import { SvcError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import type { Attempt } from '../../src/http/attempt.ts'
import {
  openRuns,
  Sender,
  type Batch,
  type BulkOperation,
  type Job,
  type LookEnd,
} from '../../src/runs/engine.ts'
import { ownFolder } from './ending.ts'
import { changeRecord } from './record.ts'
import { hostWith, realHost } from './real-host.ts'

/** The data of an answer, or a failure. `-again`: an earlier attempt was not answered. */
export type End = { data: unknown; wasUnanswered?: true } | Failure
type Failure =
  'refused' | 'no-answer' | 'not-sent' | `${'refused' | 'no-answer' | 'not-sent'}-again`

export interface LostReading {
  end: 'no-answer'
  message: string
}

const failed = (end: 'refused' | 'no-answer', category: 'failed' | 'unfinished', more = {}) =>
  ({ end, failure: { end, category, hint: '' }, ...more }) as Attempt
const refused = failed('refused', 'failed', { status: 400, message: 'no' })
const unanswered = failed('no-answer', 'unfinished', { message: 'reset' })
const forAll = { end: 'refused', isForAll: true, category: 'unfinished', hint: '' }
const throttled = failed('refused', 'unfinished', { status: 429, failure: forAll })
const failures: Readonly<Record<Failure, Attempt[]>> = {
  refused: [refused],
  'refused-again': [unanswered, refused],
  'no-answer': [unanswered],
  'no-answer-again': [unanswered, unanswered],
  'not-sent': [throttled],
  'not-sent-again': [throttled, throttled],
}

const attemptsOf = (end: End): Attempt[] =>
  typeof end === 'string'
    ? failures[end]
    : [...(end.wasUnanswered ? [unanswered] : []), { end: 'answered', status: 200, data: end.data }]

interface PerformOptions {
  host?: Partial<Host>
  /** Called while an item is read, with how often that was so. */
  atRead?: (count: number, sender: Sender) => void
  isHeld?: () => boolean
  /** Called before a connection is open. */
  atConnect?: () => void
  /** Called before a transaction, in which an attempt waits. */
  atTick?: (sender: Sender) => void
}

/** Performs a batch. `sends` and `reads` are the ends of its requests, in their order. */
export async function perform(
  operation: object,
  { items = [], outcomes = ['not-sent'], details }: Partial<Batch>,
  sends: readonly End[],
  reads: readonly (LookEnd<unknown> | LostReading)[] = [],
  { host: more = {}, atRead, atTick, atConnect, isHeld = () => false }: PerformOptions = {},
) {
  const operationOfAny = operation as BulkOperation
  const state = ownFolder('state')
  const closing: (() => void)[] = []
  const playing: { sender?: Sender } = {}
  const tick = async () => {
    if (playing.sender !== undefined) atTick?.(playing.sender)
    await realHost.tick()
  }
  const host = hostWith({ env: { SVC_STATE_DIR: state }, tick, ...more })
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
    'UPDATE batches SET outcome = ?, details = ?',
    ...[outcomes[0] ?? null, details === undefined ? null : JSON.stringify(details)],
  )
  const sent: { body: unknown; details: object | undefined }[] = []
  let read = 0
  const api: Pick<Api, 'sendToEnd'> = {
    async sendToEnd(name, { body }, { eachAttempt } = {}) {
      if (name === operationOfAny.look?.name || eachAttempt === undefined) {
        const reading = reads[read]
        read += 1
        if (playing.sender !== undefined) atRead?.(read, playing.sender)
        if (reading === undefined) throw new Error(`one reading too many: ${name}`)
        const error = new SvcError('failed', 'message' in reading ? (reading.message ?? '') : '')
        return { ...refused, ...reading, error } as never
      }
      const end = sends[sent.length]
      const request: (typeof sent)[number] = { body, details: undefined }
      // A look may show the outcome before anything is sent.
      const attempts = end === undefined ? [refused] : attemptsOf(end)
      for (const [n, attempt] of attempts.entries()) {
        const make = async (mayLeave?: () => boolean) => {
          if (end === undefined) throw new Error('one request too many')
          if (n === 0) sent.push(request)
          // What is on disk when the request leaves.
          request.details = batches().find((each) => each.outcomes[0] !== 'done')?.details
          atConnect?.()
          return mayLeave?.() === false ? throttled : attempt
        }
        await eachAttempt(make, { isFirst: n === 0, timeLeft: 60_000, isHeld })
      }
      return { ...attempts.at(-1), error: new SvcError('failed', 'no') } as never
    },
  }
  playing.sender = new Sender(turn, operationOfAny, api as Api)
  await playing.sender.sendAll(1)
  const ended = batches()
  for (const close of closing) close()
  if (sent.length !== sends.length || read !== reads.length) throw new Error('one request too few')
  return { ended, outcomes: ended.flatMap((each) => each.outcomes).join(' '), sent }
}
