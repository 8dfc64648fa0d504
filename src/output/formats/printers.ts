/**
 * Rows on their way out: as pieces of text or bytes, in each format by a file that is loaded when it is wanted, and with the
 * ending that follows them.
 */
import { usageError } from '../../errors.ts'
import type { Format } from '../format.ts'
import type { Ending, Rows } from '../result.ts'
import type { Printed } from './data.ts'

export type Pieces = AsyncIterable<string | Buffer>

type Print = <T>(printed: Printed<T>) => Promise<Pieces>

const printers: Readonly<Record<Format, Print>> = {
  table: async ({ source, view, options }) =>
    (await import('./table.ts')).tableText(source, view, options),
  json: async (printed) => (await import('./data.ts')).jsonRows(printed),
  ndjson: async (printed) => (await import('./data.ts')).ndjsonRows(printed),
  csv: async (printed) => (await import('./data.ts')).csvRows(printed),
  xlsx: async ({ source, view, options }) =>
    (await import('./xlsx.ts')).tableWorkbook(source, view, options),
  ids: async (printed) => (await import('./data.ts')).idLines(printed),
  transcript: async (printed) =>
    (await import('../conversation.ts')).transcript(conversationOf(printed)),
  html: async (printed) => (await import('./html.ts')).page(conversationOf(printed)),
}

/** The rows in the format of the options. */
export async function piecesOf<T>(
  { frame, conversation }: Pick<Rows<T>, 'frame' | 'conversation'>,
  source: RowSource<T>,
  { view, options, json }: Pick<Printed<T>, 'view' | 'options' | 'json'>,
): Promise<Pieces> {
  const { format } = options
  const printed = { source, view, options, json, frame, conversation }
  return whenWhole(await printers[format](printed))
}

/** Units of text that become bytes at once. */
const textAtOnce = 1 << 16

/**
 * The same pieces, passed on only when all of them exist, so that a read that fails midway leaves nothing. They wait as
 * bytes, which take less memory than texts.
 */
async function* whenWhole(pieces: Pieces): AsyncGenerator<Buffer> {
  const all: Buffer[] = []
  let text = ''
  for await (const piece of pieces) {
    if (typeof piece !== 'string') all.push(piece)
    else if ((text += piece).length >= textAtOnce) {
      all.push(Buffer.from(text))
      text = ''
    }
  }
  if (text !== '') all.push(Buffer.from(text))
  yield* all
}

/** The messages of rows. Throws exit 2 where rows are no messages. */
function conversationOf<T>({ source, view, options, conversation }: Printed<T>) {
  const { message } = view
  if (conversation === undefined || message === undefined)
    throw usageError(`this command does not support the format "${options.format}"`)
  const messages = async function* () {
    for await (const row of source) yield message(row)
  }
  return { messages: messages(), conversation, print: options, source }
}

/** The first of rows that are all there are, with an ending that counts the others. */
export async function* firstRows<T>(
  all: RowSource<T>,
  limit: number,
): AsyncGenerator<T, Ending> {
  let total = 0
  for await (const row of all) {
    total += 1
    if (total <= limit) yield row
  }
  return { ...all.ending, shown: Math.min(total, limit), total }
}

/** Rows on their way to a format, which iterates them once. `ending` is complete when they are out. */
export class RowSource<T> implements AsyncIterable<T> {
  readonly #rows: Rows<T>['rows']
  ending: Ending

  constructor({ rows, ending = {} }: Pick<Rows<T>, 'rows' | 'ending'>) {
    this.#rows = rows
    this.ending = ending
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    const rows = this.#rows
    this.ending = (yield* rows) ?? this.ending
    return undefined
  }
}
