/**
 * Sources of ids: words of the command line, files, standard input. `rows.ts` opens them here one after the other and reads their bytes; the verbs
 * that take files and `bulk/sessions/read-job.ts` name them with `inputsOf`. An input is closed in every case: also when its reader gives up half-way.
 */
import { say, svc } from '../message.ts'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { fileError } from '../errno.ts'
import { systemCode, usageError } from '../errors.ts'
import {
  compoundError,
  decodeUtf16,
  isCompound,
  isZip,
  markedEncoding,
  refuseBinary,
  refuseNul,
  unmarkedUtf16,
} from './text/encoding.ts'
import type { Host } from '../host.ts'
import { refuseIncompleteText } from './row.ts'
import type { Disk } from '../world.ts'
import { shorten } from '../safe-text.ts'

export type Input =
  | { readonly kind: 'argument'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string; readonly disk: Disk }
  | { readonly kind: 'stdin'; readonly stream: Readable; readonly isTerminal: boolean }

export type StreamInput = Exclude<Input, { kind: 'argument' }>

type InputHost = Pick<Host, 'disk' | 'stdin' | 'isTerminal'>

/** A file, or `-` for standard input. */
export function inputOf({ disk, stdin, isTerminal }: InputHost, path: string): StreamInput {
  return path === '-'
    ? { kind: 'stdin', stream: stdin, isTerminal: isTerminal.stdin }
    : { kind: 'file', path, disk }
}

/** Ids and files of a command line. */
export interface NamedInputs {
  readonly words?: readonly string[]
  readonly files: readonly string[]
}

/** Throws exit 2 for words that an incomplete output left among them: `svc contacts get $(svc lists members VIP -o ids)`. */
export function inputsOf(host: InputHost, { words = [], files }: NamedInputs): Input[] {
  for (const word of words) refuseIncompleteText('its output', word)
  const ids = words.map((text): Input =>
    text === '-' ? inputOf(host, text) : { kind: 'argument', text },
  )
  return [...ids, ...files.map((path) => inputOf(host, path))]
}

/** An input in words, for the beginning of a sentence. */
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
  if (streams.length > 1) {
    throw usageError('standard input ("-") can be read only once', 'keep one "-"')
  }
  if (streams.some((input) => input.isTerminal)) {
    throw usageError(
      'standard input is a terminal: there is nothing to read ids from',
      say`pipe them in, for example\n  ${{ ...svc`lists members <list> -o ids`, into: svc`ids check -` }}\nor name a file`,
    )
  }
}

/** Bytes of a file that are asked for at once. */
const readAtOnce = 1 << 16
/** Bytes from which a format is found out: the first lines that count may stand behind long comments. */
const headLength = 1 << 16

/** Ends with the promise, or rejects as soon as the signal is aborted: reading a FIFO may wait forever. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}

type FileInput = Extract<Input, { kind: 'file' }>

/** The bytes of a file. A chunk is valid until the next one is asked for. Rejects with the system's error. */
export async function* bytesOf(
  disk: Disk,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const opening = disk.promises.open(path, 'r')
  try {
    const file = await abortable(opening, signal)
    const buffer = Buffer.allocUnsafe(readAtOnce)
    for (;;) {
      const { bytesRead } = await abortable(file.read(buffer, 0, buffer.length, null), signal)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    // An opening that still waits on a FIFO would keep the closing waiting too.
    const closing = opening.then((opened) => opened.close()).catch(() => undefined)
    if (signal?.aborted !== true) await closing
  }
}

async function* fileChunks(
  { path, disk }: FileInput,
  name: string,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* bytesOf(disk, path, signal)
  } catch (error) {
    if (signal?.aborted === true) throw error
    const isMissing = systemCode(error) === 'ENOENT'
    const place = `it was looked for at ${resolve(path)}; when it is there, run the command again`
    const hint = isMissing ? place : undefined
    throw fileError('usage', `${name} cannot be read`, error, hint)
  }
}

async function* streamChunks(
  stream: Readable,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>
  try {
    for (;;) {
      const next = await abortable(chunks.next(), signal)
      if (next.done === true) return
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value
    }
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw fileError('usage', `${name} cannot be read`, error)
  } finally {
    // Given up half-way: an open stream would keep the process alive.
    if (!stream.readableEnded) stream.destroy()
  }
}

export interface OpenInput {
  readonly kind: 'stream'
  readonly name: string
  /** Path and bytes of a regular file, undefined for everything else. */
  readonly path: string | undefined
  readonly size: number | undefined
  readonly encoding: string
  readonly byteOrderMark: Buffer
  readonly note?: string
  /** The first bytes, for finding out the format; UTF-8 without a byte order mark. */
  readonly head: Buffer
  readonly complete: boolean
  /** How many bytes of the file come before `head`: its byte order mark. */
  readonly offset: number
  /** Everything, `head` included. A chunk is valid until the next one is asked for. */
  readonly chunks: AsyncGenerator<Buffer>
  /** To be called in every case, when the reader is done or has given up. */
  close(): Promise<void>
}

async function* following(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first
  yield* rest
}

async function readHead(
  chunks: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; complete: boolean }> {
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

/** A word of the command line, with its number. */
interface OpenArgument {
  readonly kind: 'argument'
  readonly name: string
  readonly text: string
  readonly line: number
}

/**
 * Opens one input after the other, and closes it when the next one is asked for; words of the command line are numbered. Throws exit 2 as
 * `checkInputs` and `openInput` do.
 */
export async function* openInputs(
  inputs: readonly Input[],
  signal?: AbortSignal,
): AsyncGenerator<OpenInput | OpenArgument> {
  checkInputs(inputs)
  let line = 0
  for (const input of inputs) {
    signal?.throwIfAborted()
    if (input.kind === 'argument') {
      line += 1
      yield {
        kind: 'argument',
        name: inputName(input),
        text: input.text,
        line,
      }
    } else {
      const open = await openInput(input, signal)
      try {
        yield open
      } finally {
        await open.close()
      }
    }
  }
}

/** Opens an input and looks at its first bytes. Throws exit 2 unless it is UTF-8, UTF-16 or a zip archive. */
export async function openInput(input: StreamInput, signal?: AbortSignal): Promise<OpenInput> {
  const name = inputName(input)
  const raw =
    input.kind === 'file'
      ? fileChunks(input, name, signal)
      : streamChunks(input.stream, name, signal)
  try {
    const size = input.kind === 'file' ? await sizeOf(input) : undefined
    // Only a regular file can be read a second time by its path.
    const path = input.kind === 'file' && size !== undefined ? input.path : undefined
    const opened = await lookAtHead(name, raw)
    return {
      kind: 'stream',
      name,
      path,
      size,
      ...opened,
    }
  } catch (error) {
    await raw.return(undefined)
    throw error
  }
}

async function sizeOf({ path, disk }: FileInput): Promise<number | undefined> {
  try {
    const stats = await disk.promises.stat(path)
    return stats.isFile() ? stats.size : undefined
  } catch {
    // Reading it says what is wrong.
    return undefined
  }
}

/** The encoding of an input, and its bytes as UTF-8 without their mark. Throws exit 2 for what is neither a text nor a zip archive. */
async function lookAtHead(name: string, raw: AsyncGenerator<Buffer>) {
  const close = async (): Promise<void> => {
    await raw.return(undefined)
  }
  const { head, complete } = await readHead(raw)
  const mark = markedEncoding(head, name)
  const byteOrderMark = head.subarray(0, mark.length)
  const bareHead = head.subarray(mark.length)
  const bare = following(bareHead, raw)
  // Archives have as many NUL bytes as UTF-16 has.
  const mayBeUnmarked = mark.length === 0 && !isZip(head) && !isCompound(head)
  const unmarked = mayBeUnmarked ? unmarkedUtf16(head) : undefined
  const encoding = unmarked ?? mark.encoding
  if (encoding !== 'utf-8') {
    const text = decodeUtf16(bare, encoding, name)
    const start = await readHead(text)
    const note = unmarked && {
      note: `${name} is read as ${unmarked.toUpperCase()}; it has no byte order mark`,
    }
    return {
      ...start,
      ...note,
      encoding,
      byteOrderMark,
      offset: 0,
      chunks: following(start.head, text),
      close,
    }
  }
  if (isCompound(head)) throw await compoundError(bare, name)
  refuseBinary(head, name)
  return {
    head: bareHead,
    encoding,
    byteOrderMark,
    complete,
    offset: mark.length,
    chunks: bare,
    close,
  }
}

/** Inputs that are read at once; larger documents of JSON must come as NDJSON. */
const wholes = {
  json: {
    bound: 256 << 20,
    what: 'JSON document',
    hint: 'give it as one JSON value per line, which is read bit by bit: jq -c ".[]" <file> | svc … -',
  },
  /** A workbook's directory is at its end: what cannot be read twice is kept in memory. */
  xlsx: { bound: 64 << 20, what: 'workbook', hint: 'save it and name the file' },
} as const

/** The bytes of an input that is read at once. Throws exit 2 for a text with a NUL byte, and for one that is too long. */
export async function readWhole(open: OpenInput, format: keyof typeof wholes): Promise<Buffer> {
  const { bound, what, hint } = wholes[format]
  const pieces: Buffer[] = []
  let length = 0
  for await (const chunk of open.chunks) {
    // A workbook is compressed: a NUL byte says nothing of it.
    const nul = format === 'xlsx' ? -1 : chunk.indexOf(0)
    if (nul >= 0) refuseNul(open.name, open.offset + length + nul, 1)
    length += chunk.length
    if (length > bound) {
      const megabytes = bound >> 20
      throw usageError(`${open.name} is a ${what} of more than ${megabytes} MB`, hint)
    }
    // Copied, because the reader uses its buffer again.
    pieces.push(Buffer.from(chunk))
  }
  return Buffer.concat(pieces)
}
