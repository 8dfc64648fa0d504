/** The histories of several tickets, each in a file of its own. */
import type { Context } from '../../cli/verb.ts'
import type { Ending } from '../../output/result.ts'
import { messageView, type MessageRow } from '../../resources/message.ts'
import { grouped } from '../../words.ts'
import type { Several } from './in-order.ts'
import type { Folder } from './out-dir.ts'
import { inWords, type Tally } from './tally.ts'

/** Writes those that are missing, or all. Throws what is about more than one ticket, and in the end when some could not be read. */
export async function writeFiles(context: Context, folder: Folder, several: Several, isReplaced: boolean) {
  const { ids, concurrency, tally } = several
  const missing = Array.from(ids).filter((id) => isReplaced || !folder.has(id))
  const progress = await context.progress('reading', missing.length)
  const next = missing.values()
  let written = 0
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (const ticketId of next) {
      if (hasFailed || tally.isStopped) return
      try {
        context.signal.throwIfAborted()
        await writeOne(context, folder, several, ticketId)
        written += 1
      } catch (error) {
        hasFailed ||= !tally.isOfOne(error)
        if (!tally.isOfOne(error)) throw error
        tally.fail(ticketId, error)
      }
      progress.update({ done: written + tally.failures, failed: tally.failures })
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work))
  progress.stop()
  await folder.finish()
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason
  const left = ids.size - missing.length
  const kept =
    left === 0 ? '' : `; ${grouped(left)} ${left === 1 ? 'was' : 'were'} already there (--replace reads again)`
  const { notes, failure } = tally.ending(ids.size)
  for (const note of [`${inWords(written)} written to ${folder.name}${kept}`, ...notes]) context.note(note)
  if (failure !== undefined) throw failure
}

async function writeOne(context: Context, folder: Folder, several: Several, ticketId: string): Promise<void> {
  const { reader, tally } = several
  const { messages, more } = await reader.open(ticketId)
  const { print } = await import('../../output/render.ts')
  const notes: string[] = []
  await folder.write(ticketId, async (stdout) => {
    const rows = { kind: 'rows', rows: told(messages, tally), ...more } as const
    // A file is no terminal.
    const options = { ...context.print, color: 0, width: undefined } as const
    await print(rows, messageView, options, {
      stdout,
      note: (text) => void notes.push(text),
      summary: () => undefined,
    })
  })
  for (const note of notes) context.note(`ticket ${ticketId}: ${note}`)
}

async function* told(messages: AsyncGenerator<MessageRow, Ending>, tally: Tally): AsyncGenerator<MessageRow, Ending> {
  return tally.ended(yield* messages)
}
