/**
 * Receipts: one row per id, with the columns of `views/bulk.ts`. As a file in input order at the end; as a stream in the order of
 * completion. `sessions/send.ts` streams them, `sessions/outputs.ts` writes the file, and so does `svc runs export`.
 */
import { usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { plainPrint } from '../../output/result.ts'
import { StreamSink } from '../../output/sink.ts'
import { streamOf } from '../../disk/whole.ts'
import { operationOf } from '../operations/operations.ts'
import type { Outcome } from '../operations/outcome.ts'
import { receiptsOf, type Receipt } from '../outcomes/receipt.ts'
import type { RunState } from '../outcomes/state.ts'

const formats = ['csv', 'xlsx', 'ndjson'] as const

/** Throws exit 2 on an ending that names no format of receipts. */
export function formatOfReceipts(path: string): (typeof formats)[number] {
  const format = formats.find((each) => path.toLowerCase().endsWith(`.${each}`))
  if (format !== undefined) return format
  throw usageError(`--receipts takes a file that ends in .csv, .xlsx or .ndjson, not "${path}"`)
}

/** Every receipt in input order, or those of some outcomes. */
export function* allReceipts(state: RunState, wanted?: readonly Outcome[]): Generator<Receipt> {
  for (let batch = 1; batch <= state.batches.total; batch += 1) {
    for (const receipt of receiptsOf(state, batch)) {
      if (wanted === undefined || wanted.includes(receipt.outcome)) yield receipt
    }
  }
}

/** Writes receipts into a file, in the format of the ending of its path. */
export async function writeReceipts(
  host: Host,
  path: string,
  file: Parameters<typeof streamOf>[0],
  state: RunState,
): Promise<void> {
  const { print } = await import('../../output/render.ts')
  const format = formatOfReceipts(path)
  const silent = { host, note: () => undefined, summary: () => undefined }
  const { receiptView } = operationOf(state.operation)
  const rows = { kind: 'rows' as const, rows: allReceipts(state) }
  await print(
    rows,
    receiptView,
    { ...plainPrint, format },
    { sink: new StreamSink(host, streamOf(file)), ...silent },
  )
}

/** Receipts that may wait for a slow reader before the run waits too. */
const mostWaiting = 5_000

/** A queue between the run and the printer. `onLeft` is called when the reader leaves before the end. */
export class ReceiptStream implements AsyncIterable<Receipt> {
  readonly #onLeft: () => void
  #waiting: Receipt[] = []
  #isEnded = false
  /** The reader left, or nobody waits for it. */
  #isOver = false
  #wakeReader: (() => void) | undefined
  #wakeRun: (() => void)[] = []

  constructor(onLeft: () => void) {
    this.#onLeft = onLeft
  }

  /** Resolves when the reader keeps up: at once while little waits. */
  push(rows: readonly Receipt[]): Promise<void> | void {
    if (this.#isOver) return
    this.#waiting.push(...rows)
    this.#wakeReader?.()
    if (this.#waiting.length < mostWaiting) return
    return new Promise<void>((resolve) => void this.#wakeRun.push(resolve))
  }

  end(): void {
    this.#isEnded = true
    this.#wakeReader?.()
  }

  /** Nobody waits for the reader any more, and what it has not taken is dropped. */
  abandon(): void {
    this.#isOver = true
    this.#isEnded = true
    this.#waiting = []
    this.#wakeReader?.()
    this.drain()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Receipt> {
    try {
      for (;;) {
        const group = this.#waiting
        this.#waiting = []
        this.drain()
        yield* group
        if (this.#waiting.length > 0) continue
        if (this.#isEnded) return
        await new Promise<void>((resolve) => (this.#wakeReader = resolve))
      }
    } finally {
      const isEarly = !this.#isEnded
      this.abandon()
      if (isEarly) this.#onLeft()
    }
  }

  drain(): void {
    const run = this.#wakeRun
    this.#wakeRun = []
    for (const wake of run) wake()
  }
}
