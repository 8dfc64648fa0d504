/** Where ids come from: words of the command line, files, standard input. Bytes, checked to be text at all. */
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { fileError } from '../errno.ts'
import { type SvcError, usageError } from '../errors.ts'
import { shorten } from './id.ts'
import { grouped } from '../grouped.ts'

/** One place that ids are read from. */
export type Input =
  | { readonly kind: 'argument'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin'; readonly stream: Readable; readonly isTerminal: boolean }

export type StreamInput = Exclude<Input, { kind: 'argument' }>

/** An input in words. */
export function inputName(input: Input): string {
  switch (input.kind) {
    case 'argument':
      return 'the arguments'
    case 'file':
      return `"${shorten(input.path, 200)}"`
    case 'stdin':
      return 'standard input'
  }
}

/** Throws exit 2 when standard input is named twice, or is a terminal, where nobody would know what it waits for. */
export function checkInputs(inputs: readonly Input[]): void {
  const streams = inputs.filter((input) => input.kind === 'stdin')
  if (streams.length > 1) throw usageError('standard input ("-") can be read only once', 'keep one "-"')
  if (streams.some((input) => input.isTerminal)) {
    throw usageError(
      'standard input is a terminal: there is nothing to read ids from',
      'pipe them in, for example\n  svc lists members <list> -o ids | svc ids check -\nor name a file',
    )
  }
}

const readAtOnce = 1 << 18
const headLength = 1 << 16

/** Settles with the promise, or rejects as soon as the signal is aborted: reading a FIFO may wait for ever. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}

function unreadable(name: string, error: unknown): SvcError {
  return fileError('usage', `${name} cannot be read`, error)
}

async function* fileChunks(path: string, name: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const opening = open(path, 'r')
  try {
    const file = await abortable(opening, signal)
    const buffer = Buffer.allocUnsafe(readAtOnce)
    for (;;) {
      const { bytesRead } = await abortable(file.read(buffer, 0, buffer.length, null), signal)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw unreadable(name, error)
  } finally {
    // What still waits on a FIFO would keep the closing waiting too.
    const closing = opening.then((opened) => opened.close()).catch(() => undefined)
    if (signal?.aborted !== true) await closing
  }
}

async function* streamChunks(stream: Readable, name: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>
  try {
    for (;;) {
      const next = await abortable(chunks.next(), signal)
      if (next.done === true) return
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value
    }
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw unreadable(name, error)
  } finally {
    // Given up half-way: an open stream would keep the process alive.
    if (!stream.readableEnded) stream.destroy()
  }
}

/** Files that are no text, by their first bytes. */
const signatures: readonly (readonly [bytes: string, what: string, hint: string])[] = [
  ['1f8b', 'a gzip archive', 'unpack it first: gunzip -c <file> | svc … -'],
  [
    '504b0304',
    'an Excel workbook or a zip archive',
    'export a workbook as csv, with the id column as text; unpack an archive',
  ],
  ['504b0506', 'an empty zip archive', 'name a text file'],
  ['255044462d', 'a PDF document', 'export the ids as text or csv'],
  ['89504e47', 'a PNG image', 'name a text file'],
  ['ffd8ff', 'a JPEG image', 'name a text file'],
  ['d0cf11e0a1b11ae1', 'an Excel workbook (.xls)', 'export it as csv, with the id column as text'],
  ['425a68', 'a bzip2 archive', 'unpack it first: bunzip2 -c <file> | svc … -'],
  ['fd377a585a00', 'an xz archive', 'unpack it first: xz -dc <file> | svc … -'],
  ['28b52ffd', 'a zstd archive', 'unpack it first: zstd -dc <file> | svc … -'],
  ['377abcaf271c', 'a 7z archive', 'unpack it first'],
  ['53514c69746520666f726d6174203300', 'an SQLite database', 'export the ids as text or csv'],
  ['50415231', 'a Parquet file', 'export the ids as text or csv'],
  ['7b5c727466', 'an RTF document', 'save it as plain text'],
  ['7f454c46', 'a program', 'name a text file'],
]

function refuseBinary(head: Buffer, name: string): void {
  for (const [bytes, what, hint] of signatures) {
    const magic = Buffer.from(bytes, 'hex')
    if (head.length < magic.length || !head.subarray(0, magic.length).equals(magic)) continue
    if (bytes === '504b0304' && (head.includes('[Content_Types].xml') || head.includes('xl/'))) {
      throw usageError(
        `${name} is not text: it is an Excel workbook (.xlsx) or another office document`,
        'export it as csv, with the id column as text',
      )
    }
    throw usageError(`${name} is not text: it is ${what}`, hint)
  }
}

/** Bytes of UTF-16 without a byte order mark: every second one is NUL. */
function looksLikeUtf16(head: Buffer): boolean {
  if (head.length < 4) return false
  const pairs = Math.min(32, head.length >> 1)
  let low = 0
  let high = 0
  for (let i = 0; i < pairs; i += 1) {
    if (head[i * 2] === 0) low += 1
    if (head[i * 2 + 1] === 0) high += 1
  }
  return (low === 0 && high * 4 >= pairs * 3) || (high === 0 && low * 4 >= pairs * 3)
}

/** Refuses a text with a NUL byte, as many a device and binary file has. */
export function refuseNul(name: string, offset: number, line: number): never {
  throw usageError(
    `${name} is not text: NUL byte at byte ${grouped(offset)} (line ${grouped(line)})`,
    'name a text file, a csv file or a JSON file',
  )
}

export interface OpenInput {
  readonly name: string
  /** Bytes of a regular file, undefined for everything else. */
  readonly size: number | undefined
  /** The first bytes, for finding out the format; UTF-8 without a byte order mark. */
  readonly head: Buffer
  /** Whether `head` is all there is. */
  readonly complete: boolean
  /** How many bytes of the file come before `head`: its byte order mark. */
  readonly offset: number
  /** Everything, `head` included. A chunk is valid until the next one is asked for. */
  readonly chunks: AsyncGenerator<Buffer>
  /** To be called in every case, when the reader is done or has given up. */
  close(): Promise<void>
}

async function* decoded(chunks: AsyncGenerator<Buffer>, encoding: string, name: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  const refuse = (): never => {
    throw usageError(`${name} is damaged: it begins as UTF-16, but is not valid UTF-16 throughout`, 'save it as UTF-8')
  }
  const decode = (chunk?: Buffer): Buffer => {
    try {
      return Buffer.from(chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }))
    } catch {
      return refuse()
    }
  }
  for await (const chunk of chunks) yield decode(chunk)
  const rest = decode()
  if (rest.length > 0) yield rest
}

async function* following(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first
  yield* rest
}

async function readHead(chunks: AsyncGenerator<Buffer>): Promise<{ head: Buffer; complete: boolean }> {
  const pieces: Buffer[] = []
  let length = 0
  while (length < headLength) {
    const next = await chunks.next()
    if (next.done === true) return { head: Buffer.concat(pieces), complete: true }
    // Copied, because the reader uses its buffer again.
    pieces.push(Buffer.from(next.value))
    length += next.value.length
  }
  return { head: Buffer.concat(pieces), complete: false }
}

/**
 * Opens a file or stream and looks at its first bytes. UTF-8 and, with a byte order mark, UTF-16 are text. Throws exit 2
 * for what cannot be read or is no text, saying what it is.
 */
export async function openInput(input: StreamInput, signal?: AbortSignal): Promise<OpenInput> {
  const name = inputName(input)
  const raw = input.kind === 'file' ? fileChunks(input.path, name, signal) : streamChunks(input.stream, name, signal)
  try {
    return await lookAtHead(name, raw, input.kind === 'file' ? await sizeOf(input.path) : undefined)
  } catch (error) {
    await raw.return(undefined)
    throw error
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path)
    return found.isFile() ? found.size : undefined
  } catch {
    // Reading it says what is wrong.
    return undefined
  }
}

async function lookAtHead(name: string, raw: AsyncGenerator<Buffer>, size: number | undefined): Promise<OpenInput> {
  const close = async (): Promise<void> => {
    await raw.return(undefined)
  }
  const first = await readHead(raw)
  const { head } = first
  const isLittle = head[0] === 0xff && head[1] === 0xfe
  const isBig = head[0] === 0xfe && head[1] === 0xff
  if (isLittle || isBig) {
    if (isLittle && head.length >= 4 && head[2] === 0 && head[3] === 0) {
      throw usageError(`${name} is UTF-32`, 'save it as UTF-8')
    }
    const encoding = isLittle ? 'utf-16le' : 'utf-16be'
    const text = decoded(following(head.subarray(2), raw), encoding, name)
    const start = await readHead(text)
    return { name, size, ...start, offset: 0, chunks: following(start.head, text), close }
  }
  refuseBinary(head, name)
  if (looksLikeUtf16(head)) {
    throw usageError(
      `${name} looks like UTF-16 without a byte order mark`,
      'save it as UTF-8, for example\n  iconv -f UTF-16LE -t UTF-8 <file>',
    )
  }
  const nul = head.indexOf(0)
  if (nul >= 0) refuseNul(name, nul, lineAt(head, nul))
  const offset = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  const text = head.subarray(offset)
  return { name, size, head: text, complete: first.complete, offset, chunks: following(text, raw), close }
}

function lineAt(bytes: Buffer, at: number): number {
  let line = 1
  for (let i = 0; i < at; i += 1) {
    if (bytes[i] === 0x0a || (bytes[i] === 0x0d && bytes[i + 1] !== 0x0a)) line += 1
  }
  return line
}

/** The whole of a text that is read at once. Throws exit 2 when it is longer than `bound` bytes. */
export async function readWhole(open: OpenInput, bound: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const chunk of open.chunks) {
    const nul = chunk.indexOf(0)
    if (nul >= 0) refuseNul(open.name, open.offset + length + nul, 1)
    length += chunk.length
    if (length > bound) {
      throw usageError(
        `${open.name} is a JSON document of more than ${bound >> 20} MB`,
        'give it as one JSON value a line, which is read piece by piece: jq -c ".[]" <file> | svc … -',
      )
    }
    pieces.push(Buffer.from(chunk))
  }
  return Buffer.concat(pieces)
}
