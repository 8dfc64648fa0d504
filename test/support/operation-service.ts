/** A service for the pages of operations: it answers each request as a test says, and remembers what was sent. */
import type { Batch, Operation, ReadResult, Result } from '../../src/runs/engine.ts'

type Service = Parameters<Operation['perform']>[1]

type Answer = Awaited<ReturnType<Service['send']>>

/** How a request ends: the data of its answer, or a kind of failure. After a loss: an earlier answer was lost. */
export type End = { data: unknown; wasLost?: true } | Failure
type Failure = 'refused' | 'refused-after-loss' | 'lost' | 'turned-away'

const results: Readonly<Record<Failure, Result>> = {
  refused: { outcomes: 'error', due: false, status: 400, message: 'no' },
  'refused-after-loss': { outcomes: 'unknown', due: false, status: 400, message: 'no' },
  lost: { outcomes: 'unknown', due: true, message: 'reset' },
  'turned-away': { outcomes: 'not-attempted', due: true, status: 429 },
}

export interface Sent {
  body: unknown
  noted: object | undefined
}

/** Performs a batch. `sends` and `reads` are the ends of its requests, in their order. */
export async function perform(
  operation: { perform: Operation['perform'] },
  batch: Partial<Batch>,
  sends: readonly End[],
  reads: readonly ReadResult<unknown>[] = [],
): Promise<{ result: Result; sent: Sent[] }> {
  const sent: Sent[] = []
  let read = 0
  const service = {
    async send({ body }: { body?: unknown }, noted?: object) {
      const end = sends[sent.length]
      sent.push({ body, noted })
      if (end === undefined) throw new Error('one request too many')
      if (typeof end === 'object')
        return { kind: 'answered', data: end.data, wasLost: end.wasLost ?? false } as Answer
      const wasLost = end === 'refused-after-loss'
      return { kind: wasLost ? 'refused' : end, wasLost, result: { ...results[end] } }
    },
    async read() {
      const reading = reads[read]
      read += 1
      if (reading === undefined) throw new Error('one reading too many')
      return reading
    },
  } as unknown as Service
  const whole: Batch = { n: 0, items: [], outcomes: ['not-attempted'], isDue: true, ...batch }
  const result = await operation.perform(whole, service)
  if (sent.length !== sends.length || read !== reads.length) throw new Error('one request too few')
  return { result, sent }
}
