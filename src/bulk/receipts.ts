/** Receipts: one row an id. As a file in input order at the end; as a stream in the order of completion. */
import { constants } from 'node:fs'
import { access, open, unlink, type FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { fileError } from '../errno.ts'
import { SvcError, systemCode, usageError } from '../errors.ts'
import type { Batches } from './batches.ts'
import type { Book, Receipt } from './book.ts'
import type { BulkTools } from './bulk.ts'
import type { BulkOperation, Outcome } from './reconcile.ts'

/** Throws exit 2 on another ending than .csv and .ndjson, and when the file exists. */
export async function checkReceipts(path: string): Promise<void> {
  if (!/\.(csv|ndjson)$/i.test(path)) {
    throw usageError(`--receipts takes a file that ends in .csv or .ndjson, not "${path}"`)
  }
  try {
    await access(path, constants.F_OK)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw cannotBeWritten(path, error)
  }
  throw exists(path)
}

function exists(path: string): SvcError {
  return usageError(`the receipts file "${path}" exists already`, 'receipts never overwrite a file; name another one')
}

function cannotBeWritten(path: string, error: unknown): SvcError {
  return fileError('usage', `the receipts cannot be written to "${path}"`, error)
}

export interface ReceiptsFile {
  /** Writes a row for each id in input order. Throws exit 10. */
  write(book: Book, batches: Batches): Promise<void>
  /** Removes the file again: the run did not begin. */
  discard(): Promise<void>
}

/** Creates the file, so that a folder that cannot be written is known before the first request. Throws exit 2. */
export async function createReceipts(tools: BulkTools, path: string, operation: BulkOperation): Promise<ReceiptsFile> {
  let file: FileHandle
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0)
    file = await open(path, flags, 0o600)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw exists(path)
    throw cannotBeWritten(path, error)
  }
  return {
    async write(book, batches) {
      const stream = streamTo(file)
      try {
        await tools.writeReceipts(
          stream,
          /\.csv$/i.test(path) ? 'csv' : 'ndjson',
          operation,
          allReceipts(book, batches),
        )
        await file.sync()
      } catch (error) {
        const hint = 'free some space; svc runs export writes them again from the journal'
        const cause = error instanceof SvcError ? error.cause : error
        throw fileError('local', `the receipts cannot be written to "${path}"`, cause, hint)
      } finally {
        await file.close().catch(() => undefined)
      }
    },
    async discard() {
      await file.close().catch(() => undefined)
      await unlink(path).catch(() => undefined)
    },
  }
}

/** A file handle's own stream keeps the handle from being closed once a write has failed. */
function streamTo(file: FileHandle): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, callback) {
      file.writeFile(chunk).then(() => {
        callback()
      }, callback)
    },
  })
}

/** Every receipt in input order, or those of some outcomes. */
export function* allReceipts(book: Book, batches: Batches, wanted?: readonly Outcome[]): Generator<Receipt> {
  for (let batch = 1; batch <= batches.total; batch += 1) {
    for (const receipt of book.receipts(batch)) {
      if (wanted === undefined || wanted.includes(receipt.outcome)) yield receipt
    }
  }
}

export interface ReceiptStream extends AsyncIterable<Receipt> {
  /** Resolves when the reader keeps up: at once while little waits. */
  push(rows: readonly Receipt[]): Promise<void> | void
  /** No more come. */
  end(): void
  /** Nobody waits for the reader any more, and what it has not taken is dropped. */
  abandon(): void
}

/** Receipts that may wait for a slow reader before the run waits too. */
const mostWaiting = 5_000

/** A queue between the run and the printer. `onLeft` is called when the reader leaves before the end. */
export function receiptStream(onLeft: () => void): ReceiptStream {
  let waiting: Receipt[] = []
  let isEnded = false
  /** The reader left, or nobody waits for it. */
  let isOver = false
  let wakeReader: (() => void) | undefined
  let wakeRun: (() => void)[] = []

  function drained(): void {
    const run = wakeRun
    wakeRun = []
    for (const wake of run) wake()
  }

  function abandon(): void {
    isOver = true
    isEnded = true
    waiting = []
    wakeReader?.()
    drained()
  }

  return {
    push(rows) {
      if (isOver) return
      waiting.push(...rows)
      wakeReader?.()
      if (waiting.length < mostWaiting) return
      return new Promise<void>((resolve) => {
        wakeRun.push(resolve)
      })
    },
    end() {
      isEnded = true
      wakeReader?.()
    },
    abandon,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const group = waiting
          waiting = []
          drained()
          yield* group
          if (waiting.length > 0) continue
          if (isEnded) return
          await new Promise<void>((resolve) => {
            wakeReader = resolve
          })
        }
      } finally {
        const isEarly = !isEnded
        abandon()
        if (isEarly) onLeft()
      }
    },
  }
}
