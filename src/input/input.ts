/**
 * Sources of ids: words of the command line, files, standard input. Each is read whole before anything is
 * made of it, because the files that people have are small.
 */
import type { Readable } from 'node:stream'
import { systemCode, usageError, fileError } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svc } from '../message.ts'
import { shorten } from '../safe-text.ts'
import type { Disk } from '../world.ts'
import { shellWord } from '../words.ts'
import { isId, unwrapId } from './id.ts'

export type Input =
  | { kind: 'words'; texts: readonly string[] }
  | { kind: 'file'; path: string; disk: Disk }
  | { kind: 'stdin'; stream: Readable; isTerminal: boolean }

export type StreamInput = Exclude<Input, { kind: 'words' }>

/** A file, or `-` for standard input. */
export function inputOf({ disk, stdin, isTerminal }: Host, path: string): StreamInput {
  return path === '-'
    ? { kind: 'stdin', stream: stdin, isTerminal: isTerminal.stdin }
    : { kind: 'file', path, disk }
}

/** Ids and files of a command line. */
export interface NamedInputs {
  /** May contain `-`. */
  words?: readonly string[]
  files: readonly string[]
}

/** The words of a command line, as one input, and its files. Throws exit 2 if there are none. */
export function inputsOf(host: Host, { words = [], files }: NamedInputs): Input[] {
  if (words.length + files.length === 0)
    throw usageError(
      'no ids were given',
      host.isTerminal.stdin
        ? 'give ids, a file with --file <path>, or - for standard input'
        : 'add - to read what is piped in, or give ids, or a file with --file <path>',
    )
  const texts = words.filter((word) => word !== '-')
  refuseFiles(host, texts)
  const paths = [...words.filter((word) => word === '-'), ...files]
  const streams = paths.map((path) => inputOf(host, path))
  return texts.length === 0 ? streams : [{ kind: 'words', texts }, ...streams]
}

/** Throws exit 2 for a word that is no id and names a file. */
export function refuseFiles(host: Host, words: readonly string[]) {
  const path = words.find((word) => !isId(unwrapId(word)) && isFile(host, word))
  if (path === undefined) return
  throw usageError(
    `"${shorten(path, 200)}" is a file, not an id`,
    `to read it: --file ${shellWord(path)}`,
  )
}

function isFile({ disk }: Host, path: string) {
  try {
    return disk.statSync(path).isFile()
  } catch (error) {
    // A word that the system does not take for a path names no file.
    if (systemCode(error) === undefined) throw error
    return false
  }
}

/** An input in words, for the beginning of a sentence. */
export function inputName(input: Input): string {
  switch (input.kind) {
    case 'words':
      return 'the arguments'
    case 'file':
      return `"${shorten(input.path, 200)}"`
    case 'stdin':
      return 'standard input'
  }
}

/** Throws exit 2 when standard input is named twice, or is a terminal, where nobody would know what it waits for. */
export function checkInputs(inputs: readonly Input[]) {
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

/** The bytes of a file. A chunk is valid until the next one is asked for. Rejects with the system's error. */
export async function* bytesOf(disk: Disk, path: string): AsyncGenerator<Buffer> {
  const file = await disk.promises.open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(readAtOnce)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

const mostBytes = 256 << 20

/** All bytes of an input. Throws exit 2 for one that cannot be read, or is larger than 256 MB (`/dev/zero` never ends). */
export async function readWhole(input: StreamInput): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  const chunks: AsyncIterable<Buffer | string> =
    input.kind === 'file' ? bytesOf(input.disk, input.path) : input.stream
  try {
    for await (const chunk of chunks) {
      // Copied, because the next chunk comes in the same buffer.
      const piece = Buffer.from(chunk as Buffer)
      length += piece.length
      if (length > mostBytes) {
        throw usageError(
          `${inputName(input)} is larger than 256 MB`,
          'split it into several files',
        )
      }
      pieces.push(piece)
    }
  } catch (error) {
    // An error of svc, as above, stays as it is.
    throw fileError('usage', `${inputName(input)} cannot be read`, error)
  }
  return Buffer.concat(pieces)
}
