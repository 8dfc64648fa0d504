/** The histories of several tickets, each in a file of its own. */
import type { Context } from '../../cli/verb.ts'
import type { Ending, PrintOptions } from '../../output/result.ts'
import type { Progress } from '../../output/progress.ts'
import { messageView, type MessageRow } from '../../resources/message.ts'
import { grouped } from '../../words.ts'
import type { Several } from './in-order.ts'
import type { Folder } from './out-dir.ts'
import { inWords, type Tally } from './tally.ts'

/** Writes those that are missing, or all. Throws what is about more than one ticket, and in the end when some could not be read. */
export async function writeFiles(
  context: Context,
  folder: Folder,
  several: Several,
  isReplaced: boolean,
): Promise<void> {
  const { ids, concurrency, tally } = several
  const missing = Array.from(ids).filter((id) => isReplaced || !folder.has(id))
  const progress = await context.progress('reading', missing.length)
  const writer = new FileWriter(context, folder, several, progress)
  const next = missing.values()
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, () => writer.work(next)))
  progress.stop()
  await folder.finish()
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
  const left = ids.size - missing.length
  const kept =
    left === 0 ? '' : `; ${grouped(left)} ${left === 1 ? 'was' : 'were'} already there (--replace reads again)`
  const { notes, failure } = tally.ending(ids.size)
  for (const note of [`${inWords(writer.written)} written to ${folder.name}${kept}`, ...notes]) context.note(note)
  if (failure !== undefined) throw failure
}

class FileWriter {
  readonly #context: Context
  readonly #folder: Folder
  readonly #several: Several
  readonly #progress: Progress
  readonly #options: PrintOptions
  #hasFailed = false
  written = 0

  constructor(context: Context, folder: Folder, several: Several, progress: Progress) {
    this.#context = context
    this.#folder = folder
    this.#several = several
    this.#progress = progress
    // A file is no terminal.
    this.#options = { ...context.print, color: 0, width: undefined }
  }

  /** Takes one ticket after the other until there are no more, or nothing more can be done. */
  async work(tickets: IterableIterator<string>): Promise<void> {
    const { tally } = this.#several
    for (const ticketId of tickets) {
      if (this.#hasFailed || tally.isStopped) return
      try {
        this.#context.signal.throwIfAborted()
        await this.#write(ticketId)
        this.written += 1
      } catch (error) {
        this.#hasFailed ||= !tally.isOfOne(error)
        if (!tally.isOfOne(error)) throw error
        tally.fail(ticketId, error)
      }
      this.#progress.update({ done: this.written + tally.failures, failed: tally.failures })
    }
  }

  async #write(ticketId: string): Promise<void> {
    const { reader, tally } = this.#several
    const { messages, more } = await reader.open(ticketId)
    const { print } = await import('../../output/render.ts')
    const notes: string[] = []
    await this.#folder.write(ticketId, async (stdout) => {
      const note = (text: string): void => void notes.push(text)
      const rows = { kind: 'rows', rows: told(messages, tally), ...more } as const
      await print(rows, messageView, this.#options, { stdout, note, summary: () => undefined })
    })
    for (const note of notes) this.#context.note(`ticket ${ticketId}: ${note}`)
  }
}

async function* told(messages: AsyncGenerator<MessageRow, Ending>, tally: Tally): AsyncGenerator<MessageRow, Ending> {
  return tally.ended(yield* messages)
}
