/** A service for the pages of operations: it answers each request as a test says, and remembers what was sent. */
import type { Batch, Operation, Reading, Result } from '../../src/runs/engine.ts'

type Service = Parameters<Operation['perform']>[1]

type Answer = Awaited<ReturnType<Service['send']>>

/** How a request ends: the data of its answer, or a failure. `refused-again`: an earlier attempt was not answered. */
export type End = { data: unknown; wasUnanswered?: true } | Failure
type Failure = 'refused' | 'refused-again' | 'unanswered' | 'not-sent'

const results: Readonly<Record<Failure, Result>> = {
  refused: { outcomes: 'refused', status: 400, message: 'no' },
  'refused-again': { outcomes: 'unknown', status: 400, message: 'no' },
  unanswered: { outcomes: 'unanswered', message: 'reset' },
  'not-sent': { outcomes: 'not-sent', status: 429 },
}

export interface Sent {
  body: unknown
  details: object | undefined
}

/** Performs a batch. `sends` and `reads` are the ends of its requests, in their order. */
export async function perform(
  operation: { perform: Operation['perform'] },
  batch: Partial<Batch>,
  sends: readonly End[],
  reads: readonly Reading<unknown>[] = [],
): Promise<{ result: Result; sent: Sent[] }> {
  const sent: Sent[] = []
  let read = 0
  const service = {
    async send({ body }: { body?: unknown }, details?: object) {
      const end = sends[sent.length]
      sent.push({ body, details })
      if (end === undefined) throw new Error('one request too many')
      if (typeof end === 'object')
        return {
          end: 'answered',
          data: end.data,
          wasUnanswered: end.wasUnanswered ?? false,
        } as Answer
      const wasUnanswered = end === 'refused-again'
      return { end: wasUnanswered ? 'refused' : end, wasUnanswered, ...results[end] }
    },
    async read() {
      const reading = reads[read]
      read += 1
      if (reading === undefined) throw new Error('one reading too many')
      return reading
    },
  } as unknown as Service
  const whole: Batch = { n: 0, items: [], outcomes: ['not-sent'], at: null, ...batch }
  const result = await operation.perform(whole, service)
  if (sent.length !== sends.length || read !== reads.length) throw new Error('one request too few')
  return { result, sent }
}
