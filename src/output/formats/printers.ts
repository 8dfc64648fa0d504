/** Each format as pieces of text or bytes, by a file that is loaded when it is wanted. */
import { usageError } from '../../errors.ts'
import type { Format } from '../format.ts'
import { writerOf } from '../workbook.ts'
import type { Printed } from './data.ts'

export type Pieces = AsyncIterable<string | Buffer>

async function lines<T>(printed: Printed<T>): Promise<Pieces> {
  return (await import('./data.ts')).lines(printed)
}

/** The messages of rows. Throws exit 2 where rows are no messages. */
function conversationOf<T>({ source, view, options, conversation }: Printed<T>) {
  const { message } = view
  if (conversation === undefined || message === undefined)
    throw usageError(`this command has no format "${options.format}"`)
  const messages = messagesOf(source, message)
  return { messages, conversation, print: options, source }
}

async function* messagesOf<T, M>(rows: AsyncIterable<T>, messageOf: (row: T) => M) {
  for await (const row of rows) yield messageOf(row)
}

type Print = <T>(printed: Printed<T>) => Promise<Pieces>

export const printers: Readonly<Record<Format, Print>> = {
  table: async ({ source, view, options }) =>
    (await import('./table.ts')).tableText(source, view, options),
  json: async (printed) => (await import('./data.ts')).jsonRows(printed),
  ndjson: lines,
  csv: lines,
  xlsx: async ({ source, view, options, writers }) =>
    (await writerOf(writers)).tableWorkbook(source, view, options),
  ids: lines,
  transcript: async (printed) =>
    (await import('../conversation.ts')).transcript(conversationOf(printed)),
  html: async (printed) => (await import('./html.ts')).page(conversationOf(printed)),
}
